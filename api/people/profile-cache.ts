import { LRUCache } from "lru-cache";
import type { Visitor } from "./sessions.ts";

/** Balances move without an event of ours: from this age on an answer is made again. */
const FRESH_MS = 3_000;
/** Until this age the known answer still serves while the next one is made. */
const USABLE_MS = 10_000;
const MAXIMUM_CHARACTERS = 64_000_000;

/**
 * Serialized answers of `GET /api/me`. An answer is used again only while neither the index nor the wallet's own rows
 * moved, which the session's own query tells; so it is right in every process.
 */
export class ProfileCache {
  readonly #answers = new LRUCache<string, string, () => Promise<string>>({
    ttl: FRESH_MS,
    maxSize: MAXIMUM_CHARACTERS,
    sizeCalculation: (text) => text.length,
    fetchMethod: (_key, _stale, { context: build }) => build(),
  });

  async read(visitor: Visitor, build: () => Promise<string>): Promise<string> {
    const key = `${visitor.wallet}:${visitor.indexedHash}:${visitor.revision}`;
    const allowStale = this.#answers.getRemainingTTL(key) > FRESH_MS - USABLE_MS;
    return this.#answers.forceFetch(key, { context: build, allowStale });
  }
}
