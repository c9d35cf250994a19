import type { Database } from "../../core/database/connect.ts";
import { readHolds } from "../../core/purchases/sale-row.ts";
import { idsOf } from "../../core/rules/records.ts";
import type { SaleState } from "../../core/rules/sale/facts.ts";
import type { Hold } from "../../core/rules/sale/holds.ts";

/** A sale as Torcida has recorded it. */
export type Booked = {
  state: SaleState;
  /** Why it is held, or in the network's words why it was declined. */
  holds: Hold[];
  reason: string | null;
  cashbackCentBps: bigint;
  paidGwei: bigint;
};

const SALES = 200;

/** By network and the network's id of the sale. */
export async function listBooked({ kysely }: Database): Promise<Map<string, Booked>> {
  const sales = await kysely.selectFrom("sales").selectAll().orderBy("id", "desc").limit(SALES).execute();
  if (sales.length === 0) return new Map();
  const paid = await kysely
    .selectFrom("payouts")
    .innerJoin("purchases", "purchases.id", "payouts.token_id")
    .select(({ fn }) => ["purchases.sale_id", fn.sum<bigint>("payouts.amount_gwei").as("gwei")])
    .where("purchases.sale_id", "in", idsOf(sales))
    .groupBy("purchases.sale_id")
    .execute();
  return new Map(
    sales.map((sale) => [
      `${sale.network}-${sale.sale_key}`,
      {
        state: sale.state,
        holds: sale.state === "held" ? readHolds(sale.hold_reasons, sale.hold_figures) : [],
        reason: sale.reason,
        cashbackCentBps: sale.cashback_cent_bps,
        paidGwei: BigInt(paid.find((one) => one.sale_id === sale.id)?.gwei ?? 0n),
      },
    ]),
  );
}

/** When each network was last read, and its last error. */
export async function listReaders({
  kysely,
}: Database): Promise<Map<string, { readAt: number; error: string | null }>> {
  const rows = await kysely.selectFrom("affiliate_status").selectAll().execute();
  return new Map(rows.map((row) => [row.network, { readAt: Number(row.read_at ?? 0n), error: row.error }]));
}
