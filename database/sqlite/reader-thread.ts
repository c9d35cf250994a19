import { parentPort } from "node:worker_threads";
import Sqlite from "better-sqlite3";
import { messageOf } from "../../domain/unknown-error.ts";
import { openInThread } from "./thread.ts";

/** The thread behind `reader.ts`; answers queries in order. */

export type ReaderQuery = { id: number; sql: string; parameters: readonly unknown[] };
export type ReaderAnswer = { id: number; rows: unknown[] } | { id: number; message: string; code: string | undefined };

const BUSY_TIMEOUT_MS = 5_000;
const STATEMENT_CACHE_SIZE = 500;

const sqlite = openInThread({ readonly: true, timeout: BUSY_TIMEOUT_MS });
sqlite.defaultSafeIntegers(true);
const statements = new Map<string, Sqlite.Statement<unknown[]>>();

parentPort?.on("message", ({ id, sql, parameters }: ReaderQuery) => {
  parentPort?.postMessage(answer(id, sql, parameters));
});

function answer(id: number, sql: string, parameters: readonly unknown[]): ReaderAnswer {
  try {
    const statement = statements.get(sql) ?? sqlite.prepare<unknown[]>(sql);
    if (statements.size >= STATEMENT_CACHE_SIZE) statements.clear();
    statements.set(sql, statement);
    return { id, rows: statement.all(...parameters) };
  } catch (error) {
    const code = error instanceof Sqlite.SqliteError ? error.code : undefined;
    return { id, message: messageOf(error), code };
  }
}
