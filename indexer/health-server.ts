import type { Server } from "node:http";
import { openHealthServer } from "../core/process/health-server.ts";
import type { NodePool } from "../core/process/rpc/node-pool.ts";
import type { ChainNode } from "./chain-node.ts";
import type { Status } from "./context.ts";
import type { Metrics } from "./metrics.ts";

const LAG_BLOCKS = 5;

/** If the head has not been read for this long, the index may be stale. */
const SILENCE_MS = 15_000;

type IndexHealth = { port: number; host: string; status: Status; metrics: Metrics; nodes: NodePool<ChainNode> };

/** Ready: the index is up to date. */
export function openIndexHealth({ port, host, status, metrics, nodes }: IndexHealth): Promise<Server> {
  const at = { port, host, variables: { port: "INDEXER_PORT", host: "INDEXER_HOST" } };
  return openHealthServer(at, {
    readiness: () => ({ ...readinessOf(status, nodes), rpc: nodes.inUse || null }),
    metrics: () => metrics.text(),
  });
}

function readinessOf(status: Status, nodes: NodePool<ChainNode>) {
  const { state, cursor, cursorTimestamp, headTimestamp } = status;
  // A standby node may have a higher head than the one in use.
  const head = Math.max(status.head ?? -1, nodes.head ?? -1);
  const lagBlocks = cursor === undefined || head < 0 ? null : Math.max(0, head - cursor);
  const lagSeconds =
    lagBlocks === 0 || headTimestamp === undefined || cursorTimestamp === undefined
      ? lagBlocks
      : Math.max(0, headTimestamp - cursorTimestamp);
  const isFollowing = status.headSeenAt !== undefined && performance.now() - status.headSeenAt <= SILENCE_MS;
  const ready = state === "live" && nodes.isReady && isFollowing && (lagBlocks ?? 0) <= LAG_BLOCKS;
  return {
    ready,
    state,
    reason: ready ? null : reasonOf(status, nodes, isFollowing),
    cursor_block: cursor ?? null,
    head_block: head < 0 ? null : head,
    lag_blocks: lagBlocks,
    lag_seconds: lagSeconds,
  };
}

function reasonOf({ state }: Status, nodes: NodePool<ChainNode>, isFollowing: boolean): string {
  if (!nodes.isReady) return `No proven RPC answers: ${nodes.problem}`;
  if (state !== "live") return `The indexer is in state ${state}`;
  return isFollowing ? "The index is behind the chain" : "The newest block was not read lately";
}
