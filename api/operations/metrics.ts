import type { Request, RequestHandler, Response } from "express";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import { COUNTED } from "../../core/database/capped-count.ts";
import { OPERATION_KINDS } from "../../core/database/operations.ts";
import { createServer } from "../../core/process/http.ts";
import { listenOn } from "../../core/process/listen.ts";
import type { NodePoolStatus } from "../../core/process/rpc/node-pool.ts";
import type { RateSource } from "../../core/rates/rate-source.ts";
import type { Reconciliation } from "../../core/reconcile/reconcile.ts";
import { chzTextFromWei } from "../../core/rules/money.ts";
import type { QueueSummary } from "../../core/sender/queue.ts";
import type { Senders } from "../../core/sender/sender.ts";
import { isHanging, type SenderStatus } from "../../core/sender/sender-context.ts";
import type { Gate } from "../http/gate.ts";
import { isFromThisMachine } from "../http/origin.ts";

const LATENCY_BUCKETS_S = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Payouts in these states are reported even if there are none, so that an alert can resolve. */
const WATCHED: readonly { state: string; reason: string }[] = [
  ...["max_payout", "day_cap", "pool_empty", "rate_too_high", "paused", "retired", "role_missing"].map((reason) => ({
    state: "waiting",
    reason,
  })),
  ...["reverted", "invalid"].map((reason) => ({ state: "failed", reason })),
];

/** `clean` and `different` are kept as label values for compatibility. */
const RUN_OUTCOMES: Record<Reconciliation["outcome"], string> = {
  agree: "clean",
  surplus: "surplus",
  shortfall: "shortfall",
  contradiction: "different",
  "cannot say": "cannot_say",
};

/** The metrics at `/metrics`. Paths are route patterns, never requested paths. */
export class Metrics {
  readonly registry = new Registry();
  readonly #requests = new Histogram({
    name: "torcida_http_request_seconds",
    help: "Response time, by route and status",
    labelNames: ["method", "route", "status"],
    buckets: LATENCY_BUCKETS_S,
    registers: [this.registry],
  });
  readonly #reconcileDifferences = new Gauge({
    name: "torcida_reconcile_differences",
    help: "Differences between database and chain at the last reconciliation",
    registers: [this.registry],
  });
  readonly #reconcileRuns = new Counter({
    name: "torcida_reconcile_runs_total",
    help: "Reconciliations",
    labelNames: ["outcome"],
    registers: [this.registry],
  });

  readonly #reconcileSurplus = new Gauge({
    name: "torcida_reconcile_surplus_chz",
    help: "CHZ in the distributor above what it must hold, at the last reconciliation",
    registers: [this.registry],
  });

  /** `everyNode` asks on connections of its own. */
  constructor(senders: Senders, rates: RateSource, nodes: NodePoolStatus, everyNode: Pick<NodePoolStatus, "calls">) {
    collectDefaultMetrics({ register: this.registry });
    this.#gauge("rpc_ready", "Whether a verified node has responded recently", () => Number(nodes.isReady));
    new Counter({
      name: "torcida_rpc_contradictions_total",
      help: "Responses of a node that contradict known facts of our chain",
      labelNames: ["rpc", "kind"],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { rpc, kind, count } of nodes.contradictions) this.inc({ rpc, kind }, count);
      },
    });
    new Counter({
      name: "torcida_node_calls_total",
      help: "Calls sent to a node, each of a batch counted, by urgency",
      labelNames: ["rpc", "kind"],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const { rpc, lane, count } of [...nodes.calls, ...everyNode.calls]) this.inc({ rpc, kind: lane }, count);
      },
    });
    this.#gauge("rate_available", "Whether there is an exchange rate", () => Number(rates.current().kind === "rate"));
    const gauge = (name: string, help: string, read: (status: SenderStatus) => number) =>
      this.#senderGauge(senders, { name, help, read });
    gauge("leader", "Whether this process sends with this key, and its round does not hang", (status) =>
      Number(status.isLeader && !isHanging(status)),
    );
    gauge("in_flight", "Transactions without a receipt", (status) => status.inFlight);
    gauge("wallet_empty", "Whether the wallet cannot pay for gas", (status) => Number(status.isWalletEmpty));
    gauge("held_kinds", "Kinds of operations that wait", (status) => Object.keys(status.held).length);
    gauge("transactions", "Transactions sent", (status) => status.sentTransactions);
    gauge("fee_bumps", "Transactions replaced with a higher fee", (status) => status.feeBumps);
    gauge("resends", "Transactions sent again", (status) => status.resends);
    gauge("orphaned", "Transactions whose block was orphaned", (status) => status.orphaned);
    gauge("balance_chz", "CHZ balance of the wallet", (status) => Number(chzTextFromWei(status.balanceWei ?? 0n)));
  }

  /** Adds the number of unfinished operations and the age of the oldest, read on each scrape. */
  observeOperations(read: () => Promise<QueueSummary[]>): void {
    const labelNames = ["kind", "state", "reason"] as const;
    const gauge = (name: string, help: string, figureOf: (summary: QueueSummary) => number) =>
      new Gauge({
        name,
        help,
        labelNames,
        registers: [this.registry],
        async collect() {
          const summary = await read().catch(() => undefined);
          this.reset();
          for (const one of WATCHED) this.set({ kind: "pay", ...one }, 0);
          for (const kind of OPERATION_KINDS) this.set({ kind, state: "waiting", reason: "refused" }, 0);
          for (const one of summary ?? []) {
            this.set({ kind: one.kind, state: one.status, reason: one.reason ?? "" }, figureOf(one));
          }
        },
      });
    gauge("torcida_operations", `Unfinished operations (counted up to ${COUNTED})`, (one) => one.count);
    gauge("torcida_operations_oldest_seconds", "Age of the oldest of them", (one) => one.oldestMs / 1_000);
  }

  observeGate({ refused }: Pick<Gate, "refused">): void {
    new Counter({
      name: "torcida_purse_refused_total",
      help: "Calls that a purse refused",
      labelNames: ["purse"],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [purse, count] of refused) this.inc({ purse }, count);
      },
    });
  }

  observeRequest(request: Request, response: Response): void {
    const route = typeof response.locals.route === "string" ? response.locals.route : "other";
    const seconds = (performance.now() - Number(response.locals.startedAt)) / 1_000;
    this.#requests.observe({ method: request.method, route, status: response.statusCode }, seconds);
  }

  observeReconciliation(result: Reconciliation): void {
    this.#reconcileRuns.inc({ outcome: RUN_OUTCOMES[result.outcome] });
    if (result.outcome === "cannot say") return;
    this.#reconcileDifferences.set(result.differences.length);
    this.#reconcileSurplus.set(Number(chzTextFromWei(result.surplusWei)));
  }

  /** Adds the number of unaccepted foreign transactions with our keys, counted on each scrape. */
  observeForeign(count: () => Promise<number>): void {
    new Gauge({
      name: "torcida_foreign_transactions",
      help: "Transactions with our keys that are not in the outbox and that nobody has accepted",
      registers: [this.registry],
      async collect() {
        this.set(await count().catch(() => 0));
      },
    });
  }

  /** One value per configured key, 0 if another process signs with it, so that an alert can detect that none does. */
  #senderGauge(
    senders: Senders,
    { name, help, read }: { name: string; help: string; read: (status: SenderStatus) => number },
  ): void {
    new Gauge({
      name: `torcida_sender_${name}`,
      help,
      labelNames: ["key"],
      registers: [this.registry],
      collect() {
        for (const { name: key } of senders.keys) {
          const status = senders.all.find((sender) => sender.key === key)?.status;
          this.set({ key }, status ? read(status) : 0);
        }
      },
    });
  }

  #gauge(name: string, help: string, read: () => number): void {
    new Gauge({
      name: `torcida_${name}`,
      help,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }
}

/** Serves `/metrics` on a separate port. Returns a function that stops it. @throws ListenError */
export async function listenForMetrics(metrics: Metrics, port: number, host: string): Promise<() => void> {
  const server = createServer(async (request, response) => {
    if (request.url !== "/metrics") {
      response.statusCode = 404;
      response.end();
      return;
    }
    response.setHeader("content-type", metrics.registry.contentType);
    response.end(await metrics.registry.metrics());
  });
  await listenOn(server, { port, host, variables: { port: "METRICS_PORT", host: "HOST" } });
  return () => server.close();
}

/** Serves `/metrics` to this machine only. Others have the port of their own. docs/product.md#readiness */
export function serveMetricsLocally(metrics: Metrics): RequestHandler {
  return async (request, response, next) => {
    if (request.path !== "/metrics" || request.method !== "GET" || !isFromThisMachine(request)) return next();
    response.setHeader("content-type", metrics.registry.contentType);
    response.end(await metrics.registry.metrics());
  };
}
