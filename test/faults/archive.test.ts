import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { connect } from "../../database/connect.ts";
import { migrate } from "../../database/migrate.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import { freePorts } from "../testing/free-port.ts";
import { connectTo, copyFolder, giveTo, NAME, serverIn, urlOf } from "../testing/postgres-server.ts";
import { until } from "../testing/until.ts";

const walletOf = (digit: number) => `0x${String(digit).repeat(40)}` as WalletAddress;

/** The settings of docs/operations.md: those of a server that archives, and those of one that recovers. */
function documented(wal: string): [archive: string, recovery: string] {
  const section = readFileSync("docs/operations.md", "utf8").split("### Base backup and WAL")[1] ?? "";
  const [archive = "", recovery = ""] = [...section.matchAll(/```ini\n([^`]+)```/g)].map(([, text = ""]) =>
    text.replaceAll("/srv/wal", wal),
  );
  return [archive, recovery];
}

describe("PostgreSQL, from a base backup and archived WAL @deep", function () {
  this.timeout(120_000);
  const folder = mkdtempSync(join(tmpdir(), "torcida-archive-"));
  const [data, base, wal] = [join(folder, "data"), join(folder, "base"), join(folder, "wal")];
  const running: { stop(): Promise<void> }[] = [];
  after(async () => {
    for (const server of running) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("is back at the moment before a mistake, after the loss of its disk", async () => {
    const [port = 0, recoveredPort = 0] = await freePorts(2);
    const [archive, recovery] = documented(wal);
    chmodSync(folder, 0o755);
    for (const path of [data, base, wal]) mkdirSync(path, { mode: 0o700 });
    const server = serverIn(data, port, ["-c", "wal_level=replica"]);
    await server.initialise();
    const owner = statSync(join(data, "PG_VERSION"));
    giveTo(folder, owner);
    appendFileSync(join(data, "postgresql.conf"), archive);
    await server.start();
    running.push(server);

    await server.createDatabase(NAME);
    const database = await connect(urlOf(port));
    await migrate(database);
    const register = (digit: number) =>
      database.kysely
        .insertInto("users")
        .values({ wallet: walletOf(digit), email: "", first_name: "", last_name: "", created_at: 1n })
        .execute();
    await register(1);

    // What pg_basebackup does, which the package lacks.
    const admin = await connectTo(urlOf(port, "postgres"));
    await admin.query("select pg_backup_start('weekly', true)");
    copyFolder(data, base);
    const { rows } = await admin.query("select labelfile from pg_backup_stop(true)");
    writeFileSync(join(base, "backup_label"), rows[0].labelfile);
    rmSync(join(base, "pg_wal"), { recursive: true });
    mkdirSync(join(base, "pg_wal"), { mode: 0o700 });

    await register(2);
    const { rows: times } = await admin.query("select clock_timestamp()::text as now");
    await delay(200);
    await database.kysely.deleteFrom("users").execute();
    await register(3);
    const { rows: last } = await admin.query("select pg_walfile_name(pg_switch_wal()) as name");
    await until("the last WAL is archived", async () => {
      const archiver = await admin.query("select last_archived_wal as name from pg_stat_archiver");
      return archiver.rows[0].name >= last[0].name;
    });
    await admin.end();
    await database.close();
    await server.stop();
    running.pop();
    rmSync(data, { recursive: true });

    writeFileSync(join(base, "recovery.signal"), "");
    const target = recovery.replace(/(?<=recovery_target_time = ')[^']+/, times[0].now);
    appendFileSync(join(base, "postgresql.auto.conf"), target);
    giveTo(base, owner);
    const recovered = serverIn(base, recoveredPort, []);
    running.push(recovered);
    await recovered.start().catch(() => Promise.reject(new Error(recovered.log.join(""))));
    await until("it has promoted itself", async () => {
      const client = await connectTo(urlOf(recoveredPort));
      const answer = await client.query("select pg_is_in_recovery() as waits").finally(() => client.end());
      return answer.rows[0].waits === false;
    });
    const again = await connect(urlOf(recoveredPort));
    try {
      const users = await again.kysely.selectFrom("users").select("wallet").orderBy("wallet").execute();
      expect(users.map(({ wallet }) => wallet)).to.deep.equal([walletOf(1), walletOf(2)]);
    } finally {
      await again.close();
    }
  });
});
