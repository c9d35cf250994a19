import type { Queries } from "../../database/transaction.ts";
import { findVisitors, type Visitor } from "./sessions.ts";

type Waiting = {
  promise: Promise<Visitor | undefined>;
  resolve(visitor: Visitor | undefined): void;
  reject(error: unknown): void;
};

const MAXIMUM_TOKENS = 200;

/**
 * Looks up sessions, with one query for many requests. Invariant: a request gets the result of a query that began after it
 * arrived, so an already ended session is never found.
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
      // Requests of the same turn of the event loop share a query.
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
