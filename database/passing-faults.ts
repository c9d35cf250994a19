import { DatabaseUnavailableError } from "./connect.ts";
import { databaseErrorCode } from "./transaction.ts";

const PASSING_CODES =
  /^(08|40001|40P01|25P03|57P0|53|25006|SQLITE_BUSY|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)/;
const PASSING_MESSAGES =
  /connection terminated|connection error|timeout exceeded when trying to connect|query read timeout|not queryable/i;

/** Whether the fault is temporary: the database is down, starting, or locked. */
export function isPassingFault(error: unknown): boolean {
  if (error instanceof DatabaseUnavailableError && error.cause !== undefined) return isPassingFault(error.cause);
  const code = databaseErrorCode(error);
  if (code && PASSING_CODES.test(code)) return true;
  return error instanceof Error && PASSING_MESSAGES.test(error.message);
}
