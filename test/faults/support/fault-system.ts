import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Deployment } from "../../../core/chain/deployment.ts";
import { connect } from "../../../core/database/connect.ts";
import { type Anvil, type AnvilOptions, startAnvil } from "../../testing/anvil.ts";
import { seedDatabase, startDeployedChain } from "../../testing/deployed-chain.ts";
import { freePorts } from "../../testing/free-port.ts";
import { readLedger } from "../../testing/ledger.ts";
import { Shopper } from "../../testing/shopper.ts";
import { until } from "../../testing/until.ts";
import { type ChaosProxy, startChaosProxy } from "./chaos-proxy.ts";
import { type Supervised, supervise } from "./supervised.ts";
import { canBeComplete, judge, type Verdict } from "./verdict.ts";

export type FaultSystem = {
  readonly anvil: Anvil;
  /** Restarts the node with its saved state; its pool is lost. */
  restartChain(): Promise<void>;
  /** The proxy between our processes and the node. */
  proxy: ChaosProxy;
  /** The second node of RPC_URLS, if there is one, which lies on demand. */
  fallback: ChaosProxy | undefined;
  api: Supervised;
  indexer: Supervised;
  url: string;
  databaseUrl: string;
  directory: string;
  deployment: Deployment;
  environment: Record<string, string>;
  ledger(): ReturnType<typeof readLedger>;
  /** Waits until the index has a purchase's ticket in this status. */
  inStatus(id: number, status: "Pending" | "Confirmed" | "Cancelled"): Promise<void>;
  /** Compares chain and database. */
  judge(): Promise<Verdict>;
  /** Waits until every purchase is minted and paid, then requires chain and database to agree. */
  settled(timeoutMs?: number): Promise<Verdict>;
  /** A registered buyer. */
  shopper(key?: `0x${string}`): Promise<Shopper>;
  /** Another api process on the same database. */
  anotherApi(extra?: Record<string, string>): Promise<Supervised>;
  run(script: string, args?: readonly string[], extra?: Record<string, string>): Promise<ScriptResult>;
  stop(): Promise<void>;
};

export type ScriptResult = { code: number; output: string };

export type FaultSystemOptions = {
  /** Without it, SQLite in a separate folder. */
  databaseUrl?: string;
  seed?: number;
  anvil?: AnvilOptions;
  environment?: Record<string, string>;
  /** Without the indexer, if the test does not need it. */
  withoutIndexer?: boolean;
  /** A second node that may lie, with two other chains behind it. */
  withFallback?: boolean;
};

/** anvil's second account, an admin. */
export const ADMIN_KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
const ADMIN_WALLET = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
/** The secrets of hooks and services. */
export const SERVICE_TOKEN = "service-token-of-the-fault-suite-32ch";

const OTHER_CHAIN_ID = 88_883;

const runFile = promisify(execFile);

/** Chain, contracts, catalogue, indexer and api, with the chaos proxy in front of the chain. */
export async function startFaultSystem(options: FaultSystemOptions = {}): Promise<FaultSystem> {
  const directory = mkdtempSync(join(tmpdir(), "torcida-fault-"));
  const chain: AnvilOptions = { ...options.anvil, stateFile: join(directory, "chain.json") };
  const [port = 0, indexerPort = 0] = await freePorts(2);
  const environment: Record<string, string> = {
    PORT: String(port),
    INDEXER_PORT: String(indexerPort),
    HOST: "127.0.0.1",
    DATA_DIR: directory,
    DATABASE_URL: options.databaseUrl ?? join(directory, "torcida.db"),
    DEPLOYMENTS_DIR: join(directory, "deployments"),
    NETWORK: "localhost",
    ADMIN_WALLETS: ADMIN_WALLET,
    SERVICE_TOKENS: SERVICE_TOKEN,
    SIMULATED_STEP_DELAY_MS: "50",
    HOLD_SECONDS: "0",
    LOG_LEVEL: "info",
    ...options.environment,
  };
  const run: FaultSystem["run"] = async (script, args = [], extra = {}) => {
    try {
      const { stdout, stderr } = await runFile(process.execPath, [script, ...args], {
        env: { ...process.env, ...environment, ...extra },
      });
      return { code: 0, output: stdout + stderr };
    } catch (error) {
      const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
      return { code, output: stdout + stderr };
    }
  };
  const { deployment, ...started } = await startDeployedChain(directory, environment, chain);
  let { anvil } = started;
  const proxy = await startChaosProxy({ target: anvil.rpcUrl, seed: options.seed ?? 1 });
  await seedDatabase(environment.DATABASE_URL ?? "", directory, deployment);
  const liar = options.withFallback ? await startLiar(anvil, chain, options.seed ?? 1, run) : undefined;
  environment.RPC_URLS = [proxy.url, ...(liar ? [liar.fallback.url] : [])].join(",");

  const contracts = {
    rpcUrl: anvil.rpcUrl,
    purchaseNft: deployment.purchaseNft.address,
    cashbackDistributor: deployment.cashbackDistributor.address,
  };
  const url = `http://127.0.0.1:${environment.PORT}`;
  const indexerUrl = `http://127.0.0.1:${indexerPort}`;
  const api = supervise({ name: "api", script: "api/main.ts", url, environment });
  const indexer = supervise({ name: "indexer", script: "indexer/main.ts", url: indexerUrl, environment });
  const others: Supervised[] = [];
  if (!options.withoutIndexer) indexer.start();
  api.start();
  const system: FaultSystem = {
    get anvil() {
      return anvil;
    },
    async restartChain() {
      await anvil.stop("SIGINT");
      anvil = await startAnvil({ ...chain, port: anvil.port });
    },
    proxy,
    fallback: liar?.fallback,
    api,
    indexer,
    url,
    databaseUrl: environment.DATABASE_URL ?? "",
    directory,
    deployment,
    environment,
    run,
    ledger: () => readLedger(contracts),
    async inStatus(id, status) {
      await until(`${id} is ${status}`, async () => {
        const answer = (await (await fetch(`${url}/api/nfts/${id}`)).json()) as { data?: Record<string, unknown> };
        return JSON.stringify(answer.data ?? "").includes(`"${status}"`);
      });
    },
    judge: () => judge({ ...contracts, databaseUrl: environment.DATABASE_URL ?? "" }),
    async settled(timeoutMs = 120_000) {
      const database = await connect(environment.DATABASE_URL ?? "");
      try {
        const verdictIfComplete = async () => {
          if (!(await canBeComplete(database))) return false;
          const verdict = await system.judge();
          return verdict.isComplete && verdict;
        };
        return await until("every purchase is minted and paid", verdictIfComplete, timeoutMs);
      } catch (error) {
        const verdict = await system.judge().catch(String);
        const said = [api, indexer].map((one) => `${one.name}: ${one.output().slice(-1_500)}`).join("\n");
        throw new Error(`${(error as Error).message}\n${JSON.stringify(verdict)}\n${said}`);
      } finally {
        await database.close();
      }
    },
    async shopper(key) {
      const shopper = new Shopper(url, key);
      await shopper.signUp();
      return shopper;
    },
    async anotherApi(extra = {}) {
      const [anotherPort = 0] = await freePorts(1);
      const another = supervise({
        name: `api ${anotherPort}`,
        script: "api/main.ts",
        url: `http://127.0.0.1:${anotherPort}`,
        environment: { ...environment, PORT: String(anotherPort), ...extra },
      });
      others.push(another);
      another.start();
      await another.ready();
      return another;
    },
    async stop() {
      await Promise.all([...others, api, indexer].map((process) => process.stop("SIGKILL")));
      await proxy.stop();
      await liar?.stop();
      await anvil.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  try {
    await Promise.all([api.ready(), options.withoutIndexer ? undefined : indexer.ready()]);
  } catch (error) {
    await system.stop();
    throw error;
  }
  return system;
}

/**
 * A proxy in front of the same chain and two other chains: one with the same contracts and another genesis block, one
 * with another id.
 */
async function startLiar(anvil: Anvil, chain: AnvilOptions, seed: number, run: FaultSystem["run"]) {
  const folder = `${chain.stateFile}-other`;
  const { stateFile: _, ...inMemory } = chain;
  const genesis = await startAnvil({ ...inMemory, extraArguments: ["--timestamp", "1700000000"] });
  const other = await startAnvil({ ...inMemory, chainId: OTHER_CHAIN_ID });
  const variables = { RPC_URLS: genesis.rpcUrl, DEPLOYMENTS_DIR: folder };
  const { code, output } = await run("scripts/deploy.ts", ["--network", "localhost"], variables);
  if (code !== 0) throw new Error(output);
  const others = { genesis: genesis.rpcUrl, chain: other.rpcUrl };
  const fallback = await startChaosProxy({ target: anvil.rpcUrl, seed: seed + 1, others });
  return {
    fallback,
    async stop() {
      await fallback.stop();
      await Promise.all([genesis.stop(), other.stop()]);
    },
  };
}
