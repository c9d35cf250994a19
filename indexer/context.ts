import type { Database } from "../core/database/connect.ts";
import type { Lease } from "../core/process/lease.ts";
import type { Logger } from "../core/process/log.ts";
import type { NodePool } from "../core/process/rpc/node-pool.ts";
import type { ChainNode, Source } from "./chain-node.ts";
import type { Metrics } from "./metrics.ts";
import type { Progress } from "./progress.ts";
import type { ChunkWriter } from "./store/index-store.ts";

/** What every step of a running indexer needs. */
export type Context = {
  database: Database;
  lease: Lease;
  writer: ChunkWriter;
  nodes: NodePool<ChainNode>;
  source: Source;
  metrics: Metrics;
  log: Logger;
  status: Status;
  progress: Progress;
  /** Of the deployment's record. */
  deploymentTransactions: readonly string[];
  /** How often the chain can change. */
  blockMs: number;
  signal: AbortSignal;
};

export type Status = {
  /** `standby`: another process holds the lease. `rebuilding`: a reorg was deeper than the kept blocks. */
  state: "starting" | "standby" | "backfill" | "rebuilding" | "live";
  cursor: number | undefined;
  head: number | undefined;
  /** When a node last reported its newest block; `performance.now()`. */
  headSeenAt: number | undefined;
  /** The time of the last indexed block, in seconds. */
  cursorTimestamp: number | undefined;
  headTimestamp: number | undefined;
  /** Whether acts may be indexed that nobody was told of. */
  mayHaveActs: boolean;
};
