import type { ReportProblem } from "./holds.ts";

/**
 * An affiliate network's report of a sale, in one format for all networks. Amounts are absolute totals in millionths of
 * their currency, never differences. docs/product.md#sales-words
 */
export const SALE_STATUSES = ["pending", "approved", "declined"] as const;
export type SaleStatus = (typeof SALE_STATUSES)[number];

/** A part of a sale with one percent: `group` is the network's commission group. */
export type SalePart = { group: string | null; amountMicros: bigint };

export type SaleReport = {
  /** Identifies the sale within its network and account, permanently. */
  saleKey: string;
  /** The click token that the network returns; null if there is none. */
  clickRef: string | null;
  advertiserId: string | null;
  orderRef: string | null;
  /** `unknown` is a status that the adapter does not know: the sale is held. */
  status: SaleStatus | "unknown";
  /** Whether the network states that it pays us for this sale; null if it has no such status. */
  payable: boolean | null;
  amountMicros: bigint;
  currency: string;
  /** The total in reais, if the network reports it in addition to another currency. */
  trackedBrlMicros: bigint | null;
  /** Null if the network does not report it. */
  commissionMicros: bigint | null;
  commissionCurrency: string | null;
  parts: readonly SalePart[];
  /** Milliseconds UTC. */
  occurredAt: bigint | null;
  /** The network's time of the change; if null, the last read counts. */
  changedAt: bigint | null;
  reason: string | null;
  /** Fields that the adapter did not understand: the sale is held. */
  drift: readonly ReportProblem[] | null;
  /** An amount could not be read: the amounts of this report count for nothing. */
  isUnread?: true;
};

/** Another clock may be ahead of ours by so much. */
const AHEAD_MS = 300_000n;

/**
 * A report is of the present: a time ahead of our clock says nothing of the order in which things happened, nor when, and
 * the report counts as without it. A change time is not understood then; for a sale's own time, the moment counts at which
 * we first read it, so a slow clock of ours holds no sale. docs/product.md#sales-order
 */
export function asOfNow(report: SaleReport, now: bigint): SaleReport {
  const { changedAt, drift } = report;
  const occurredAt = isAhead(report.occurredAt, now) ? null : report.occurredAt;
  if (!isAhead(changedAt, now)) return { ...report, occurredAt };
  const value = new Date(Number(changedAt)).toISOString();
  const problem = { code: "odd", field: "changed_at", value } as const;
  return { ...report, occurredAt, changedAt: null, drift: [...(drift ?? []), problem] };
}

/** A state of a sale by its last report. */
export type ReportedState = Pick<SaleReport, "status" | "payable" | "changedAt">;

/**
 * Whether a new report replaces the last one, by the network's times of their changes. A shop's own calls can overtake each
 * other, and their clock may count in seconds: of two with one time, a pending one is before a decision, and an approval before it is payable. A read
 * is of the present, so the last one counts. docs/product.md#sales-order
 */
export function isNewer(report: ReportedState, last: ReportedState, now: bigint, source: "poll" | "direct"): boolean {
  if (report.changedAt === null || last.changedAt === null || isAhead(last.changedAt, now)) return true;
  if (report.changedAt !== last.changedAt) return report.changedAt > last.changedAt;
  if (source === "poll") return true;
  if (report.status === "pending") return last.status === "pending";
  const takesBackPay = report.status === "approved" && report.payable !== true && last.payable === true;
  return !(takesBackPay && last.status === "approved");
}

/** Whether a time is further ahead of our clock than a clock can differ. */
export function isAhead(time: bigint | null, now: bigint): boolean {
  return time !== null && time > now + AHEAD_MS;
}
