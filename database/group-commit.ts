import type { Kysely } from "kysely";
import type { Schema } from "./schema.ts";
import { inTransaction, isDatabaseAway, type Queries } from "./transaction.ts";

type Waiting<Item, Result> = { item: Item; resolve(result: Result): void; reject(error: unknown): void };
type Write<Item, Result> = (queries: Queries, items: readonly Item[]) => Promise<readonly Result[]>;

const MAXIMUM_ITEMS = 256;

/**
 * Writes what many callers bring in one transaction, because waiting for the disk costs the same for one row and for a
 * hundred. Invariants: a caller gets its result only after the commit; if one item cannot be written, each is written in a
 * transaction of its own, so that only its caller gets the error.
 */
export class GroupCommit<Item, Result> {
  readonly #kysely: Kysely<Schema>;
  /** Answers one result for each item, in their order. Runs again if the database asks for it. */
  readonly #write: Write<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #isRunning = false;

  constructor(kysely: Kysely<Schema>, write: Write<Item, Result>) {
    this.#kysely = kysely;
    this.#write = write;
  }

  add(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    this.#waiting.push({ item, resolve, reject });
    if (!this.#isRunning) {
      this.#isRunning = true;
      // Requests of the same turn of the event loop share a transaction; later ones wait for the next.
      setImmediate(() => void this.#run());
    }
    return promise;
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) await this.#commit(this.#waiting.splice(0, MAXIMUM_ITEMS));
    this.#isRunning = false;
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
