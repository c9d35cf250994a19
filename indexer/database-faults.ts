import { stat } from "node:fs/promises";
import type { Database } from "../database/connect.ts";
import { databaseErrorCode } from "../database/transaction.ts";

/** The database's file is not the one that was opened: what is written goes nowhere. */
export class DatabaseReplacedError extends Error {
  override readonly name = "DatabaseReplacedError";
}

const PASSING_CODES =
  /^(08|40001|40P01|25P03|57P0|53|SQLITE_BUSY|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)/;
const PASSING_MESSAGES =
  /connection terminated|connection error|timeout exceeded when trying to connect|not queryable/i;

/** Whether the database may be there again in a while: it is away, starts up, or is held by somebody else. */
export function isPassingDatabaseFault(error: unknown): boolean {
  const code = databaseErrorCode(error);
  if (code && PASSING_CODES.test(code)) return true;
  return error instanceof Error && PASSING_MESSAGES.test(error.message);
}

/** Looks at a SQLite file now and then, and calls back when it is gone or another file stands in its place. */
export async function watchFile({ engine, location }: Database, everyMs: number, onReplaced: (error: Error) => void) {
  if (engine !== "sqlite") return () => {};
  const opened = await stat(location);
  const timer = setInterval(async () => {
    const now = await stat(location).catch(() => undefined);
    if (now?.ino === opened.ino) return;
    clearInterval(timer);
    onReplaced(
      new DatabaseReplacedError(
        `The database ${location} was ${now ? "replaced" : "deleted"} while it was open; nothing is written any more. Start the indexer again`,
      ),
    );
  }, everyMs);
  return () => clearInterval(timer);
}
