import { setTimeout as delay } from "node:timers/promises";
import { databaseErrorCode } from "../transaction.ts";

/** Between attempts; the last one again and again. */
const PAUSES_MS = [1, 2, 5, 10];
const LONGEST_PAUSE_MS = 25;

/**
 * Runs what needs SQLite's lock, again while another connection has it, until the time by `performance.now()`; at least
 * once. Its connection has `busy_timeout` 0: waiting in SQLite stops the whole thread.
 * @throws SqliteError SQLITE_BUSY
 */
export async function whenFree<Result>(run: () => Result | Promise<Result>, untilMs: number): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const isBusy = databaseErrorCode(error)?.startsWith("SQLITE_BUSY") === true;
      if (!isBusy || performance.now() >= untilMs) throw error;
    }
    await delay(PAUSES_MS[attempt] ?? LONGEST_PAUSE_MS);
  }
}
