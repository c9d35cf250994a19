import type { Queries } from "../../database/transaction.ts";
import { findVisitors, type Visitor } from "./sessions.ts";

type Waiting = {
  promise: Promise<Visitor | undefined>;
  resolve(visitor: Visitor | undefined): void;
  reject(error: unknown): void;
};

const MAXIMUM_TOKENS = 200;

/**
 * Looks sessions up, many requests with one query. Invariant: a request is answered by a query that began after it
 * arrived, so that a session that was ended before is never found.
 */
export class VisitorLoader {
  readonly #queries: Queries;
  #waiting = new Map<string, Waiting>();
  #isRunning = false;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  find(tokenHash: string): Promise<Visitor | undefined> {
    const known = this.#waiting.get(tokenHash);
    if (known) return known.promise;
    const { promise, resolve, reject } = Promise.withResolvers<Visitor | undefined>();
    this.#waiting.set(tokenHash, { promise, resolve, reject });
    if (!this.#isRunning) {
      this.#isRunning = true;
      // Requests that came with the same turn of the event loop join.
      setImmediate(() => void this.#run());
    }
    return promise;
  }

  async #run(): Promise<void> {
    while (this.#waiting.size > 0) {
      const taken = [...this.#waiting].slice(0, MAXIMUM_TOKENS);
      for (const [tokenHash] of taken) this.#waiting.delete(tokenHash);
      try {
        const visitors = await findVisitors(
          this.#queries,
          taken.map(([tokenHash]) => tokenHash),
        );
        for (const [tokenHash, { resolve }] of taken) resolve(visitors.get(tokenHash));
      } catch (error) {
        for (const [, { reject }] of taken) reject(error);
      }
    }
    this.#isRunning = false;
  }
}
