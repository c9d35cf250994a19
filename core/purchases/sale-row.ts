import { type Selectable, sql } from "kysely";
import type { Schema } from "../database/generated/schema.ts";
import type { Queries } from "../database/transaction.ts";
import { monthOf } from "../rules/iso-time.ts";
import { jsonOf, recordOf } from "../rules/records.ts";

/** The margin total that a sale counts towards: by network, store and month of the sale. */
function totalsCell(
  sale: Pick<Selectable<Schema["sales"]>, "network" | "account" | "store_id" | "occurred_at" | "created_at">,
) {
  return {
    network: sale.network,
    account: sale.account,
    store_id: sale.store_id ?? 0n,
    month: monthOf(sale.occurred_at ?? sale.created_at),
  };
}

/** What a sale adds to the margin of its network, store and month. */
export const FIGURES = [
  ...(["sales", "clicked_sales", "amount_cents", "commission_pending_cents", "commission_cents"] as const),
  ...(["promised_cent_bps", "paid_cent_bps"] as const),
] as const;
type Contribution = ReturnType<typeof totalsCell> & Record<(typeof FIGURES)[number], bigint>;

/** A sale's contribution to the totals; only what was paid once it is declined, and while its amount is not known. */
export function contributionOf(sale: Selectable<Schema["sales"]>, paidCentBps: bigint): Contribution | undefined {
  const paid = { ...totalsCell(sale), ...recordOf(FIGURES, () => 0n), paid_cent_bps: paidCentBps };
  if (sale.state === "declined" || sale.amount_cents === null) return paidCentBps === 0n ? undefined : paid;
  const commission = sale.commission_cents ?? 0n;
  const isEarned = sale.status === "approved";
  return {
    ...paid,
    sales: 1n,
    clicked_sales: sale.click_id === null ? 0n : 1n,
    amount_cents: sale.amount_cents,
    commission_pending_cents: isEarned ? 0n : commission,
    commission_cents: isEarned ? commission : 0n,
    promised_cent_bps: sale.cashback_cent_bps,
  };
}

/** Replaces what the totals contain of a sale. Returns what they contain now, as the sale stores it. */
export async function moveTotals(queries: Queries, counted: string, after: Contribution | undefined): Promise<string> {
  const text = after ? jsonOf(after) : "";
  if (text === counted) return text;
  if (counted !== "") {
    const before: Record<keyof Contribution, string> = JSON.parse(counted);
    const cell = { ...before, store_id: BigInt(before.store_id) };
    await add(
      queries,
      cell,
      recordOf(FIGURES, (name) => -BigInt(before[name])),
    );
  }
  if (after) await add(queries, after, after);
  return text;
}

async function add(
  queries: Queries,
  { network, account, store_id, month }: ReturnType<typeof totalsCell>,
  figures: Record<(typeof FIGURES)[number], bigint>,
): Promise<void> {
  const values = recordOf(FIGURES, (name) => figures[name]);
  await queries
    .insertInto("sale_totals")
    .values({ network, account, store_id, month, ...values })
    .onConflict((conflict) =>
      conflict
        .columns(["network", "account", "store_id", "month"])
        .doUpdateSet(recordOf(FIGURES, (name) => sql<bigint>`${sql.ref(`sale_totals.${name}`)} + ${values[name]}`)),
    )
    .execute();
}
