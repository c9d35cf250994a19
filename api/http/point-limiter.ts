import { LRUCache } from "lru-cache";
import { RateLimiterMemory, RateLimiterRes } from "rate-limiter-flexible";

/** Of a window's points: taken together, so that one call in many asks the limiter. */
const LUMP_SHARE = 0.01;
const POCKETS = 10_000;

type Pocket = { left: number /** What the limiter has counted of the window. */; counted: number; until: number };
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
    if (!pocket || pocket.left < points) return undefined;
    pocket.left -= points;
    return pocket.counted - pocket.left;
  }

  /** Takes the points, or nothing. Of those of a key that ask at once, the first brings a lump. */
  async take(key: string, points: number): Promise<Taken> {
    const usedAtHand = this.takeAtHand(key, points);
    if (usedAtHand !== undefined) return { isRefused: false, used: usedAtHand, msBeforeNext: 0 };
    const isFirst = !this.#asking.has(key);
    const left = isFirst ? this.#empty(key) : 0;
    const asked = isFirst ? Math.max(points - left, Math.floor(this.points * LUMP_SHARE)) : points;
    this.#asking.add(key);
    const { consumedPoints, msBeforeNext } = await this.#consume(key, asked);
    if (isFirst) this.#asking.delete(key);
    const isFull = consumedPoints - asked >= this.points;
    // What was refused has not happened.
    if (isFull) void this.#limiter.reward(key, asked);
    const counted = isFull ? consumedPoints - asked : consumedPoints;
    if (isFull && left === 0) {
      // Meanwhile the first may have brought some.
      const used = this.takeAtHand(key, points);
      return { isRefused: used === undefined, used: used ?? counted, msBeforeNext };
    }
    if (!isFirst) return { isRefused: false, used: counted - (this.#alive(key)?.left ?? 0), msBeforeNext };
    const unused = isFull ? 0 : Math.max(0, left + asked - points - Math.max(0, counted - this.points));
    // What was given back meanwhile stays.
    const kept = this.#empty(key) + unused;
    this.#pockets.set(key, { left: kept, counted, until: performance.now() + msBeforeNext });
    return { isRefused: false, used: counted - kept, msBeforeNext };
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

  /** Returns what was left. */
  #empty(key: string): number {
    const pocket = this.#alive(key);
    if (!pocket) return 0;
    const { left } = pocket;
    pocket.left = 0;
    return left;
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
