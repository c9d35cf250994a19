import { Worker, workerData } from "node:worker_threads";
import Sqlite from "better-sqlite3";

type ThreadData = { file: string | undefined; isOpen: Int32Array<SharedArrayBuffer> };

export type SqliteThread = { worker: Worker; end(): Promise<void> };

/** How long an end waits for a thread that opens its file. */
const OPENING_MS = 2_000;

/** Of each thread that runs: 0 until it has opened its file. */
const threads = new Set<Int32Array>();

/**
 * Starts a thread that opens a SQLite file by `openInThread`, or by other means and then calls `reportOpen`. The package
 * crashes the process when a thread is ended in the middle of loading it; so whatever ends the thread, or the process,
 * waits until the file is open.
 */
export function startSqliteThread(script: URL, file?: string): SqliteThread {
  const isOpen = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(script, { workerData: { file, isOpen } satisfies ThreadData });
  if (threads.size === 0) process.on("exit", waitForAll);
  threads.add(isOpen);
  worker.on("exit", () => {
    reportOpen({ isOpen });
    threads.delete(isOpen);
    if (threads.size === 0) process.off("exit", waitForAll);
  });
  return {
    worker,
    end: async () => {
      // What is waited for keeps no process alive, a thread does.
      worker.ref();
      await Atomics.waitAsync(isOpen, 0, 0, OPENING_MS).value;
      await worker.terminate();
    },
  };
}

/** Called in the thread, once. */
export function openInThread(options: Sqlite.Options): Sqlite.Database {
  try {
    return new Sqlite((workerData as ThreadData).file, { ...options, fileMustExist: true });
  } finally {
    reportOpen();
  }
}

/** In the thread, once: whether it succeeded or not, it may be ended from now on. */
export function reportOpen({ isOpen }: Pick<ThreadData, "isOpen"> = workerData as ThreadData): void {
  Atomics.store(isOpen, 0, 1);
  Atomics.notify(isOpen, 0);
}

function waitForAll(): void {
  for (const isOpen of threads) Atomics.wait(isOpen, 0, 0, OPENING_MS);
}
