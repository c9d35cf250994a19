import { LRUCache } from "lru-cache";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** Of a window's points: taken together, so that one call in many asks the limiter. */
const LUMP_SHARE = 0.01;
const POCKETS = 10_000;

/** `counted`: what the limiter was asked for in the window; `left`: what of it is not used. */
type Pocket = { counted: number; left: number; until: number };
/** `used`: of the window's points, by this key; `msBeforeNext`: until the window ends, where the limiter was asked. */
type Taken = { isRefused: boolean; used: number; msBeforeNext: number };

/**
 * Points of each key in a window of `seconds`. Whoever has one left can take more than that, once. Keys take lumps out of
 * the limiter into a pocket of their own, and the counts stay exact: what is in the pocket is not used.
 */
export class PointLimiter {
  readonly #limiter: RateLimiterMemory;
  readonly #pockets = new LRUCache<string, Pocket>({ max: POCKETS });
  readonly #asking = new Set<string>();

  constructor(points: number, seconds: number) {
    this.#limiter = new RateLimiterMemory({ points, duration: seconds });
  }

  get points(): number {
    return this.#limiter.points;
  }

  set points(points: number) {
    this.#limiter.points = points;
  }

  /** Takes from the pocket; undefined if `take` must be asked. Returns how much the key has used of its window. */
  takeAtHand(key: string, points: number): number | undefined {
    const pocket = this.#alive(key);
    if (!pocket || pocket.left < points || usedOf(pocket) >= this.points) return undefined;
    pocket.left -= points;
    return usedOf(pocket);
  }

  /** Takes the points, or nothing. Of those of a key that ask at once, the first brings a lump. */
  async take(key: string, points: number): Promise<Taken> {
    const atHand = this.takeAtHand(key, points);
    if (atHand !== undefined) return { isRefused: false, used: atHand, msBeforeNext: 0 };
    const isFirst = !this.#asking.has(key);
    const asked = isFirst ? Math.max(points, Math.floor(this.points * LUMP_SHARE)) : points;
    this.#asking.add(key);
    const { consumedPoints, msBeforeNext } = await this.#consume(key, asked);
    if (isFirst) this.#asking.delete(key);
    const pocket = this.#alive(key) ?? {
      counted: consumedPoints - asked,
      left: 0,
      until: performance.now() + msBeforeNext,
    };
    this.#pockets.set(key, pocket);
    if (usedOf(pocket) >= this.points) {
      // What was refused has not happened.
      void this.#limiter.reward(key, asked);
      return { isRefused: true, used: usedOf(pocket), msBeforeNext };
    }
    pocket.counted += asked;
    pocket.left += asked - points;
    return { isRefused: false, used: usedOf(pocket), msBeforeNext };
  }

  giveBack(key: string, points: number): void {
    const pocket = this.#alive(key);
    if (pocket) pocket.left += points;
    else void this.#limiter.reward(key, points);
  }

  #alive(key: string): Pocket | undefined {
    const pocket = this.#pockets.get(key);
    return pocket && pocket.until > performance.now() ? pocket : undefined;
  }

  async #consume(key: string, points: number): Promise<RateLimiterRes> {
    try {
      return await this.#limiter.consume(key, points);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return refusal;
    }
  }
}

const usedOf = ({ counted, left }: Pocket): number => counted - left;
