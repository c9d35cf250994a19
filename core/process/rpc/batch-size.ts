/** How a node that takes no batches, or no large ones, answers them. */
const STATUSES: readonly number[] = [400, 404, 405, 413, 415, 422, 501];
/** Whoever runs the node may have changed it. */
const ASKED_AGAIN_MS = 600_000;

/** What a request of several calls met: an HTTP status, one error for all of them, or an answer to some of them. */
export type BatchRefusal = {
  status: number | undefined;
  answer: { message: string } | undefined;
  isShort: boolean;
  message: string;
};

/** How many calls a node takes in one request; learned only where fewer of the same calls were answered. */
export class BatchSize {
  #most = Number.POSITIVE_INFINITY;
  #learnedAt = Number.NEGATIVE_INFINITY;

  get most(): number {
    if (performance.now() - this.#learnedAt >= ASKED_AGAIN_MS) this.#most = Number.POSITIVE_INFINITY;
    return this.#most;
  }

  /** With how many calls in a request the same may be answered; undefined if their number is not the reason. */
  fewerThan(calls: number, { status, answer, isShort, message }: BatchRefusal): number | undefined {
    const isAboutAll = answer !== undefined || isShort || (status !== undefined && STATUSES.includes(status));
    if (calls < 2 || !isAboutAll) return undefined;
    // Such as "batch limit of 10 exceeded".
    const numbers = /batch/i.test(message) ? (message.match(/\d+/g) ?? []).map(Number) : [];
    const named = Math.min(...numbers.filter((number) => number >= 1));
    return named < calls ? named : Math.floor(calls / 2);
  }

  learn(most: number): void {
    this.#most = Math.min(this.most, most);
    this.#learnedAt = performance.now();
  }
}
