import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";
import { ApiError } from "./api-error.ts";
import type { Limit } from "./route.ts";

const WINDOW_SECONDS = 60;

/** Counts calls per minute, by route and by client address or wallet, in this process's memory. */
export class RateLimiter {
  readonly #limiters = new Map<string, RateLimiterMemory>();
  readonly #scale: number;

  constructor(scale: number) {
    this.#scale = scale;
  }

  /** @throws ApiError 429 with `Retry-After`. */
  async take(name: string, caller: string, limit: Limit): Promise<void> {
    try {
      await this.#limiterOf(name, limit).consume(caller);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1_000));
      throw new ApiError(429, "TOO_MANY_REQUESTS", `Too many requests; try again in ${seconds} s`, {
        headers: { "retry-after": String(seconds) },
      });
    }
  }

  #limiterOf(name: string, limit: Limit): RateLimiterMemory {
    const key = `${name} ${limit.by}`;
    const known = this.#limiters.get(key);
    if (known) return known;
    const points = Math.max(1, Math.round(limit.perMinute * this.#scale));
    const limiter = new RateLimiterMemory({ keyPrefix: key, points, duration: WINDOW_SECONDS });
    this.#limiters.set(key, limiter);
    return limiter;
  }
}
