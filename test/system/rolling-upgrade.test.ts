import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import type { Deployment } from "../../core/chain/deployment.ts";
import { patiently } from "../faults/support/patiently.ts";
import { type Supervised, supervise } from "../faults/support/supervised.ts";
import { judge } from "../faults/support/verdict.ts";
import { type Anvil, startAnvil } from "../testing/anvil.ts";
import { freePorts } from "../testing/free-port.ts";
import { readLedger } from "../testing/ledger.ts";
import { type Postgres, startPostgres } from "../testing/postgres.ts";
import { Shopper } from "../testing/shopper.ts";
import { until } from "../testing/until.ts";

const ROOT = join(import.meta.dirname, "../..");
/** The old version: the last release, from 1.0.0 on, by its tag or, in a clone without tags, by its commit. */
const EARLIER =
  process.env.UPGRADE_FROM ??
  (git("describe", "--tags", "--abbrev=0", "--match", "v[1-9]*", "HEAD^").stdout.trim() ||
    git("log", "--format=%H", "--grep", "^chore(release): [1-9]", "-1", "HEAD^").stdout.trim());
const isKnown = EARLIER !== "" && git("cat-file", "-e", `${EARLIER}^{commit}`).status === 0;
const BUYS_PER_STAGE = 5;

if (!isKnown) console.log("skipped: the rolling upgrade, because there is no earlier release from 1.0.0 on");

/** docs/upgrading.md#several-processes */
(isKnown ? describe : describe.skip)("A rolling upgrade under load @release", function () {
  this.timeout(480_000);
  const folder = mkdtempSync(join(tmpdir(), "torcida-upgrade-"));
  const earlier = join(folder, "earlier");
  const running: Supervised[] = [];
  let anvil: Anvil;
  let postgres: Postgres;
  let environment: Record<string, string>;
  /** Bought at the earlier version, on the database of the later one. */
  let undoneId = 0;
  /** Nobody buys any more. */
  let isOver = false;
  before(async () => {
    execFileSync("sh", ["-c", `mkdir ${earlier} && git archive ${EARLIER} | tar -x -C ${earlier}`], { cwd: ROOT });
    // With its own packages: this version may have dropped one.
    execFileSync("npm", ["ci", "--omit=dev", "--no-audit", "--no-fund"], { cwd: earlier });
    anvil = await startAnvil();
    postgres = await startPostgres();
    environment = {
      HOST: "127.0.0.1",
      DATA_DIR: folder,
      DATABASE_URL: await postgres.createDatabase(),
      NETWORK: "localhost",
      DEPLOYMENTS_DIR: join(folder, "deployments"),
      RPC_URLS: anvil.rpcUrl,
      SIMULATED_STEP_DELAY_MS: "50",
      HOLD_SECONDS: "0",
      RATE_LIMIT_SCALE: "100",
    };
    for (const args of [["scripts/deploy.ts", "--network", "localhost"], ["scripts/seed.ts"]]) {
      execFileSync(process.execPath, args, { cwd: earlier, env: { ...process.env, ...environment } });
    }
  });
  after(async () => {
    // Also after a failure, or the buyers keep the process alive.
    isOver = true;
    await Promise.all(running.map((one) => one.stop("SIGKILL")));
    await anvil?.stop();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const start = async (version: string, what: "api" | "indexer") => {
    const [port = 0] = await freePorts(1);
    const own = { [what === "api" ? "PORT" : "INDEXER_PORT"]: String(port) };
    const url = `http://127.0.0.1:${port}`;
    const script = join(version, what, "main.ts");
    const one = supervise({ name: `${what} ${version}`, script, url, environment: { ...environment, ...own } });
    running.push(one);
    one.start();
    // The second indexer is a standby, and is not ready.
    const path = what === "api" ? "/readyz" : "/healthz";
    await until(`${one.name} answers`, async () => (await fetch(`${url}${path}`)).ok).catch((error: Error) => {
      throw new Error(`${error.message}\n${one.output()}`);
    });
    return one;
  };

  /** Waits until every purchase is minted and paid; returns where. */
  const settled = async (api: Supervised) => {
    process.env.DEPLOYMENTS_DIR = environment.DEPLOYMENTS_DIR;
    const { readDeployment } = await import("../../core/chain/deployment.ts");
    const deployment: Deployment = readDeployment("localhost");
    delete process.env.DEPLOYMENTS_DIR;
    const contracts = {
      rpcUrl: anvil.rpcUrl,
      purchaseNft: deployment.purchaseNft.address,
      cashbackDistributor: deployment.cashbackDistributor.address,
    };
    let verdict: unknown;
    await until("every purchase is minted and paid", async () => {
      const found = await judge({ ...contracts, databaseUrl: environment.DATABASE_URL ?? "" });
      verdict = found;
      return found.isComplete;
    }).catch((error: Error) => {
      throw new Error(`${error.message}\n${JSON.stringify(verdict)}\n${api.output().slice(-1_500)}`);
    });
    return contracts;
  };

  it("loses nothing and does nothing twice while both versions run side by side (F54)", async () => {
    const [oldIndexer, oldApi] = [await start(earlier, "indexer"), await start(earlier, "api")];
    let urls = [oldApi.url];
    const buyer = async (url: string) => {
      const shopper = new Shopper(url);
      await shopper.signUp();
      return shopper;
    };
    const bought: number[] = [];
    const load = (async () => {
      for (let turn = 0; !isOver; turn++) {
        const url = urls[turn % urls.length] ?? "";
        const shopper = await patiently(() => buyer(url)).catch(() => undefined);
        const id = await shopper?.buy(1 + (turn % 3), 10 + turn).catch(() => undefined);
        if (id !== undefined) bought.push(id);
        await delay(100);
      }
    })();
    const more = async () => {
      const enough = bought.length + BUYS_PER_STAGE;
      await until(`more is bought at ${urls}`, () => bought.length >= enough);
    };
    await more();
    const api = await start(ROOT, "api");
    urls = [oldApi.url, api.url];
    await more();
    const indexer = await start(ROOT, "indexer");
    await more();
    urls = [api.url];
    expect(await oldApi.stop("SIGTERM"), oldApi.output()).to.equal(0);
    expect(await oldIndexer.stop("SIGTERM"), oldIndexer.output()).to.equal(0);
    await more();
    isOver = true;
    await load;

    const contracts = await settled(api);
    const ledger = await readLedger(contracts);
    for (const id of bought) expect(ledger.paymentsOf(id), `purchase ${id}`).to.have.length(1);
    expect([api.crashes(), indexer.crashes(), oldApi.crashes(), oldIndexer.crashes()]).to.deep.equal([0, 0, 0, 0]);
    const isFault = (line: string) => /"err"|no such column|does not exist/.test(line);
    for (const one of [api, oldApi]) expect(one.output().split("\n").filter(isFault), one.name).to.deep.equal([]);
  });

  it("can be undone: the earlier version starts with the upgraded database, and sells", async () => {
    const [indexer, api] = [await start(earlier, "indexer"), await start(earlier, "api")];
    const undone = running.filter((one) => one !== indexer && one !== api && one.pid() !== 0);
    for (const one of undone) expect(await one.stop("SIGTERM"), one.output()).to.equal(0);
    const shopper = new Shopper(api.url);
    await shopper.signUp();
    undoneId = await shopper.buy(1, "12.34");
    await shopper.paid([undoneId]);
    expect([api.crashes(), indexer.crashes()]).to.deep.equal([0, 0]);
  });

  it("goes forward again, and knows what was paid meanwhile", async () => {
    const before = running.filter((one) => one.pid() !== 0);
    const [indexer, api] = [await start(ROOT, "indexer"), await start(ROOT, "api")];
    for (const one of before) expect(await one.stop("SIGTERM"), one.output()).to.equal(0);
    const shopper = new Shopper(api.url);
    await shopper.signUp();
    const id = await shopper.buy(2, "56.78");
    await shopper.paid([id]);
    const ledger = await readLedger(await settled(api));
    for (const one of [undoneId, id]) expect(ledger.paymentsOf(one), `purchase ${one}`).to.have.length(1);
    expect([api.crashes(), indexer.crashes()]).to.deep.equal([0, 0]);
  });
});

function git(...args: string[]) {
  return spawnSync("git", args, { cwd: ROOT, encoding: "utf8" });
}
