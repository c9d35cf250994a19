import { workerData } from "node:worker_threads";
import Sqlite from "better-sqlite3";

/** The thread of `sqlite-checkpointer.ts`. */

const EVERY_MS = 250;

const sqlite = new Sqlite(workerData as string, { fileMustExist: true });
// Like the connections that commit: the file must be on the disk before the log is overwritten.
sqlite.pragma("synchronous = FULL");

setInterval(() => {
  // Passive: it blocks nobody and is blocked by nobody. Without new commits it does nothing.
  sqlite.pragma("wal_checkpoint(passive)");
}, EVERY_MS);
