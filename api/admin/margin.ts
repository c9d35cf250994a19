import type { Queries } from "../../core/database/transaction.ts";
import { FIGURES } from "../../core/purchases/sale-row.ts";
import { marginQuerySchema, marginResponseSchema } from "../../core/rules/api/sales.ts";
import { monthOf, monthsBefore } from "../../core/rules/iso-time.ts";
import { reaisText } from "../../core/rules/money.ts";
import { recordOf } from "../../core/rules/records.ts";
import { type Route, route } from "../http/route.ts";
import type { Services } from "../services.ts";

/** What was earned, promised and paid. docs/product.md#sales-calls. */
export function marginRoutes(services: Services): Route[] {
  return [
    route.get("/api/admin/margin", {
      access: "admin",
      cost: { thread: 5, node: 0, stored: 0, mail: 0 },
      summary: "Commission against cashback, by network, store and month of the sale",
      query: marginQuerySchema,
      responses: { 200: marginResponseSchema },
      async handle({ query }) {
        const to = query.to ?? monthOf(Date.now());
        const from = query.from ?? monthsBefore(to, 11);
        const rows = await listMargin(services.database.reader, from, to);
        const wire = rows.map((row) => ({
          network: row.network,
          account: row.account,
          store_id: row.store_id === 0n ? null : Number(row.store_id),
          store: row.store_name,
          month: row.month,
          ...toWireMargin(row),
        }));
        return { body: { success: true, from, to, rows: wire, totals: toWireMargin(marginOf(rows)) } };
      },
    }),
  ];
}

function toWireMargin(figures: ReturnType<typeof marginOf>) {
  const promisedCents = figures.promised_cent_bps / 10_000n;
  return {
    sales: Number(figures.sales),
    amount: reaisText(figures.amount_cents),
    commission_pending: reaisText(figures.commission_pending_cents),
    commission_earned: reaisText(figures.commission_cents),
    cashback_promised: reaisText(promisedCents),
    cashback_paid: reaisText(figures.paid_cent_bps / 10_000n),
    margin: reaisText(figures.commission_pending_cents + figures.commission_cents - promisedCents),
  };
}

const MARGIN_ROWS = 5_000;

type Figures = Record<(typeof FIGURES)[number], bigint>;

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

export function marginOf(rows: readonly Figures[]): Figures {
  return recordOf(FIGURES, (name) => rows.reduce((total, row) => total + row[name], 0n));
}
