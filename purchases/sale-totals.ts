import { type Selectable, sql } from "kysely";
import { among } from "../database/among.ts";
import type { Schema } from "../database/schema.ts";
import type { Queries } from "../database/transaction.ts";
import { recordOf } from "../domain/records.ts";

type SettledPurchase = { sale_id: bigint | null; cashback_cent_bps: bigint; reversed_at: bigint | null };

/** Counts the cashback of newly settled purchases, and settles each sale whose last purchase was among them. */
export async function settleSales(queries: Queries, settled: readonly SettledPurchase[]): Promise<void> {
  const ofSales = settled.filter(({ sale_id }) => sale_id !== null);
  if (ofSales.length === 0) return;
  const paid = ofSales.filter(({ reversed_at }) => reversed_at === null);
  await countPaid(
    queries,
    paid.map(({ sale_id, cashback_cent_bps }) => ({ saleId: sale_id ?? 0n, centBps: cashback_cent_bps })),
  );
  await queries
    .updateTable("sales")
    .set({ state: "settled" })
    .where(
      among(
        queries,
        "id",
        ofSales.map(({ sale_id }) => sale_id ?? 0n),
      ),
    )
    // Without a statement from the network, no read is triggered when the hold ends.
    .where(({ or, and, eb }) =>
      or([eb("state", "=", "payable"), and([eb("state", "=", "approved"), eb("payable", "is", null)])]),
    )
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("purchases")
            .select("purchases.id")
            .whereRef("purchases.sale_id", "=", "sales.id")
            .where("purchases.settled_at", "is", null),
        ),
      ),
    )
    .execute();
}

/** Adds to the amounts paid for sales; amounts owed back count as negative. */
export async function countPaid(
  queries: Queries,
  amounts: readonly { saleId: bigint; centBps: bigint }[],
): Promise<void> {
  if (amounts.length === 0) return;
  const sales = await queries
    .selectFrom("sales")
    .select(["id", "network", "account", "store_id", "occurred_at", "created_at"])
    .where(
      among(
        queries,
        "id",
        amounts.map(({ saleId }) => saleId),
      ),
    )
    .execute();
  const cells = new Map(sales.map((sale) => [sale.id, totalsCell(sale)]));
  const sums = new Map<string, ReturnType<typeof totalsCell> & { paid_cent_bps: bigint }>();
  for (const { saleId, centBps } of amounts) {
    const cell = cells.get(saleId);
    if (!cell) throw new Error(`There is no sale ${saleId}`);
    const key = [cell.network, cell.account, cell.store_id, cell.month].join("\n");
    sums.set(key, { ...cell, paid_cent_bps: (sums.get(key)?.paid_cent_bps ?? 0n) + centBps });
  }
  await queries
    .insertInto("sale_totals")
    // In one order, so that two transactions do not wait for each other.
    .values([...sums].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row))
    .onConflict((conflict) =>
      conflict
        .columns(["network", "account", "store_id", "month"])
        .doUpdateSet({ paid_cent_bps: sql`sale_totals.paid_cent_bps + excluded.paid_cent_bps` }),
    )
    .execute();
}

/** The margin total that a sale counts towards: by network, store and month of the sale. */
export function totalsCell(
  sale: Pick<Selectable<Schema["sales"]>, "network" | "account" | "store_id" | "occurred_at" | "created_at">,
) {
  return {
    network: sale.network,
    account: sale.account,
    store_id: sale.store_id ?? 0n,
    month: new Date(Number(sale.occurred_at ?? sale.created_at)).toISOString().slice(0, 7),
  };
}

/** What a sale adds to the margin of its network, store and month. */
export const FIGURES = [
  ...(["sales", "amount_cents", "commission_pending_cents", "commission_cents", "promised_cent_bps"] as const),
] as const;
type Contribution = ReturnType<typeof totalsCell> & Record<(typeof FIGURES)[number], bigint>;

/** A sale's contribution to the totals; none once it is declined, and while its amount is not known. */
export function contributionOf(sale: Selectable<Schema["sales"]>): Contribution | undefined {
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

/** Replaces what the totals contain of a sale. Returns what they contain now, as the sale stores it. */
export async function moveTotals(queries: Queries, counted: string, after: Contribution | undefined): Promise<string> {
  const text = after ? JSON.stringify(after, (_key, value) => (typeof value === "bigint" ? `${value}` : value)) : "";
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
