export type Labels = Readonly<Record<string, string>>;
export type Point = { atMs: number; value: number };
export type Series = { labels: Labels; points: Point[] };

/** The series of one name whose labels match. */
export type Selector = { name: string; matches: (labels: Labels) => boolean };

/** Prometheus looks this far back for the newest point of a series. */
const LOOKBACK_MS = 5 * 60_000;
/** Prometheus' marker for a series that a target omits: it ends at once, not after the lookback. */
const STALE = Number.NaN;

const NAME_AND_LABELS = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** The scraped samples, as Prometheus keeps them. */
export class ScrapedSeries {
  readonly #named = new Map<string, Series[]>();
  /** By target and by what its line says before the value, which is parsed once. */
  readonly #lines = new Map<string, Series>();
  /** Those in the last scrape of each target. */
  readonly #present = new Map<string, Set<Series>>();

  /** Adds one scrape of a target; `text` is undefined if it did not respond. */
  scrape(target: Labels, text: string | undefined, atMs: number): void {
    const of = keyOf(target);
    const present = new Set<Series>();
    for (const line of [`up ${text === undefined ? 0 : 1}`, ...(text ?? "").split("\n")]) {
      const end = line.lastIndexOf(" ");
      const series = end > 0 && !line.startsWith("#") ? this.#seriesOf(line.slice(0, end), target, of) : undefined;
      series?.points.push({ atMs, value: numberOf(line.slice(end + 1)) });
      if (series) present.add(series);
    }
    for (const one of this.#present.get(of) ?? []) if (!present.has(one)) one.points.push({ atMs, value: STALE });
    this.#present.set(of, present);
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
      const first = 1 + points.findLastIndex((point) => point.atMs < atMs - rangeMs);
      const within = points.slice(first).filter((point) => point.atMs <= atMs && !Number.isNaN(point.value));
      return within.length > 0 ? [{ labels, points: within }] : [];
    });
  }

  #selected({ name, matches }: Selector): Series[] {
    return (this.#named.get(name) ?? []).filter(({ labels }) => matches(labels));
  }

  #seriesOf(line: string, target: Labels, of: string): Series | undefined {
    const key = `${of} ${line}`;
    const known = this.#lines.get(key);
    const labels = known ? undefined : labelsOf(line);
    if (!labels) return known;
    const series: Series = { labels: { ...labels, ...target }, points: [] };
    this.#lines.set(key, series);
    this.#named.set(labels.__name__, [...(this.#named.get(labels.__name__) ?? []), series]);
    return series;
  }
}

export function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function labelsOf(line: string): { __name__: string } | undefined {
  const [, name, text = ""] = NAME_AND_LABELS.exec(line) ?? [];
  if (!name) return undefined;
  const labels = [...text.matchAll(LABEL)].map(([, label = "", escaped = ""]) => [label, unescaped(escaped)]);
  return { __name__: name, ...Object.fromEntries(labels) };
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, (_, character: string) => (character === "n" ? "\n" : character));
}

export function numberOf(text: string): number {
  return text === "+Inf" ? Number.POSITIVE_INFINITY : text === "-Inf" ? Number.NEGATIVE_INFINITY : Number(text);
}
