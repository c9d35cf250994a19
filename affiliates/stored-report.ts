import { SALE_STATUSES, type SaleReport } from "../domain/sale/report.ts";

const INTEGERS: readonly (keyof SaleReport)[] = [
  "amountMicros",
  "trackedBrlMicros",
  "commissionMicros",
  "occurredAt",
  "changedAt",
];

/** A report as stored in a revision: JSON with a fixed order of fields and integers as text. */
export function encodeReport(report: SaleReport): string {
  const fields = Object.entries(report).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify(Object.fromEntries(fields), (_key, value) =>
    typeof value === "bigint" ? value.toString() : value,
  );
}

/** Fields that earlier versions did not store are null. */
export function decodeReport(text: string): SaleReport {
  const value = JSON.parse(text) as Record<string, unknown>;
  const integers = INTEGERS.map((field) => [field, value[field] == null ? null : BigInt(String(value[field]))]);
  const parts = (value.parts ?? []) as { group: string | null; amountMicros: string }[];
  const word = (field: string) => (value[field] == null ? null : String(value[field]));
  return {
    saleKey: String(value.saleKey),
    clickRef: word("clickRef"),
    advertiserId: word("advertiserId"),
    orderRef: word("orderRef"),
    status: SALE_STATUSES.find((status) => status === (value.status ?? "pending")) ?? "unknown",
    payable: typeof value.payable === "boolean" ? value.payable : null,
    currency: String(value.currency),
    commissionCurrency: word("commissionCurrency"),
    reason: word("reason"),
    drift: word("drift"),
    parts: parts.map(({ group, amountMicros }) => ({ group, amountMicros: BigInt(amountMicros) })),
    ...(Object.fromEntries(integers) as Pick<
      SaleReport,
      "amountMicros" | "trackedBrlMicros" | "commissionMicros" | "occurredAt" | "changedAt"
    >),
  };
}
