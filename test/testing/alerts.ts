import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parse } from "yaml";
import { skipWithout } from "./skip.ts";

export type AlertRule = {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
  annotations: { summary: string; runbook: string };
};
/** As `promtool` reads it: none, or the last one. */
type Point = number | "_" | "stale";
export type Target = { job: string; instance: string; url: string };

const RULE_FILE = resolve("deploy/alerts.yaml");
const MINUTE_MS = 60_000;
/** Slightly below the scrape timeout of Prometheus. */
const SCRAPE_TIMEOUT_MS = 9_000;
const SAMPLE = /^(\w+)(?:\{(.*)\})? (\S+)$/gm;
/** Leaves tests out where there is no `promtool`. */
export function needPromtool(context: Mocha.Context): void {
  if (spawnSync("promtool", ["--version"]).status !== 0) skipWithout(context, "promtool: Debian's package prometheus");
}

/** What `promtool` prints about a command; `file` is its input. */
export function promtool(command: readonly string[], input: unknown): string {
  const directory = mkdtempSync(join(tmpdir(), "torcida-promtool-"));
  const file = join(directory, "input.yaml");
  writeFileSync(file, JSON.stringify(input));
  try {
    const { stdout, stderr } = spawnSync("promtool", [...command, file], { encoding: "utf8" });
    return stdout + stderr;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Those of our metrics, or those about what is seen from outside. */
export function readAlertRules(group: "torcida" | "outside" = "torcida"): AlertRule[] {
  const { groups } = parse(readFileSync(RULE_FILE, "utf8")) as { groups: { name: string; rules: AlertRule[] }[] };
  return groups.filter(({ name }) => name === group).flatMap(({ rules }) => rules);
}

/**
 * Our rules, evaluated by `promtool` on running processes: its time advances by a minute between two scrapes, however
 * soon they follow each other. The rate at which a process counts stays the same.
 */
export class FastTime {
  readonly #alerts = readAlertRules();
  readonly #watched = new Set(this.#alerts.flatMap(({ expr }) => expr.match(/\b(?:up|torcida_\w+)\b/g) ?? []));
  readonly #targets: Target[];
  readonly #counters = new Map<string, { told: number; scaled: number }>();
  readonly #scrapedAt = new Map<string, number>();
  /** The value of each series in each minute. */
  readonly #series = new Map<string, Point[]>();
  #minute = 0;
  readonly #startMs = Date.now();
  /** How far the rules' time is ahead of the processes' time. */
  #aheadMs = 0;
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

  /** Scrapes every target some minutes after the last scrape. */
  async scrape(minutes = 1): Promise<void> {
    this.#minute += minutes;
    if (!this.isAging) this.#aheadMs = this.#startMs + this.#minute * MINUTE_MS - Date.now();
    const scraped = await Promise.all(this.#targets.map((target) => this.#scrape(target, minutes)));
    const values = new Map(scraped.flatMap((series) => [...series]));
    for (const name of new Set([...this.#series.keys(), ...values.keys()])) {
      const points = this.#series.get(name) ?? [];
      const last = points.at(-1) ?? "_";
      while (points.length < this.#minute) points.push(last === "stale" ? "_" : last);
      points.push(values.get(name) ?? (last === "_" || last === "stale" ? "_" : "stale"));
      this.#series.set(name, points);
    }
  }

  /**
   * What fired in each of the last minutes, by `promtool`, which prints each alert that fires although none is expected.
   * It reads some minutes before them too, in a time of its own that begins at 0.
   */
  fired(lastMinutes: number, pastMinutes: number): { alert: string; time: string }[] {
    const from = Math.max(0, this.#minute - pastMinutes - lastMinutes);
    const zero = this.#startMs / 1_000 + from * 60;
    const input_series = [...this.#series].map(([series, points]) => {
      const read = (point: Point) =>
        typeof point === "number" && point !== 0 && isTime(series) ? point - zero : point;
      return { series, values: points.slice(from).map(read).join(" ") };
    });
    const minutes = Array.from({ length: lastMinutes }, (_, before) => this.#minute - from - before);
    const alert_rule_test = minutes.flatMap((minute) =>
      this.#alerts.map(({ alert }) => ({ eval_time: `${minute}m`, alertname: alert, exp_alerts: [] })),
    );
    const tests = [{ interval: "1m", input_series, alert_rule_test }];
    const said = promtool(["test", "rules"], { rule_files: [RULE_FILE], evaluation_interval: "1m", tests });
    const fired = [...said.matchAll(/alertname: (\w+), time: (\w+)/g)];
    if (fired.length === 0 && !said.includes("SUCCESS")) throw new Error(said);
    return fired.map(([, alert = "", time = ""]) => ({ alert, time }));
  }

  /** A target that does not respond has only `up`. */
  async #scrape({ url, job, instance }: Target, minutes: number): Promise<Map<string, number>> {
    const of = `job="${job}",instance="${instance}"`;
    const text = await fetch(url, { signal: AbortSignal.timeout(SCRAPE_TIMEOUT_MS) })
      .then((response) => (response.ok ? response.text() : undefined))
      .catch(() => undefined);
    const values = new Map([[`up{${of}}`, text === undefined ? 0 : 1]]);
    if (text === undefined) return values;
    const now = performance.now();
    const faster = (minutes * MINUTE_MS) / Math.max(1, now - (this.#scrapedAt.get(url) ?? now - minutes * MINUTE_MS));
    this.#scrapedAt.set(url, now);
    for (const [, name = "", labels, value] of text.matchAll(SAMPLE)) {
      if (!this.#watched.has(name) || !Number.isFinite(Number(value))) continue;
      const series = `${name}{${labels ? `${labels},` : ""}${of}}`;
      values.set(series, this.#asSeen(series, Number(value), faster));
    }
    return values;
  }

  #asSeen(series: string, value: number, faster: number): number {
    if (/^\w+_total\b/.test(series)) return this.#scaled(series, value, faster);
    return isTime(series) && value !== 0 ? value + this.#aheadMs / 1_000 : value;
  }

  #scaled(series: string, told: number, faster: number): number {
    const before = this.#counters.get(series) ?? { told: 0, scaled: 0 };
    const growth = told >= before.told ? told - before.told : told;
    const scaled = before.scaled + growth * faster;
    this.#counters.set(series, { told, scaled });
    return scaled;
  }
}

function isTime(series: string): boolean {
  return /^\w+_timestamp_seconds\b/.test(series);
}
