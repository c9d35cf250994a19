import type { Kysely } from "kysely";
import { engineOf } from "./clock.ts";
import { gather } from "./gather.ts";
import type { Schema } from "./generated/schema.ts";
import { inTransaction, isDatabaseAway, type Queries } from "./transaction.ts";

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
    await this.#gather();
    this.#isGathering = false;
    while (this.#waiting.length > 0) {
      await this.#commit(this.#waiting.splice(0, MAXIMUM_ITEMS));
      await this.#gather();
    }
    this.#running--;
  }

  #gather(): Promise<void> {
    return gather(() => this.#waiting.length);
  }

  async #commit(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const items = group.map((one) => one.item);
      const results = await inTransaction(this.#kysely, (queries) => this.#write(queries, items));
      for (const [index, result] of results.entries()) group[index]?.resolve(result);
    } catch (error) {
      if (group.length > 1 && !isDatabaseAway(error)) {
        for (const one of group) await this.#commit([one]);
      } else for (const one of group) one.reject(error);
    }
  }
}
