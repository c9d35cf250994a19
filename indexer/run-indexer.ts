import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { connect, type Database, isPassingFault } from "../core/database/connect.ts";
import { watchFile } from "../core/database/watch-file.ts";
import { INDEXER_LEASE, type Lease, leadWhileHeld, newLeaseHolder } from "../core/process/lease.ts";
import type { Logger } from "../core/process/log.ts";
import { NETWORK_RULES } from "../core/process/network-rules.ts";
import { prepareDatabase } from "../core/process/prepare-database.ts";
import type { Lane } from "../core/process/rpc/call-budget.ts";
import { NodePool } from "../core/process/rpc/node-pool.ts";
import { type ChainMemory, DatabaseChainMemory } from "../core/process/rpc/node-proof.ts";
import { keepCallLimits } from "../core/process/rpc/told-calls.ts";
import { TorcidaError } from "../core/rules/torcida-error.ts";
import { ChainNode, type Source } from "./chain-node.ts";
import type { Context, Status } from "./context.ts";
import type { IndexerEnvironment } from "./environment.ts";
import { HeadWatcher } from "./head-watcher.ts";
import { openIndexHealth } from "./health-server.ts";
import { Metrics } from "./metrics.ts";
import { openProgress } from "./progress.ts";
import type { ChunkWriter } from "./store/index-store.ts";
import { sync } from "./sync.ts";

/** Another process takes over within this time after a `kill -9`. */
const LEASE_MS = 3_000;
const RPC_TIMEOUT_MS = 10_000;
const LOOK_AT_FILE_EVERY_MS = 1_000;
const PAUSE_AFTER_DATABASE_FAULT_MS = 1_000;

/** Long enough for the lease of a killed process to expire. */
const RESET_WAITS_MS = LEASE_MS + 2_000;

/** A reset was requested while another process indexes. */
export class IndexerBusyError extends TorcidaError {
  override readonly docs = "docs/indexer.md#running-it";
  override readonly message = "Another process indexes into this database; end it before rebuilding the index";
}

const NOTHING_SEEN = {
  cursor: undefined,
  head: undefined,
  headSeenAt: undefined,
  cursorTimestamp: undefined,
  headTimestamp: undefined,
  mayHaveActs: true,
};

export type RunIndexerParameters = {
  environment: IndexerEnvironment;
  log: Logger;
  signal: AbortSignal;
  /** Deletes the index, rebuilds it and returns. */
  reset?: boolean;
};

/**
 * Indexes the chain into the database until the signal aborts. Stands by while another process does so.
 * @throws WrongChainError, DatabaseUnavailableError, DatabaseReplacedError, IndexerBusyError
 */
export async function runIndexer({ environment, log, signal, reset = false }: RunIndexerParameters): Promise<void> {
  const { databaseUrl, dataDirectory, network, rpcUrls, webSocketUrls, source, port, host, pollIntervalMs } =
    environment;
  const metrics = new Metrics();
  const status: Status = { state: "starting", ...NOTHING_SEEN };
  await using stack = new AsyncDisposableStack();
  const memory = new DatabaseChainMemory(source.chainId);
  const { blockMs } = NETWORK_RULES[network];
  const nodes = await openNodes({ urls: rpcUrls, source, memory, metrics, log, blockMs, followsDeepReorgs: true });
  stack.defer(() => nodes.close());
  const server = await openIndexHealth({ port, host, status, metrics, nodes });
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const onWait = (reason: string) => log.warn({ reason }, "Waiting for the database");
  await prepareDatabase({ databaseUrl, dataDirectory, network, onWait, signal });
  if (signal.aborted) return;
  const database = await connect(databaseUrl);
  stack.defer(() => database.close());
  memory.open(database);
  if (reset) await memory.forget();
  stack.defer(await keepCallLimits({ database, process: `indexer ${hostname()}:${port}`, nodes }));
  await nodes.refuseWrongChain();
  stack.defer(nodes.watch());
  const failed = new AbortController();
  stack.defer(watchFile(database, LOOK_AT_FILE_EVERY_MS, (error) => failed.abort(error)));
  const heads = new HeadWatcher({ webSocketUrls, pollMs: pollIntervalMs, blockMs: environment.blockMs, log });
  stack.defer(() => heads.close());
  const progress = await openProgress(log, process.stderr);
  stack.defer(() => progress.stop());

  const { deploymentTransactions } = environment;
  const told = { metrics, log, status, progress, deploymentTransactions };
  const indexer = { database, databaseUrl, nodes, source, ...told, heads, reset, failed };
  await leadWhenPossible({ ...indexer, blockMs }, AbortSignal.any([signal, failed.signal]));
  if (failed.signal.aborted) throw failed.signal.reason;
}

type Indexer = Omit<Context, "lease" | "writer" | "signal"> & {
  databaseUrl: string;
  heads: HeadWatcher;
  reset: boolean;
  failed: AbortController;
};

/** Indexes while it holds the lease, stands by while another process does, and retries when the database is back. */
async function leadWhenPossible(indexer: Indexer, ending: AbortSignal): Promise<void> {
  const { database, metrics, log, status, reset, failed } = indexer;
  const parameters = { database, name: INDEXER_LEASE, holder: newLeaseHolder("indexer"), ttlMs: LEASE_MS };
  let hasLed = false;
  const onStandby = () => {
    status.state = "standby";
    if (reset) setTimeout(() => hasLed || failed.abort(new IndexerBusyError()), RESET_WAITS_MS).unref();
    metrics.set("leader", 0);
    log.info("Another process indexes; standing by");
  };
  const onError = (error: unknown) => log.warn({ reason: String(error) }, "The lease could not be renewed; retrying");
  const onLead = (lease: Lease, leading: AbortSignal) => {
    hasLed = true;
    return lead(indexer, lease, leading);
  };
  for (let isDone = false; !isDone && !ending.aborted; ) {
    try {
      await leadWhileHeld({ ...parameters, signal: ending, onStandby, onError }, onLead);
      isDone = true;
    } catch (error) {
      if (!isPassingFault(error)) throw error;
      status.state = "starting";
      log.error({ reason: String(error) }, "The database is unavailable; retrying");
      await delay(PAUSE_AFTER_DATABASE_FAULT_MS, undefined, { signal: ending }).catch(() => {});
    }
  }
}

async function lead({ databaseUrl, heads, reset, ...indexer }: Indexer, lease: Lease, signal: AbortSignal) {
  const { database, metrics, status, log, source } = indexer;
  metrics.set("leader", 1);
  status.state = "starting";
  log.info({ fencingToken: String(lease.fencingToken), source, database: database.location }, "Indexing");
  const writer = await openWriter(database, databaseUrl, lease);
  try {
    await sync({ ...indexer, lease, writer, signal }, { heads, reset });
  } finally {
    await writer.close().catch(() => {});
  }
}

export type OpenNodesParameters = {
  urls: readonly string[];
  source: Source;
  memory: ChainMemory;
  metrics: Metrics;
  log: Logger;
  timeoutMs?: number;
  blockMs?: number;
  lane?: Lane;
  followsDeepReorgs?: boolean;
};

/** The indexer's node pool, without a time limit per call. */
export async function openNodes({ source, metrics, timeoutMs = RPC_TIMEOUT_MS, ...parameters }: OpenNodesParameters) {
  const nodes = await NodePool.open({
    lane: "follow",
    ...parameters,
    timeoutMs,
    patienceMs: Number.POSITIVE_INFINITY,
    chainId: source.chainId,
    contract: source.purchaseNft,
    open: (rpc) => new ChainNode(rpc, source),
    observe: (call) => metrics.rpcCalled(call),
  });
  metrics.watchNodes(nodes);
  return nodes;
}

/** Loads only the writer of the configured database. */
async function openWriter(database: Database, databaseUrl: string, lease: Lease): Promise<ChunkWriter> {
  if (database.engine === "sqlite") {
    const { openSqliteWriter } = await import("./store/sqlite-writer.ts");
    return openSqliteWriter(database, lease);
  }
  const { openPostgresWriter } = await import("./store/postgres-writer.ts");
  return openPostgresWriter(database, databaseUrl, lease);
}
