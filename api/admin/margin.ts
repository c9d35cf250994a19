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
        const totals = recordOf(FIGURES, (name) => rows.reduce((total, row) => total + row[name], 0n));
        const accounts = await listAccounts(services.database.reader, from, to);
        const loss_limit = reaisText(services.saleRules.limits.marginLossCents);
        return {
          body: { success: true, from, to, rows: wire, totals: toWireMargin(totals), accounts, loss_limit },
        };
      },
    }),
  ];
}

function toWireMargin(figures: Record<(typeof FIGURES)[number], bigint>) {
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

/** What each account earned, promised and lost in each month. docs/product.md#margin-loss */
export async function listAccounts(queries: Queries, from: string, to: string) {
  const keys = ["network", "account", "month"] as const;
  const sums = await queries
    .selectFrom("sale_totals")
    .select([...keys])
    .select(({ fn }) => [
      fn.sum("commission_pending_cents").as("pending"),
      fn.sum("commission_cents").as("earned"),
      fn.sum("promised_cent_bps").as("promised"),
    ])
    .where("month", ">=", from)
    .where("month", "<=", to)
    .groupBy([...keys])
    .orderBy("month", "desc")
    .orderBy("network")
    .orderBy("account")
    .limit(MARGIN_ROWS)
    .execute();
  const losses = await queries
    .selectFrom("account_losses")
    .selectAll()
    .where("month", ">=", from)
    .where("month", "<=", to)
    .execute();
  const keyOf = (row: Record<(typeof keys)[number], string>) => JSON.stringify(keys.map((key) => row[key]));
  const lostBy = new Map(losses.map((row) => [keyOf(row), row.lost_cent_bps]));
  return sums.map(({ pending, earned, promised, ...key }) => ({
    ...key,
    commission_pending: reaisText(BigInt(pending)),
    commission_earned: reaisText(BigInt(earned)),
    cashback_promised: reaisText(BigInt(promised) / 10_000n),
    lost: reaisText((lostBy.get(keyOf(key)) ?? 0n) / 10_000n),
  }));
}

const MARGIN_ROWS = 5_000;

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
