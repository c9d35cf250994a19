import type { RpcObserver } from "../core/process/rpc/json-rpc.ts";
import type { NodePoolStatus } from "../core/process/rpc/node-pool.ts";

type RpcCalled = Parameters<RpcObserver>[0];

const LATENCY_BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const BUCKETS = {
  commit_duration_seconds: LATENCY_BUCKETS_SECONDS,
  reorg_depth_blocks: [1, 2, 4, 8, 16, 32, 64, 128, 256],
};

/** The process's metrics in Prometheus text format. So few that a client library would only cost startup time. */
export class Metrics {
  readonly #counters = new Map<string, Map<string, number>>();
  readonly #gauges = new Map<string, number>();
  #nodes: NodePoolStatus = { isReady: false, contradictions: [], calls: [] };
  readonly #histograms = new Map<string, Map<string, Histogram>>();

  rpcCalled({ rpc, method, calls, bytes, durationMs, failure }: RpcCalled): void {
    const label = `rpc="${rpc}"`;
    this.#add("torcida_indexer_rpc_requests_total", `${label},method="${method}"`, 1);
    this.#add("torcida_indexer_rpc_calls_total", `${label},method="${method}"`, calls);
    this.#add("torcida_indexer_rpc_received_bytes_total", label, bytes);
    if (failure) this.#add("torcida_indexer_rpc_errors_total", `${label},failure="${failure}"`, 1);
    this.#observe("torcida_indexer_rpc_duration_seconds", label, durationMs / 1_000, LATENCY_BUCKETS_SECONDS);
  }

  /** `ignored_events`: logs with an id that cannot be a purchase of ours. */
  count(name: "blocks" | "events" | "ignored_events" | "reorgs", by: number): void {
    this.#add(`torcida_indexer_${name}_total`, "", by);
  }

  observe(name: keyof typeof BUCKETS, value: number): void {
    this.#observe(`torcida_indexer_${name}`, "", value, BUCKETS[name]);
  }

  watchNodes(nodes: NodePoolStatus): void {
    this.#nodes = nodes;
  }

  set(
    name: "cursor_block" | "head_block" | "head_lag_blocks" | "head_lag_seconds" | "head_timestamp_seconds" | "leader",
    value: number,
  ): void {
    this.#gauges.set(`torcida_indexer_${name}`, value);
  }

  text(): string {
    const lines: string[] = [];
    for (const [name, series] of this.#counters) {
      lines.push(`# TYPE ${name} counter`);
      for (const [labels, value] of series) lines.push(`${name}${braces(labels)} ${value}`);
    }
    for (const [name, value] of this.#gauges) lines.push(`# TYPE ${name} gauge`, `${name} ${value}`);
    for (const [name, series] of this.#histograms) {
      lines.push(`# TYPE ${name} histogram`);
      for (const [labels, histogram] of series) lines.push(...histogram.lines(name, labels));
    }
    lines.push("# TYPE torcida_rpc_ready gauge", `torcida_rpc_ready ${Number(this.#nodes.isReady)}`);
    lines.push("# TYPE torcida_rpc_contradictions_total counter");
    for (const { rpc, kind, count } of this.#nodes.contradictions) {
      lines.push(`torcida_rpc_contradictions_total{rpc="${rpc}",kind="${kind}"} ${count}`);
    }
    lines.push("# TYPE torcida_node_calls_total counter");
    for (const { rpc, lane, count } of this.#nodes.calls) {
      lines.push(`torcida_node_calls_total{rpc="${rpc}",kind="${lane}"} ${count}`);
    }
    const memory = process.memoryUsage.rss();
    lines.push("# TYPE process_resident_memory_bytes gauge", `process_resident_memory_bytes ${memory}`);
    return `${lines.join("\n")}\n`;
  }

  #add(name: string, labels: string, value: number): void {
    const series = this.#counters.get(name) ?? new Map<string, number>();
    series.set(labels, (series.get(labels) ?? 0) + value);
    this.#counters.set(name, series);
  }

  #observe(name: string, labels: string, value: number, buckets: readonly number[]): void {
    const series = this.#histograms.get(name) ?? new Map<string, Histogram>();
    const histogram = series.get(labels) ?? new Histogram(buckets);
    histogram.observe(value);
    series.set(labels, histogram);
    this.#histograms.set(name, series);
  }
}

class Histogram {
  readonly #buckets: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  constructor(buckets: readonly number[]) {
    this.#buckets = buckets;
    this.#counts = buckets.map(() => 0);
  }

  observe(value: number): void {
    this.#sum += value;
    this.#count += 1;
    for (const [index, limit] of this.#buckets.entries()) {
      if (value <= limit) this.#counts[index] = (this.#counts[index] ?? 0) + 1;
    }
  }

  lines(name: string, labels: string): string[] {
    const before = labels && `${labels},`;
    return [
      ...this.#buckets.map((limit, index) => `${name}_bucket{${before}le="${limit}"} ${this.#counts[index]}`),
      `${name}_bucket{${before}le="+Inf"} ${this.#count}`,
      `${name}_sum${braces(labels)} ${this.#sum}`,
      `${name}_count${braces(labels)} ${this.#count}`,
    ];
  }
}

function braces(labels: string): string {
  return labels && `{${labels}}`;
}
