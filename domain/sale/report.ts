/**
 * What an affiliate network says of a sale, in one shape for all networks. Amounts are absolute totals in millionths of
 * their currency, never differences. docs/product.md#sales-words
 */
export const SALE_STATUSES = ["pending", "approved", "declined"] as const;
export type SaleStatus = (typeof SALE_STATUSES)[number];

/** A share of a sale that earns by one rate: `group` is the network's commission group. */
export type SalePart = { group: string | null; amountMicros: bigint };

export type SaleReport = {
  /** Identifies the sale within its network and account, for ever. */
  saleKey: string;
  /** The click token as the network gives it back; null where it has none. */
  clickRef: string | null;
  advertiserId: string | null;
  orderRef: string | null;
  /** `unknown` is a word that the adapter does not know: the sale is held. */
  status: SaleStatus | "unknown";
  /** Whether the network says that it pays us for this sale; null where it has no such word. */
  payable: boolean | null;
  amountMicros: bigint;
  currency: string;
  /** The whole amount in reais, where the network gives it beside another currency. */
  trackedBrlMicros: bigint | null;
  /** Null where the network does not say. */
  commissionMicros: bigint | null;
  commissionCurrency: string | null;
  parts: readonly SalePart[];
  /** Milliseconds UTC. */
  occurredAt: bigint | null;
  /** The network's own time of the change; null where it has none, and then the last read counts. */
  changedAt: bigint | null;
  reason: string | null;
  /** What the adapter did not understand: the sale is held. */
  drift: string | null;
};

/** Whether a report that was read now replaces the one that was read last. */
export function isNewer(report: Pick<SaleReport, "changedAt">, last: { changedAt: bigint | null }): boolean {
  if (report.changedAt === null || last.changedAt === null) return true;
  return report.changedAt >= last.changedAt;
}
