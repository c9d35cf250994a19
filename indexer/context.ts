import type { Database } from "../database/connect.ts";
import type { Lease } from "../platform/lease.ts";
import type { Logger } from "../platform/log.ts";
import type { Metrics } from "./metrics.ts";
import type { Progress } from "./progress.ts";
import type { Source } from "./rpc/node.ts";
import type { NodePool } from "./rpc/node-pool.ts";
import type { ChunkWriter } from "./store/index-store.ts";

/** What every step of a running indexer works with. */
export type Context = {
  database: Database;
  lease: Lease;
  writer: ChunkWriter;
  nodes: NodePool;
  source: Source;
  metrics: Metrics;
  log: Logger;
  status: Status;
  progress: Progress;
  signal: AbortSignal;
};

/** What `/readyz` tells of. */
export type Status = {
  /** `standby`: another process indexes. `rebuilding`: a reorg went below the kept blocks. */
  state: "starting" | "standby" | "backfill" | "rebuilding" | "live";
  cursor: number | undefined;
  head: number | undefined;
  /** When a node last said what its newest block is; `performance.now()`. */
  headSeenAt: number | undefined;
  /** The time of the last indexed block, in seconds. */
  cursorTimestamp: number | undefined;
  headTimestamp: number | undefined;
};
