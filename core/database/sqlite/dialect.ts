import type Sqlite from "better-sqlite3";
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
} from "kysely";
import { keepStatements, type Statements } from "./statements.ts";
import { whenFree } from "./when-free.ts";

type TurnsOptions = {
  sqlite: Sqlite.Database;
  /** How long a write waits for its turn and for another process's lock, together. */
  patienceMs: number;
  /** Throws if the file was deleted or replaced. */
  requireSameFile: () => void;
};

/**
 * All queries of a process on one connection. Invariants: transactions, and writes outside one, take turns; what is read
 * outside a transaction has been committed; while another process holds the write lock, writes wait for it without
 * stopping the thread, and reads do not wait.
 */
export class TurnsDialect extends SqliteDialect {
  readonly #options: TurnsOptions;

  constructor(options: TurnsOptions) {
    super({ database: options.sqlite });
    options.sqlite.pragma("busy_timeout = 0");
    this.#options = options;
  }

  override createDriver(): Driver {
    return new TurnsDriver(this.#options);
  }

  override createAdapter(): SqliteAdapter {
    return new TurnsAdapter();
  }
}

class TurnsAdapter extends SqliteAdapter {
  /** The driver gives the turns: Kysely lets each read wait for a transaction that waits. */
  override get supportsMultipleConnections(): boolean {
    return true;
  }

  /** Migrations run in one transaction, as on PostgreSQL: Kysely's own adapter commits each statement of a migration. */
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class TurnsDriver implements Driver {
  readonly #driver: SqliteDriver;
  readonly #options: TurnsOptions;
  readonly #statements: Statements;
  /** Settles with the turn of whoever asked last. */
  #last: Promise<void> = Promise.resolve();
  /** Settles with the turn that runs. */
  #running: Promise<void> = Promise.resolve();

  constructor(options: TurnsOptions) {
    this.#options = options;
    this.#statements = keepStatements(options.sqlite);
    this.#driver = new SqliteDriver({ database: this.#statements });
  }

  init(): Promise<void> {
    return this.#driver.init();
  }

  async acquireConnection(): Promise<TurnsConnection> {
    return new TurnsConnection(await this.#driver.acquireConnection(), (query, run) => this.#runAlone(query, run));
  }

  /**
   * Takes the write lock immediately, so that a read followed by a write never fails with SQLITE_BUSY_SNAPSHOT. Throws if
   * the file was deleted or replaced: no transaction may be sent whose row would be lost.
   */
  async beginTransaction(connection: TurnsConnection): Promise<void> {
    this.#options.requireSameFile();
    const { endTurn } = await this.#takeTurn(() => this.#options.sqlite.exec("begin immediate"));
    connection.endTurn = endTurn;
  }

  commitTransaction(connection: TurnsConnection): Promise<void> {
    return this.#driver.commitTransaction(connection);
  }

  /** SQLite rolls back by itself when the disk is full; a second rollback would hide that error. */
  async rollbackTransaction(connection: TurnsConnection): Promise<void> {
    if (this.#options.sqlite.inTransaction) await this.#driver.rollbackTransaction(connection);
  }

  async releaseConnection(connection: TurnsConnection): Promise<void> {
    connection.endTurn?.();
    connection.endTurn = undefined;
  }

  /** What has asked for its turn still gets it. */
  async destroy(): Promise<void> {
    await this.#last;
    await this.#driver.destroy();
  }

  async #runAlone<Result>({ sql }: CompiledQuery, run: () => Promise<Result>): Promise<Result> {
    if (this.#statements.prepare(sql).readonly) {
      while (this.#options.sqlite.inTransaction) await this.#running;
      // A read waits only while another process recovers the log of one that was killed.
      return whenFree(run, performance.now() + this.#options.patienceMs);
    }
    const { result, endTurn } = await this.#takeTurn(run);
    endTurn();
    return result;
  }

  /** Runs `begin` once the turns of all who asked before have ended. A failure ends this one. */
  async #takeTurn<Result>(begin: () => Result | Promise<Result>): Promise<{ result: Result; endTurn: () => void }> {
    const untilMs = performance.now() + this.#options.patienceMs;
    const before = this.#last;
    const { promise, resolve: endTurn } = Promise.withResolvers<void>();
    this.#last = promise;
    await before;
    // Reads that wait for its end as well go first.
    await Promise.resolve();
    this.#running = promise;
    try {
      return { result: await whenFree(begin, untilMs), endTurn };
    } catch (error) {
      endTurn();
      throw error;
    }
  }
}

type RunAlone = <Result>(query: CompiledQuery, run: () => Promise<Result>) => Promise<Result>;

class TurnsConnection implements DatabaseConnection {
  readonly #shared: DatabaseConnection;
  readonly #runAlone: RunAlone;
  /** Of a transaction, from its begin on. */
  endTurn: (() => void) | undefined;

  constructor(shared: DatabaseConnection, runAlone: RunAlone) {
    this.#shared = shared;
    this.#runAlone = runAlone;
  }

  executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const run = () => this.#shared.executeQuery<Row>(query);
    return this.endTurn ? run() : this.#runAlone(query, run);
  }

  streamQuery(): never {
    throw new Error("SQLite does not stream");
  }
}
