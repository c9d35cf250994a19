import { execFileSync, spawn } from "node:child_process";
import { existsSync, renameSync, rmSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { openSqlite } from "../../core/database/connect.ts";
import { type Postgres, startPostgres } from "../testing/postgres.ts";
import { until } from "../testing/until.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";
import { startTcpProxy, type TcpProxy } from "./support/tcp-proxy.ts";

/** Callers get a response within five seconds; a busy test machine gets more. docs/product.md#limit-answer-time */
const ANSWER_MS = 15_000;

describe("A SQLite file that cannot be written (F16, F17, F35) @deep", function () {
  this.timeout(300_000);
  let system: FaultSystem;
  before(async () => {
    system = await startFaultSystem();
  });
  after(() => system?.stop());

  const limitFiles = (pid: number, limit: string) =>
    execFileSync("prlimit", ["--pid", String(pid), `--fsize=${limit}:unlimited`]);

  it("returns 503 and sends nothing while the disk is full, still reads, and recovers by itself (F16)", async () => {
    const buyer = await system.shopper();
    await system.settled();
    const before = await system.judge();
    // Of a session that is used after more than a minute, the last use is written.
    const file = openSqlite(system.databaseUrl);
    file.exec("update sessions set last_seen_at = last_seen_at - 300000");
    file.close();
    limitFiles(system.api.pid(), "4096");
    const refused = await buyer.call("POST", "/api/register-purchase", {
      user: buyer.address,
      store_id: 1,
      amount: 10,
    });
    expect(refused.status, JSON.stringify(refused.body)).to.equal(503);
    expect((await buyer.call("GET", "/api/stores")).status).to.equal(200);
    expect((await buyer.call("GET", "/api/purchases")).body.purchases).to.deep.equal([]);
    await delay(1_000);
    const during = await system.judge();
    expect([during.purchases, during.minted]).to.deep.equal([before.purchases, before.minted]);
    limitFiles(system.api.pid(), "unlimited");
    await buyer.buy(1, 10);
    await system.settled();
    expect(system.api.crashes()).to.equal(0);
  });

  it("is waited for by an api that starts while the disk is full (F16)", async () => {
    const { api, environment } = system;
    await api.stop();
    const limited = ["--fsize=4096:unlimited", process.execPath, "api/main.ts"];
    const child = spawn("prlimit", limited, { env: { ...process.env, ...environment } });
    try {
      let said = "";
      for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk));
      await until("it waits or ends", () => said.includes("Waiting for the database") || child.exitCode !== null);
      expect(child.exitCode, said).to.equal(null);
      await until("it says that it is not ready", async () => (await fetch(`${system.url}/readyz`)).status === 503);
      limitFiles(child.pid ?? 0, "unlimited");
      await api.ready();
    } finally {
      child.kill("SIGKILL");
      await until("it is gone", () => child.exitCode !== null || child.signalCode !== null);
      api.start();
      await api.ready();
    }
  });

  it("returns 503 with Retry-After while another process holds the write lock, reads meanwhile, and recovers by itself (F17)", async () => {
    const buyer = await system.shopper();
    const other = openSqlite(system.databaseUrl);
    // Of a session that is used after more than a minute, the last use is written.
    other.exec("update sessions set last_seen_at = last_seen_at - 300000");
    other.exec("begin immediate");
    try {
      const response = await fetch(`${system.url}/api/check-user`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ address: "0x00000000000000000000000000000000000000aa" }),
      });
      expect(response.status).to.be.oneOf([200, 503]);
      const asked = performance.now();
      let isRefused = false;
      const registering = buyer
        .call("POST", "/api/register-purchase", { user: buyer.address, store_id: 1, amount: 10 })
        .finally(() => {
          isRefused = true;
        });
      for (const path of ["/api/stores", "/api/me", "/api/purchases", "/api/stores/1", "/api/me"]) {
        expect((await buyer.call("GET", path)).status, path).to.equal(200);
        expect(isRefused, `${path} waited for a write`).to.equal(false);
      }
      const refused = await registering;
      expect(performance.now() - asked).to.be.lessThan(ANSWER_MS);
      expect(refused.status).to.equal(503);
    } finally {
      other.exec("rollback");
      other.close();
    }
    await buyer.buy(1, 12);
    await system.settled();
  });

  it("ends with a clear error when the file is deleted, and sends nothing (F35)", async () => {
    const { api, indexer } = system;
    const buyer = await system.shopper();
    await system.settled();
    const { minted } = await system.judge();
    const files = ["", "-wal", "-shm"].map((suffix) => `${system.databaseUrl}${suffix}`);
    // Together: what is not in the file yet is in the log beside it, which a process that starts would take for its own.
    for (const file of files) renameSync(file, `${file}.away`);
    const crashes = api.crashes();
    await buyer.buy(1, 10).catch(() => {});
    await until("the api ends", () => api.crashes() > crashes);
    await until("the indexer ends", () => indexer.crashes() > 0);
    expect(api.output()).to.match(/database.*(deleted|replaced|gone|moved)/i);
    await Promise.all([api.stop(), indexer.stop()]);
    for (const file of files) {
      rmSync(file, { force: true });
      if (existsSync(`${file}.away`)) renameSync(`${file}.away`, file);
    }
    expect((await system.judge()).minted).to.equal(minted);
  });
});

describe("PostgreSQL becoming unavailable (F17) @deep", function () {
  this.timeout(300_000);
  let postgres: Postgres;
  let network: TcpProxy;
  let system: FaultSystem;
  before(async () => {
    postgres = await startPostgres();
    const direct = new URL(await postgres.createDatabase());
    network = await startTcpProxy(Number(direct.port));
    direct.port = String(network.port);
    system = await startFaultSystem({ databaseUrl: direct.toString() });
  });
  after(async () => {
    await system?.stop();
    await network?.stop();
    await postgres?.stop();
  });

  for (const fault of ["cut", "freeze"] as const) {
    it(`returns 503 with Retry-After while the connection is ${fault}, writes nothing partially, and recovers by itself (F17)`, async () => {
      const buyer = await system.shopper();
      await buyer.buy(1, 10);
      network[fault]();
      try {
        const asked = performance.now();
        const response = await fetch(`${system.url}/api/purchases`, { signal: AbortSignal.timeout(20_000) });
        const refused = await buyer.call("POST", "/api/register-purchase", {
          user: buyer.address,
          store_id: 1,
          amount: 11,
        });
        expect(refused.status).to.equal(503);
        expect(performance.now() - asked).to.be.lessThan(ANSWER_MS);
        expect(response.status).to.be.oneOf([401, 503]);
        expect((await fetch(`${system.url}/readyz`)).status).to.equal(503);
      } finally {
        network.restore();
      }
      await until("it is ready again", async () => (await fetch(`${system.url}/readyz`)).status === 200);
      await buyer.buy(1, 12);
      await system.settled();
      expect(system.api.crashes()).to.equal(0);
    });
  }
});
