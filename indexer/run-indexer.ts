import { connect } from "../database/connect.ts";
import { leadWhileHeld, newLeaseHolder } from "../database/leases.ts";
import { migrate } from "../database/migrate.ts";
import type { Status } from "./context.ts";
import type { IndexerEnvironment } from "./environment.ts";
import { openHealthServer } from "./health-server.ts";
import type { Logger } from "./log.ts";
import { Metrics } from "./metrics.ts";
import { HeadWatcher } from "./rpc/head-watcher.ts";
import { NodePool } from "./rpc/node-pool.ts";
import { openPostgresWriter } from "./store/postgres-writer.ts";
import { openSqliteWriter } from "./store/sqlite-writer.ts";
import { sync } from "./sync.ts";

export const INDEXER_LEASE = "indexer";
/** After a `kill -9` another process takes over within this time. */
const LEASE_TTL_MS = 3_000;
const RPC_TIMEOUT_MS = 10_000;
const COMPARE_HEADS_EVERY_MS = 5_000;

export type RunIndexerParameters = { environment: IndexerEnvironment; log: Logger; signal: AbortSignal };

/**
 * Indexes the chain into the database until the signal aborts. Waits as a standby while another process does.
 * @throws WrongChainError, DatabaseUnavailableError
 */
export async function runIndexer({ environment, log, signal }: RunIndexerParameters): Promise<void> {
  const { databaseUrl, rpcUrls, webSocketUrls, source, port, pollIntervalMs } = environment;
  const metrics = new Metrics();
  const status: Status = {
    state: "starting",
    cursor: undefined,
    head: undefined,
    headSeenAt: undefined,
    cursorTimestamp: undefined,
    headTimestamp: undefined,
  };
  await using stack = new AsyncDisposableStack();
  const nodes = await NodePool.open({ urls: rpcUrls, source, timeoutMs: RPC_TIMEOUT_MS, metrics, log });
  stack.defer(() => nodes.close());
  const server = await openHealthServer({ port, status, metrics, nodes });
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  await nodes.refuseWrongChain();
  const database = await connect(databaseUrl);
  stack.defer(() => database.close());
  await migrate(database);
  const comparing = setInterval(() => nodes.size > 1 && void nodes.compareHeads(), COMPARE_HEADS_EVERY_MS);
  stack.defer(() => clearInterval(comparing));
  const heads = new HeadWatcher({ webSocketUrls, pollIntervalMs, log });
  stack.defer(() => heads.close());

  const holder = newLeaseHolder("indexer");
  await leadWhileHeld(
    {
      ...{ database, name: INDEXER_LEASE, holder, ttlMs: LEASE_TTL_MS, signal },
      onStandby: () => {
        status.state = "standby";
        metrics.set("leader", 0);
        log.info("Another process indexes; standing by");
      },
      onError: (error) => log.warn({ reason: String(error) }, "The lease could not be renewed; trying again"),
    },
    async (lease, leading) => {
      metrics.set("leader", 1);
      status.state = "starting";
      log.info({ fencingToken: String(lease.fencingToken), source, database: database.location }, "Indexing");
      const writer =
        database.engine === "sqlite"
          ? openSqliteWriter(database, lease)
          : await openPostgresWriter(database, databaseUrl, lease);
      try {
        await sync({ database, lease, writer, nodes, source, metrics, log, status, signal: leading }, heads);
      } finally {
        await writer.close();
      }
    },
  );
}
