import { ApiError } from "./api-error.ts";
import type { Limit } from "./route.ts";

type Bucket = { tokens: number; refilledAt: number };

const MINUTE_MS = 60_000;
const MAXIMUM_BUCKETS = 50_000;

/** Token buckets in memory: a minute's allowance at once, then its even flow. */
export class RateLimiter {
  readonly #buckets = new Map<string, Bucket>();
  readonly #scale: number;

  constructor(scale: number) {
    this.#scale = scale;
  }

  /** @throws ApiError 429 with `Retry-After`. */
  take(name: string, caller: string, limit: Limit): void {
    const capacity = Math.max(1, Math.round(limit.perMinute * this.#scale));
    const now = Date.now();
    const key = `${name} ${caller}`;
    const bucket = this.#buckets.get(key) ?? this.#add(key, { tokens: capacity, refilledAt: now });
    bucket.tokens = Math.min(capacity, bucket.tokens + ((now - bucket.refilledAt) * capacity) / MINUTE_MS);
    bucket.refilledAt = now;
    if (bucket.tokens < 1) {
      const seconds = Math.ceil(((1 - bucket.tokens) * MINUTE_MS) / capacity / 1_000);
      throw new ApiError(429, "TOO_MANY_REQUESTS", `Too many requests; try again in ${seconds} s`, {
        headers: { "retry-after": String(seconds) },
      });
    }
    bucket.tokens -= 1;
  }

  #add(key: string, bucket: Bucket): Bucket {
    if (this.#buckets.size >= MAXIMUM_BUCKETS) this.#dropOldest();
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #dropOldest(): void {
    let left = MAXIMUM_BUCKETS / 10;
    for (const key of this.#buckets.keys()) {
      if (left-- <= 0) return;
      this.#buckets.delete(key);
    }
  }
}
