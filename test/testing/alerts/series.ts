export type Labels = Readonly<Record<string, string>>;
export type Point = { atMs: number; value: number };
export type Series = { labels: Labels; points: Point[] };

/** The series of one name whose labels match. */
export type Selector = { name: string; matches: (labels: Labels) => boolean };

/** Prometheus looks this far back for the newest point of a series. */
const LOOKBACK_MS = 5 * 60_000;
/** Prometheus' marker for a series that a target omits: it ends at once, not after the lookback. */
const STALE = Number.NaN;

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** The scraped samples, as Prometheus keeps them. */
export class ScrapedSeries {
  readonly #series = new Map<string, Series>();
  readonly #named = new Map<string, Series[]>();
  readonly #ofTarget = new Map<string, Set<string>>();

  /** Adds one scrape of a target; `text` is undefined if it did not respond. */
  scrape(target: Labels, text: string | undefined, atMs: number): void {
    const samples = text === undefined ? [] : samplesOf(text);
    const present = new Set<string>();
    for (const { labels, value } of samples) present.add(this.#add({ ...labels, ...target }, value, atMs));
    const before = this.#ofTarget.get(keyOf(target)) ?? new Set();
    for (const key of before) if (!present.has(key)) this.#series.get(key)?.points.push({ atMs, value: STALE });
    this.#ofTarget.set(keyOf(target), present);
    this.#add({ __name__: "up", ...target }, text === undefined ? 0 : 1, atMs);
  }

  /** The newest value of each series that matches. */
  at(selector: Selector, atMs: number): { labels: Labels; value: number }[] {
    return this.#selected(selector).flatMap(({ labels, points }) => {
      const last = points.findLast((point) => point.atMs <= atMs);
      const isAlive = last && !Number.isNaN(last.value) && atMs - last.atMs < LOOKBACK_MS;
      return isAlive ? [{ labels, value: last.value }] : [];
    });
  }

  /** The points of each series that matches, from `atMs - rangeMs` on, that moment included. */
  during(selector: Selector, atMs: number, rangeMs: number): Series[] {
    return this.#selected(selector).flatMap(({ labels, points }) => {
      const within = points.filter(
        (point) => point.atMs >= atMs - rangeMs && point.atMs <= atMs && !Number.isNaN(point.value),
      );
      return within.length > 0 ? [{ labels, points: within }] : [];
    });
  }

  #selected({ name, matches }: Selector): Series[] {
    return (this.#named.get(name) ?? []).filter(({ labels }) => matches(labels));
  }

  #add(labels: Labels, value: number, atMs: number): string {
    const key = keyOf(labels);
    const known = this.#series.get(key);
    const series = known ?? { labels, points: [] };
    series.points.push({ atMs, value });
    if (!known) {
      this.#series.set(key, series);
      const name = labels.__name__ ?? "";
      this.#named.set(name, [...(this.#named.get(name) ?? []), series]);
    }
    return key;
  }
}

export function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function samplesOf(text: string): { labels: Labels; value: number }[] {
  return text.split("\n").flatMap((line) => {
    const match = line.startsWith("#") ? null : SAMPLE.exec(line);
    if (!match) return [];
    const [, name = "", labelText = "", value = ""] = match;
    const labels = [...labelText.matchAll(LABEL)].map(([, label = "", escaped = ""]) => [label, unescaped(escaped)]);
    return [{ labels: { __name__: name, ...Object.fromEntries(labels) }, value: numberOf(value) }];
  });
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, character: string) => (character === "n" ? "\n" : character));
}

export function numberOf(text: string): number {
  return text === "+Inf" ? Number.POSITIVE_INFINITY : text === "-Inf" ? Number.NEGATIVE_INFINITY : Number(text);
}
