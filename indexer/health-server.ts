import { createServer, type Server } from "node:http";
import type { Status } from "./context.ts";
import type { Metrics } from "./metrics.ts";
import type { NodePool } from "./rpc/node-pool.ts";

/** If no node has responded for this long, the index may be out of date. */
const SILENCE_MS = 15_000;
const LAG_BLOCKS = 5;

export type HealthServerParameters = { port: number; host: string; status: Status; metrics: Metrics; nodes: NodePool };

/** `/healthz`: the process runs. `/readyz`: the index is up to date. `/metrics`: Prometheus. */
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
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === "EADDRINUSE";
      reject(isTaken ? new Error(`Port ${port} is taken; end what uses it or set INDEXER_PORT to another`) : error);
    });
    server.listen(port, host, () => resolve());
  });
  return server;
}

function answer(path: string | undefined, status: Status, nodes: NodePool): [number, unknown] {
  if (path === "/healthz") return [200, { status: "ok" }];
  if (path !== "/readyz") return [404, { error: "Not found; there are /healthz, /readyz and /metrics" }];
  const readiness = readinessOf(status);
  return [readiness.ready ? 200 : 503, { ...readiness, rpc: nodes.inUse || null }];
}

function readinessOf(status: Status) {
  const { state, cursor, head, headSeenAt, cursorTimestamp, headTimestamp } = status;
  const lagBlocks = cursor === undefined || head === undefined ? null : Math.max(0, head - cursor);
  const lagSeconds =
    lagBlocks === 0 || headTimestamp === undefined || cursorTimestamp === undefined
      ? lagBlocks
      : Math.max(0, headTimestamp - cursorTimestamp);
  const silent = headSeenAt === undefined || performance.now() - headSeenAt > SILENCE_MS;
  const ready = state === "live" && !silent && (lagBlocks ?? 0) <= LAG_BLOCKS;
  return {
    ready,
    state,
    reason: ready ? null : silent ? "No RPC has answered lately" : `The indexer is in state ${state}`,
    cursor_block: cursor ?? null,
    head_block: head ?? null,
    lag_blocks: lagBlocks,
    lag_seconds: lagSeconds,
  };
}
