import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Kysely,
  Kysely as KyselyOf,
  PostgresDialect,
  type PostgresPool,
  type PostgresPoolClient,
  type RawBuilder,
  sql,
} from "kysely";
import type { Schema } from "./generated/schema.ts";
import { noteDatabaseError } from "./transaction.ts";

const LOOK_EVERY_MS = 1_000;
/** A replica that lacks what the primary had this long ago serves nobody. docs/operations.md#a-read-replica */
const BEHIND_MS = 5_000;
const MOST_AWAITED = 100;

/** Which database this is: a standby has its cluster's and its number there from the primary. */
const ORIGIN = `(select system_identifier::text from pg_control_system())
  || '/' || (select oid::text from pg_database where datname = current_database())`;

/** A position in the primary's write-ahead log, in bytes. */
type Position = bigint;
export type ReplicaStatus = { isUsed: boolean; problem: string | undefined };

/** What the reads of a call need to see; none of its own: the primary. */
const needed = new AsyncLocalStorage<Position | undefined>();

/**
 * Runs what may be read at the replica once it has replayed this position: where its session last wrote. Undefined, as
 * around what no such call asks: at the primary only, such as what is kept under a version that was read there.
 */
export function readingFrom<T>(position: Position | undefined, work: () => Promise<T>): Promise<T> {
  return needed.run(position, work);
}

/**
 * A read replica beside the primary. Invariant: a read is served by the replica only if it is a standby of this very database,
 * has what the primary had five seconds ago and nothing that it has not, and has the position that the read needs; a read that
 * fails there is asked of the primary.
 */
export class Replica {
  readonly reader: Kysely<Schema>;
  readonly #primary: Kysely<Schema>;
  readonly #pool: PostgresPool;
  readonly #onChange: (status: ReplicaStatus) => void;
  /** Positions of the primary that the replica has not replayed yet, the oldest first. */
  #awaited: { at: number; position: Position }[] = [];
  #replayed: Position = 0n;
  #problem: string | undefined = "it was not asked yet";
  #timer: NodeJS.Timeout | undefined;
  #isEnding = false;

  /** `pools`: of the primary, and of the replica, which this one ends. */
  constructor(
    primary: Kysely<Schema>,
    pools: { primary: Pick<PostgresPool, "connect">; replica: PostgresPool },
    onChange: (status: ReplicaStatus) => void = () => {},
  ) {
    this.#primary = primary;
    this.#pool = pools.replica;
    this.#onChange = onChange;
    const connect = () => this.#connect(pools.primary);
    // The pools are ended by who opened them.
    this.reader = new KyselyOf<Schema>({
      dialect: new PostgresDialect({ pool: { options: {}, connect, end: async () => {} } }),
    });
  }

  get status(): ReplicaStatus {
    return { isUsed: this.#problem === undefined, problem: this.#problem };
  }

  /** Looks now, and then every second. */
  async watch(): Promise<void> {
    await this.#look();
    if (!this.#isEnding) this.#timer = setTimeout(() => void this.watch(), LOOK_EVERY_MS).unref();
  }

  async end(): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#timer);
    await this.#pool.end();
  }

  async #connect(primary: Pick<PostgresPool, "connect">): Promise<PostgresPoolClient> {
    const position = needed.getStore();
    if (this.#problem !== undefined || position === undefined || position > this.#replayed) return primary.connect();
    const client = await this.#pool.connect().catch((error: Error) => this.#setProblem(error.message));
    return client ? this.#orPrimary(client, primary) : primary.connect();
  }

  /** Reads have no effects, so whatever fails on the replica, such as by a row that it replays, is asked again. */
  #orPrimary(client: PostgresPoolClient, primary: Pick<PostgresPool, "connect">): PostgresPoolClient {
    let broken: Error | undefined;
    const query = async (...parameters: unknown[]) => {
      if (broken === undefined) {
        try {
          return await Reflect.apply(client.query, client, parameters);
        } catch (error) {
          broken = error as Error;
          this.#setProblem(broken.message);
        }
      }
      const other = await primary.connect();
      try {
        return await Reflect.apply(other.query, other, parameters);
      } finally {
        other.release();
      }
    };
    const release = () => (client.release as (error?: Error) => void)(broken);
    return { ...client, query: query as PostgresPoolClient["query"], release };
  }

  async #look(): Promise<void> {
    let primary: { position: Position; origin: string };
    try {
      primary = await this.#readPrimary();
    } catch (error) {
      // The primary is away, and the calls say so themselves; nothing new is written meanwhile.
      noteDatabaseError(error);
      return;
    }
    this.#awaited.push({ at: performance.now(), position: primary.position });
    // Of a long absence the oldest says how long it is.
    if (this.#awaited.length > MOST_AWAITED) this.#awaited.splice(1, 1);
    try {
      const replayed = await this.#readReplayed(primary.origin);
      // It may have replayed what was written since, but nothing that the primary does not have.
      if (replayed > primary.position && replayed > (await this.#readPrimary()).position)
        throw new Error("DATABASE_READ_URL is ahead of the primary: it follows another one");
      this.#replayed = replayed;
      this.#awaited = this.#awaited.filter(({ position }) => position > replayed);
      const [oldest] = this.#awaited;
      const behindMs = oldest ? performance.now() - oldest.at : 0;
      this.#setProblem(behindMs > BEHIND_MS ? `it is ${Math.round(behindMs / 1_000)} s behind` : undefined);
    } catch (error) {
      this.#setProblem((error as Error).message);
    }
  }

  async #readPrimary() {
    const { rows } = await sql<{ position: Position; origin: string }>`
      select ${currentPosition()} as position, ${sql.raw(ORIGIN)} as origin`.execute(this.#primary);
    const [primary] = rows;
    if (!primary) throw new Error("The primary did not say its position");
    return primary;
  }

  /** @throws Error unless it is a standby of the database of `origin` that answers */
  async #readReplayed(origin: string): Promise<Position> {
    const client = await this.#pool.connect();
    let failure: unknown;
    try {
      const { rows } = await client.query<{ replayed: Position | null; origin: string }>(
        `select case when pg_is_in_recovery() then (pg_last_wal_replay_lsn() - '0/0')::bigint end as replayed,
           ${ORIGIN} as origin`,
        [],
      );
      const [replica] = rows;
      if (replica?.replayed == null) throw new Error("DATABASE_READ_URL is no standby");
      if (replica.origin !== origin) throw new Error("DATABASE_READ_URL is a standby of another database");
      return replica.replayed;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      (client.release as (error?: unknown) => void)(failure);
    }
  }

  #setProblem(problem: string | undefined): undefined {
    const before = this.status.isUsed;
    this.#problem = problem;
    if (before !== this.status.isUsed) this.#onChange(this.status);
  }
}

/** Up to where the primary has written: what was committed before is below it. */
export function currentPosition(): RawBuilder<Position> {
  return sql`(pg_current_wal_insert_lsn() - '0/0')::bigint`;
}
