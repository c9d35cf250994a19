import { tmpdir } from "node:os";
import type { Database } from "../../../core/database/connect.ts";
import { openLog } from "../../../core/process/log.ts";
import type { Source } from "../../../indexer/chain-node.ts";
import type { IndexerEnvironment } from "../../../indexer/environment.ts";
import { runIndexer } from "../../../indexer/run-indexer.ts";
import { CASHBACK_DISTRIBUTOR, PURCHASE_NFT } from "../../testing/event-chain.ts";
import { freePorts } from "../../testing/free-port.ts";
import { until } from "../../testing/until.ts";

export type RunningIndexer = {
  url: string;
  /** `/readyz`: its status code and body. */
  readiness(): Promise<{ code: number; body: Record<string, unknown> }>;
  /** The value of a metric, summed over its labels. */
  metric(name: string): Promise<number>;
  stop(): Promise<void>;
};

export type StartIndexerParameters = {
  databaseUrl: string;
  rpcUrls: string[];
  webSocketUrls?: string[];
  startBlock?: number;
  purchaseNft?: Source["purchaseNft"];
  /** Other contracts than a generated chain's. */
  source?: Source;
  deploymentTransactions?: readonly string[];
};

/** What the process would read from its environment. */
export function indexerEnvironment(
  {
    databaseUrl,
    rpcUrls,
    webSocketUrls = [],
    startBlock = 0,
    purchaseNft = PURCHASE_NFT,
    source = { chainId: 88_882, purchaseNft, cashbackDistributor: CASHBACK_DISTRIBUTOR, startBlock },
    deploymentTransactions = [],
  }: StartIndexerParameters,
  port: number,
): IndexerEnvironment {
  return {
    dataDirectory: tmpdir(),
    network: "localhost" as const,
    nodeSettings: { network: "localhost", urls: rpcUrls, isPlaintextAccepted: false, isOneNodeAccepted: false },
    databaseUrl,
    rpcUrls,
    webSocketUrls,
    port,
    host: "127.0.0.1",
    pollIntervalMs: 50,
    blockMs: 50,
    logLevel: "silent",
    source,
    deploymentTransactions,
  };
}

/** The indexer in this process, on the contracts of a generated chain. */
export async function startIndexer(parameters: StartIndexerParameters): Promise<RunningIndexer> {
  const port = (await freePorts(1))[0] ?? 0;
  const ending = new AbortController();
  const environment = indexerEnvironment(parameters, port);
  const running = runIndexer({ environment, log: openLog("silent"), signal: ending.signal });
  let failure: unknown;
  running.catch((error: unknown) => {
    failure = error;
  });
  const url = `http://127.0.0.1:${port}`;
  await until("the indexer responds", async () => failure !== undefined || (await fetch(`${url}/healthz`)).ok);
  if (failure) throw failure;
  return {
    url,
    async readiness() {
      const response = await fetch(`${url}/readyz`);
      return { code: response.status, body: (await response.json()) as Record<string, unknown> };
    },
    async metric(name) {
      const text = await (await fetch(`${url}/metrics`)).text();
      const lines = text.split("\n").filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
      return lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
    },
    async stop() {
      ending.abort();
      await running;
    },
  };
}

/** Waits until every transaction is mined and the newest block is indexed. */
export async function caughtUp(
  { kysely }: Database,
  node: { request<T>(method: string, ...parameters: unknown[]): Promise<T> },
  timeoutMs = 120_000,
): Promise<void> {
  await until(
    "the newest block is indexed",
    async () => {
      // The node returns a transaction's hash a moment before its block is mined.
      const { pending } = await node.request<{ pending: string }>("txpool_status");
      if (Number(pending) > 0) return false;
      const head = await node.request<{ hash: string }>("eth_getBlockByNumber", "latest", false);
      const cursor = await kysely.selectFrom("chain_cursor").selectAll().executeTakeFirst();
      return cursor?.block_hash === head.hash;
    },
    timeoutMs,
  );
}

/** Every folded row, in order. */
export async function readIndex({ kysely }: Database) {
  const events = await kysely
    .selectFrom("chain_events")
    .selectAll()
    .orderBy("block_number")
    .orderBy("log_index")
    .execute();
  const nfts = await kysely.selectFrom("nfts").selectAll().orderBy("token_id").execute();
  const payouts = await kysely.selectFrom("payouts").selectAll().orderBy("token_id").execute();
  return { events, nfts, payouts };
}
