import { type RawBuilder, sql } from "kysely";
import { readClock } from "../database/clock.ts";
import { COUNTED } from "../database/counted.ts";
import { touchUser } from "../database/touch-user.ts";
import type { Queries } from "../database/transaction.ts";
import { amountProblem, saleValue } from "../domain/sale/amount.ts";
import { encodeFigures, type Hold, type HoldReason, holdForDrift, holdReasons } from "../domain/sale/hold.ts";
import { sayHolds } from "../domain/sale/hold-words.ts";
import { planSale } from "../domain/sale/plan.ts";
import { type SaleState, saleState } from "../domain/sale/state.ts";
import { type ClickTerms, saleCashback } from "../domain/sale/terms.ts";
import { outstandingDebt } from "../purchases/debt.ts";
import { actOnPurchases, permitPurchases, readSalePurchases } from "../purchases/sale-purchases.ts";
import { type Click, findClickById, readTerms } from "./clicks.ts";
import { dayOf, findRate } from "./fx.ts";
import { addToTotals, contributionOf } from "./margin.ts";
import type { AccountKey, Sale, SaleRules } from "./sale.ts";
import { decodeReport } from "./stored-report.ts";

const DAY_MS = 86_400_000n;

/**
 * Applies the last read of a sale: values it, decides whether to hold it, distributes the buyer's cashback over its
 * purchases, and lets these proceed as far as the sale has. Idempotent. `counted` is the sale as it was last applied,
 * which is what the totals contain.
 */
export async function applySale(queries: Queries, counted: Sale, rules: SaleRules, isFirst = true): Promise<void> {
  const before = await queries.selectFrom("sales").selectAll().where("id", "=", counted.id).executeTakeFirstOrThrow();
  const click = before.click_id === null ? undefined : await findClickById(queries, before.click_id);
  // Locks the buyer's row, as payout planning does: the later of the two sees the other's changes.
  if (click) await touchUser(queries, click.wallet);
  const valued = await valueSale(queries, before, click, rules);
  const sharing = click ? await othersWithOrder(queries, before) : [];
  const hold = click
    ? await holdOf(queries, before, click, valued, sharing.length > 0, rules)
    : holdForDrift(valued.drift);
  const isHeld = valued.status !== "declined" && hold.some(({ reason }) => !isReleased(before, reason));
  const decision: Decision = {
    valued,
    hold,
    isHeld,
    cashbackCentBps: valued.status === "declined" ? 0n : valued.cashbackCentBps,
  };

  if (click) await distribute(queries, before, click, decision);
  const payableAt = await permit(queries, before, click, decision, rules);
  const applied = {
    ...columnsOf(before, decision),
    state: await stateOf(queries, before, decision, { hasBuyer: click !== undefined, payableAt }),
  };
  await queries
    .updateTable("sales")
    .set({ ...applied, updated_at: BigInt(Date.now()) })
    .where("id", "=", before.id)
    .execute();
  await addToTotals(queries, contributionOf(counted), contributionOf({ ...before, ...applied }));
  // The other buyer's sale with the same order is held too, unless it is already paid.
  if (isFirst) {
    for (const other of sharing)
      if (!other.hold_reasons.includes("order_twice")) await applySale(queries, other, rules, false);
  }
}

/** What the last report means for a sale. */
type Decision = {
  valued: ValuedSale;
  hold: readonly Hold[];
  isHeld: boolean;
  /** What the buyer is due, held or not. */
  cashbackCentBps: bigint;
};

/** Distributes the buyer's cashback over the sale's purchases; a held sale keeps those that it has. */
async function distribute(queries: Queries, sale: Sale, click: Click, { valued, isHeld, cashbackCentBps }: Decision) {
  if (sale.revision_id === null) return;
  const purchases = await readSalePurchases(queries, sale.id);
  const target = {
    amountCents: valued.amountCents ?? 0n,
    centBps: cashbackCentBps,
    bonusBps: valued.terms?.bonusBps ?? 0n,
  };
  const actions = isHeld ? [] : planSale(target, purchases, await outstandingDebt(queries, click.wallet));
  await actOnPurchases(queries, { ...buyerOf(click), saleId: sale.id, revisionId: sale.revision_id }, actions);
}

/** Lets the sale's purchases proceed as far as the sale has. Returns when it becomes payable; null while unknown. */
async function permit(
  queries: Queries,
  sale: Sale,
  click: Click | undefined,
  { valued: { status }, isHeld }: Decision,
  rules: SaleRules,
): Promise<bigint | null> {
  const store = click ? await readStore(queries, click.store_id) : undefined;
  const payableAt = payableTime(sale, status, store?.hold_seconds ?? null, rules);
  if (click) {
    await permitPurchases(queries, sale.id, {
      isHeld,
      mintDelayMs: store?.mint_delay_seconds == null ? rules.mintDelayMs : store.mint_delay_seconds * 1_000n,
      approvedAt: status === "approved" ? sale.approved_at : null,
      payableAt,
    });
  }
  return payableAt;
}

async function stateOf(
  queries: Queries,
  sale: Sale,
  { valued: { status }, isHeld }: Decision,
  { hasBuyer, payableAt }: { hasBuyer: boolean; payableAt: bigint | null },
): Promise<SaleState> {
  const purchases = await readSalePurchases(queries, sale.id);
  return saleState({
    status,
    isHeld,
    hasBuyer,
    isPayable: payableAt !== null && payableAt <= BigInt(await readClock(queries)),
    isSettled: purchases.every(({ row }) => row.settled_at !== null),
  });
}

function columnsOf(sale: Sale, { valued, hold, isHeld, cashbackCentBps }: Decision) {
  return {
    amount_cents: valued.amountCents ?? null,
    commission_cents: valued.commissionCents,
    // For a held sale too: the admin compares it with the commission.
    cashback_cent_bps: cashbackCentBps,
    fx_rate_micros: valued.rateMicros,
    unknown_groups: valued.unknownGroups.join(", ") || null,
    hold_reasons: hold.map(({ reason }) => reason).join(" "),
    hold_figures: encodeFigures(hold),
    reason: reasonText(sale, valued.status, isHeld ? hold : []),
  };
}

type ValuedSale = {
  status: "pending" | "approved" | "declined";
  drift: string | null;
  terms: ClickTerms | undefined;
  amountCents: bigint | undefined;
  commissionCents: bigint | null;
  cashbackCentBps: bigint;
  unknownGroups: string[];
  rateMicros: bigint | null;
};

async function valueSale(
  queries: Queries,
  sale: Sale,
  click: Click | undefined,
  rules: SaleRules,
): Promise<ValuedSale> {
  const report = decodeReport(sale.report);
  const drift =
    report.drift ?? amountProblem(report) ?? (report.status === "unknown" ? "the status is not known" : null);
  const status = sale.declined_by !== null ? "declined" : report.status === "unknown" ? "pending" : report.status;
  const terms = click ? readTerms(click) : undefined;
  const none = { status, drift, terms, commissionCents: null, cashbackCentBps: 0n, unknownGroups: [] };
  if (amountProblem(report) !== undefined) {
    return { ...none, amountCents: 0n, rateMicros: sale.fx_rate_micros };
  }
  const day = dayOf(sale.occurred_at ?? sale.created_at);
  const rateMicros = sale.fx_rate_micros ?? (await findRate(queries, rules.fx, report.currency, day));
  const value = saleValue(report, rateMicros);
  if (!value) return { ...none, amountCents: undefined, rateMicros };
  const { centBps, unknownGroups } = terms ? saleCashback(value.parts, terms) : { centBps: 0n, unknownGroups: [] };
  return {
    status,
    drift,
    terms,
    amountCents: value.amountCents,
    commissionCents: value.commissionCents,
    cashbackCentBps: value.amountCents > 0n ? centBps : 0n,
    unknownGroups,
    rateMicros,
  };
}

async function holdOf(
  queries: Queries,
  sale: Sale,
  click: Click,
  valued: ValuedSale,
  isOrderShared: boolean,
  rules: SaleRules,
) {
  return holdReasons(
    {
      drift: valued.drift,
      currency: sale.currency,
      amountCents: valued.amountCents,
      commissionCents: valued.commissionCents,
      cashbackCentBps: valued.cashbackCentBps,
      isOfAccount: await isOfAccount(queries, sale, click.store_id, rules),
      clickedAt: click.created_at,
      occurredAt: sale.occurred_at,
      ordinalOfDay: await ordinalOfDay(queries, sale),
      isOrderShared,
    },
    rules.limits,
  );
}

function isReleased(sale: Sale, reason: HoldReason): boolean {
  return sale.released_reasons.split(" ").includes(reason);
}

/** A store without an account belongs to the network's account if there is only one. */
async function isOfAccount(queries: Queries, sale: AccountKey, storeId: bigint, rules: SaleRules): Promise<boolean> {
  const store = await readStore(queries, storeId);
  const network = store?.network ?? "direct";
  if (network !== sale.network) return false;
  if (store?.account != null) return store.account === sale.account;
  return rules.accounts.filter((one) => one.network === network).length <= 1;
}

function readStore(queries: Queries, id: bigint) {
  return queries
    .selectFrom("stores")
    .select(["network", "account", "mint_delay_seconds", "hold_seconds"])
    .where("id", "=", id)
    .executeTakeFirst();
}

async function ordinalOfDay(queries: Queries, sale: Sale): Promise<bigint> {
  const at = sale.occurred_at;
  if (at === null || sale.wallet === null) return 1n;
  const day = at - (at % DAY_MS);
  // The position only matters up to the daily limit, so at most `COUNTED` sales of the day are read.
  const ofDay = sql`select id from sales where wallet = ${sale.wallet} and occurred_at >= ${day}
    and occurred_at < ${day + DAY_MS} order by occurred_at limit ${sql.lit(COUNTED)}`;
  const { rows } = await sql<{
    n: bigint;
  }>`select count(*) as n from (${ofDay}) as of_day where id <= ${sale.id}`.execute(queries);
  return BigInt(rows[0]?.n ?? 0n);
}

const SHARED_ORDERS = 10;

/** Other wallets' sales with the same order: two stretches of one index, before and after the buyer's own. */
export async function othersWithOrder(
  queries: Queries,
  sale: Pick<Sale, "order_ref" | "wallet" | "store_id">,
): Promise<Sale[]> {
  if (sale.order_ref === null || sale.order_ref === "" || sale.wallet === null || sale.store_id === null) return [];
  const ofOrder = (side: RawBuilder<unknown>) => sql`select * from (select * from sales
    where order_ref = ${sale.order_ref} and store_id = ${sale.store_id} and state <> 'declined'
    and wallet ${side} ${sale.wallet} limit ${SHARED_ORDERS}) as others`;
  const { rows } = await sql<Sale>`${ofOrder(sql`<`)} union all ${ofOrder(sql`>`)} limit ${SHARED_ORDERS}`.execute(
    queries,
  );
  return rows;
}

/** By the network's own statement; without one, the approval plus the hold. */
function payableTime(sale: Sale, status: string, storeHoldS: bigint | null, rules: SaleRules): bigint | null {
  if (status !== "approved" || sale.approved_at === null) return null;
  if (sale.payable !== null) return sale.payable === 1n ? sale.approved_at : null;
  return sale.approved_at + (storeHoldS === null ? rules.holdMs : storeHoldS * 1_000n);
}

function buyerOf(click: Click) {
  return {
    wallet: click.wallet,
    storeId: click.store_id,
    storeName: click.store_name,
    tokenSlug: click.token_slug,
    holdingsBlock: click.holdings_block,
  };
}

/** In English, for operators reading the database; the api translates it into the caller's language. */
function reasonText(sale: Sale, status: string, holds: readonly Hold[]): string | null {
  if (status === "declined") return sale.decline_reason ?? decodeReport(sale.report).reason;
  return holds.length > 0 ? sayHolds(holds, "en") : null;
}

/** Sales whose currency had no rate; they are applied once there is one. */
export async function listWithoutRate(queries: Queries, key: AccountKey, limit: number): Promise<Sale[]> {
  return queries
    .selectFrom("sales")
    .selectAll()
    .where("network", "=", key.network)
    .where("account", "=", key.account)
    .where(sql<boolean>`state in ('held', 'unmatched')`)
    .where("fx_rate_micros", "is", null)
    .where("amount_cents", "is", null)
    .where("revision_id", "is not", null)
    .orderBy("id")
    .limit(limit)
    .execute();
}
