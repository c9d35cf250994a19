import { LRUCache } from "lru-cache";
import type { Visitor } from "./sessions.ts";

/** Balances and rates change without our events: an older response is rebuilt. */
const FRESH_MS = 3_000;
/** Up to this age, the cached response is served while it is rebuilt. */
const USABLE_MS = 10_000;
const MAXIMUM_CHARACTERS = 64_000_000;

type Profile = {
  text: string;
  /** The indexed block from which the response changes although no row of the buyer does. */
  changesAt: bigint | undefined;
};

/**
 * Serialized responses of `GET /api/me`. A response is reused only while neither the wallet's rows nor its totals in the
 * index changed, which the session query reports; so it is correct across processes. A new block alone does not discard
 * it: all buyers' pages would be built again at the same moment.
 */
export class ProfileCache {
  readonly #answers = new LRUCache<string, Profile, () => Promise<Profile>>({
    ttl: FRESH_MS,
    maxSize: MAXIMUM_CHARACTERS,
    sizeCalculation: ({ text }) => text.length,
    fetchMethod: (_key, _stale, { context: build }) => build(),
  });

  async read({ wallet, revision, indexed }: Visitor, build: () => Promise<Profile>): Promise<string> {
    const key = `${wallet}:${revision}`;
    const allowStale = this.#answers.getRemainingTTL(key) > FRESH_MS - USABLE_MS;
    // Random, so that responses built at the same time expire at different times.
    const ttl = FRESH_MS * (1 - Math.random() / 2);
    const known = await this.#answers.forceFetch(key, { context: build, ttl, allowStale });
    const isOver = known.changesAt !== undefined && indexed !== undefined && indexed.block >= known.changesAt;
    if (!isOver) return known.text;
    return (await this.#answers.forceFetch(key, { context: build, ttl, forceRefresh: true })).text;
  }
}
