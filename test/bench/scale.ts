/**
 * The product's speed with a long history:
 *   npm run bench -- scale --purchases N --database sqlite|postgres [--data DIRECTORY [--fill]] [--backup]
 * Fills a database, starts the real processes with a real chain, and measures. Two cores also generate
 * the load. With --data everything is kept there, and a filled one is measured again; --fill only fills. --backup measures
 * a backup and its restore instead.
 */

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { deploymentSchema } from "../../core/chain/deployment.ts";
import { indexedBlock } from "../../core/database/chain-cursor.ts";
import { connect, type Database } from "../../core/database/connect.ts";
import { migrate } from "../../core/database/migrate.ts";
import { writeSetting } from "../../core/database/settings.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { toWalletAddress } from "../../core/rules/wallet-address.ts";
import { readOptions, refuseOptions } from "../../scripts/developer/read-options.ts";
import { startAnvil } from "../testing/anvil.ts";
import { freePorts } from "../testing/free-port.ts";
import { type Postgres, startPostgres } from "../testing/postgres.ts";
import { until } from "../testing/until.ts";
import { measureBackup } from "./scale/backup.ts";
import { TokenWriter } from "./scale/chain.ts";
import { type Filled, fill, type OnChain, settle, signIn, walletOf } from "./scale/fill.ts";
import { measureFloors } from "./scale/floors.ts";
import { measureReads, measureRegistrations, measureSingleCalls } from "./scale/http.ts";
import { measurePlanner, measureReconcile } from "./scale/in-process.ts";
import { memoryMb, runScript, start } from "./scale/processes.ts";

/** How many tokens change their status between two comparisons of database and chain. */
const CHANGED = 1_000;
/** How often a kept database can be measured before all its tokens are confirmed. */
const MEASUREMENTS = 8;
/** The confirmed tokens on the chain: as many as the comparisons of one measurement read. */
const LEAST_CONFIRMED = 20_000;
const RUNS_A_DAY = 144;
const ADMIN = walletOf(0xad);
const CALLERS = 64;
const MEASURED_SECONDS = 10;
const FILL_TIMEOUT_MS = 3_600_000;

const { values: flags } = readOptions({
  options: {
    purchases: { type: "string", default: "100000" },
    database: { type: "string", default: "sqlite" },
    data: { type: "string" },
    fill: { type: "boolean", default: false },
    backup: { type: "boolean", default: false },
  },
});
const purchases = Number(flags.purchases);
if (!Number.isInteger(purchases) || purchases < 50_000 || !["sqlite", "postgres"].includes(flags.database)) {
  refuseOptions(
    "npm run bench -- scale --purchases N --database sqlite|postgres [--data DIRECTORY [--fill]] [--backup], N at least 50000",
  );
}
const figures = await main();
if (figures) {
  console.table(figures);
  console.log(JSON.stringify(figures));
}
process.exit(0);

async function main(): Promise<Record<string, number | string> | undefined> {
  const directory = flags.data ? resolve(flags.data) : mkdtempSync(join(tmpdir(), "torcida-scale-"));
  mkdirSync(directory, { recursive: true });
  // PostgreSQL runs as another user, which must be able to reach its folder.
  chmodSync(directory, 0o755);
  const postgres: Postgres | undefined =
    flags.database === "postgres"
      ? await startPostgres({ durable: true, directory: join(directory, "postgres") })
      : undefined;
  const anvil = await startAnvil({ stateFile: join(directory, "chain.json"), savesAtEnd: true });
  try {
    const databaseUrl = (await postgres?.createDatabase()) ?? join(directory, "torcida.db");
    const [port = 0, indexerPort = 0] = await freePorts(2);
    const environment = environmentOf({ directory, databaseUrl, chainPort: anvil.port, port, indexerPort });
    // The measurements inside this process read the same variables as the processes.
    Object.assign(process.env, environment);
    const database = await connect(databaseUrl, { queryTimeoutMs: FILL_TIMEOUT_MS, checkpointsInThread: !flags.fill });
    try {
      const bench = { directory, environment, database, rpcUrl: anvil.rpcUrl };
      const history = readHistory(directory) ?? (await prepare(bench));
      if (flags.fill) return undefined;
      if (!flags.backup) return await measure(bench, history);
      return { purchases, database: flags.database, ...(await measureBackup(database, databaseUrl, directory)) };
    } finally {
      await database.close();
    }
  } finally {
    await anvil.stop(flags.data ? "SIGINT" : "SIGKILL");
    await postgres?.stop();
    if (!flags.data) rmSync(directory, { recursive: true, force: true });
  }
}

type Bench = { directory: string; environment: Record<string, string>; database: Database; rpcUrl: string };
/** The filled rows, and the first token that exists on the chain. */
type History = Filled & { firstOnChain: number; lastConfirmed: number };

function readHistory(directory: string): History | undefined {
  const file = join(directory, "filled.json");
  if (!existsSync(file)) return undefined;
  const history: History = JSON.parse(readFileSync(file, "utf8"));
  if (history.purchases !== purchases) throw new Error(`${directory} holds ${history.purchases} purchases`);
  return history;
}

async function prepare({ directory, environment, database, rpcUrl }: Bench): Promise<History> {
  await runScript("scripts/deploy.ts", environment, ["--network", "localhost"]);
  await runScript("scripts/seed.ts", environment);
  await migrate(database);
  const confirmed = Math.max(LEAST_CONFIRMED, Math.ceil(purchases / RUNS_A_DAY));
  const onChain: OnChain = {
    count: confirmed + MEASUREMENTS * CHANGED,
    valueCents: 10_000n,
    cashbackBps: 500n,
    buyer: walletOf(3),
    storeId: 1n,
  };
  const firstOnChain = purchases - onChain.count + 1;
  const lastConfirmed = firstOnChain + confirmed - 1;
  console.log(`… ${onChain.count} tokens on the chain`);
  const tokens = new TokenWriter(rpcUrl, purchaseNftOf(directory));
  await tokens.allow();
  await tokens.mint(firstOnChain, purchases, onChain);
  await tokens.confirm(firstOnChain, lastConfirmed);
  await index(environment, database, onChain.count);
  console.log(`… ${purchases} purchases on ${flags.database}`);
  const filled = await fill(database, purchases, onChain);
  await settle(database);
  const history = { ...filled, firstOnChain, lastConfirmed };
  writeFileSync(join(directory, "filled.json"), JSON.stringify(history));
  return history;
}

function purchaseNftOf(directory: string): `0x${string}` {
  const file = join(directory, "deployments/localhost.json");
  return toWalletAddress(deploymentSchema.parse(JSON.parse(readFileSync(file, "utf8"))).purchaseNft.address);
}

async function measure({ directory, environment, database, rpcUrl }: Bench, history: History) {
  // Removes what an earlier measurement left behind.
  await database.kysely.deleteFrom("operations").where("status", "=", "queued").execute();
  const sessions = {
    admin: await signIn(database, ADMIN),
    heavy: await signIn(database, history.heavyWallet),
    callers: await signInCallers(database),
  };
  const floors = await measureFloors(database, directory);
  console.log(`… floors: ${JSON.stringify(floors)}`);

  console.log("… the processes");
  const indexer = await startIndexer(environment);
  await compareTokensNext(database, directory, history);
  const url = `http://127.0.0.1:${environment.PORT}`;
  const api = await start("api/main.ts", environment, `${url}/readyz`);
  let overHttp: Record<string, number>;
  let rssMb: number;
  try {
    overHttp = {
      ...(await measureSingleCalls(url, database, sessions, history)),
      ...(await measureReads(url, sessions, MEASURED_SECONDS)),
      ...(await measureRegistrations(url, sessions, MEASURED_SECONDS)),
    };
    rssMb = memoryMb(api.pid, "VmRSS");
  } finally {
    await api.stop();
  }
  const tokens = new TokenWriter(rpcUrl, purchaseNftOf(directory));
  const firstChanged = await firstPending(database, history);
  const reconciled = await measureReconcile(environment, database, {
    before: () => compareTokensNext(database, directory, history),
    async change() {
      await tokens.confirm(firstChanged, firstChanged + CHANGED - 1);
      await until("the changed tokens are indexed", async () => {
        const token = await database.kysely
          .selectFrom("nfts")
          .select("status")
          .where("token_id", "=", BigInt(firstChanged + CHANGED - 1))
          .executeTakeFirst();
        return token?.status === 2n;
      });
    },
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

/** Starts the comparison's rolling slice at the purchases whose tokens exist on this chain; the others are invented. */
async function compareTokensNext(database: Database, directory: string, { firstOnChain }: History): Promise<void> {
  const block = (await indexedBlock(database.kysely)) ?? 0n;
  const progress = { contract: purchaseNftOf(directory), block: block.toString(), next: String(firstOnChain) };
  await writeSetting(database.kysely, "reconciled", JSON.stringify(progress));
}

/** The first token that no measurement has confirmed yet. */
async function firstPending({ kysely }: Database, { lastConfirmed }: History): Promise<number> {
  const row = await kysely
    .selectFrom("nfts")
    .select("token_id")
    .where("token_id", ">", BigInt(lastConfirmed))
    .where("token_id", "<=", BigInt(purchases - CHANGED + 1))
    .where("status", "=", 1n)
    .orderBy("token_id")
    .limit(1)
    .executeTakeFirst();
  if (!row) throw new Error("All tokens are confirmed: fill another --data directory");
  return Number(row.token_id);
}

/** Indexes the tokens before the history is written, because a new indexer empties its tables first. */
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
    // Not the directory itself: the processes make it private, but PostgreSQL runs as another user.
    DATA_DIR: join(given.directory, "data"),
    DEPLOYMENTS_DIR: join(given.directory, "deployments"),
    DATABASE_URL: given.databaseUrl,
    ADMIN_WALLETS: ADMIN,
    RATE_LIMIT_SCALE: "100000000",
    LOG_LEVEL: "error",
    // These purchases are minted after the benchmark, because a registration does not include the sender's work.
    SIMULATED_STEP_DELAY_MS: "3600000",
    RECONCILE_INTERVAL_SECONDS: "5",
  };
}
