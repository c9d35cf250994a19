import { gather } from "./gather.ts";

type Waiting<Value> = {
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
  #waiting = new Map<Key, Waiting<Value>>();
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
      await gather(() => this.#asked);
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
