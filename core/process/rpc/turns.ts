type Waiting = { asker: string; decide: (isTurn: boolean) => void };

/**
 * A few turns at a time, and of them one for each asker, in the order of arrival: whoever has many questions waits behind
 * themselves and holds nobody else up.
 */
export class Turns {
  readonly #atOnce: number;
  readonly #waitMs: number;
  readonly #mostWaiting: number;
  readonly #busy = new Set<string>();
  readonly #waiting: Waiting[] = [];

  constructor({ atOnce, waitMs, mostWaiting }: { atOnce: number; waitMs: number; mostWaiting: number }) {
    this.#atOnce = atOnce;
    this.#waitMs = waitMs;
    this.#mostWaiting = mostWaiting;
  }

  /** Undefined if it gets no turn within `waitMs`, or too many wait. */
  async take<T>(asker: string, work: () => Promise<T>): Promise<{ result: T } | undefined> {
    if (!(await this.#turnOf(asker))) return undefined;
    try {
      return { result: await work() };
    } finally {
      this.#busy.delete(asker);
      this.#next();
    }
  }

  async #turnOf(asker: string): Promise<boolean> {
    if (this.#isFree(asker)) {
      this.#busy.add(asker);
      return true;
    }
    if (this.#waiting.length >= this.#mostWaiting) return false;
    return new Promise((resolve) => {
      const one: Waiting = {
        asker,
        decide: (isTurn) => {
          clearTimeout(timer);
          resolve(isTurn);
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(one), 1);
        one.decide(false);
      }, this.#waitMs);
      this.#waiting.push(one);
    });
  }

  #isFree(asker: string): boolean {
    return this.#busy.size < this.#atOnce && !this.#busy.has(asker);
  }

  #next(): void {
    const at = this.#waiting.findIndex(({ asker }) => this.#isFree(asker));
    const [one] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (!one) return;
    this.#busy.add(one.asker);
    one.decide(true);
  }
}
