/** Who goes first while a node allows few calls. docs/operations.md#node-calls */
export const LANES = [
  /** Nonces, sending and receipts. */
  "send",
  /** The indexer's new blocks. */
  "follow",
  /** What a caller of the api waits for. */
  "read",
  /** Comparisons with the chain and second reads. */
  "check",
] as const;
export type Lane = (typeof LANES)[number];

/** The part of the limit that a lane may fill: the rest stays free for those before it. */
const SHARES: Record<Lane, number> = { send: 1, follow: 1, read: 1, check: 0.5 };

/** A provider's second, with some time for calls that arrive closer together than they were sent. */
const WINDOW_MS = 1_100;
/** The pause after a refusal without `Retry-After`. */
const PAUSE_MS = 300;
const LEAST_LIMIT = 1;
const DECREASE = 0.8;
/** While the limit is a guess, each window. */
const GUESS_INCREASE = 1.5;
/** Once the node has refused more, by this part, or at least so many calls a second. */
const INCREASE = { part: 0.03, least: 0.2, everyMs: 5_000 };
/** Calls that waited so long without a refusal show that the limit is another by now. */
const GUESS_AGAIN_MS = 60_000;
const MINUTE_MS = 60_000;
const MINUTES_KEPT = 60;

/** Milliseconds, and a timer; tests have their own. */
export type Clock = { now(): number; after(ms: number, work: () => void): () => void };

const SYSTEM_CLOCK: Clock = {
  now: () => performance.now(),
  after(ms, work) {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};

/** What was learned about a node: calls a second. */
export type CallFigures = {
  /** What it allows this process; undefined while it refused nothing. */
  allowed: number | undefined;
  /** What this process asked for in its busiest minute of the last hour. */
  needed: number;
};

type Waiting = { calls: number; lane: Lane; until: number; go: () => void; giveUp: () => void };

/**
 * The calls of one process to one node. Without a limit until the node refuses: then at most what it answered before,
 * less with each further refusal, and slowly more while calls wait and none is refused. Each call of a batch counts.
 */
export class CallBudget {
  readonly #clock: Clock;
  readonly counts: Record<Lane, number> = { send: 0, follow: 0, read: 0, check: 0 };
  #limit = Number.POSITIVE_INFINITY;
  /** Whether nothing above the limit was refused lately: one refusal may be of a short jam. */
  #isGuess = false;
  /** In the last window, oldest first. */
  #sent: { at: number; calls: number }[] = [];
  #answered: { at: number; calls: number }[] = [];
  readonly #waiting: Waiting[] = [];
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #refusedAt = Number.NEGATIVE_INFINITY;
  #increasedAt = Number.NEGATIVE_INFINITY;
  #endTimer: (() => void) | undefined;
  /** Calls asked for, by minute. */
  readonly #minutes = new Map<number, number>();

  constructor(clock: Clock = SYSTEM_CLOCK) {
    this.#clock = clock;
  }

  /** The most calls that may go into one request. */
  mostAtOnce(lane: Lane): number {
    return Math.max(1, Math.floor(this.#limit * SHARES[lane]));
  }

  get figures(): CallFigures {
    const now = Math.floor(this.#clock.now() / MINUTE_MS);
    const inAMinute = [...this.#minutes].filter(([minute]) => now - minute < MINUTES_KEPT).map(([, calls]) => calls);
    const needed = Math.max(0, ...inAMinute) / (MINUTE_MS / 1_000);
    return { allowed: Number.isFinite(this.#limit) ? this.#limit : undefined, needed };
  }

  /** A limit that was learned earlier. */
  recall(allowed: number): void {
    if (!(allowed >= LEAST_LIMIT)) return;
    this.#limit = Math.min(this.#limit, allowed);
    this.#refusedAt = this.#clock.now();
  }

  /** Whether the calls may be sent now or within `msLeft`; waits for their turn. */
  take(calls: number, lane: Lane, msLeft: number): Promise<boolean> {
    this.#note(calls);
    if (this.#waiting.length === 0 && this.#hasRoom(calls, lane)) {
      this.#spend(calls, lane);
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const until = this.#clock.now() + msLeft;
      this.#waiting.push({ calls, lane, until, go: () => resolve(true), giveUp: () => resolve(false) });
      this.#waiting.sort((one, other) => LANES.indexOf(one.lane) - LANES.indexOf(other.lane));
      this.#serve();
    });
  }

  answered(calls: number): void {
    // Only the first refusal is compared with it.
    if (Number.isFinite(this.#limit)) return;
    this.#answered = this.#recent(this.#answered);
    this.#answered.push({ at: this.#clock.now(), calls });
  }

  /**
   * The node refused calls for their number. `named` is the limit in its words, in calls a second.
   * @returns after how many milliseconds it may be asked again
   */
  refused(calls: number, { retryAfterMs, named }: { retryAfterMs?: number | undefined; named?: number | undefined }) {
    const now = this.#clock.now();
    this.#pausedUntil = Math.max(this.#pausedUntil, now + (retryAfterMs ?? PAUSE_MS));
    // Calls that are refused together are refused once.
    const isNews = now - this.#refusedAt >= WINDOW_MS;
    if (named !== undefined) this.#limit = Math.max(LEAST_LIMIT, Math.min(this.#limit, named));
    else if (isNews) this.#limit = Math.max(LEAST_LIMIT, this.#lowered(calls));
    if (isNews) this.#refusedAt = now;
    this.#increasedAt = now;
    // They will be asked for again.
    this.#note(-calls);
    return this.#pausedUntil - now;
  }

  #lowered(refused: number): number {
    this.#isGuess = !Number.isFinite(this.#limit);
    if (!this.#isGuess) return this.#limit * DECREASE;
    return Math.max(refused / 2, sumOf(this.#recent(this.#answered)));
  }

  #hasRoom(calls: number, lane: Lane): boolean {
    if (this.#clock.now() < this.#pausedUntil) return false;
    if (!Number.isFinite(this.#limit)) return true;
    this.#sent = this.#recent(this.#sent);
    const used = sumOf(this.#sent);
    return used === 0 || used + calls <= this.#limit * SHARES[lane];
  }

  #spend(calls: number, lane: Lane): void {
    this.#sent.push({ at: this.#clock.now(), calls });
    // Without a limit nobody looks at it.
    if (!Number.isFinite(this.#limit)) this.#sent = this.#recent(this.#sent);
    this.counts[lane] += calls;
  }

  #serve(): void {
    const now = this.#clock.now();
    for (const late of this.#waiting.filter(({ until }) => until <= now)) {
      this.#waiting.splice(this.#waiting.indexOf(late), 1);
      late.giveUp();
    }
    for (let first = this.#waiting[0]; first && this.#hasRoom(first.calls, first.lane); first = this.#waiting[0]) {
      this.#waiting.shift();
      this.#spend(first.calls, first.lane);
      first.go();
    }
    this.#endTimer?.();
    this.#endTimer = undefined;
    if (this.#waiting.length === 0) return;
    this.#allowMore(now);
    const nextEnd = Math.min(...this.#waiting.map(({ until }) => until));
    const nextRoom = Math.max(this.#pausedUntil, (this.#sent[0]?.at ?? now) + WINDOW_MS);
    this.#endTimer = this.#clock.after(Math.max(1, Math.min(nextEnd, nextRoom) - now), () => this.#serve());
  }

  #allowMore(now: number): void {
    if (!Number.isFinite(this.#limit)) return;
    this.#isGuess ||= now - this.#refusedAt >= GUESS_AGAIN_MS;
    if (now - this.#increasedAt < (this.#isGuess ? WINDOW_MS : INCREASE.everyMs)) return;
    this.#increasedAt = now;
    this.#limit += Math.max(INCREASE.least, this.#limit * (this.#isGuess ? GUESS_INCREASE - 1 : INCREASE.part));
  }

  #recent<One extends { at: number }>(all: One[]): One[] {
    const since = this.#clock.now() - WINDOW_MS;
    const from = all.findIndex(({ at }) => at > since);
    return from === -1 ? [] : from === 0 ? all : all.slice(from);
  }

  #note(calls: number): void {
    const minute = Math.floor(this.#clock.now() / MINUTE_MS);
    this.#minutes.set(minute, (this.#minutes.get(minute) ?? 0) + calls);
    for (const old of this.#minutes.keys()) if (minute - old >= MINUTES_KEPT) this.#minutes.delete(old);
  }
}

function sumOf(some: readonly { calls: number }[]): number {
  return some.reduce((sum, { calls }) => sum + calls, 0);
}
