import { Worker } from "node:worker_threads";
import { LRUCache } from "lru-cache";
import { TorcidaError } from "../../../core/rules/torcida-error.ts";
import type { Drawn } from "./renderer-thread.ts";

/** About 40 kB each. */
const KEPT_PICTURES = 200;
/** More at a time would wait longer than link previews do. */
const WAITING_MAX = 16;

type Waiting = { resolve: (png: Uint8Array) => void; reject: (error: Error) => void };

/** Too many pictures are waiting, or the thread has ended. */
export class NotDrawnError extends TorcidaError {
  override readonly docs = "docs/operations.md#limits";
}

/**
 * Renders SVG to PNG in a separate thread, so that no request waits for it. The first picture starts the thread; the
 * next one replaces a thread that died.
 */
export class Renderer {
  #worker: Worker | undefined;
  readonly #waiting = new Map<number, Waiting>();
  readonly #kept = new LRUCache<string, Uint8Array>({ max: KEPT_PICTURES });
  /** Those that are being drawn. */
  readonly #drawing = new Map<string, Promise<Uint8Array>>();
  #last = 0;

  /** The PNG of this SVG if it was drawn recently, or is being drawn. @throws NotDrawnError */
  kept(svg: string): Uint8Array | Promise<Uint8Array> | undefined {
    return this.#kept.get(svg) ?? this.#drawing.get(svg);
  }

  /** @throws NotDrawnError */
  draw(svg: string): Promise<Uint8Array> {
    const drawing = this.#drawing.get(svg) ?? this.#draw(svg).finally(() => this.#drawing.delete(svg));
    this.#drawing.set(svg, drawing);
    return drawing;
  }

  async #draw(svg: string): Promise<Uint8Array> {
    if (this.#waiting.size >= WAITING_MAX) throw new NotDrawnError("Too many pictures are waiting");
    const id = ++this.#last;
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
    this.#waiting.set(id, { resolve, reject });
    this.#start().postMessage({ id, svg });
    const png = await promise;
    this.#kept.set(svg, png);
    return png;
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(new URL("./renderer-thread.ts", import.meta.url));
    worker.on("message", (drawn: Drawn) => {
      const waiting = this.#waiting.get(drawn.id);
      this.#waiting.delete(drawn.id);
      if ("png" in drawn) waiting?.resolve(drawn.png);
      else waiting?.reject(new NotDrawnError(drawn.problem));
    });
    const end = (reason: unknown) => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const { reject } of this.#waiting.values()) reject(new NotDrawnError(String(reason)));
      this.#waiting.clear();
    };
    worker.on("error", end);
    worker.on("exit", end);
    // Last: a listener for messages keeps the process alive.
    worker.unref();
    this.#worker = worker;
    return worker;
  }
}
