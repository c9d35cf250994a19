import { type Selectable, sql } from "kysely";
import type { Schema } from "../database/schema.ts";
import type { Queries } from "../database/transaction.ts";

type SettledPurchase = { sale_id: bigint | null; cashback_cent_bps: bigint; reversed_at: bigint | null };

/** Counts the cashback of newly settled purchases, and settles each sale whose last purchase was among them. */
export async function settleSales(queries: Queries, settled: readonly SettledPurchase[]): Promise<void> {
  for (const { sale_id, cashback_cent_bps, reversed_at } of settled) {
    if (sale_id === null) continue;
    if (reversed_at === null) await countPaid(queries, sale_id, cashback_cent_bps);
    await settleSale(queries, sale_id);
  }
}

/** Makes approved sales payable once their hold is over. */
export async function markPayable(queries: Queries, saleIds: readonly bigint[]): Promise<void> {
  if (saleIds.length === 0) return;
  await queries
    .updateTable("sales")
    .set({ state: "payable" })
    .where("id", "in", saleIds)
    .where("state", "=", "approved")
    .where("payable", "is", null)
    .execute();
}

async function settleSale(queries: Queries, saleId: bigint): Promise<void> {
  await queries
    .updateTable("sales")
    .set({ state: "settled" })
    .where("id", "=", saleId)
    // Without a statement from the network, no read is triggered when the hold ends.
    .where(({ or, and, eb }) =>
      or([eb("state", "=", "payable"), and([eb("state", "=", "approved"), eb("payable", "is", null)])]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("purchases")
            .select("purchases.id")
            .where("purchases.sale_id", "=", saleId)
            .where("purchases.settled_at", "is", null),
        ),
      ),
    )
    .execute();
}

/** Adds to the amount paid for a sale; amounts owed back count as negative. */
export async function countPaid(queries: Queries, saleId: bigint, centBps: bigint): Promise<void> {
  const sale = await queries.selectFrom("sales").selectAll().where("id", "=", saleId).executeTakeFirstOrThrow();
  await queries
    .insertInto("sale_totals")
    .values({ ...totalsCell(sale), paid_cent_bps: centBps })
    .onConflict((conflict) =>
      conflict
        .columns(["network", "account", "store_id", "month"])
        .doUpdateSet({ paid_cent_bps: sql`sale_totals.paid_cent_bps + ${centBps}` }),
    )
    .execute();
}

/** The margin total that a sale counts towards: by network, store and month of the sale. */
export function totalsCell(sale: Selectable<Schema["sales"]>) {
  return {
    network: sale.network,
    account: sale.account,
    store_id: sale.store_id ?? 0n,
    month: new Date(Number(sale.occurred_at ?? sale.created_at)).toISOString().slice(0, 7),
  };
}
