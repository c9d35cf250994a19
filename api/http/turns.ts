import { PointLimiter } from "./point-limiter.ts";
import { ALLOWANCES, pointsOf } from "./purses.ts";

/** Of the thread, in milliseconds, that calls which wait for a turn may begin with in one turn of the event loop. */
const STARTED_AT_ONCE_MS = 2;
/** Answers come within five seconds. docs/product.md#limit-answer-time */
const WAIT_MS = 3_000;
const WAITING_AT_MOST = 4_096;
/** The one key of the shop's own purse. */
const ALL = "";

/** Wallets that were paid once; wallets with a session; addresses. */
export type Rank = 0 | 1 | 2;
const RANKS: readonly Rank[] = [0, 1, 2];

type Waiting = { points: number; until: number; answer: (isAdmitted: boolean) => void };
type Caller = { rank: Rank; block: string /** Has used much of the thread in this minute. */; isHeavy: boolean };

/**
 * The shop's own purse: a second of its thread. While much of it is left, calls begin at once, but for those of a block of
 * addresses that has used much already. All others wait for their turn: by rank, and of a rank block by block, so that a
 * hundred wallets behind one address have one turn together. docs/product.md#purse-turns
 */
export class Turns {
  readonly #second: PointLimiter;
  readonly #aSecond: number;
  readonly #lines = new Map<Rank, Map<string, Waiting[]>>(RANKS.map((rank) => [rank, new Map()]));
  #waiting = 0;
  #lowUntil = 0;

  constructor(scale: number) {
    this.#aSecond = (pointsOf("thread", ALLOWANCES.shop.aMinute.thread) * scale) / 60;
    this.#second = new PointLimiter(this.#aSecond, 1);
  }

  share(apis: number): void {
    this.#second.points = Math.max(1, Math.round(this.#aSecond / apis));
  }

  /** Resolves when the call may begin; to false if it waited in vain. */
  take(caller: Caller, threadMs: number): boolean | Promise<boolean> {
    const points = pointsOf("thread", threadMs);
    if (caller.isHeavy || performance.now() < this.#lowUntil) return this.#wait(caller, points);
    if (this.#second.takeAtHand(ALL, points) !== undefined) return true;
    return this.#spend(points).then((waitMs) => waitMs === 0 || this.#wait(caller, points));
  }

  #wait({ rank, block }: Caller, points: number): boolean | Promise<boolean> {
    if (this.#waiting >= WAITING_AT_MOST) return false;
    return new Promise((answer) => {
      const line = this.#lines.get(rank) as Map<string, Waiting[]>;
      const waiting = { points, until: performance.now() + WAIT_MS, answer };
      const ofBlock = line.get(block);
      if (ofBlock) ofBlock.push(waiting);
      else line.set(block, [waiting]);
      this.#waiting++;
      if (this.#waiting === 1) setImmediate(() => void this.#serve());
    });
  }

  async #serve(): Promise<void> {
    for (let started = 0; started < pointsOf("thread", STARTED_AT_ONCE_MS); ) {
      const next = this.#next();
      if (!next) return;
      const waitMs = await this.#spend(next.points);
      if (waitMs > 0) {
        next.putBack();
        setTimeout(() => void this.#serve(), waitMs);
        return;
      }
      started += next.points;
      this.#waiting--;
      next.answer(true);
    }
    if (this.#waiting > 0) setImmediate(() => void this.#serve());
  }

  /** The first of the block whose turn it is; its block is the last of its rank from now on. */
  #next() {
    const now = performance.now();
    for (const line of this.#lines.values()) {
      for (const [block, ofBlock] of line) {
        line.delete(block);
        while (ofBlock[0] && ofBlock[0].until < now) {
          this.#waiting--;
          ofBlock.shift()?.answer(false);
        }
        const first = ofBlock.shift();
        if (ofBlock.length > 0) line.set(block, ofBlock);
        if (!first) continue;
        const putBack = () => {
          ofBlock.unshift(first);
          line.delete(block);
          line.set(block, ofBlock);
        };
        return { points: first.points, answer: first.answer, putBack };
      }
    }
    return undefined;
  }

  /** Milliseconds until there is something again; 0 if the points are spent. */
  async #spend(points: number): Promise<number> {
    const { isRefused, used, msBeforeNext } = await this.#second.take(ALL, points);
    if (isRefused || used > this.#second.points / 2) this.#lowUntil = performance.now() + msBeforeNext;
    return isRefused ? Math.max(1, msBeforeNext) : 0;
  }
}
