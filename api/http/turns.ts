import { ALLOWANCES, pointsOf } from "./purses.ts";

/**
 * Of the thread, in milliseconds, that calls which wait for a turn may begin with in one turn of the event loop. Of those
 * who have used much one begins: a call of anybody else takes several such turns.
 */
const STARTED_AT_ONCE_MS = 2;
/** Answers come within five seconds. docs/product.md#limit-answer-time */
const WAIT_MS = 3_000;
const WAITING_AT_MOST = 4_096;
/** How long callers sleep for whom nothing is left; a new one wakes them. */
const REFILL_MS = 5;
/** Of a second of the shop: used above this, everybody waits for a turn. */
const LOW_SHARE = 0.5;
/** Of a second of the shop: what callers leave to others who have used much and were never paid. */
const HEAVY_SHARE = 0.75;

/** Wallets that were paid once; wallets with a session; addresses. */
export type Rank = 0 | 1 | 2;

type Caller = { rank: Rank; block: string /** Has used much of the thread in this minute. */; isHeavy: boolean };
type Waiting = { points: number; isHeavy: boolean; until: number; answer: (isAdmitted: boolean) => void };

/** Those of a rank, block by block: the block whose call has begun is the last one then. */
class Line {
  readonly rank: Rank;
  readonly isHeavy: boolean;
  /** Of the shop's second: used above this, none of them begins. */
  readonly share: number;
  readonly #blocks = new Map<string, Waiting[]>();

  constructor(rank: Rank, isHeavy: boolean) {
    this.rank = rank;
    this.isHeavy = isHeavy;
    this.share = isHeavy && rank !== 0 ? HEAVY_SHARE : 1;
  }

  add(block: string, waiting: Waiting): void {
    const ofBlock = this.#blocks.get(block);
    if (ofBlock) ofBlock.push(waiting);
    else this.#blocks.set(block, [waiting]);
  }

  next(): Waiting | undefined {
    for (const [block, ofBlock] of this.#blocks) {
      this.#blocks.delete(block);
      const first = ofBlock.shift();
      if (ofBlock.length > 0) this.#blocks.set(block, ofBlock);
      if (first) return first;
    }
    return undefined;
  }

  /** Takes out those who have waited in vain. */
  *expired(now: number): Generator<Waiting> {
    for (const [block, ofBlock] of this.#blocks) {
      while (ofBlock[0] && ofBlock[0].until <= now) yield ofBlock.shift() as Waiting;
      if (ofBlock.length === 0) this.#blocks.delete(block);
    }
  }
}

/**
 * The shop's own purse: a second of its thread, which fills all the time. While much of it is left, calls begin at once,
 * but for those of a block of addresses that has used much already. All others wait for their turn: by rank, and of a rank
 * block by block, so that a hundred wallets behind one address have one turn together. docs/product.md#purse-turns
 */
export class Turns {
  /** Of a second; of several apis each has a share. */
  readonly #allPoints: number;
  #points: number;
  #used = 0;
  #usedAt = performance.now();
  readonly #lines = ([0, 1, 2] as const).flatMap((rank) => [new Line(rank, false), new Line(rank, true)]);
  #waiting = 0;
  #isServedSoon = false;
  #sleep: NodeJS.Timeout | undefined;

  constructor(scale: number) {
    this.#allPoints = (pointsOf("thread", ALLOWANCES.shop.aMinute.thread) * scale) / 60;
    this.#points = this.#allPoints;
  }

  share(apis: number): void {
    this.#points = this.#allPoints / apis;
  }

  /** Resolves when the call may begin; to false if it waited in vain. */
  take(caller: Caller, threadMs: number): boolean | Promise<boolean> {
    const points = pointsOf("thread", threadMs);
    if (caller.isHeavy || !this.#hasLeft(LOW_SHARE)) return this.#wait(caller, points);
    this.#used += points;
    return true;
  }

  #wait({ rank, block, isHeavy }: Caller, points: number): boolean | Promise<boolean> {
    if (this.#waiting >= WAITING_AT_MOST) return false;
    return new Promise((answer) => {
      const line = this.#lines.find((one) => one.rank === rank && one.isHeavy === isHeavy);
      line?.add(block, { points, isHeavy, until: performance.now() + WAIT_MS, answer });
      this.#waiting++;
      this.#serveSoon();
    });
  }

  #serveSoon(): void {
    if (this.#isServedSoon) return;
    this.#isServedSoon = true;
    clearTimeout(this.#sleep);
    setImmediate(() => this.#serve());
  }

  #serve(): void {
    this.#isServedSoon = false;
    const now = performance.now();
    for (const line of this.#lines) for (const waiting of line.expired(now)) this.#answer(waiting, false);
    for (let started = 0; started < pointsOf("thread", STARTED_AT_ONCE_MS); ) {
      const next = this.#next();
      if (!next) {
        if (this.#waiting > 0) this.#sleep = setTimeout(() => this.#serveSoon(), REFILL_MS);
        return;
      }
      started += next.isHeavy ? Number.POSITIVE_INFINITY : next.points;
      this.#used += next.points;
      this.#answer(next, true);
    }
    this.#serveSoon();
  }

  #next(): Waiting | undefined {
    for (const line of this.#lines) {
      const next = this.#hasLeft(line.share) ? line.next() : undefined;
      if (next) return next;
    }
    return undefined;
  }

  #answer({ answer }: Waiting, isAdmitted: boolean): void {
    this.#waiting--;
    answer(isAdmitted);
  }

  /** Whether less than this share of a second is in use. Whoever finds something left can take more than that, once. */
  #hasLeft(share: number): boolean {
    const now = performance.now();
    this.#used = Math.max(0, this.#used - ((now - this.#usedAt) / 1_000) * this.#points);
    this.#usedAt = now;
    return this.#used < this.#points * share;
  }
}
