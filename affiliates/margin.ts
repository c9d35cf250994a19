import { sql } from "kysely";
import type { Queries } from "../database/transaction.ts";
import { keysOf, recordOf } from "../domain/records.ts";
import { totalsCell } from "../purchases/sale-totals.ts";
import type { Sale } from "./sale.ts";

const MARGIN_ROWS = 5_000;

type Cell = { network: string; account: string; store_id: bigint; month: string };
type Figures = {
  sales: bigint;
  amount_cents: bigint;
  commission_pending_cents: bigint;
  commission_cents: bigint;
  promised_cent_bps: bigint;
};
type Contribution = Cell & Figures;

/** A sale's contribution to the margin of its network, store and month; zero before it is first applied. */
export function contributionOf(sale: Sale): Contribution | undefined {
  if (sale.state === "declined" || sale.amount_cents === null) return undefined;
  const commission = sale.commission_cents ?? 0n;
  const isEarned = sale.status === "approved";
  return {
    ...totalsCell(sale),
    sales: 1n,
    amount_cents: sale.amount_cents,
    commission_pending_cents: isEarned ? 0n : commission,
    commission_cents: isEarned ? commission : 0n,
    promised_cent_bps: sale.cashback_cent_bps,
  };
}

/** Replaces a sale's earlier contribution to the totals with its current one. */
export async function addToTotals(
  queries: Queries,
  before: Contribution | undefined,
  after: Contribution | undefined,
): Promise<void> {
  if (before) await add(queries, before, -1n);
  if (after) await add(queries, after, 1n);
}

async function add(queries: Queries, { network, account, store_id, month, ...figures }: Contribution, sign: bigint) {
  const signed = recordOf(keysOf(figures), (name) => sign * figures[name]);
  await queries
    .insertInto("sale_totals")
    .values({ network, account, store_id, month, ...signed })
    .onConflict((conflict) =>
      conflict
        .columns(["network", "account", "store_id", "month"])
        .doUpdateSet(
          Object.fromEntries(
            Object.entries(signed).map(([name, value]) => [name, sql`${sql.ref(`sale_totals.${name}`)} + ${value}`]),
          ),
        ),
    )
    .execute();
}

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
