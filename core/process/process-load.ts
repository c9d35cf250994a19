import { readdir, readFile } from "node:fs/promises";
import { totalmem } from "node:os";

/** A timer that comes later than this by so much shows for how long nothing else ran. */
const TICK_MS = 100;
/** The lag is the longest of at least this long, and at most twice as long. */
const WINDOW_MS = 30_000;
/** From this part of a limit on, the process is close to it. */
const CLOSE = 0.8;
const MEBIBYTE = 2 ** 20;

export type Used = { used: number; limit: number };

/** How close this process is to its limits, and for how long it answered nothing. Starts to watch when it is made. */
export class ProcessLoad {
  #windowAt = performance.now();
  #longestMs = 0;
  #longestBeforeMs = 0;

  constructor() {
    let lastAt = performance.now();
    setInterval(() => {
      const now = performance.now();
      this.#longestMs = Math.max(this.#longestMs, now - lastAt - TICK_MS);
      lastAt = now;
      if (now - this.#windowAt < WINDOW_MS) return;
      this.#windowAt = now;
      this.#longestBeforeMs = this.#longestMs;
      this.#longestMs = 0;
    }, TICK_MS).unref();
  }

  /** The longest time within the last half minute or minute in which nothing was answered. */
  get lagSeconds(): number {
    return Math.max(this.#longestMs, this.#longestBeforeMs) / 1_000;
  }

  /** Files and connections; undefined where the system does not tell. */
  async openFiles(): Promise<Used | undefined> {
    try {
      const [open, limits] = await Promise.all([readdir("/proc/self/fd"), readFile("/proc/self/limits", "utf8")]);
      const limit = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
      return { used: open.length, limit };
    } catch {
      return undefined;
    }
  }

  /** In bytes, of what its container or unit allows, or the machine has. */
  get memory(): Used {
    const allowed = process.constrainedMemory();
    const machine = totalmem();
    return { used: process.memoryUsage.rss(), limit: allowed > 0 ? Math.min(allowed, machine) : machine };
  }

  /** What is wrong, as sentences. `lagSeconds` is from when on a lag is. */
  async problems(lagSeconds: number): Promise<{ files?: string; memory?: string; lag?: string }> {
    const files = await this.openFiles();
    const { memory, lagSeconds: lag } = this;
    const mebibytes = (bytes: number) => Math.round(bytes / MEBIBYTE);
    return {
      ...(files && isClose(files) && { files: `The api has ${files.used} of at most ${files.limit} files open` }),
      ...(isClose(memory) && {
        memory: `The api uses ${mebibytes(memory.used)} of at most ${mebibytes(memory.limit)} MiB of memory`,
      }),
      ...(lag > lagSeconds && { lag: `The api answered nothing for ${lag.toFixed(1)} s within the last minute` }),
    };
  }
}

const isClose = ({ used, limit }: Used): boolean => used > CLOSE * limit;
