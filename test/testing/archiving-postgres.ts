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
import { freePorts } from "./free-port.ts";
import { connectTo, copyFolder, giveTo, NAME, serverIn, urlOf } from "./postgres-server.ts";
import { until } from "./until.ts";

export type ArchivingPostgres = {
  databaseUrl: string;
  backUp(): Promise<void>;
  /** This moment, by the server's clock. */
  now(): Promise<string>;
  /**
   * Loses the server's disk, and recovers the base backup and the archive to a moment, or without one all of it, under the
   * same URL. Throws with what the server says if it does not start.
   */
  recoverTo(moment?: string): Promise<void>;
  /** Ends the present segment of the log, once it is archived; returns its file there. */
  archived(): Promise<string>;
  stop(): Promise<void>;
};

/** The settings of docs/operations.md: those of a server that archives, and those of one that recovers. */
function documented(wal: string): [archive: string, recovery: string] {
  const section = readFileSync("docs/operations.md", "utf8").split("### Base backup and WAL")[1] ?? "";
  const [archive = "", recovery = ""] = [...section.matchAll(/```ini\n([^`]+)```/g)].map(([, text = ""]) =>
    text.replaceAll("/srv/wal", wal).replaceAll("/opt/torcida", process.cwd()),
  );
  return [archive, recovery];
}

/** A PostgreSQL that archives its write-ahead log, by the documented settings. */
export async function startArchivingPostgres(): Promise<ArchivingPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "torcida-archive-"));
  const [data, base, wal] = [join(folder, "data"), join(folder, "base"), join(folder, "wal")];
  const [port = 0] = await freePorts(1);
  const [archive, recovery] = documented(wal);
  chmodSync(folder, 0o755);
  for (const path of [data, base, wal]) mkdirSync(path, { mode: 0o700 });
  let server = serverIn(data, port, ["-c", "wal_level=replica"]);
  await server.initialise();
  const owner = statSync(join(data, "PG_VERSION"));
  giveTo(folder, owner);
  appendFileSync(join(data, "postgresql.conf"), archive);
  await server.start();
  await server.createDatabase(NAME);
  const ask = async (query: string) => {
    const client = await connectTo(urlOf(port, "postgres"));
    const { rows } = await client.query(query).finally(() => client.end());
    return rows[0];
  };
  let isLost = false;
  const archived = async () => {
    const { name } = await ask("select pg_walfile_name(pg_switch_wal()) as name");
    await until("the last WAL is archived", async () => {
      const archiver = await ask("select last_archived_wal as name from pg_stat_archiver");
      return archiver.name >= name;
    });
    return join(wal, name);
  };
  return {
    databaseUrl: urlOf(port),
    /** What pg_basebackup does, which the package lacks. */
    async backUp() {
      const client = await connectTo(urlOf(port, "postgres"));
      await client.query("select pg_backup_start('weekly', true)");
      copyFolder(data, base);
      const { rows } = await client.query("select labelfile from pg_backup_stop(true)");
      await client.end();
      writeFileSync(join(base, "backup_label"), rows[0].labelfile);
      rmSync(join(base, "pg_wal"), { recursive: true });
      mkdirSync(join(base, "pg_wal"), { mode: 0o700 });
    },
    archived,
    now: async () => (await ask("select clock_timestamp()::text as now")).now,
    async recoverTo(moment) {
      if (!isLost) await archived();
      await server.stop();
      isLost = true;
      rmSync(data, { recursive: true });
      copyFolder(base, data);
      writeFileSync(join(data, "recovery.signal"), "");
      const target =
        moment === undefined
          ? recovery.replace(/^recovery_target_time.*$/m, "")
          : recovery.replace(/(?<=recovery_target_time = ')[^']+/, moment);
      appendFileSync(join(data, "postgresql.auto.conf"), target);
      giveTo(data, owner);
      const recovered = serverIn(data, port, []);
      server = recovered;
      await recovered.start().catch(() => {
        // Its end is not waited for again.
        Object.assign(recovered, { process: undefined });
        throw new Error(recovered.log.join(""));
      });
      await until("it has promoted itself", async () => {
        return (await ask("select pg_is_in_recovery() as waits")).waits === false;
      });
    },
    async stop() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
