import { sql } from "kysely";
import { among, givenRows } from "../database/among.ts";
import { databaseNow, engineOf } from "../database/clock.ts";
import { addToDay, dayOf } from "../database/day-totals.ts";
import type { Queries } from "../database/transaction.ts";
import type { bonusColumns } from "../rules/bonus-read.ts";
import { cashbackOfCentBps } from "../rules/cashback.ts";
import { COUNTED_STATUS, lifeOf, type Move, PURCHASE_STATUSES } from "../rules/purchase/life.ts";
import { COUNTED_SITUATIONS, placeOf } from "../rules/purchase/situation.ts";
import { idsOf } from "../rules/records.ts";
import type { Permission } from "../rules/sale/facts.ts";
import type { SimulatedPurchase } from "../rules/sale/simulated.ts";
import { expedite, forgetOperations, lockOperations, UNSENT } from "../sender/queue.ts";
import { undraw } from "./account-books.ts";
import { newClickToken } from "./click-token.ts";
import { makeDue } from "./due.ts";
import { recordChanges, recordTracked } from "./events.ts";
import { type CountedRow, readCountedRows } from "./queries.ts";
import { type Contribution, moveContributions } from "./shop-totals.ts";

/* The rows of purchases: how they are inserted, change, and are counted. docs/product.md#purchase-states */

export type NewPurchase = Omit<SimulatedPurchase, "bonusRead" | "inviteBps" | "traceparent"> & {
  source: "simulated" | "live";
  /** A bonus that is read later. */
  bonus?: ReturnType<typeof bonusColumns>;
  /** How far its network lets it proceed; not at all by default. */
  permission?: Permission;
  /** The sale it belongs to, and its exact cashback. */
  sale?: { id: bigint; centBps: bigint; ref: bigint };
  /** The rate that a restored entitlement had. */
  weiPerCent?: bigint | null;
  /** Whose decision lets it be paid. */
  decidedBy?: string | null;
  /** Of a simulated one, if an invitation names it. */
  clickId?: string;
};

export type InsertedPurchase = { id: bigint; createdAt: bigint; clickId: string; bonusBps: bigint };

/**
 * Freezes the terms of purchases. Their ids are token ids, so they must be above every indexed token: a new database in
 * front of contracts already in use would otherwise assign an existing token.
 */
export async function insertPurchases(
  queries: Queries,
  purchases: readonly NewPurchase[],
): Promise<InsertedPurchase[]> {
  const rows = purchases.map(rowOf);
  let { ids, highest } = await insertRows(queries, rows);
  if ([...ids.values()].some((id) => id <= highest)) {
    await queries
      .deleteFrom("purchases")
      .where("id", "in", [...ids.values()])
      .execute();
    ({ ids, highest } = await insertRowsAbove(queries, rows, highest));
  }
  await countNew(queries, rows);
  await recordTracked(queries, [...ids.values()]);
  return rows.map((row) => ({
    id: ids.get(row.click_id) ?? 0n,
    createdAt: row.created_at,
    clickId: row.click_id,
    bonusBps: row.bonus_bps,
  }));
}

/** Adds them to the sums of their buyers, of the shop and of the day. */
async function countNew(queries: Queries, rows: readonly PurchaseRow[]): Promise<void> {
  await moveContributions(
    queries,
    rows.map((row) => ({ wallet: row.wallet, after: asNew(row.cashback_cent_bps) })),
  );
  for (const [day, ofDay] of Map.groupBy(rows, (row) => dayOf(row.created_at))) {
    const sum = (field: "amount_cents" | "cashback_cent_bps") => ofDay.reduce((total, row) => total + row[field], 0n);
    await addToDay(queries, day, {
      purchases: BigInt(ofDay.length),
      amount_cents: sum("amount_cents"),
      cashback_cent_bps: sum("cashback_cent_bps"),
    });
  }
}

/**
 * A ticket on chain that the database does not know becomes a purchase. Nobody is told of it; it is recounted.
 * docs/product.md#sale-ref
 */
export async function adoptPurchase(
  queries: Queries,
  { id, isCancelled, ...purchase }: NewPurchase & { id: bigint; isCancelled: boolean },
): Promise<void> {
  const row = rowOf(purchase);
  await insertRows(queries, [{ ...row, id, reversed_at: isCancelled ? row.created_at : null }]);
  await countNew(queries, [row]);
  await recountPurchases(queries, [id]);
}

const NO_BONUS = { bonus_read: null, bonus_due_at: null };

/**
 * A new purchase waits for its token and is not due: its next step is already in the outbox, or follows from a change.
 */
function rowOf(purchase: NewPurchase) {
  const row = {
    wallet: purchase.wallet,
    store_id: purchase.storeId,
    store_name: purchase.storeName,
    amount_cents: purchase.amountCents,
    cashback_bps: purchase.cashbackBps,
    bonus_bps: purchase.bonusBps,
    sale_id: purchase.sale?.id ?? null,
    sale_ref: purchase.sale?.ref ?? 0n,
    cashback_cent_bps: purchase.sale?.centBps ?? purchase.amountCents * (purchase.cashbackBps + purchase.bonusBps),
    token_slug: purchase.tokenSlug,
    balance_block: purchase.balanceBlock,
    source: purchase.source,
    approved_at: purchase.permission?.approvedAt ?? null,
    payable_at: purchase.permission?.payableAt ?? null,
    wei_per_cent: purchase.weiPerCent ?? null,
    decided_by: purchase.decidedBy ?? null,
    click_id: purchase.clickId ?? newClickToken(),
    created_at: BigInt(Date.now()),
    metadata_uri: "",
    ...NO_BONUS,
    ...purchase.bonus,
  };
  const counted = asNew(row.cashback_cent_bps);
  return {
    ...row,
    situation: counted.situation,
    counted_status: BigInt(COUNTED_STATUS[counted.status]),
    counted_gwei: counted.gwei,
    counted_cent_bps: counted.centBps,
    counted_paid_gwei: counted.paidGwei,
    counted_open: counted.isOpen ? 1n : 0n,
  };
}

type PurchaseRow = ReturnType<typeof rowOf>;

/** The ids by click id, and the highest token. */
async function insertRows(
  queries: Queries,
  rows: readonly (PurchaseRow & { id?: bigint; reversed_at?: bigint | null })[],
): Promise<{ ids: ReadonlyMap<string, bigint>; highest: bigint }> {
  const inserted = await queries
    .insertInto("purchases")
    .values(rows)
    .returning(["id", "click_id"])
    .returning(({ selectFrom }) =>
      selectFrom("nfts")
        .select(({ fn }) => fn.max("token_id").as("id"))
        .as("highest"),
    )
    .execute();
  return { ids: new Map(inserted.map((row) => [row.click_id, row.id])), highest: inserted[0]?.highest ?? 0n };
}

async function insertRowsAbove(queries: Queries, rows: readonly PurchaseRow[], highest: bigint) {
  // SQLite continues from the highest id by itself; PostgreSQL's sequence must be moved.
  if (engineOf(queries) === "sqlite") {
    return insertRows(
      queries,
      rows.map((row, index) => ({ ...row, id: highest + 1n + BigInt(index) })),
    );
  }
  await sql`select setval(pg_get_serial_sequence('purchases', 'id'), ${highest})`.execute(queries);
  return insertRows(queries, rows);
}

// What changes of them -----------------------------------------------------------------------------------------------------

/**
 * What is decided of a simulated purchase's bonus after it was registered: its percent can rise only until its mint is
 * sent. `after` is its `bonus_read`, or it is read again at `bonus_due_at`. docs/product.md#bonus-read
 */
export async function giveLateBonus(
  queries: Queries,
  id: bigint,
  decided: { bonusBps: bigint | undefined; after: string } | { bonus_due_at: bigint },
): Promise<void> {
  const change = "after" in decided ? { bonus_read: decided.after, bonus_due_at: null } : decided;
  const row = await queries
    .updateTable("purchases")
    .set(change)
    .where("id", "=", id)
    .where("bonus_due_at", "is not", null)
    .returning(["amount_cents", "cashback_bps", "bonus_bps"])
    .executeTakeFirst();
  if (!row || !("after" in decided)) return;
  const { bonusBps = row.bonus_bps } = decided;
  const [mint] = await lockOperations(queries, [id], ["mint"]);
  if (mint && UNSENT.some((of) => of === mint.status)) {
    const cashback_cent_bps = row.amount_cents * (row.cashback_bps + bonusBps);
    await queries
      .updateTable("purchases")
      .set({ approval_id: null, reversed_at: null, settled_at: null, bonus_bps: bonusBps, cashback_cent_bps })
      .where("id", "=", id)
      .execute();
    await expedite(queries, "mint", [id]);
  }
  await recountPurchases(queries, [id]);
}

/** Withdraws a buyer's own purchase: it is never minted. */
export async function withdrawPurchase(queries: Queries, id: bigint): Promise<void> {
  await withdrawMove(queries, id, "mint");
  await reversePurchase(queries, id);
  await recountPurchases(queries, [id]);
}

/** Reverses an unpaid purchase: it is never minted, cancelled on chain, or never paid. The caller recounts it. */
export async function reversePurchase(queries: Queries, id: bigint): Promise<void> {
  const isMinted = sql<boolean>`exists (select 1 from nfts where nfts.token_id = purchases.id and nfts.status = 1)
    or exists (select 1 from operations where operations.subject_id = purchases.id and kind = 'mint'
      and operations.status in ('assigned', 'done'))`;
  // A Pending ticket must still be cancelled on chain; otherwise nothing is left to do.
  await queries
    .updateTable("purchases")
    .set({
      reversed_at: BigInt(Date.now()),
      approval_id: null,
      settled_at: sql<bigint | null>`case when ${isMinted} then settled_at else ${databaseNow(queries)} end`,
    })
    .where("id", "=", id)
    .execute();
}

/**
 * Withdraws a move that has not been sent. With a payout, the debt that it had offset is restored. The caller recounts
 * it.
 */
export async function withdrawMove(queries: Queries, id: bigint, move: Move): Promise<void> {
  await forgetOperations(queries, [move], id);
  if (move !== "pay") return;
  await undraw(queries, [id]);
  await queries
    .updateTable("purchases")
    .set({ offset_gwei: 0n })
    .where("id", "=", id)
    .where("offset_gwei", ">", 0n)
    .execute();
}

// How they are counted ----------------------------------------------------------------------------------------------------

/** Ids in one statement; SQLite takes 32,766 parameters. */
const PAGE = 5_000;

/**
 * Recounts purchases after a change of their rows, tokens or payouts, in the transaction of the change, and makes them
 * due. Idempotent.
 */
export async function recountPurchases(queries: Queries, ids: readonly bigint[]): Promise<void> {
  for (const page of pagesOf(ids)) {
    const { changed, counted } = await countPage(queries, page);
    await writeCounted(queries, changed);
    await makeDue(queries, idsOf(counted));
  }
}

/**
 * Counts the locked purchases whose totals are behind, not counted since the index was emptied. A waiting period that
 * ends is no change: that would write each row once more before its payout does. The caller decides when they are due.
 */
export async function countLate(queries: Queries, purchases: readonly { row: CountedRow }[]): Promise<void> {
  const late = purchases.filter(
    ({ row }) => !isSame(countedOf(row), { ...contributionOf(row), situation: row.situation }),
  );
  for (const page of pagesOf(late.map(({ row }) => row.id))) {
    await writeCounted(queries, (await countPage(queries, page)).changed);
  }
}

function pagesOf(ids: readonly bigint[]): (readonly bigint[])[] {
  return Array.from({ length: Math.ceil(ids.length / PAGE) }, (_, index) =>
    ids.slice(index * PAGE, (index + 1) * PAGE),
  );
}

/** Locks rows until the end of the transaction, in order: waits for concurrent changes, and reads them. */
async function lockCountedRows(queries: Queries, ids: readonly bigint[]): Promise<CountedRow[]> {
  // SQLite has one writer at a time.
  if (engineOf(queries) === "postgres") {
    const locked = queries
      .selectFrom("purchases")
      .select("id")
      .where(among(queries, "id", ids));
    await locked.orderBy("id").forUpdate().execute();
  }
  return readCountedRows(queries, ids);
}

/** Adds the difference between the current and the counted values to the totals. */
async function countPage(
  queries: Queries,
  ids: readonly bigint[],
): Promise<{ changed: Counted[]; counted: Counted[] }> {
  const rows = (await lockCountedRows(queries, ids)).map((row) => ({
    id: row.id,
    wallet: row.wallet,
    before: countedOf(row),
    after: contributionOf(row),
    payoutGwei: row.paid_gwei,
  }));
  const changed = rows.filter(({ before, after }) => !isSame(before, after));
  await moveContributions(queries, changed);
  // A purchase that was never counted has no past of which its buyer could be told.
  await recordChanges(
    queries,
    changed.map((one) => ({ ...one, before: one.before ?? one.after, cashbackGwei: one.after.gwei })),
  );
  return { changed, counted: rows };
}

function isSame(one: Contribution | undefined, other: Contribution): boolean {
  return Object.entries(other).every(([name, value]) => one?.[name as keyof Contribution] === value);
}

/** How a purchase without a token is counted; written with its new row. */
function asNew(centBps: bigint): Contribution {
  return { situation: "recorded", status: "processing", gwei: null, centBps, paidGwei: 0n, isOpen: true };
}

/** What a purchase contributes to the totals now. */
export function contributionOf(row: CountedRow): Contribution {
  const life = lifeOf(row);
  const payout = row.settled_at === null ? undefined : (row.payout_state ?? undefined);
  return {
    // A switch to live purchases alone changes no row.
    ...placeOf({ life, payout, saleState: row.sale_state }, { now: row.now, isLive: false }),
    gwei: row.wei_per_cent === null ? null : cashbackOfCentBps(row.cashback_cent_bps, row.wei_per_cent),
    centBps: row.cashback_cent_bps,
    paidGwei: row.payout_state === "paid" ? (row.paid_gwei ?? 0n) : 0n,
    isOpen: row.settled_at === null && row.reversed_at === null,
  };
}

function countedOf(row: CountedRow): Contribution | undefined {
  const status = PURCHASE_STATUSES.find((name) => BigInt(COUNTED_STATUS[name]) === row.counted_status);
  return (
    status && {
      situation: row.situation,
      status,
      gwei: row.counted_gwei,
      centBps: row.counted_cent_bps,
      paidGwei: row.counted_paid_gwei,
      isOpen: row.counted_open === 1n,
    }
  );
}

type Counted = { id: bigint; after: Contribution };

/** One statement for all of them. */
async function writeCounted(queries: Queries, rows: readonly Counted[]): Promise<void> {
  if (rows.length === 0) return;
  const { list, column } = givenRows(
    queries,
    rows.map(({ id, after: one }) => ({
      id,
      status: BigInt(COUNTED_STATUS[one.status]),
      gwei: one.gwei,
      centBps: one.centBps,
      paidGwei: one.paidGwei,
      isOpen: one.isOpen ? 1n : 0n,
      situation: BigInt(COUNTED_SITUATIONS.indexOf(one.situation)),
    })),
  );
  const situation = sql.join(
    COUNTED_SITUATIONS.map((name, index) => sql`when ${sql.lit(index)} then ${sql.lit(name)}`),
    sql` `,
  );
  await sql`update purchases set situation = case c.situation ${situation} end, counted_status = c.status, counted_gwei = c.gwei,
      counted_cent_bps = c.cent_bps, counted_paid_gwei = c.paid_gwei, counted_open = c.is_open
    from (select ${column.id} as id, ${column.status} as status, ${column.gwei} as gwei, ${column.centBps} as cent_bps,
      ${column.paidGwei} as paid_gwei, ${column.isOpen} as is_open, ${column.situation} as situation from ${list}) c
    where purchases.id = c.id`.execute(queries);
}
