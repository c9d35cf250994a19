import type { SyntaxNode, Tree } from "@lezer/common";
import { parser } from "@prometheus-io/lezer-promql";
import { keyOf, type Labels, numberOf, type Point, type ScrapedSeries, type Selector, type Series } from "./series.ts";

type Sample = { labels: Labels; value: number };
/** A number, or an instant vector in Prometheus terms. */
type Value = number | Sample[];

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/**
 * Evaluates the part of PromQL that our alerts use. Anything else is an error, never a guess; where
 * `promtool` is installed a test compares both.
 */
export function evaluate(expression: string, series: ScrapedSeries, atMs: number): Sample[] {
  const tree = parsed.get(expression) ?? parser.parse(expression);
  parsed.set(expression, tree);
  const top = tree.topNode.firstChild;
  if (!top) throw new Error(`Empty expression: ${expression}`);
  const value = new Evaluation(expression, series, atMs).value(top);
  return typeof value === "number" ? [{ labels: {}, value }] : value;
}

const parsed = new Map<string, Tree>();

class Evaluation {
  readonly #text: string;
  readonly #series: ScrapedSeries;
  readonly #atMs: number;

  constructor(text: string, series: ScrapedSeries, atMs: number) {
    this.#text = text;
    this.#series = series;
    this.#atMs = atMs;
  }

  value(node: SyntaxNode): Value {
    switch (node.name) {
      case "ParenExpr":
      case "StepInvariantExpr":
        return this.value(this.#child(node));
      case "NumberDurationLiteral":
        return numberOf(this.#of(node));
      case "VectorSelector":
        return this.#series.at(this.#selector(node), this.#atMs);
      case "AggregateExpr":
        return this.#aggregate(node);
      case "FunctionCall":
        return this.#call(node);
      case "BinaryExpr":
        return this.#binary(node);
      default:
        return this.#unknown(node);
    }
  }

  #aggregate(node: SyntaxNode): Sample[] {
    const operation = this.#of(this.#only(node, "AggregateOp"));
    const modifier = node.getChild("AggregateModifier");
    const names = modifier ? this.#labelsOf(modifier) : [];
    const keeps = (name: string) =>
      modifier?.getChild("Without") ? !names.includes(name) && name !== "__name__" : names.includes(name);
    const samples = this.#vector(this.#child(this.#only(node, "FunctionCallBody")));
    const groups = Map.groupBy(samples, ({ labels }) => keyOf(pick(labels, keeps)));
    return [...groups.values()].map((group) => ({
      labels: pick(group[0]?.labels ?? {}, keeps),
      value: this.#aggregateOf(
        operation,
        group.map((sample) => sample.value),
        node,
      ),
    }));
  }

  #aggregateOf(operation: string, values: number[], node: SyntaxNode): number {
    const sum = values.reduce((total, value) => total + value, 0);
    if (operation === "sum") return sum;
    if (operation === "max") return Math.max(...values);
    if (operation === "min") return Math.min(...values);
    if (operation === "count") return values.length;
    if (operation === "avg") return sum / values.length;
    return this.#unknown(node);
  }

  #call(node: SyntaxNode): Value {
    const name = this.#of(this.#only(node, "FunctionIdentifier"));
    const body = this.#only(node, "FunctionCallBody");
    const [first, second] = childrenOf(body).filter((child) => child.name !== "(");
    if (name === "time") return this.#atMs / 1_000;
    if (!first) return this.#unknown(node);
    switch (name) {
      case "vector":
        return [{ labels: {}, value: this.#number(first) }];
      case "scalar":
        return this.#vector(first).length === 1 ? (this.#vector(first)[0]?.value ?? Number.NaN) : Number.NaN;
      case "absent":
        return this.#vector(first).length > 0 ? [] : [{ labels: this.#equalLabels(first), value: 1 }];
      case "histogram_quantile":
        return second ? quantiles(this.#number(first), this.#vector(second)) : this.#unknown(node);
      case "rate":
      case "increase":
        return this.#over(first, (points, rangeMs) => extrapolated(points, this.#atMs, rangeMs, name === "rate"));
      case "changes":
        return this.#over(
          first,
          (points) => points.filter(({ value }, at) => at > 0 && value !== points[at - 1]?.value).length,
        );
      case "min_over_time":
        return this.#over(first, (points) => Math.min(...points.map(({ value }) => value)));
      case "max_over_time":
        return this.#over(first, (points) => Math.max(...points.map(({ value }) => value)));
      default:
        return this.#unknown(node);
    }
  }

  #over(node: SyntaxNode, fold: (points: Point[], rangeMs: number) => number | undefined): Sample[] {
    if (node.name !== "MatrixSelector") return this.#unknown(node);
    const rangeMs = durationMs(this.#of(this.#only(node, "DurationExpr")));
    const ranges: Series[] = this.#series.during(
      this.#selector(this.#only(node, "VectorSelector")),
      this.#atMs,
      rangeMs,
    );
    return ranges.flatMap(({ labels, points }) => {
      const value = fold(points, rangeMs);
      return value === undefined ? [] : [{ labels: nameless(labels), value }];
    });
  }

  #binary(node: SyntaxNode): Value {
    const [left, operator, ...rest] = childrenOf(node);
    const right = rest.at(-1);
    const modifier = node.getChild("MatchingModifierClause");
    if (!left || !operator || !right || node.getChild("BoolModifier")) return this.#unknown(node);
    if (modifier && !modifier.getChild("On")) return this.#unknown(modifier);
    if (modifier?.getChild("GroupLeft") || modifier?.getChild("GroupRight")) return this.#unknown(modifier);
    const on = modifier ? this.#labelsOf(modifier) : undefined;
    const keyFor = ({ labels }: Sample) => keyOf(on ? pick(labels, (name) => on.includes(name)) : nameless(labels));
    const symbol = this.#of(operator);
    const one = this.value(left);
    const other = this.value(right);
    if (["and", "or", "unless"].includes(symbol)) {
      return typeof one === "number" || typeof other === "number"
        ? this.#unknown(node)
        : combined(symbol, one, other, keyFor);
    }
    if (typeof one === "number" && typeof other === "number")
      return arithmetic(symbol, one, other) ?? this.#unknown(node);
    const isComparison = COMPARE[symbol] !== undefined;
    const apply = (sample: Sample, a: number, b: number): Sample[] => {
      if (isComparison) return COMPARE[symbol]?.(a, b) ? [sample] : [];
      return [{ labels: nameless(sample.labels), value: arithmetic(symbol, a, b) ?? this.#unknown(node) }];
    };
    if (typeof other === "number" && typeof one !== "number")
      return one.flatMap((sample) => apply(sample, sample.value, other));
    if (typeof one === "number") return (other as Sample[]).flatMap((sample) => apply(sample, one, sample.value));
    const partners = new Map((other as Sample[]).map((sample) => [keyFor(sample), sample.value]));
    return one.flatMap((sample) => {
      const partner = partners.get(keyFor(sample));
      return partner === undefined ? [] : apply(sample, sample.value, partner);
    });
  }

  #selector(node: SyntaxNode): Selector {
    const name = node.getChild("Identifier");
    const conditions = this.#matchersOf(node).map(({ label, operator, text }) => {
      const pattern = operator.endsWith("~") ? new RegExp(`^(?:${text})$`) : undefined;
      const isWanted = !operator.startsWith("!");
      return (labels: Labels) => (pattern?.test(labels[label] ?? "") ?? (labels[label] ?? "") === text) === isWanted;
    });
    return {
      name: name ? this.#of(name) : this.#unknown(node),
      matches: (labels) => conditions.every((condition) => condition(labels)),
    };
  }

  #matchersOf(node: SyntaxNode): { label: string; operator: string; text: string }[] {
    return (node.getChild("LabelMatchers")?.getChildren("UnquotedLabelMatcher") ?? []).map((matcher) => ({
      label: this.#of(this.#only(matcher, "LabelName")),
      operator: this.#of(this.#only(matcher, "MatchOp")),
      text: String(JSON.parse(this.#of(this.#only(matcher, "StringLiteral")))),
    }));
  }

  /** The result of `absent` for a missing series. */
  #equalLabels(node: SyntaxNode): Labels {
    if (node.name !== "VectorSelector") return {};
    return Object.fromEntries(
      this.#matchersOf(node).flatMap(({ label, operator, text }) => (operator === "=" ? [[label, text]] : [])),
    );
  }

  #labelsOf(modifier: SyntaxNode): string[] {
    return (modifier.getChild("GroupingLabels")?.getChildren("LabelName") ?? []).map((label) => this.#of(label));
  }

  #vector(node: SyntaxNode): Sample[] {
    const value = this.value(node);
    return typeof value === "number" ? this.#unknown(node) : value;
  }

  #number(node: SyntaxNode): number {
    const value = this.value(node);
    return typeof value === "number" ? value : this.#unknown(node);
  }

  #only(node: SyntaxNode, name: string): SyntaxNode {
    return node.getChild(name) ?? this.#unknown(node);
  }

  #child(node: SyntaxNode): SyntaxNode {
    return node.firstChild ?? this.#unknown(node);
  }

  #of(node: SyntaxNode): string {
    return this.#text.slice(node.from, node.to);
  }

  #unknown(node: SyntaxNode): never {
    throw new Error(`Not understood in an alert: ${this.#of(node)} (${node.name}) of ${this.#text}`);
  }
}

const COMPARE: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "==": (a, b) => a === b,
  "!=": (a, b) => a !== b,
  ">": (a, b) => a > b,
  "<": (a, b) => a < b,
  ">=": (a, b) => a >= b,
  "<=": (a, b) => a <= b,
};

function arithmetic(symbol: string, a: number, b: number): number | undefined {
  if (symbol === "+") return a + b;
  if (symbol === "-") return a - b;
  if (symbol === "*") return a * b;
  if (symbol === "/") return a / b;
  return undefined;
}

function combined(symbol: string, one: Sample[], other: Sample[], keyFor: (sample: Sample) => string): Sample[] {
  const others = new Set(other.map(keyFor));
  if (symbol === "and") return one.filter((sample) => others.has(keyFor(sample)));
  if (symbol === "unless") return one.filter((sample) => !others.has(keyFor(sample)));
  const ones = new Set(one.map(keyFor));
  return [...one, ...other.filter((sample) => !ones.has(keyFor(sample)))];
}

/** As Prometheus does it: a counter's growth, stretched to the ends of the range where the points come close to them. */
function extrapolated(points: Point[], atMs: number, rangeMs: number, isRate: boolean): number | undefined {
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last || points.length < 2) return undefined;
  let growth = last.value - first.value;
  for (const [index, point] of points.entries()) {
    const before = points[index - 1];
    if (before && point.value < before.value) growth += before.value;
  }
  const sampledMs = last.atMs - first.atMs;
  const averageMs = sampledMs / (points.length - 1);
  let toStartMs = first.atMs - (atMs - rangeMs);
  const toEndMs = atMs - last.atMs;
  if (growth > 0 && first.value >= 0) toStartMs = Math.min(toStartMs, sampledMs * (first.value / growth));
  const near = (ms: number) => (ms < averageMs * 1.1 ? ms : averageMs / 2);
  const result = growth * ((sampledMs + near(toStartMs) + near(toEndMs)) / sampledMs);
  return isRate ? result / (rangeMs / 1_000) : result;
}

function quantiles(quantile: number, buckets: Sample[]): Sample[] {
  const withoutBound = (labels: Labels) => pick(labels, (name) => name !== "le" && name !== "__name__");
  return [...Map.groupBy(buckets, ({ labels }) => keyOf(withoutBound(labels))).values()].map((group) => ({
    labels: withoutBound(group[0]?.labels ?? {}),
    value: quantileOf(
      quantile,
      group
        .map(({ labels, value }) => ({ upTo: numberOf(labels.le ?? ""), count: value }))
        .sort((one, other) => one.upTo - other.upTo),
    ),
  }));
}

function quantileOf(quantile: number, buckets: { upTo: number; count: number }[]): number {
  const total = buckets.at(-1)?.count ?? 0;
  if (total === 0 || buckets.length < 2) return Number.NaN;
  const rank = quantile * total;
  const index = buckets.findIndex(({ count }) => count >= rank);
  if (index === buckets.length - 1) return buckets.at(-2)?.upTo ?? Number.NaN;
  const { upTo = 0, count = 0 } = buckets[index] ?? {};
  const below = buckets[index - 1];
  const start = below?.upTo ?? 0;
  const inBelow = below?.count ?? 0;
  return start + (upTo - start) * ((rank - inBelow) / (count - inBelow));
}

function pick(labels: Labels, keeps: (name: string) => boolean): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => keeps(name)));
}

function nameless(labels: Labels): Labels {
  return pick(labels, (name) => name !== "__name__");
}

/** `1h30m` and the like. */
export function durationMs(text: string): number {
  const parts = [...text.matchAll(/(\d+)(ms|s|m|h|d)/g)];
  if (parts.map(([part]) => part).join("") !== text) throw new Error(`Not a duration: ${text}`);
  return parts.reduce((sum, [, count, unit = ""]) => sum + Number(count) * (UNIT_MS[unit] ?? 0), 0);
}

function childrenOf(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child; child = child.nextSibling) children.push(child);
  return children;
}
