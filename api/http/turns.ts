import { ALLOWANCES, pointsOf } from "./purses.ts";

/**
 * Of the thread, in milliseconds, that calls which wait for a turn may begin with in one turn of the event loop. Of those
 * who have used much one begins: a call of anybody else takes several such turns.
 */
const STARTED_AT_ONCE_MS = 2;
/** Of a block that has used much, and of one rank: the others find no more than these before them at the database. */
const HEAVY_IN_HAND = 2;
/** While others have a call in hand, the next one of those who have used much begins this much later than the last. */
const HEAVY_EVERY_MS = 5;
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
type Waiting = { points: number; block: string; until: number; answer: (turn: EndTurn | undefined) => void };
/** Says that the call of a turn has its answer. Further calls do nothing. */
export type EndTurn = () => void;

/** Those of a rank, block by block: the block whose call has begun is the last one then. */
class Line {
  readonly rank: Rank;
  readonly isHeavy: boolean;
  /** Of the shop's second: used above this, none of them begins. */
  readonly share: number;
  readonly #mostInHand: number;
  readonly #waiting = new Map<string, Waiting[]>();
  /** Blocks of which a call may begin, in their order. */
  readonly #ready = new Set<string>();
  /** By block: calls that have begun and not ended. */
  readonly #inHand = new Map<string, number>();

  constructor(rank: Rank, isHeavy: boolean) {
    this.rank = rank;
    this.isHeavy = isHeavy;
    this.share = isHeavy && rank !== 0 ? HEAVY_SHARE : 1;
    this.#mostInHand = isHeavy ? HEAVY_IN_HAND : Number.POSITIVE_INFINITY;
  }

  add(waiting: Waiting): void {
    const { block } = waiting;
    const ofBlock = this.#waiting.get(block);
    if (ofBlock) ofBlock.push(waiting);
    else this.#waiting.set(block, [waiting]);
    this.#look(block);
  }

  next(): Waiting | undefined {
    for (const block of this.#ready) {
      this.#ready.delete(block);
      const waiting = this.#waiting.get(block)?.shift();
      if (!waiting) continue;
      this.#count(block, 1);
      return waiting;
    }
    return undefined;
  }

  ended(block: string): void {
    this.#count(block, -1);
  }

  /** Takes out those who have waited in vain. */
  *expired(now: number): Generator<Waiting> {
    for (const [block, ofBlock] of this.#waiting) {
      while (ofBlock[0] && ofBlock[0].until <= now) yield ofBlock.shift() as Waiting;
      this.#look(block);
    }
  }

  #count(block: string, change: 1 | -1): void {
    const inHand = (this.#inHand.get(block) ?? 0) + change;
    if (inHand > 0) this.#inHand.set(block, inHand);
    else this.#inHand.delete(block);
    this.#look(block);
  }

  #look(block: string): void {
    if (this.#waiting.get(block)?.length === 0) this.#waiting.delete(block);
    const isFull = (this.#inHand.get(block) ?? 0) >= this.#mostInHand;
    if (this.#waiting.has(block) && !isFull) this.#ready.add(block);
    else this.#ready.delete(block);
  }
}

/**
 * The shop's own purse: a second of its thread, which fills all the time. While much of it is left, calls begin at once,
 * but for those of a block of addresses that has used much already. All others wait for their turn: by rank, and of a rank
 * block by block, so that a hundred wallets behind one address have one turn together. Whoever has used much has few calls
 * in hand at once, and begins them in the gaps that others leave. docs/product.md#purse-turns
 */
export class Turns {
  /** Of a second; of several apis each has a share. */
  readonly #allPoints: number;
  #points: number;
  #used = 0;
  #usedAt = performance.now();
  readonly #lines = ([0, 1, 2] as const).flatMap((rank) => [new Line(rank, false), new Line(rank, true)]);
  #waiting = 0;
  /** Calls of those who have used little that have begun and not ended. */
  #lightInHand = 0;
  #heavyBegunAt = 0;
  #isServedSoon = false;
  #sleep: NodeJS.Timeout | undefined;

  constructor(scale: number) {
    this.#allPoints = (pointsOf("thread", ALLOWANCES.shop.aMinute.thread) * scale) / 60;
    this.#points = this.#allPoints;
  }

  share(apis: number): void {
    this.#points = this.#allPoints / apis;
  }

  /** Resolves when the call may begin, to what its caller calls at its end; to undefined if it waited in vain. */
  take(caller: Caller, threadMs: number): EndTurn | undefined | Promise<EndTurn | undefined> {
    const points = pointsOf("thread", threadMs);
    if (caller.isHeavy || !this.#hasLeft(LOW_SHARE)) return this.#wait(caller, points);
    this.#used += points;
    return this.#begin();
  }

  #wait({ rank, block, isHeavy }: Caller, points: number): Promise<EndTurn | undefined> | undefined {
    if (this.#waiting >= WAITING_AT_MOST) return undefined;
    return new Promise((answer) => {
      const line = this.#lines.find((one) => one.rank === rank && one.isHeavy === isHeavy);
      line?.add({ points, block, until: performance.now() + WAIT_MS, answer });
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
    for (const line of this.#lines) for (const waiting of line.expired(now)) this.#answer(waiting, undefined);
    for (let started = 0; started < pointsOf("thread", STARTED_AT_ONCE_MS); ) {
      const next = this.#next();
      if (!next) {
        if (this.#waiting > 0) this.#sleep = setTimeout(() => this.#serveSoon(), REFILL_MS);
        return;
      }
      const { line, waiting } = next;
      started += line.isHeavy ? Number.POSITIVE_INFINITY : waiting.points;
      this.#used += waiting.points;
      this.#answer(waiting, this.#begin(line, waiting.block));
    }
    this.#serveSoon();
  }

  #next(): { line: Line; waiting: Waiting } | undefined {
    const isGap = this.#lightInHand === 0 || performance.now() - this.#heavyBegunAt >= HEAVY_EVERY_MS;
    for (const line of this.#lines) {
      const waiting = (isGap || !line.isHeavy) && this.#hasLeft(line.share) ? line.next() : undefined;
      if (waiting) return { line, waiting };
    }
    return undefined;
  }

  /** Of no line: one that had not to wait. */
  #begin(line?: Line, block = ""): EndTurn {
    const isHeavy = line?.isHeavy ?? false;
    if (isHeavy) this.#heavyBegunAt = performance.now();
    else this.#lightInHand++;
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      line?.ended(block);
      if (!isHeavy) this.#lightInHand--;
      if (this.#waiting > 0) this.#serveSoon();
    };
  }

  #answer({ answer }: Waiting, turn: EndTurn | undefined): void {
    this.#waiting--;
    answer(turn);
  }

  /** Whether less than this share of a second is in use. Whoever finds something left can take more than that, once. */
  #hasLeft(share: number): boolean {
    const now = performance.now();
    this.#used = Math.max(0, this.#used - ((now - this.#usedAt) / 1_000) * this.#points);
    this.#usedAt = now;
    return this.#used < this.#points * share;
  }
}
