import { setImmediate as nextTurn } from "node:timers/promises";
import type { Kysely } from "kysely";
import { engineOf } from "./clock.ts";
import type { Schema } from "./schema.ts";
import { inTransaction, isDatabaseAway, type Queries } from "./transaction.ts";

type Waiting<Item, Result> = { item: Item; resolve(result: Result): void; reject(error: unknown): void };
type Write<Item, Result> = (queries: Queries, items: readonly Item[]) => Promise<readonly Result[]>;

const MAXIMUM_ITEMS = 256;
/** On PostgreSQL one group waits for the server while another is gathered; SQLite has one writer. */
const GROUPS_AT_ONCE = 2;
/** At most so long a group waits for more; far less than its commit takes. */
const GATHER_MS = 2;
/** From its first byte a request takes some turns of the event loop until its item is here: session, store, item. */
const TURNS_TO_ARRIVE = 3;

/**
 * Writes what many callers bring in one transaction, because waiting for the disk costs the same for one row and for a
 * hundred. Invariants: a caller gets its result only after the commit; if one item cannot be written, each is written in a
 * transaction of its own, so that only its caller gets the error.
 */
export class GroupCommit<Item, Result> {
  readonly #kysely: Kysely<Schema>;
  /** Answers one result for each item, in their order. Runs again if the database asks for it. */
  readonly #write: Write<Item, Result>;
  readonly #most: number;
  #waiting: Waiting<Item, Result>[] = [];
  #running = 0;
  /** The next group has not begun: what arrives now is part of it. */
  #isGathering = false;

  constructor(kysely: Kysely<Schema>, write: Write<Item, Result>) {
    this.#kysely = kysely;
    this.#write = write;
    this.#most = engineOf(kysely) === "sqlite" ? 1 : GROUPS_AT_ONCE;
  }

  add(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ item, resolve, reject });
    if (this.#running < this.#most && !this.#isGathering) {
      this.#running++;
      this.#isGathering = true;
      // Requests of the same turn of the event loop share a transaction; later ones wait for the next.
      setImmediate(() => void this.#run());
    }
    return promise;
  }

  async #run(): Promise<void> {
    await this.#gather();
    this.#isGathering = false;
    while (this.#waiting.length > 0) {
      await this.#commit(this.#waiting.splice(0, MAXIMUM_ITEMS));
      await this.#gather();
    }
    this.#running--;
  }

  /** Waits while every look at the sockets brings more items, so that a busy moment is one transaction and not ten. */
  async #gather(): Promise<void> {
    const until = performance.now() + GATHER_MS;
    for (let known = 0; this.#waiting.length > known && performance.now() < until; ) {
      known = this.#waiting.length;
      for (let turn = 0; turn < TURNS_TO_ARRIVE; turn++) await nextTurn();
    }
  }

  async #commit(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const items = group.map((one) => one.item);
      const results = await inTransaction(this.#kysely, (queries) => this.#write(queries, items));
      for (const [index, one] of group.entries()) one.resolve(results[index] as Result);
    } catch (error) {
      if (group.length > 1 && !isDatabaseAway(error)) {
        for (const one of group) await this.#commit([one]);
      } else for (const one of group) one.reject(error);
    }
  }
}
