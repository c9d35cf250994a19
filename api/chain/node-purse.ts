import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** Several people who come at once are all served, as long as the calls of these seconds suffice. */
const SECONDS = 4;

/**
 * The calls to nodes that reads for wallets may cause, all of them together: wallets are free, and a provider's calls are
 * not. docs/operations.md#node-calls
 */
export class NodePurse {
  readonly #limiter: RateLimiterMemory;

  constructor(callsPerSecond: number) {
    this.#limiter = new RateLimiterMemory({ points: Math.max(1, callsPerSecond * SECONDS), duration: SECONDS });
  }

  /** Whether so many calls may be made now. */
  async spend(calls: number): Promise<boolean> {
    try {
      await this.#limiter.consume("all", calls);
      return true;
    } catch (error) {
      if (error instanceof RateLimiterRes) return false;
      throw error;
    }
  }
}
