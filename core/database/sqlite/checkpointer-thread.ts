import { openInThread } from "./thread.ts";

/** The thread of `checkpointer.ts`. */

const EVERY_MS = 250;

const sqlite = openInThread({});
// As on the connections that commit: the file must be on disk before the log is overwritten.
sqlite.pragma("synchronous = FULL");

setInterval(() => {
  // Passive: it neither blocks nor waits for others. Without new commits it does nothing.
  sqlite.pragma("wal_checkpoint(passive)");
}, EVERY_MS);
