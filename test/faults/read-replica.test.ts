import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import type pg from "pg";
import { bumpCatalogueVersion } from "../../core/catalogue/version.ts";
import { connect } from "../../core/database/connect.ts";
import { currentPosition, readingFrom } from "../../core/database/replica.ts";
import { freePorts } from "../testing/free-port.ts";
import { type PostgresPair, startPostgresPair } from "../testing/postgres-pair.ts";
import { connectTo, copyFolder, giveTo, serverIn, urlOf } from "../testing/postgres-server.ts";
import { Shopper } from "../testing/shopper.ts";
import { until } from "../testing/until.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";
import type { Supervised } from "./support/supervised.ts";

/** A PostgreSQL that streams to a standby, which serves lists, statement and proof. docs/operations.md#a-read-replica */
describe("A read replica @release", function () {
  this.timeout(300_000);
  let pair: PostgresPair;
  let standby: pg.Client;
  let system: FaultSystem;
  let other: Supervised;
  let buyer: Shopper;

  before(async () => {
    pair = await startPostgresPair({ isSynchronous: false });
    standby = await connectTo(pair.standbyUrl);
    system = await startFaultSystem({
      databaseUrl: pair.primaryUrl,
      environment: { DATABASE_READ_URL: pair.standbyUrl, RATE_LIMIT_SCALE: "1000" },
    });
    other = await system.anotherApi();
    buyer = await system.shopper();
  });
  after(async () => {
    await system?.stop();
    await standby?.end().catch(() => {});
    await pair?.stop();
  });

  const used = async (url = system.url) =>
    /^torcida_replica_used (\d)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1];
  const isUsed = (is: "0" | "1") => until(`the replica is used: ${is}`, async () => (await used()) === is);
  /** How many reads the standby has served. */
  const served = async () => {
    await standby.query("select pg_stat_clear_snapshot()");
    const { rows } = await standby.query("select xact_commit from pg_stat_database where datname = current_database()");
    return Number(rows[0].xact_commit);
  };
  const purchasesAt = async (url: string, token = buyer.token) => {
    const answer = await fetch(`${url}/api/purchases?limit=100`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status, url).to.equal(200);
    return ((await answer.json()) as { purchases: { id: number }[] }).purchases.map(({ id }) => id);
  };

  it("serves a call whose session has written nothing newer, and nothing else", async () => {
    const database = await connect(pair.primaryUrl, { readUrl: pair.standbyUrl });
    try {
      const where = async () => {
        const { rows } = await sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`.execute(
          database.reader,
        );
        return rows[0]?.standby ? "standby" : "primary";
      };
      const from = (position: bigint) => readingFrom(position, where);
      expect(await where(), "what no call asks").to.equal("primary");
      await until("it has caught up", async () => database.replica?.status.isUsed);
      expect(await from(0n)).to.equal("standby");
      await standby.query("select pg_wal_replay_pause()");
      await database.kysely.insertInto("settings").values({ name: "written", value: "1", updated_at: 1n }).execute();
      const now = await database.kysely.selectNoFrom(currentPosition().as("position")).executeTakeFirstOrThrow();
      const written = now.position;
      expect(await from(written), "its own write").to.equal("primary");
      expect(await from(0n), "not far behind yet").to.equal("standby");
      await until("it is far behind", async () => !database.replica?.status.isUsed);
      expect(database.replica?.status.problem).to.match(/^it is \d+ s behind$/);
      expect(await from(0n)).to.equal("primary");
      await standby.query("select pg_wal_replay_resume()");
      await until("it has caught up", async () => database.replica?.status.isUsed);
      expect(await from(written)).to.equal("standby");
    } finally {
      await database.close();
    }
  });

  it("is believed only as a standby of this very database", async () => {
    const problemOf = async (primaryUrl: string, readUrl: string) => {
      const database = await connect(primaryUrl, { readUrl });
      await database.close();
      return database.replica?.status.problem;
    };
    const another = "DATABASE_READ_URL is a standby of another database";
    expect(await problemOf(pair.primaryUrl, pair.primaryUrl)).to.equal("DATABASE_READ_URL is no standby");
    expect(await problemOf(pair.primaryUrl, pair.standbyUrl.replace(/torcida$/, "postgres"))).to.equal(another);
    const other = await startPostgresPair({ isSynchronous: false });
    try {
      expect(await problemOf(pair.primaryUrl, other.standbyUrl)).to.equal(another);
    } finally {
      await other.stop();
    }
  });

  it("is not believed where the primary was restored, and has not what the replica has", async () => {
    const folder = mkdtempSync(join(tmpdir(), "torcida-postgres-restored-"));
    const [port = 0] = await freePorts(1);
    const primary = await connectTo(pair.primaryUrl);
    const { rows } = await primary.query("show data_directory");
    await primary.query("select pg_backup_start('restored', true)");
    copyFolder(rows[0].data_directory, folder);
    await primary.query("select pg_backup_stop(false)");
    giveTo(folder, statSync(rows[0].data_directory));
    const restored = serverIn(folder, port, []);
    await restored.start();
    try {
      await primary.query("create table since_then as select generate_series(1, 200000)");
      await until(
        "the standby has it",
        async () => (await standby.query("select to_regclass('since_then') as t")).rows[0].t,
      );
      const database = await connect(urlOf(port), { readUrl: pair.standbyUrl });
      await database.close();
      expect(database.replica?.status.problem).to.match(/is ahead of the primary/);
    } finally {
      await primary.query("drop table since_then");
      await primary.end();
      await restored.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it("shows a buyer what they just bought, at every api, though the replica stands still", async () => {
    await isUsed("1");
    const before = await served();
    for (let read = 0; read < 20; read++) await purchasesAt(system.url);
    await until("the standby has counted them", async () => (await served()) >= before + 20);
    await standby.query("select pg_wal_replay_pause()");
    const bought: number[] = [];
    for (let count = 0; count < 5; count++) {
      bought.push(await buyer.buy(1, 10));
      for (const url of [system.url, other.url]) expect(await purchasesAt(url)).to.include.members(bought);
    }
    await isUsed("0");
    expect(await purchasesAt(other.url)).to.include.members(bought);
    await standby.query("select pg_wal_replay_resume()");
    await isUsed("1");
    expect(await purchasesAt(other.url)).to.include.members(bought);
  });

  it("hides nothing from a buyer who has logged in anew", async () => {
    await isUsed("1");
    await standby.query("select pg_wal_replay_pause()");
    const bought = await buyer.buy(1, 10);
    const anew = new Shopper(system.url, buyer.account);
    await anew.logIn();
    expect(await purchasesAt(other.url, anew.token)).to.include(bought);
    await standby.query("select pg_wal_replay_resume()");
  });

  it("leaves no old answer in a cache: what a version of the primary is kept for is read there", async () => {
    await isUsed("1");
    const database = await connect(pair.primaryUrl);
    await standby.query("select pg_wal_replay_pause()");
    await database.kysely.transaction().execute(async (queries) => {
      await queries.updateTable("stores").set({ name: "Just Renamed" }).where("id", "=", 1n).execute();
      await bumpCatalogueVersion(queries);
    });
    await database.close();
    const names = async () => (await fetch(`${other.url}/api/stores?limit=100`)).text();
    await until("the new version is seen", async () => (await names()).includes("Just Renamed"), 3_000);
    await standby.query("select pg_wal_replay_resume()");
  });

  it("may go away at any moment: the primary serves, and no read fails", async () => {
    await isUsed("1");
    let isOver = false;
    let reads = 0;
    const reading = Promise.all(
      [system.url, other.url].map(async (url) => {
        while (!isOver) {
          await purchasesAt(url);
          reads++;
        }
      }),
    );
    await until("it reads", async () => reads > 20);
    await standby.end();
    await pair.stopStandby();
    await isUsed("0");
    const then = reads;
    await until("it reads on", async () => reads > then + 20);
    isOver = true;
    await reading;
    expect(await buyer.buy(1, 10)).to.be.greaterThan(0);
  });
});
