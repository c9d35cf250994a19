import { Worker } from "node:worker_threads";
import type { Reconciliation } from "../../reconcile/reconcile.ts";
import type { ReconcilerAnswer } from "./reconciler-thread.ts";

/**
 * Compares database and chain in a thread with its own connections, so that it does not delay requests. The first
 * comparison starts the thread; the next one replaces a thread that died.
 */
export class Reconciler {
  #worker: Worker | undefined;

  /** One comparison at a time. @throws what ended the thread, or the comparison. */
  async compare(): Promise<Reconciliation> {
    const worker = this.#worker ?? this.#start();
    worker.postMessage("compare");
    const { promise, resolve, reject } = Promise.withResolvers<ReconcilerAnswer>();
    const onExit = () => reject(new Error("The thread that compares database and chain ended"));
    worker.on("message", resolve).on("error", reject).on("exit", onExit);
    try {
      const answer = await promise;
      if ("message" in answer) throw new Error(answer.message);
      return answer.result;
    } finally {
      worker.off("message", resolve).off("error", reject).off("exit", onExit);
    }
  }

  async end(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL("./reconciler-thread.ts", import.meta.url));
    worker.unref();
    const forget = () => {
      if (this.#worker === worker) this.#worker = undefined;
    };
    worker.on("error", forget);
    worker.on("exit", forget);
    this.#worker = worker;
    return worker;
  }
}
