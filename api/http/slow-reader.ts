import type { Socket } from "node:net";

/** docs/product.md#limit-connections */
const NO_BYTE_MS = 20_000;
const MINUTE_MS = 60_000;
const BYTES_A_MINUTE = 60_000;

/** Watches whether the other end of a connection takes what was written to it. Times are of `performance.now()`. */
export class SlowReader {
  readonly #socket: Socket;
  /** Since when bytes wait without a break, and since when those of the minute do; undefined if none waits. */
  #waiting: { lastAt: number; lastTaken: number; minuteAt: number; minuteTaken: number } | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  /** Called every second or so. Whether it took no byte for 20 s, or less than 1 kB/s over a minute. */
  isTooSlow(now: number): boolean {
    if (this.#socket.writableLength === 0) {
      this.#waiting = undefined;
      return false;
    }
    const taken = takenOf(this.#socket);
    this.#waiting ??= { lastAt: now, lastTaken: taken, minuteAt: now, minuteTaken: taken };
    const waiting = this.#waiting;
    if (taken !== waiting.lastTaken) Object.assign(waiting, { lastAt: now, lastTaken: taken });
    if (now - waiting.lastAt >= NO_BYTE_MS) return true;
    if (now - waiting.minuteAt < MINUTE_MS) return false;
    const isSlow = taken - waiting.minuteTaken < BYTES_A_MINUTE;
    Object.assign(waiting, { minuteAt: now, minuteTaken: taken });
    return isSlow;
  }
}

/**
 * The bytes that the system has taken for the other end. `bytesWritten` counts those that still wait too, and a large
 * answer is one write: only the handle tells how much of it has gone, as Node's own timeouts read it.
 */
function takenOf(socket: Socket): number {
  const handle: { bytesWritten?: number; writeQueueSize?: number } = Reflect.get(socket, "_handle") ?? {};
  return (handle.bytesWritten ?? 0) - (handle.writeQueueSize ?? 0);
}
