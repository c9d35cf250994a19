import { Worker } from "node:worker_threads";

/**
 * Copies committed pages from the write-ahead log into the file, in a thread with its own connection. Otherwise the
 * commit that fills the log's next thousand pages would copy them while all requests wait.
 */
export function startCheckpointer(file: string): { end(): Promise<void> } {
  const worker = new Worker(new URL("./checkpointer-thread.ts", import.meta.url), { workerData: file });
  // Without the thread, commits copy the pages: later, and more at a time.
  worker.on("error", () => {});
  worker.unref();
  return {
    end: async () => {
      await worker.terminate();
    },
  };
}
