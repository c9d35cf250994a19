import { sql } from "kysely";
import { among } from "../database/among.ts";
import { databaseNow, engineOf } from "../database/clock.ts";
import { addToDay, dayOf } from "../database/day-totals.ts";
import { touchUser, touchUsers } from "../database/touch-user.ts";
import type { Queries } from "../database/transaction.ts";
import { WEI_PER_GWEI } from "../domain/product.ts";
import type { Move } from "../domain/purchase/life.ts";
import type { Permission, TicketFacts } from "../domain/sale/decide.ts";
import type { SimulatedPurchase } from "../domain/sale/simulated.ts";
import { forgetOperations, lockOperations } from "../sender/queue.ts";
import { attribute, lapseApprovals } from "./approvals.ts";
import { newClickToken } from "./click-token.ts";
import { addNewPurchases, countedAsNew, recountPurchases } from "./counting.ts";
import { recordTracked } from "./events.ts";

/*
 * Every change of a purchase's row. Only `counting.ts` sets how a purchase was counted.
 * docs/product.md#purchase-steps
 */

const BPS = 10_000n;

export type NewPurchase = SimulatedPurchase & {
  source: "simulated" | "live";
  /** How far its network lets it proceed; not at all by default. */
  permission?: Permission;
  /** The sale it belongs to, and its exact cashback. */
  sale?: { id: bigint; centBps: bigint; ref: bigint };
  /** The rate that a restored entitlement had. */
  weiPerCent?: bigint | null;
  /** Whose decision lets it be paid. */
  decidedBy?: string | null;
};

export type InsertedPurchase = { id: bigint; createdAt: bigint; clickId: string };

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
  await addNewPurchases(queries, rows);
  await countNew(queries, rows);
  await recordTracked(queries, [...ids.values()]);
  return rows.map((row) => ({
    id: ids.get(row.click_id) ?? 0n,
    createdAt: row.created_at,
    clickId: row.click_id,
  }));
}

async function countNew(queries: Queries, rows: readonly PurchaseRow[]): Promise<void> {
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
 * A ticket on chain that the database does not know becomes a purchase, with the cashback of the ticket. The rate of a
 * payment follows from what was paid. docs/product.md#sale-ref
 */
export async function adoptTicket(
  queries: Queries,
  ticket: TicketFacts,
  { saleId, storeName }: { saleId: bigint; storeName: string },
): Promise<void> {
  const { id, ref, valueCents, cashbackBps, bonusBps, paidGwei } = ticket;
  const centBps = valueCents * (cashbackBps + bonusBps);
  const row = rowOf({
    wallet: ticket.owner,
    storeId: ticket.storeId,
    storeName,
    amountCents: valueCents,
    cashbackBps,
    bonusBps,
    tokenSlug: null,
    holdingsBlock: null,
    source: "live",
    sale: { id: saleId, centBps, ref },
    // Rounded up, so that the cashback at this rate is exactly what was paid.
    weiPerCent: paidGwei === null ? null : (paidGwei * WEI_PER_GWEI * BPS + centBps - 1n) / centBps,
  });
  await insertRows(queries, [{ ...row, id, reversed_at: ticket.isCancelled ? row.created_at : null }]);
  await addNewPurchases(queries, [row]);
  await countNew(queries, [row]);
  await recountPurchases(queries, [id]);
}

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
    holdings_block: purchase.holdingsBlock,
    source: purchase.source,
    approved_at: purchase.permission?.approvedAt ?? null,
    payable_at: purchase.permission?.payableAt ?? null,
    wei_per_cent: purchase.weiPerCent ?? null,
    decided_by: purchase.decidedBy ?? null,
    click_id: newClickToken(),
    created_at: BigInt(Date.now()),
    metadata_uri: "",
  };
  return { ...row, ...countedAsNew(row.cashback_cent_bps) };
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

/** Freezes the rate; the first call for a purchase counts. The caller recounts them. */
export async function freezeRates(queries: Queries, ids: readonly bigint[], weiPerCent: bigint): Promise<void> {
  if (ids.length === 0) return;
  await queries
    .updateTable("purchases")
    .set({ wei_per_cent: weiPerCent })
    .where(among(queries, "id", ids))
    .where("wei_per_cent", "is", null)
    .execute();
}

/**
 * Replaces the drawn ticket by a URI; possible only before the mint is sent, which the caller checks.
 * docs/product.md#mint
 */
export async function setMetadataUri(queries: Queries, id: bigint, metadataUri: string): Promise<void> {
  await queries.updateTable("purchases").set({ metadata_uri: metadataUri }).where("id", "=", id).execute();
}

export type PurchaseTerms = { valueCents: bigint; cashbackBps: bigint; bonusBps: bigint };

/**
 * Changes the buyer's cashback, or restores a withdrawn one; before the mint, the terms can change too. The caller
 * recounts it.
 */
export async function entitlePurchase(
  queries: Queries,
  id: bigint,
  { centBps, terms, isRateNew = false }: { centBps: bigint; terms?: PurchaseTerms; isRateNew?: boolean },
): Promise<void> {
  await forgetOperations(queries, ["mint", "confirm", "pay"], id);
  await lapseApprovals(queries, id);
  await queries
    .updateTable("purchases")
    .set({
      approval_id: null,
      reversed_at: null,
      settled_at: null,
      offset_gwei: 0n,
      cashback_cent_bps: centBps,
      ...(isRateNew && { wei_per_cent: null }),
      ...(terms && { amount_cents: terms.valueCents, cashback_bps: terms.cashbackBps, bonus_bps: terms.bonusBps }),
    })
    .where("id", "=", id)
    .execute();
}

/** Withdraws a buyer's own purchase: it is never minted. */
export async function withdrawPurchase(queries: Queries, id: bigint): Promise<void> {
  await reversePurchase(queries, id);
  await recountPurchases(queries, [id]);
}

/** Reverses an unpaid purchase: it is never minted, cancelled on chain, or never paid. The caller recounts it. */
export async function reversePurchase(queries: Queries, id: bigint): Promise<void> {
  await forgetOperations(queries, ["mint", "confirm", "pay"], id);
  await lapseApprovals(queries, id);
  const isMinted = sql<boolean>`exists (select 1 from nfts where nfts.token_id = purchases.id and nfts.status = 1)
    or exists (select 1 from operations where operations.subject_id = purchases.id and kind = 'mint')`;
  // A Pending ticket must still be cancelled on chain; otherwise nothing is left to do.
  await queries
    .updateTable("purchases")
    .set({
      reversed_at: BigInt(Date.now()),
      approval_id: null,
      offset_gwei: 0n,
      settled_at: sql<bigint | null>`case when ${isMinted} then settled_at else ${databaseNow(queries)} end`,
    })
    .where("id", "=", id)
    .execute();
}

/** Sets how far a live purchase may proceed automatically; null means not yet. The caller recounts it. */
export async function permitPurchase(
  queries: Queries,
  id: bigint,
  { approvedAt, payableAt }: { approvedAt: bigint | null; payableAt: bigint | null },
): Promise<void> {
  await queries
    .updateTable("purchases")
    .set({ approved_at: approvedAt, payable_at: payableAt })
    .where("id", "=", id)
    .execute();
}

/** Keeps part of a purchase's cashback to offset the buyer's debt. docs/product.md#debt */
export async function keepOffset(queries: Queries, id: bigint, gwei: bigint): Promise<void> {
  await queries.updateTable("purchases").set({ offset_gwei: gwei }).where("id", "=", id).execute();
}

/**
 * Withdraws a move that has not been sent. With a payout, the debt that it had offset is restored. The caller recounts
 * it.
 */
export async function withdrawMove(queries: Queries, id: bigint, move: Move): Promise<void> {
  await forgetOperations(queries, [move], id);
  if (move !== "pay") return;
  await queries
    .updateTable("purchases")
    .set({ offset_gwei: 0n })
    .where("id", "=", id)
    .where("offset_gwei", ">", 0n)
    .execute();
}

/**
 * Holds a purchase for an admin: it is neither confirmed nor paid until it is released. The caller makes its step, which
 * withdraws what is queued. Returns why it can no longer be held. docs/product.md#panel-hold
 */
export async function holdPurchase(
  queries: Queries,
  id: bigint,
  { actor, reason }: { actor: string; reason: string | null },
): Promise<"held" | "held before" | "paid" | "over"> {
  const purchase = await lockPurchase(queries, id);
  if (purchase.held_at !== null) return "held before";
  // Locked, so that it is not sent before the decision that withdraws it.
  const [payout] = await lockOperations(queries, [id], ["pay"]);
  if (payout?.status === "assigned" || payout?.status === "done") return "paid";
  if (purchase.settled_at !== null) return "over";
  await lapseApprovals(queries, id);
  await queries
    .updateTable("purchases")
    .set({ held_at: BigInt(Date.now()), held_by: actor, held_reason: reason, approval_id: null })
    .where("id", "=", id)
    .execute();
  await recountPurchases(queries, [id]);
  return "held";
}

/** Releases a held purchase, which is paid by the actor's decision from now on. Returns false if it is not held. */
export async function releasePurchase(queries: Queries, id: bigint, actor: string): Promise<boolean> {
  const purchase = await lockPurchase(queries, id);
  if (purchase.held_at === null) return false;
  await queries
    .updateTable("purchases")
    .set({ held_at: null, held_by: null, held_reason: null })
    .where("id", "=", id)
    .execute();
  await attribute(queries, [id], actor);
  await recountPurchases(queries, [id]);
  return true;
}

type Verdict = { isApproved: boolean; actor: string; reason: string | null };

/** Decides an open request; an approved payout goes on. False: it is decided or lapsed. docs/product.md#panel-approvals */
export async function decideApproval(queries: Queries, id: bigint, verdict: Verdict): Promise<boolean> {
  return (await decideApprovals(queries, [id], verdict)).length > 0;
}

/** Decides those of these requests that are open, by a fixed number of queries. Returns them. */
export async function decideApprovals(queries: Queries, ids: readonly bigint[], verdict: Verdict) {
  const asked = await queries
    .selectFrom("approvals")
    .select("wallet")
    .where(among(queries, "id", ids))
    .execute();
  await touchUsers(queries, new Set(asked.map(({ wallet }) => wallet)));
  const decided = await queries
    .updateTable("approvals")
    .set({
      state: verdict.isApproved ? "approved" : "refused",
      decided_by: verdict.actor,
      decision_reason: verdict.reason,
      decided_at: BigInt(Date.now()),
    })
    .where(among(queries, "id", ids))
    .where("state", "=", "open")
    .returning(["id", "purchase_id", "amount_gwei"])
    .execute();
  if (!verdict.isApproved || decided.length === 0) return decided;
  const purchases = decided.map((row) => row.purchase_id);
  await queries
    .updateTable("purchases")
    .set({ approval_id: null })
    .where(among(queries, "id", purchases))
    .where(among(queries, "approval_id", ids))
    .execute();
  await recountPurchases(queries, purchases);
  return decided;
}

/** Locks a purchase's row after its buyer's row, which every change of money locks first. */
async function lockPurchase(queries: Queries, id: bigint) {
  const select = () =>
    queries
      .selectFrom("purchases")
      .select(["wallet", "held_at", "settled_at"])
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
  await touchUser(queries, (await select()).wallet);
  return select();
}

/** Settles these purchases. Returns their sales, which are to be decided anew. The caller recounts them. */
export async function settlePurchases(queries: Queries, ids: readonly bigint[]): Promise<ReadonlySet<bigint>> {
  if (ids.length === 0) return new Set();
  const settled = await queries
    .updateTable("purchases")
    .set({ settled_at: databaseNow(queries) })
    .where(among(queries, "id", ids))
    .where("settled_at", "is", null)
    .returning("sale_id")
    .execute();
  return new Set(settled.flatMap(({ sale_id }) => sale_id ?? []));
}
