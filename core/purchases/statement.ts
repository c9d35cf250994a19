import { type SqlBool, sql } from "kysely";
import type { Queries } from "../database/transaction.ts";
import { cashbackOf, cashbackOfCentBps } from "../rules/cashback.ts";
import { type Figure, SITUATIONS, type Situation } from "../rules/purchase/situation.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { outstandingDebt } from "./debt.ts";
import { CONFIRMED, IS_UNSETTLED } from "./queries.ts";
import type { BuyerTotals } from "./shop-totals.ts";
import type { PurchaseView } from "./view.ts";

/** A buyer's figures in gwei, and when the next of what is on the way is expected, in ms. docs/product.md#statement */
export type Statement = Record<Figure, bigint> & {
  /** What was kept of later cashback for debts. */
  deducted: bigint;
  nextAt: bigint | null;
  /** What the wallet refused and has not withdrawn yet. */
  credit: bigint;
  /** Sales in review, with what they would add, newest first. */
  inReview: HeldSale[];
  /** Payouts that are not final; once the first is, the figures change. */
  unshown: Awaited<ReturnType<typeof sumPaidAbove>>;
};

/**
 * Adds up what a buyer has, gets and owes: `in_wallet` + `on_the_way` + `waiting` + `deducted` is the cashback of all
 * purchases that count; `to_offset` is owed of it. `readCredit` returns the wei that the wallet can still withdraw, undefined if that is not known.
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
  const [unshown, deferred, unsettled, dead, inReview, debt, deducted] = await Promise.all([
    sumPaidAbove(queries, wallet, view.shownUpTo),
    sumDeferred(queries, wallet, view.shownUpTo),
    sumUnsettled(queries, wallet, view),
    view.isLive ? sumNeverPaid(queries, wallet, view.rate) : 0n,
    listHeldSales(queries, wallet, view.rate),
    outstandingDebt(queries, wallet),
    sumKept(queries, wallet),
  ]);
  const creditWei = deferred === 0n ? 0n : await readCredit();
  const credit = creditWei === undefined ? deferred : smaller(deferred, creditWei / WEI_PER_GWEI);
  const statement: Statement = {
    in_wallet: totals.paid_gwei - unshown.gwei + deferred - credit,
    on_the_way: credit + unshown.onTheWay,
    waiting: sumOf(inReview) + totals.pending_gwei + cashbackOfCentBps(totals.pending_cent_bps, view.rate) - dead,
    to_offset: debt > 0n ? debt : 0n,
    deducted,
    nextAt: null,
    credit,
    inReview,
    unshown,
  };
  for (const { source, situation, gwei, next_at } of unsettled) {
    const { figure } = SITUATIONS[view.isLive && source === "simulated" ? "never_paid" : situation];
    if (figure === undefined) continue;
    statement[figure] += gwei;
    if (figure === "on_the_way") statement.nextAt = earlier(statement.nextAt, next_at);
  }
  return statement;
}

/**
 * A buyer's payouts above a block, which are not final: what was paid, what is on its way to the wallet, and the first of
 * their blocks.
 */
export async function sumPaidAbove(
  queries: Queries,
  wallet: WalletAddress,
  block: bigint,
): Promise<{ gwei: bigint; onTheWay: bigint; firstBlock: bigint | null }> {
  const { gwei, on_the_way, first_block } = await queries
    .selectFrom("payouts")
    .innerJoin("purchases", (join) =>
      join.onRef("purchases.id", "=", "payouts.token_id").onRef("purchases.wallet", "=", "payouts.recipient"),
    )
    .select([
      sql<bigint | string | null>`sum(case when state = 'paid' then amount_gwei end)`.as("gwei"),
      sql<bigint | string | null>`sum(case when ${IS_UNSETTLED} then amount_gwei end)`.as("on_the_way"),
      sql<bigint | null>`min(block_number)`.as("first_block"),
    ])
    .where("recipient", "=", wallet)
    .where("block_number", ">", block)
    .executeTakeFirstOrThrow();
  return { gwei: BigInt(gwei ?? 0), onTheWay: BigInt(on_the_way ?? 0), firstBlock: first_block };
}

/**
 * A wallet's confirmed purchases that are neither settled nor returned and have no payout, by where they were counted:
 * what they add, in gwei, and the next end of a waiting period. Summed by the database, because there may be thousands.
 */
async function sumUnsettled(queries: Queries, wallet: WalletAddress, { now, rate }: PurchaseView) {
  type Sum = { source: string; situation: Situation; next_at: bigint | null };
  type Row = Sum & { cent_bps: bigint | null; count: bigint; gwei: bigint | string };
  // Only one that is `paying` can have a payout. Not `exists`: PostgreSQL would read all payouts of the wallet for it.
  const { rows } = await sql<Row>`select source, situation, cent_bps, count(*) as count, sum(gwei) as gwei,
      min(ends_at) as next_at
    from (select source, situation, coalesce(counted_gwei, 0) - offset_gwei as gwei,
        case when counted_gwei is null then cashback_cent_bps end as cent_bps,
        case when situation = 'waiting_period' and payable_at > ${now} then payable_at end as ends_at
      from purchases where wallet = ${wallet} and ${IS_UNSETTLED} and (situation <> 'paying' or (select token_id from payouts
        where payouts.token_id = purchases.id and payouts.recipient = purchases.wallet) is null)) unsettled
    group by source, situation, cent_bps`.execute(queries);
  return rows.map(({ cent_bps, count, gwei, ...sum }) => {
    const atCurrentRate = cent_bps === null ? 0n : count * cashbackOfCentBps(cent_bps, rate);
    return { ...sum, gwei: BigInt(gwei) + atCurrentRate };
  });
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

/**
 * What was kept of a wallet's cashback for its debts so far, in gwei. Nothing is kept of who never owed anything: their
 * purchases are not read. docs/product.md#statement
 */
async function sumKept(queries: Queries, wallet: WalletAddress): Promise<bigint> {
  const { kept } = await queries
    .selectFrom("purchases")
    .select(({ fn }) => fn.sum<bigint | string | null>("offset_gwei").as("kept"))
    .where("wallet", "=", wallet)
    .where("offset_gwei", ">", 0n)
    .where(sql<SqlBool>`exists (select 1 from adjustments where adjustments.wallet = ${wallet})`)
    .executeTakeFirstOrThrow();
  return BigInt(kept ?? 0);
}

/** The cashback of simulated purchases that were not confirmed before the switch to live ones, in gwei. */
async function sumNeverPaid(queries: Queries, wallet: WalletAddress, rate: bigint): Promise<bigint> {
  const rows = await queries
    .selectFrom("purchases")
    .select(["cashback_cent_bps", "wei_per_cent"])
    .where("wallet", "=", wallet)
    .where(sql<SqlBool>`source = 'simulated' and counted_status < ${CONFIRMED} and reversed_at is null`)
    .execute();
  return rows.reduce((sum, row) => sum + cashbackOf(row, rate), 0n);
}
