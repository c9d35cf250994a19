/**
 * The product's speed with a long history:
 *   npm run bench -- scale --purchases N --database sqlite|postgres
 * Fills a database, starts the real processes with a real chain, and measures. Two cores also generate
 * the load.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { deploymentSchema } from "../chain/deployment.ts";
import { connect, type Database } from "../database/connect.ts";
import { migrate } from "../database/migrate.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import { startAnvil } from "../test/testing/anvil.ts";
import { freePorts } from "../test/testing/free-port.ts";
import { type Postgres, startPostgres } from "../test/testing/postgres.ts";
import { until } from "../test/testing/until.ts";
import { TokenWriter } from "./scale/chain.ts";
import { fill, type OnChain, signIn, walletOf } from "./scale/fill.ts";
import { measureReads, measureRegistrations, measureSingleCalls } from "./scale/http.ts";
import { measurePlanner, measureReconcile } from "./scale/in-process.ts";
import { residentMb, runScript, start } from "./scale/processes.ts";

/** Their status changes between two comparisons of database and chain. */
const CHANGED = 1_000;
/** How many others a comparison looks at: a day's share of ten minutes. */
const RUNS_A_DAY = 144;
const ADMIN = walletOf(0xad);
const CALLERS = 64;
const MEASURED_SECONDS = 10;

const { values: flags } = parseArgs({
  options: { purchases: { type: "string", default: "100000" }, database: { type: "string", default: "sqlite" } },
});
const purchases = Number(flags.purchases);
if (!Number.isInteger(purchases) || purchases < 50_000 || !["sqlite", "postgres"].includes(flags.database)) {
  console.error("npm run bench -- scale --purchases N --database sqlite|postgres, N at least 50000");
  process.exit(2);
}
const figures = await main();
console.table(figures);
console.log(JSON.stringify(figures));
process.exit(0);

async function main(): Promise<Record<string, number | string>> {
  const directory = mkdtempSync(join(tmpdir(), "torcida-scale-"));
  const postgres: Postgres | undefined =
    flags.database === "postgres" ? await startPostgres({ durable: true }) : undefined;
  const anvil = await startAnvil();
  try {
    const databaseUrl = (await postgres?.createDatabase()) ?? join(directory, "torcida.db");
    const [port, indexerPort] = (await freePorts(2)) as [number, number];
    const environment = environmentOf({ directory, databaseUrl, chainPort: anvil.port, port, indexerPort });
    // The measurements inside this process read the same variables as the others.
    Object.assign(process.env, environment);
    await runScript("scripts/deploy.ts", environment, ["--network", "localhost"]);
    await runScript("scripts/seed.ts", environment);
    const deployment = deploymentSchema.parse(
      JSON.parse(readFileSync(join(directory, "deployments/localhost.json"), "utf8")),
    );
    const database = await connect(databaseUrl);
    try {
      return await measure({
        environment,
        database,
        rpcUrl: anvil.rpcUrl,
        purchaseNft: deployment.purchaseNft.address,
      });
    } finally {
      await database.close();
    }
  } finally {
    await anvil.stop("SIGKILL");
    await postgres?.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

type Given = {
  environment: Record<string, string>;
  database: Database;
  rpcUrl: string;
  purchaseNft: `0x${string}`;
};

async function measure({ environment, database, rpcUrl, purchaseNft }: Given) {
  await migrate(database);
  const onChain: OnChain = {
    count: CHANGED + Math.ceil(purchases / RUNS_A_DAY),
    valueCents: 10_000n,
    cashbackBps: 500n,
    buyer: walletOf(3),
    storeId: 1n,
  };
  const firstOnChain = purchases - onChain.count + 1;
  const lastUnchanged = purchases - CHANGED;
  const tokens = new TokenWriter(rpcUrl, purchaseNft);
  console.log(`… ${onChain.count} tokens on the chain`);
  await tokens.mint(firstOnChain, purchases, onChain);
  await tokens.confirm(firstOnChain, lastUnchanged);
  await index(environment, database, onChain.count);
  console.log(`… ${purchases} purchases on ${flags.database}`);
  const filled = await fill(database, purchases, onChain);
  const sessions = {
    admin: await signIn(database, ADMIN),
    heavy: await signIn(database, filled.heavyWallet),
    callers: await signInCallers(database),
  };

  console.log("… the processes");
  const indexer = await startIndexer(environment);
  const url = `http://127.0.0.1:${environment.PORT}`;
  const api = await start("api/main.ts", environment, `${url}/readyz`);
  let overHttp: Record<string, number>;
  let rssMb: number;
  try {
    overHttp = {
      ...(await measureSingleCalls(url, database, sessions, filled)),
      ...(await measureReads(url, sessions, MEASURED_SECONDS)),
      ...(await measureRegistrations(url, sessions, MEASURED_SECONDS)),
    };
    rssMb = residentMb(api.pid);
  } finally {
    await api.stop();
  }
  const reconciled = await measureReconcile(environment, database, async () => {
    await tokens.confirm(lastUnchanged + 1, purchases);
    await until("the changed tokens are indexed", async () => {
      const token = await database.kysely
        .selectFrom("nfts")
        .select("status")
        .where("token_id", "=", BigInt(purchases))
        .executeTakeFirst();
      return token?.status === 2n;
    });
  });
  await indexer.stop();
  const planner = await measurePlanner(database);
  return {
    purchases,
    database: flags.database,
    ...planner,
    ...overHttp,
    ...reconciled,
    startMs: Math.round(api.startMs),
    rssMb,
  };
}

/** The indexer reads the tokens before the history is written: it keeps nothing that it did not begin with. */
async function index(environment: Record<string, string>, database: Database, count: number): Promise<void> {
  const indexer = await startIndexer(environment);
  await until(
    "the tokens are indexed",
    async () => {
      const row = await database.kysely
        .selectFrom("nfts")
        .select(({ fn }) => fn.countAll<bigint>().as("n"))
        .executeTakeFirstOrThrow();
      return Number(row.n) === count;
    },
    600_000,
  );
  await indexer.stop();
}

function startIndexer(environment: Record<string, string>) {
  return start("indexer/main.ts", environment, `http://127.0.0.1:${environment.INDEXER_PORT}/readyz`);
}

async function signInCallers(database: Database): Promise<{ wallet: WalletAddress; token: string }[]> {
  const callers = [];
  for (let index = 0; index < CALLERS; index++) {
    const wallet = walletOf(10 + index);
    callers.push({ wallet, token: await signIn(database, wallet) });
  }
  return callers;
}

function environmentOf(given: {
  directory: string;
  databaseUrl: string;
  chainPort: number;
  port: number;
  indexerPort: number;
}): Record<string, string> {
  return {
    PORT: String(given.port),
    HOST: "127.0.0.1",
    INDEXER_PORT: String(given.indexerPort),
    CHAIN_PORT: String(given.chainPort),
    DATA_DIR: given.directory,
    DEPLOYMENTS_DIR: join(given.directory, "deployments"),
    DATABASE_URL: given.databaseUrl,
    ADMIN_WALLETS: ADMIN,
    RATE_LIMIT_SCALE: "100000000",
    LOG_LEVEL: "error",
    // These purchases are minted after the benchmark, because a registration does not include the sender's work.
    SIMULATED_STEP_DELAY_MS: "3600000",
    RECONCILE_INTERVAL_SECONDS: "3",
  };
}
