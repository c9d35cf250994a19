import { among } from "../database/among.ts";
import type { Queries } from "../database/transaction.ts";
import { cashbackOfCentBps } from "../rules/cashback.ts";
import { chzTextFromGwei } from "../rules/money.ts";
import { idsOf } from "../rules/records.ts";

const PAGE = 1_000;

/**
 * One sentence for each payment of a sale that its books tell otherwise than the chain: the amount, its rate, or what of it is
 * owed back; a page at a time, for `npm run reconcile -- --full`. docs/product.md#sale-ref
 */
export async function findWrongPayments(queries: Queries, since = 0n): Promise<string[]> {
  const found: string[] = [];
  for (let after = since - 1n; ; ) {
    const page = await queries
      .selectFrom("payouts")
      .innerJoin("purchases", "purchases.id", "payouts.token_id")
      .innerJoin("sales", "sales.id", "purchases.sale_id")
      .select(["purchases.id", "payouts.amount_gwei", "payouts.wei_per_cent as paid_rate", "sales.state"])
      .select(["purchases.cashback_cent_bps", "purchases.wei_per_cent", "purchases.offset_gwei"])
      .where("payouts.token_id", ">", after)
      .whereRef("payouts.recipient", "=", "purchases.wallet")
      .orderBy("payouts.token_id")
      .limit(PAGE)
      .execute();
    const last = page.at(-1);
    if (!last) return found;
    after = last.id;
    const owed = await readOwed(queries, idsOf(page));
    for (const row of page) {
      const rate = row.wei_per_cent ?? 0n;
      const booked = cashbackOfCentBps(row.cashback_cent_bps, rate) - row.offset_gwei;
      if (row.paid_rate !== null && row.paid_rate !== rate)
        found.push(`Purchase ${row.id} was paid at ${row.paid_rate} wei a centavo, and at ${rate} by the books`);
      if (booked !== row.amount_gwei)
        found.push(
          `Purchase ${row.id} was paid ${chzTextFromGwei(row.amount_gwei)} CHZ, and ${chzTextFromGwei(booked)} by the books`,
        );
      const debt = owed.get(row.id) ?? { centBps: 0n, gwei: 0n };
      const returned = row.state === "declined" ? row.cashback_cent_bps : debt.centBps;
      const gwei =
        cashbackOfCentBps(row.cashback_cent_bps, rate) - cashbackOfCentBps(row.cashback_cent_bps - returned, rate);
      if (gwei !== debt.gwei)
        found.push(
          `Of purchase ${row.id}, ${chzTextFromGwei(gwei)} CHZ are owed back, and ${chzTextFromGwei(debt.gwei)} by the books`,
        );
    }
  }
}

async function readOwed(queries: Queries, ids: readonly bigint[]) {
  const rows = await queries
    .selectFrom("adjustments")
    .select(["purchase_id", "cent_bps", "amount_gwei"])
    .where(among(queries, "purchase_id", ids))
    .execute();
  const sums = new Map<bigint, { centBps: bigint; gwei: bigint }>();
  for (const { purchase_id: id, cent_bps, amount_gwei } of rows) {
    const { centBps, gwei } = sums.get(id) ?? { centBps: 0n, gwei: 0n };
    sums.set(id, { centBps: centBps + cent_bps, gwei: gwei + amount_gwei });
  }
  return sums;
}
