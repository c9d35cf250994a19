import { AlertWatch } from "./alert-rules.ts";

const MINUTE_MS = 60_000;
/** Slightly below the scrape timeout of Prometheus. */
const SCRAPE_TIMEOUT_MS = 9_000;
const TIME = /^(\w+_timestamp_seconds(?:\{.*\})?) (\S+)$/gm;
const COUNTER = /^(\w+_total(?:\{.*\})?) (\S+)$/gm;

export type Target = { job: string; instance: string; url: string };

/**
 * A Prometheus simulation with our rules on running processes: simulated time advances by a minute between two scrapes,
 * however soon they follow each other. The rate at which a process counts stays the same.
 */
export class FastTime {
  readonly #watch = new AlertWatch();
  readonly #targets: Target[];
  readonly #counters = new Map<string, { told: number; scaled: number }>();
  readonly #scrapedAt = new Map<string, number>();
  /** How far the rules' time is ahead of the processes' time. */
  #aheadMs = 0;
  #atMs = Date.now();
  /** Timestamps from the processes become older as time passes. */
  isAging = false;

  constructor(targets: readonly Target[]) {
    this.#targets = [...targets];
  }

  watch(target: Target): void {
    this.#targets.push(target);
  }

  forget(instance: string): void {
    const index = this.#targets.findIndex((target) => target.instance === instance);
    if (index >= 0) this.#targets.splice(index, 1);
  }

  /** Scrapes every target some minutes after the last scrape; returns the firing alerts. */
  async pass(minutes = 1): Promise<string[]> {
    this.#atMs += minutes * MINUTE_MS;
    if (!this.isAging) this.#aheadMs = this.#atMs - Date.now();
    await Promise.all(
      this.#targets.map(async ({ url, ...target }) => {
        this.#watch.scrape(target, await this.#read(url, minutes), this.#atMs);
      }),
    );
    return this.#watch.firing(this.#atMs);
  }

  async #read(url: string, minutes: number): Promise<string | undefined> {
    try {
      const response = await fetch(url, { signal: AbortSignal.timeout(SCRAPE_TIMEOUT_MS) });
      if (!response.ok) return undefined;
      const text = await response.text();
      const now = performance.now();
      const faster = (minutes * MINUTE_MS) / Math.max(1, now - (this.#scrapedAt.get(url) ?? now - minutes * MINUTE_MS));
      this.#scrapedAt.set(url, now);
      return text
        .replace(TIME, (_, name: string, value: string) => `${name} ${this.#shifted(Number(value))}`)
        .replace(COUNTER, (_, name: string, value: string) => {
          return `${name} ${this.#scaled(`${url} ${name}`, Number(value), faster)}`;
        });
    } catch {
      return undefined;
    }
  }

  #shifted(seconds: number): number {
    return seconds === 0 ? 0 : seconds + this.#aheadMs / 1_000;
  }

  #scaled(series: string, told: number, faster: number): number {
    const before = this.#counters.get(series) ?? { told: 0, scaled: 0 };
    const growth = told >= before.told ? told - before.told : told;
    const scaled = before.scaled + growth * faster;
    this.#counters.set(series, { told, scaled });
    return scaled;
  }
}
