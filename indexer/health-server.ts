import type { Server } from "node:http";
import { createServer } from "../platform/http.ts";
import { listenOn } from "../platform/listen.ts";
import type { NodePool } from "../platform/rpc/node-pool.ts";
import type { ChainNode } from "./chain-node.ts";
import type { Status } from "./context.ts";
import type { Metrics } from "./metrics.ts";

const LAG_BLOCKS = 5;

export type HealthServerParameters = {
  port: number;
  host: string;
  status: Status;
  metrics: Metrics;
  nodes: NodePool<ChainNode>;
};

/** If the head has not been read for this long, the index may be stale. */
const SILENCE_MS = 15_000;

/** `/healthz`: the process is running. `/readyz`: the index is up to date. `/metrics`: Prometheus. */
export async function openHealthServer({
  port,
  host,
  status,
  metrics,
  nodes,
}: HealthServerParameters): Promise<Server> {
  const server = createServer((request, response) => {
    const path = (request.url ?? "/").split("?")[0];
    if (path === "/metrics") {
      response.setHeader("content-type", "text/plain; version=0.0.4; charset=utf-8");
      return response.end(metrics.text());
    }
    const [code, body] = answer(path, status, nodes);
    response.statusCode = code;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(body));
  });
  return listenOn(server, { port, host, variables: { port: "INDEXER_PORT", host: "INDEXER_HOST" } });
}

function answer(path: string | undefined, status: Status, nodes: NodePool<ChainNode>): [number, unknown] {
  if (path === "/healthz") return [200, { status: "ok" }];
  if (path !== "/readyz") return [404, { error: "Not found; there are /healthz, /readyz and /metrics" }];
  const readiness = readinessOf(status, nodes);
  return [readiness.ready ? 200 : 503, { ...readiness, rpc: nodes.inUse || null }];
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
