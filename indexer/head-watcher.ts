import type { Logger } from "../core/process/log.ts";
import { nameOf } from "../core/process/rpc/json-rpc.ts";
import { isRecord } from "../core/rules/records.ts";
import { type Block, blockOf, isRpcBlock } from "./chain-node.ts";

export type HeadWatcherParameters = {
  webSocketUrls: readonly string[];
  /** If no node announces its blocks: how long at most after a poll that found none. */
  pollMs: number;
  /** How often there is a new block. */
  blockMs: number;
  log: Logger;
};

/** What to do next: `isDue` says whether to look for new blocks; `block` is the new one if it was announced completely. */
export type NextHead = { isDue: boolean; block: Block | undefined };

/** While blocks are announced, polling only detects a connection that died silently: after so many blocks. */
const GUARD_INTERVAL_MS = 2_000;
const GUARD_BLOCKS = 1.5;
/** Each block is asked for a little earlier than the last one was found, until one is not there yet. */
const EARLIER_PART = 1 / 60;
/** And then again after this part of a block, and after twice as long each time. */
const AGAIN_PART = 1 / 15;
const FIRST_RECONNECT_MS = 250;
const LONGEST_RECONNECT_MS = 30_000;

/**
 * Decides when to read new blocks: at once if a node announces them, otherwise when the next one is expected, which
 * costs little more than one call a block and finds it soon after it was made.
 */
export class HeadWatcher {
  readonly #parameters: HeadWatcherParameters;
  readonly #sockets = new Set<WebSocket>();
  #subscribed = 0;
  #closed = false;
  /** The newest announcement that has not been consumed yet. */
  #announced: { block: Block | undefined } | undefined;
  #wake: (() => void) | undefined;
  #isConnected = false;
  /** When the last look was, and when the next one is due without an announcement. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #pollAt = Number.NEGATIVE_INFINITY;
  #missed = 0;

  constructor(parameters: HeadWatcherParameters) {
    this.#parameters = parameters;
  }

  /** Learns from a look for new blocks when the next one is worth a call. */
  looked({ hasFound }: { hasFound: boolean }): void {
    const { pollMs, blockMs } = this.#parameters;
    this.#lookedAt = performance.now();
    this.#missed = hasFound ? 0 : this.#missed + 1;
    const again = Math.min(pollMs, blockMs * AGAIN_PART * 2 ** Math.min(10, this.#missed - 1));
    this.#pollAt = this.#lookedAt + (blockMs <= pollMs ? pollMs : hasFound ? blockMs * (1 - EARLIER_PART) : again);
  }

  get #dueAt(): number {
    const { blockMs } = this.#parameters;
    if (this.#subscribed === 0) return this.#pollAt;
    return this.#lookedAt + Math.max(GUARD_INTERVAL_MS, GUARD_BLOCKS * blockMs);
  }

  /** Waits for the next announcement or look, at most `atMostMs`. */
  async next(signal: AbortSignal, atMostMs: number): Promise<NextHead> {
    this.#connectOnce();
    if (!this.#announced) {
      await new Promise<void>((resolve) => {
        const wait = Math.max(0, this.#dueAt - performance.now());
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
    // A timer may end a little early.
    return { isDue: announced !== undefined || performance.now() + 2 >= this.#dueAt, block: announced?.block };
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
