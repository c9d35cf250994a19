import { parentPort } from "node:worker_threads";
import Sqlite from "better-sqlite3";
import { messageOf } from "../../rules/unknown-error.ts";
import { keepStatements } from "./statements.ts";
import { openInThread } from "./thread.ts";

/** The thread behind `reader.ts`; answers queries in order. */

export type ReaderQuery = { id: number; sql: string; parameters: readonly unknown[] };
export type ReaderAnswer = { id: number; rows: unknown[] } | { id: number; message: string; code: string | undefined };

const BUSY_TIMEOUT_MS = 5_000;

const sqlite = openInThread({ readonly: true, timeout: BUSY_TIMEOUT_MS });
sqlite.defaultSafeIntegers(true);
const statements = keepStatements(sqlite);

parentPort?.on("message", ({ id, sql, parameters }: ReaderQuery) => {
  parentPort?.postMessage(answer(id, sql, parameters));
});

function answer(id: number, sql: string, parameters: readonly unknown[]): ReaderAnswer {
  try {
    return { id, rows: statements.prepare(sql).all(...parameters) };
  } catch (error) {
    const code = error instanceof Sqlite.SqliteError ? error.code : undefined;
    return { id, message: messageOf(error), code };
  }
}
