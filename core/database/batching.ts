import { setImmediate as nextTurn } from "node:timers/promises";
import type { Kysely } from "kysely";
import { engineOf } from "./clock.ts";
import type { Schema } from "./generated/schema.ts";
import { inTransaction, isDatabaseAway, type Queries } from "./transaction.ts";

/** Maximum time to wait for more; far less than a commit takes. */
const GATHER_MS = 2;
/** A request needs a few turns of the event loop from its first byte until it asks: session, store, item. */
const TURNS_TO_ARRIVE = 3;

/**
 * Waits as long as every poll of the sockets brings more, so that a burst becomes one query or transaction instead of
 * ten. `count` says how many have arrived.
 */
async function waitForMore(count: () => number): Promise<void> {
  const until = performance.now() + GATHER_MS;
  for (let known = 0; count() > known && performance.now() < until; ) {
    known = count();
    for (let turn = 0; turn < TURNS_TO_ARRIVE; turn++) await nextTurn();
  }
}

type Asked<Value> = {
  promise: Promise<Value | undefined>;
  resolve(value: Value | undefined): void;
  reject(error: unknown): void;
};

const MAXIMUM_KEYS = 200;

/**
 * Answers many concurrent lookups with one query. Invariant: a request gets the result of a query that started after it
 * arrived, so it never sees stale data.
 */
export class BatchLoader<Key, Value> {
  readonly #load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>;
  #waiting = new Map<Key, Asked<Value>>();
  #asked = 0;
  #isRunning = false;

  constructor(load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>) {
    this.#load = load;
  }

  find(key: Key): Promise<Value | undefined> {
    this.#asked++;
    const known = this.#waiting.get(key);
    if (known) return known.promise;
    const { promise, resolve, reject } = Promise.withResolvers<Value | undefined>();
    this.#waiting.set(key, { promise, resolve, reject });
    if (!this.#isRunning) void this.#run();
    return promise;
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (this.#waiting.size > 0) {
      await waitForMore(() => this.#asked);
      const taken = [...this.#waiting].slice(0, MAXIMUM_KEYS);
      for (const [key] of taken) this.#waiting.delete(key);
      try {
        const found = await this.#load(taken.map(([key]) => key));
        for (const [key, { resolve }] of taken) resolve(found.get(key));
      } catch (error) {
        for (const [, { reject }] of taken) reject(error);
      }
    }
    this.#isRunning = false;
  }
}

type Waiting<Item, Result> = { item: Item; resolve(result: Result): void; reject(error: unknown): void };
type Write<Item, Result> = (queries: Queries, items: readonly Item[]) => Promise<readonly Result[]>;

const MAXIMUM_ITEMS = 256;
/** On PostgreSQL one group waits for the server while another is being collected; SQLite has one writer. */
const GROUPS_AT_ONCE = 2;

/**
 * Writes the items of many callers in one transaction, because waiting for the disk costs the same for one row and for
 * a hundred. Invariants: a caller gets its result only after the commit; if one item cannot be written, each is written
 * in a transaction of its own, so that only its caller gets the error.
 */
export class GroupCommit<Item, Result> {
  readonly #kysely: Kysely<Schema>;
  /** Returns one result per item, in order. May be retried by the database. */
  readonly #write: Write<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;
  /** The next group has not started: items that arrive now belong to it. */
  #isGathering = false;

  constructor(kysely: Kysely<Schema>, write: Write<Item, Result>) {
    this.#kysely = kysely;
    this.#write = write;
  }

  add(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ item, resolve, reject });
    const most = engineOf(this.#kysely) === "sqlite" ? 1 : GROUPS_AT_ONCE;
    if (this.#running < most && !this.#isGathering) {
      this.#running++;
      this.#isGathering = true;
      // Requests of the same turn of the event loop share a transaction; later ones wait for the next.
      setImmediate(() => void this.#run());
    }
    return promise;
  }

  async #run(): Promise<void> {
    await waitForMore(() => this.#waiting.length);
    this.#isGathering = false;
    while (this.#waiting.length > 0) {
      await this.#commit(this.#waiting.splice(0, MAXIMUM_ITEMS));
      await waitForMore(() => this.#waiting.length);
    }
    this.#running--;
  }

  async #commit(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const items = group.map(({ item }) => item);
      const results = await inTransaction(this.#kysely, (queries) => this.#write(queries, items));
      for (const [index, result] of results.entries()) group[index]?.resolve(result);
    } catch (error) {
      if (group.length > 1 && !isDatabaseAway(error)) {
        for (const waiting of group) await this.#commit([waiting]);
      } else for (const { reject } of group) reject(error);
    }
  }
}
