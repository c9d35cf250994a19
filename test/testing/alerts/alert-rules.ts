import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { durationMs, evaluate } from "./promql.ts";
import { keyOf, type Labels, ScrapedSeries } from "./series.ts";

export type AlertRule = {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
  annotations: { summary: string; runbook: string };
};

export function readAlertRules(file = "ops/alerts.yaml"): AlertRule[] {
  const { groups } = parse(readFileSync(file, "utf8")) as { groups: { rules: AlertRule[] }[] };
  return groups.flatMap((group) => group.rules);
}

/** A Prometheus simulation with our rule file: scrapes are passed in with their times, so no real time passes. */
export class AlertWatch {
  readonly #rules: readonly AlertRule[];
  readonly #series = new ScrapedSeries();
  /** Since when each rule's expression has been true, by labels. */
  readonly #since = new Map<string, Map<string, number>>();

  constructor(rules = readAlertRules()) {
    this.#rules = rules;
  }

  /** Adds one scrape; `text` is undefined if the target did not respond. */
  scrape(target: { job: string; instance: string }, text: string | undefined, atMs: number): void {
    this.#series.scrape(target, text, atMs);
  }

  /** Evaluates every rule at a time; returns the names of the firing alerts. Call it at least once per scrape. */
  firing(atMs: number): string[] {
    return this.#rules.filter((rule) => this.#holdsLongEnough(rule, atMs)).map(({ alert }) => alert);
  }

  #holdsLongEnough(rule: AlertRule, atMs: number): boolean {
    const before = this.#since.get(rule.alert) ?? new Map<string, number>();
    const now = new Map<string, number>();
    for (const { labels } of evaluate(rule.expr, this.#series, atMs)) {
      const key = keyOf(labels as Labels);
      now.set(key, before.get(key) ?? atMs);
    }
    this.#since.set(rule.alert, now);
    const waitMs = rule.for === undefined ? 0 : durationMs(rule.for);
    return [...now.values()].some((sinceMs) => atMs - sinceMs >= waitMs);
  }
}
