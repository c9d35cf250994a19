import type { Server } from "node:http";
import { Server as Listener } from "node:net";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";

/** Whether this process asks its balancer for no more requests: `/healthz` is 503. */
export type Drain = { isDraining: boolean };

/** Longer than a proxy keeps a connection that it does not use: it closes those itself, and loses no request on them. */
const IDLE_CONNECTIONS_MS = 4_500;
/** A turn of the event loop that took less had nothing to do. */
const IDLE_TURN_MS = 0.2;
const TURNS = 10_000;

/**
 * Leaves a balancer without losing a request: health fails first, then nobody can connect, then what is running ends.
 * Until then a proxy keeps its connections, because one that it opens while the port is closed would be reset.
 * Resolves with the last response. docs/operations.md#several-hosts
 */
export async function leaveBalancer(server: Server, state: Drain, seconds: number): Promise<void> {
  state.isDraining = true;
  await delay(seconds * 1_000);
  await idleTurn();
  // Not the server's own `close`: that closes connections whose request is on its way.
  const closed = new Promise<void>((resolve) => Listener.prototype.close.call(server, () => resolve()));
  server.prependListener("request", (_request, response) => response.setHeader("connection", "close"));
  if (seconds > 0) await Promise.race([closed, delay(IDLE_CONNECTIONS_MS)]);
  server.closeIdleConnections();
  await closed;
}

/** Every connection that the kernel has for us is accepted; one that still waits would be reset. */
async function idleTurn(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) {
    const before = performance.now();
    await nextTurn();
    if (performance.now() - before < IDLE_TURN_MS) return;
  }
}
