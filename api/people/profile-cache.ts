import { LRUCache } from "lru-cache";
import type { Visitor } from "./sessions.ts";

/** Balances change without our events: an older response is rebuilt. */
const FRESH_MS = 3_000;
/** Up to this age, the cached response is served while it is rebuilt. */
const USABLE_MS = 10_000;
const MAXIMUM_CHARACTERS = 64_000_000;

/**
 * Serialized responses of `GET /api/me`. A response is reused only while neither the index nor the wallet's rows
 * changed, which the session query reports; so it is correct across processes.
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
