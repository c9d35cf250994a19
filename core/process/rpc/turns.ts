type Waiting = { asker: string; decide: (isTurn: boolean) => void };

/**
 * A few turns at a time, and of them one for each asker. Those who wait take turns, network by network: whoever has many
 * questions waits behind themselves and holds nobody else up. docs/product.md#node-questions
 */
export class Turns {
  readonly #atOnce: number;
  readonly #waitMs: number;
  readonly #mostWaiting: number;
  readonly #busy = new Set<string>();
  /** By network: that of the last one to begin is the last one here. */
  readonly #lines = new Map<string, Waiting[]>();

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
    // Of IPv6, one customer may have many addresses of origin.
    const network = asker.endsWith("::/64") ? asker.split(":").slice(0, 3).join(":") : asker;
    const line = this.#lines.get(network) ?? [];
    if (!this.#hasRoomBehind(line)) return false;
    return new Promise((resolve) => {
      const one: Waiting = {
        asker,
        decide: (isTurn) => {
          clearTimeout(timer);
          resolve(isTurn);
        },
      };
      const timer = setTimeout(() => {
        line.splice(line.indexOf(one), 1);
        if (line.length === 0) this.#lines.delete(network);
        one.decide(false);
      }, this.#waitMs);
      line.push(one);
      this.#lines.set(network, line);
    });
  }

  /** Where too many wait, the last one of the longest line is refused, which may be who asks now. */
  #hasRoomBehind(line: readonly Waiting[]): boolean {
    const lines = [...this.#lines.values()];
    if (lines.reduce((sum, { length }) => sum + length, 0) < this.#mostWaiting) return true;
    const longest = lines.reduce((most, one) => (one.length > most.length ? one : most));
    if (longest.length <= line.length + 1) return false;
    longest.pop()?.decide(false);
    return true;
  }

  #isFree(asker: string): boolean {
    return this.#busy.size < this.#atOnce && !this.#busy.has(asker);
  }

  #next(): void {
    for (const [network, line] of this.#lines) {
      const at = line.findIndex(({ asker }) => this.#isFree(asker));
      const [one] = at < 0 ? [] : line.splice(at, 1);
      if (one || line.length === 0) this.#lines.delete(network);
      if (!one) continue;
      if (line.length > 0) this.#lines.set(network, line);
      this.#busy.add(one.asker);
      one.decide(true);
      return;
    }
  }
}
