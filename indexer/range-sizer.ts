const FIRST_BLOCKS = 32;
const MOST_BLOCKS = 500_000;
/** Target number of logs per response: enough to be worth a request, small enough that several fit in memory. */
const LOGS_AIMED_AT = 2_000;
const QUICK_MS = 1_000;
const MOST_GROWTH = 8;
const FORGIVEN_AFTER_ANSWERS = 50;

/** How many blocks to request at once. Adapts to the responses and remembers the sizes that the provider refused. */
export class RangeSizer {
  #size = FIRST_BLOCKS;
  /** The limit that the provider stated; it only decreases. */
  #ceiling = MOST_BLOCKS;
  /** A size refused without a stated limit, perhaps for its many logs; retried after some responses. */
  #refused = Number.POSITIVE_INFINITY;
  #answersSinceRefusal = 0;

  #hasLearned = false;

  /** Whether the size comes from a response and not from the initial guess. */
  get hasLearned(): boolean {
    return this.#hasLearned;
  }

  get size(): number {
    return this.#size;
  }

  answered({ blocks, logs, durationMs }: { blocks: number; logs: number; durationMs: number }): void {
    this.#hasLearned = true;
    // A shortened range, or one requested before the last response, says little about the current size.
    if (blocks < this.#size / 2) return;
    this.#answersSinceRefusal += 1;
    if (this.#answersSinceRefusal > FORGIVEN_AFTER_ANSWERS) this.#refused = Number.POSITIVE_INFINITY;
    const byLogs = logs === 0 ? MOST_GROWTH : LOGS_AIMED_AT / logs;
    const byTime = durationMs === 0 ? MOST_GROWTH : QUICK_MS / durationMs;
    const growth = Math.min(MOST_GROWTH, byLogs, byTime);
    this.#set(Math.floor(blocks * Math.max(1 / MOST_GROWTH, growth)));
  }

  /** The provider refused the size. A limit in its message can only tighten ours. */
  refused(blocks: number, message: string): void {
    const named = limitIn(message);
    this.#answersSinceRefusal = 0;
    if (named !== undefined && named < blocks) {
      this.#ceiling = Math.min(this.#ceiling, named);
      this.#set(named);
    } else {
      this.#refused = Math.min(this.#refused, blocks);
      this.#set(Math.floor(blocks / 2));
    }
  }

  #set(size: number): void {
    this.#size = Math.max(1, Math.min(this.#ceiling, this.#refused - 1, size));
  }
}

/** For example "limited to a 10,000 blocks range", "max range: 2000", "query exceeds 5k blocks". */
function limitIn(message: string): number | undefined {
  const found = /(\d[\d,._]*)\s*(k)?[\s-]*(?:blocks?\b)|(?:range|blocks)\D{0,20}?(\d[\d,._]*)\s*(k)?/i.exec(message);
  const digits = found?.[1] ?? found?.[3];
  if (!digits) return undefined;
  const limit = Number(digits.replaceAll(/[,._]/g, "")) * (found?.[2] || found?.[4] ? 1_000 : 1);
  return limit >= 1 ? limit : undefined;
}
