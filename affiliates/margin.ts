import type { Queries } from "../database/transaction.ts";
import type { FIGURES } from "../purchases/sale-totals.ts";

const MARGIN_ROWS = 5_000;

type Figures = Record<(typeof FIGURES)[number], bigint>;

/** The totals of the months from one to another, newest first. */
export async function listMargin(queries: Queries, from: string, to: string) {
  return queries
    .selectFrom("sale_totals")
    .leftJoin("stores", "stores.id", "sale_totals.store_id")
    .selectAll("sale_totals")
    .select("stores.name as store_name")
    .where("month", ">=", from)
    .where("month", "<=", to)
    .orderBy("month", "desc")
    .orderBy("network")
    .orderBy("account")
    .orderBy("store_id")
    .limit(MARGIN_ROWS)
    .execute();
}

/** The sum of rows. */
export function marginOf(rows: readonly (Figures & { paid_cent_bps: bigint })[]) {
  const sum = (field: keyof (typeof rows)[number]) => rows.reduce((total, row) => total + row[field], 0n);
  return {
    sales: sum("sales"),
    amount_cents: sum("amount_cents"),
    commission_pending_cents: sum("commission_pending_cents"),
    commission_cents: sum("commission_cents"),
    promised_cent_bps: sum("promised_cent_bps"),
    paid_cent_bps: sum("paid_cent_bps"),
  };
}
