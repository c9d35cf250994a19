import { isRecord } from "../domain/records.ts";
import type { Logger } from "../platform/log.ts";
import { nameOf } from "../platform/rpc/json-rpc.ts";
import { type Block, blockOf, isRpcBlock } from "./chain-node.ts";

export type HeadWatcherParameters = {
  webSocketUrls: readonly string[];
  /** The polling interval if no node announces its blocks. */
  pollIntervalMs: number;
  log: Logger;
};

/** While blocks are announced, polling only detects a connection that died silently. */
const GUARD_INTERVAL_MS = 2_000;
const FIRST_RECONNECT_MS = 250;
const LONGEST_RECONNECT_MS = 30_000;

/** Decides when to read new blocks: at once if a node announces them, otherwise after the polling interval. */
export class HeadWatcher {
  readonly #parameters: HeadWatcherParameters;
  readonly #sockets = new Set<WebSocket>();
  #subscribed = 0;
  #closed = false;
  /** The newest announcement that has not been consumed yet. */
  #announced: { block: Block | undefined } | undefined;
  #wake: (() => void) | undefined;
  #isConnected = false;

  constructor(parameters: HeadWatcherParameters) {
    this.#parameters = parameters;
  }

  /** Waits for the next announcement or poll, at most `atMostMs`; returns the new block if it was announced completely. */
  async next(signal: AbortSignal, atMostMs: number): Promise<Block | undefined> {
    this.#connectOnce();
    if (!this.#announced) {
      await new Promise<void>((resolve) => {
        const wait = this.#subscribed > 0 ? GUARD_INTERVAL_MS : this.#parameters.pollIntervalMs;
        const end = () => {
          clearTimeout(timer);
          signal.removeEventListener("abort", end);
          this.#wake = undefined;
          resolve();
        };
        const timer = setTimeout(end, Math.min(wait, atMostMs));
        signal.addEventListener("abort", end);
        this.#wake = end;
        if (signal.aborted) end();
      });
    }
    const announced = this.#announced;
    this.#announced = undefined;
    return announced?.block;
  }

  close(): void {
    this.#closed = true;
    for (const socket of this.#sockets) socket.close();
  }

  /** Not before the first wait: a backfill needs no announcements, and loading Node's WebSocket takes time. */
  #connectOnce(): void {
    if (this.#isConnected) return;
    this.#isConnected = true;
    for (const url of this.#parameters.webSocketUrls) this.#connect(url, FIRST_RECONNECT_MS);
  }

  #connect(url: string, reconnectMs: number): void {
    const socket = new WebSocket(url);
    this.#sockets.add(socket);
    let subscribed = false;
    socket.addEventListener("open", () =>
      socket.send('{"jsonrpc":"2.0","id":1,"method":"eth_subscribe","params":["newHeads"]}'),
    );
    socket.addEventListener("message", ({ data }) => {
      const { id, result, params } = parse(data);
      if (id === 1 && result) {
        subscribed = true;
        this.#subscribed += 1;
        this.#parameters.log.info({ rpc: nameOf(url) }, "New blocks are announced by WebSocket");
      }
      const header = isRecord(params) ? params.result : undefined;
      // An incomplete header only says that there is a new block.
      if (header) this.#announce(isRpcBlock(header) ? blockOf(header) : undefined);
    });
    socket.addEventListener("error", () => socket.close());
    socket.addEventListener("close", () => {
      this.#sockets.delete(socket);
      if (subscribed) this.#subscribed -= 1;
      // Waiting callers switch from the guard interval to polling.
      this.#wake?.();
      if (this.#closed) return;
      const again = subscribed ? FIRST_RECONNECT_MS : Math.min(LONGEST_RECONNECT_MS, reconnectMs * 2);
      setTimeout(() => !this.#closed && this.#connect(url, again), reconnectMs).unref();
    });
  }

  #announce(block: Block | undefined): void {
    // A second block arrived before the first was consumed: the reader requests both.
    this.#announced = { block: this.#announced ? undefined : block };
    this.#wake?.();
  }
}

/** A message that is not JSON says nothing. */
function parse(data: unknown): Record<string, unknown> {
  try {
    const message: unknown = JSON.parse(String(data));
    return isRecord(message) ? message : {};
  } catch {
    return {};
  }
}
