import { jsonOf } from "../rules/records.ts";
import { SALE_STATUSES, type SaleReport } from "../rules/sale/report.ts";

type StoredReport = { [Field in keyof SaleReport]?: Stored<SaleReport[Field]> };
type Stored<Value> = Value extends bigint
  ? string
  : Value extends readonly (infer One)[]
    ? readonly { [Field in keyof One]: Stored<One[Field]> }[]
    : Value;

/** A report as stored in a revision: JSON with a fixed order of fields and integers as text. */
export function encodeReport(report: SaleReport): string {
  const fields = Object.entries(report).sort(([a], [b]) => (a < b ? -1 : 1));
  return jsonOf(Object.fromEntries(fields));
}

/** The inverse of `encodeReport`. */
export function decodeReport(text: string): SaleReport {
  const value: StoredReport = JSON.parse(text);
  const word = (field: keyof StoredReport) => (value[field] == null ? null : String(value[field]));
  const integer = (field: keyof StoredReport) => (value[field] == null ? null : BigInt(String(value[field])));
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
    drift: typeof value.drift === "string" ? [{ code: "said", value: value.drift }] : (value.drift ?? null),
    parts: (value.parts ?? []).map(({ group, amountMicros }) => ({ group, amountMicros: BigInt(amountMicros) })),
    amountMicros: integer("amountMicros") ?? 0n,
    trackedBrlMicros: integer("trackedBrlMicros"),
    commissionMicros: integer("commissionMicros"),
    occurredAt: integer("occurredAt"),
    changedAt: integer("changedAt"),
    ...(value.isUnread === true && { isUnread: true }),
  };
}
