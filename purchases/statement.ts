import { type SqlBool, sql } from "kysely";
import type { Queries } from "../database/transaction.ts";
import { cashbackOfCentBps } from "../domain/cashback.ts";
import { cashbackOf } from "../domain/purchase/settlement.ts";
import { type Figure, SITUATIONS } from "../domain/purchase/situation.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import { outstandingDebt } from "./debt.ts";
import { listOnTheWay } from "./queries.ts";
import { type BuyerTotals, sumPaidAbove } from "./totals.ts";
import { type PurchaseView, situationIn } from "./view.ts";

/** A buyer's figures in gwei, and when the next of what is on the way is expected, in ms. docs/product.md#statement */
export type Statement = Record<Figure, bigint> & {
  nextAt: bigint | null;
  /** What the wallet refused and has not withdrawn yet. */
  credit: bigint;
  /** Sales in review, with what they would add, newest first. */
  inReview: HeldSale[];
  /** Payouts that are not final; once the first is, the figures change. */
  unshown: Awaited<ReturnType<typeof sumPaidAbove>>;
};

/**
 * Adds up what a buyer has, gets and owes: `in_wallet` + `on_the_way` + `waiting` - `to_offset` is the cashback of all
 * purchases that count. `readCredit` returns the wei that the wallet can still withdraw, undefined if that is not known.
 */
export async function readStatement(
  queries: Queries,
  wallet: WalletAddress,
  {
    totals,
    view,
    readCredit,
  }: { totals: BuyerTotals; view: PurchaseView; readCredit: () => Promise<bigint | undefined> },
): Promise<Statement> {
  const [unshown, deferred, open, dead, inReview, debt] = await Promise.all([
    sumPaidAbove(queries, wallet, view.shownUpTo),
    sumDeferred(queries, wallet, view.shownUpTo),
    listOnTheWay(queries, wallet),
    view.isLive ? sumNeverPaid(queries, wallet, view.rate) : 0n,
    listHeldSales(queries, wallet, view.rate),
    outstandingDebt(queries, wallet),
  ]);
  const creditWei = deferred === 0n ? 0n : await readCredit();
  const credit = creditWei === undefined ? deferred : smaller(deferred, creditWei / WEI_PER_GWEI);
  const statement: Statement = {
    in_wallet: totals.paid_gwei - unshown.gwei + deferred - credit,
    on_the_way: credit,
    waiting: sumOf(inReview) + totals.pending_gwei + cashbackOfCentBps(totals.pending_cent_bps, view.rate) - dead,
    to_offset: debt > 0n ? debt : 0n,
    nextAt: null,
    credit,
    inReview,
    unshown,
  };
  for (const purchase of open) {
    const situation = situationIn(purchase, view);
    const { figure } = SITUATIONS[situation];
    // What was paid or credited is in the sums above.
    if (figure === undefined || figure === "in_wallet" || situation === "credit") continue;
    const isSent = purchase.payout_state !== null;
    const gwei = isSent ? (purchase.paid_gwei ?? 0n) : cashbackOf(purchase, view.rate) - purchase.offset_gwei;
    statement[figure] += gwei;
    if (situation === "waiting_period") statement.nextAt = earlier(statement.nextAt, purchase.payable_at);
  }
  return statement;
}

/** A sale that is held for a person, with the cashback that no purchase of it stands for yet, in gwei. */
export type HeldSale = Awaited<ReturnType<typeof readHeldSales>>[number] & { gwei: bigint };

async function listHeldSales(queries: Queries, wallet: WalletAddress, rate: bigint): Promise<HeldSale[]> {
  const sales = await readHeldSales(queries, wallet);
  return sales.flatMap((sale) => {
    const missing = sale.cashback_cent_bps - BigInt(sale.of_purchases ?? 0);
    return missing > 0n ? [{ ...sale, gwei: cashbackOfCentBps(missing, rate) }] : [];
  });
}

function readHeldSales(queries: Queries, wallet: WalletAddress) {
  return (
    queries
      .selectFrom("sales")
      .innerJoin("stores", "stores.id", "sales.store_id")
      .select(["sales.id", "sales.store_id", "stores.name as store_name", "sales.order_ref", "sales.amount_cents"])
      .select(["sales.cashback_cent_bps", "sales.occurred_at", "sales.created_at"])
      .select(
        sql<bigint | string | null>`(select sum(cashback_cent_bps) from purchases
        where purchases.sale_id = sales.id and purchases.reversed_at is null)`.as("of_purchases"),
      )
      .where("sales.wallet", "=", wallet)
      // Literally the condition of the index: no parameter.
      .where(sql<SqlBool>`sales.state = 'held'`)
      .orderBy("sales.id", "desc")
      .execute()
  );
}

function sumOf(sales: readonly HeldSale[]): bigint {
  return sales.reduce((sum, { gwei }) => sum + gwei, 0n);
}

const WEI_PER_GWEI = 1_000_000_000n;

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function earlier(one: bigint | null, other: bigint | null): bigint | null {
  return one === null || (other !== null && other < one) ? other : one;
}

/** What the wallet refused so far, in gwei. */
async function sumDeferred(queries: Queries, wallet: WalletAddress, upTo: bigint): Promise<bigint> {
  const rows = await queries
    .selectFrom("payouts")
    .innerJoin("purchases", (join) =>
      join.onRef("purchases.id", "=", "payouts.token_id").onRef("purchases.wallet", "=", "payouts.recipient"),
    )
    .select("payouts.amount_gwei")
    .where("payouts.recipient", "=", wallet)
    // Literally the condition of the index: no parameter.
    .where(sql<SqlBool>`payouts.state = 'deferred'`)
    .where("payouts.block_number", "<=", upTo)
    .execute();
  return rows.reduce((sum, row) => sum + row.amount_gwei, 0n);
}

/** The cashback of simulated purchases that were not confirmed before the switch to live ones, in gwei. */
async function sumNeverPaid(queries: Queries, wallet: WalletAddress, rate: bigint): Promise<bigint> {
  const rows = await queries
    .selectFrom("purchases")
    .select(["cashback_cent_bps", "wei_per_cent"])
    .where("wallet", "=", wallet)
    .where(sql<SqlBool>`source = 'simulated' and counted_status < 2 and reversed_at is null`)
    .execute();
  return rows.reduce((sum, row) => sum + cashbackOf(row, rate), 0n);
}
