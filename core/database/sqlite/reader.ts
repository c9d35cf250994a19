import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Schema } from "../generated/schema.ts";
import type { ReaderAnswer, ReaderQuery } from "./reader-thread.ts";
import { type SqliteThread, startSqliteThread } from "./thread.ts";

type Waiting = { resolve(rows: unknown[]): void; reject(error: Error): void };

/**
 * Reads a SQLite file in a thread with its own connection, so that long reads do not delay requests. It sees what was
 * committed when a query starts, and cannot write.
 */
export function openSqliteReader(file: string): Kysely<Schema> {
  const dialect: Dialect = {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new ThreadDriver(file),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
  return new Kysely<Schema>({ dialect });
}

/** Starts the thread on the first query; the next query replaces a thread that died. */
class ThreadDriver implements Driver {
  readonly #file: string;
  #thread: SqliteThread | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  constructor(file: string) {
    this.#file = file;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<DatabaseConnection> {
    return {
      executeQuery: async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => ({
        // As in Kysely's own drivers: the compiled query says what a row is.
        rows: (await this.#ask(query)) as Row[],
      }),
      streamQuery() {
        throw new Error("The reader does not stream");
      },
    };
  }

  async releaseConnection(): Promise<void> {}

  async beginTransaction(): Promise<void> {
    throw new Error("The reader has no transactions");
  }

  async commitTransaction(): Promise<void> {}

  async rollbackTransaction(): Promise<void> {}

  async destroy(): Promise<void> {
    await this.#thread?.end();
  }

  #ask({ sql, parameters }: CompiledQuery): Promise<unknown[]> {
    this.#thread ??= this.#start();
    const { worker } = this.#thread;
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>();
    this.#waiting.set(id, { resolve, reject });
    worker.ref();
    worker.postMessage({ id, sql, parameters } satisfies ReaderQuery);
    return promise;
  }

  #start(): SqliteThread {
    const thread = startSqliteThread(new URL("./reader-thread.ts", import.meta.url), this.#file);
    const { worker } = thread;
    let reason = new Error("The reader thread stopped");
    worker.on("error", (error: Error) => {
      reason = error;
    });
    worker.on("message", (answer: ReaderAnswer) => this.#onAnswer(worker, answer));
    worker.on("exit", () => {
      this.#thread = undefined;
      for (const { reject } of this.#waiting.values()) reject(reason);
      this.#waiting.clear();
    });
    return thread;
  }

  #onAnswer(worker: SqliteThread["worker"], answer: ReaderAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    // An idle thread does not keep the process alive.
    if (this.#waiting.size === 0) worker.unref();
    if ("rows" in answer) waiting?.resolve(answer.rows);
    else waiting?.reject(Object.assign(new Error(answer.message), { code: answer.code }));
  }
}
