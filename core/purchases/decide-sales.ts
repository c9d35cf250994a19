import { sql } from "kysely";
import { databaseNow, engineOf, readClock } from "../database/clock.ts";
import { addToDay, dayOf } from "../database/day-totals.ts";
import { touchUsers } from "../database/touch-user.ts";
import type { Queries } from "../database/transaction.ts";
import { bonusColumns, READ_UNTIL_MS } from "../rules/bonus-read.ts";
import { cashbackOfCentBps, centBpsOfGwei } from "../rules/cashback.ts";
import { WEI_PER_GWEI } from "../rules/product.ts";
import type { Move } from "../rules/purchase/life.ts";
import { idsOf } from "../rules/records.ts";
import { adoptable, buyerOf, decide } from "../rules/sale/decide.ts";
import type { ClickFacts, Payment, Permission, SaleDecision, TicketFacts } from "../rules/sale/facts.ts";
import { encodeFigures, sayHolds } from "../rules/sale/hold.ts";
import type { SaleAction } from "../rules/sale/plan.ts";
import type { SaleRules } from "../rules/sale/rules.ts";
import { type SimulatedPurchase, simulatedSale } from "../rules/sale/simulated.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { enqueue, expedite, forgetOperations, lockOperations, UNSENT } from "../sender/queue.ts";
import { undraw } from "./account-books.ts";
import { lapseApprovals, openDay } from "./approvals.ts";
import { newClickToken } from "./click-token.ts";
import { addNewPurchases, countedAsNew, recountPurchases } from "./counting.ts";
import { adjustDebt, forgetDebts, listReturned } from "./debt.ts";
import { recordTracked } from "./events.ts";
import { encodeKept, type LoadedSale, loadSales, type SaleRow } from "./facts.ts";
import { judgeFreed } from "./freed.ts";
import { lockSales, requireLocked } from "./locks.ts";
import { type CountedLife, IS_UNSETTLED } from "./queries.ts";
import { contributionOf, moveTotals } from "./sale-row.ts";
import { liftedBy, SharedDebt } from "./shared-debt.ts";

/**
 * Decides sales anew from all their facts and saves what changed, in the transaction of the change: the only way in
 * which a sale's state, purchases, debts and operations change. With them all that share a fact: others of their orders,
 * and of their buyers who owe something. So deciding any of them again changes nothing. docs/product.md#sales-decision
 */
export async function decideSales(queries: Queries, ids: Iterable<bigint>, rules: SaleRules): Promise<Decided> {
  const decided: Decided = { changed: new Set(), unchanged: [] };
  const { changed, unchanged } = decided;
  const wanted = new Set(ids);
  if (wanted.size === 0) return decided;
  await lockSales(queries, { sales: wanted });
  const now = BigInt(await readClock(queries));
  const { loaded, debt } = await loadTogether(queries, wanted, rules, now);
  const recounted = new Set<bigint>();
  const day = debt.debtors.size === 0 ? undefined : await openDay(queries);
  for (const sale of loaded) {
    const decision = debt.decide(sale, day?.leftGwei);
    if (day) await day.count(liftedBy(sale.facts, decision));
    const waited = await judgeFreed(queries, sale, decision);
    const touched = new Set([...waited, ...(await save(queries, sale, decision, rules))]);
    if (touched.size > 0) changed.add(sale.row.id);
    else unchanged.push(...sale.lives);
    for (const id of [...touched, ...shownOtherwise(sale, decision)]) recounted.add(id);
  }
  for (const { id, sale_id } of await takeBackPayouts(queries, debt.unsettled)) {
    recounted.add(id);
    if (sale_id !== null) changed.add(sale_id);
    const index = unchanged.findIndex(({ row }) => row.id === id);
    if (index >= 0) unchanged.splice(index, 1);
  }
  await recountPurchases(queries, [...recounted]);
  return decided;
}

/** The sales whose purchases changed, and the purchases of the others. */
export type Decided = { changed: Set<bigint>; unchanged: CountedLife[] };

/** Sales, oldest first, with all that are decided with them. Who has no twin and owes nothing is read once. */
async function loadTogether(
  queries: Queries,
  ids: ReadonlySet<bigint>,
  rules: SaleRules,
  now: bigint,
): Promise<{ loaded: LoadedSale[]; debt: SharedDebt }> {
  const all = new Set(ids);
  const load = async () => {
    let loaded = await loadSales(queries, [...all], rules);
    if (await adoptTickets(queries, loaded)) loaded = await loadSales(queries, [...all], rules);
    if (await adoptFates(queries, loaded)) loaded = await loadSales(queries, [...all], rules);
    return { loaded, debt: new SharedDebt(loaded, rules, now) };
  };
  const addAll = (some: readonly bigint[]) => {
    const { size } = all;
    for (const id of some) all.add(id);
    return all.size > size;
  };
  let read = await load();
  const related = new Set(read.loaded.flatMap((sale) => sale.related));
  requireLocked(queries, related);
  if (addAll([...related])) read = await load();
  // Their buyers are locked, and whoever locks a sale has locked its buyer.
  if (addAll(await listReturned(queries, read.debt.debtors))) read = await load();
  return read;
}

/**
 * What is queued for these buyers and not sent, or was kept of what waits: what it keeps of it is decided again. Returns the
 * purchases. docs/product.md#debt
 */
async function takeBackPayouts(queries: Queries, buyers: readonly WalletAddress[]) {
  if (buyers.length === 0) return [];
  const unsent = await queries
    .selectFrom("purchases")
    .leftJoin("operations", (join) =>
      join.onRef("operations.subject_id", "=", "purchases.id").on("operations.kind", "=", "pay"),
    )
    .select(["purchases.id", "purchases.sale_id"])
    .where("purchases.wallet", "in", buyers)
    .where(IS_UNSETTLED)
    .where("purchases.sale_id", "is not", null)
    .where(({ or, eb }) => or([eb("operations.status", "in", UNSENT), eb("purchases.offset_gwei", ">", 0n)]))
    .execute();
  if (unsent.length === 0) return [];
  // Locked, so that none is sent meanwhile.
  const locked = await lockOperations(queries, idsOf(unsent), ["pay"]);
  const isSent = (id: bigint) => locked.some((one) => one.subject_id === id && !UNSENT.some((of) => of === one.status));
  const taken = unsent.filter(({ id }) => !isSent(id));
  for (const { id } of taken) await withdrawMove(queries, id, "pay");
  return taken;
}

/** Tickets of a sale that the database does not know become its purchases. Returns whether there were any. */
async function adoptTickets(queries: Queries, loaded: readonly LoadedSale[]): Promise<boolean> {
  const found = loaded.flatMap(({ row, facts }) => adoptable(facts).map((ticket) => ({ row, facts, ticket })));
  for (const { row, facts, ticket } of found) {
    const click = buyerOf(facts).click as ClickFacts;
    await adoptTicket(queries, ticket, { saleId: row.id, storeName: click.storeName });
  }
  return found.length > 0;
}

/**
 * What the chain did is a fact: a database that was moved back may have promised more or less, or not yet have frozen the
 * rate; may have withdrawn what was paid, or not what was cancelled. Returns whether there was any such purchase.
 * docs/product.md#sale-ref
 */
async function adoptFates(queries: Queries, loaded: readonly LoadedSale[]): Promise<boolean> {
  const purchases = loaded.flatMap((sale) => sale.facts.purchases.map((one) => ({ one, sale })));
  const cancelled = purchases.filter(({ one }) => one.stage === "cancelled" && !one.isWithdrawn);
  for (const { one } of cancelled) {
    await lapseApprovals(queries, one.id);
    await reversePurchase(queries, one.id);
  }
  const paid = purchases.flatMap(({ one, sale }) => {
    const known = { centBps: one.centBps, weiPerCent: one.weiPerCent, offsetGwei: one.offsetGwei };
    const said = one.payment ? saidOf(one.payment, known) : undefined;
    return said || (one.payment && one.isWithdrawn) ? [{ one, sale, said }] : [];
  });
  for (const { one, sale, said } of paid) {
    await lapseApprovals(queries, one.id);
    const owed = { purchaseId: one.id, revisionId: sale.row.revision_id ?? 0n, wallet: one.wallet };
    if (said) await forgetDebts(queries, owed);
    const columns = said && {
      cashback_cent_bps: said.centBps,
      wei_per_cent: said.weiPerCent,
      offset_gwei: said.offsetGwei,
    };
    await queries
      .updateTable("purchases")
      .set({ reversed_at: null, ...columns })
      .where("id", "=", one.id)
      .execute();
  }
  const adopted = [...cancelled, ...paid].map(({ one }) => one.id);
  await recountPurchases(queries, adopted);
  return adopted.length > 0;
}

type Promised = { centBps: bigint; weiPerCent: bigint | null; offsetGwei: bigint };

/**
 * The cashback and the rate that a payment shows, if its row promised otherwise. What was kept of it for a debt, and is
 * not known any more, was not paid: it is owed anew, and kept for that debt again.
 */
function saidOf(payment: Payment, promised: Promised): (Promised & { weiPerCent: bigint }) | undefined {
  const { gwei } = payment;
  const weiPerCent = payment.weiPerCent ?? promised.weiPerCent ?? rateFor(gwei, promised.centBps);
  const isSame = promised.weiPerCent === weiPerCent;
  if (isSame && cashbackOfCentBps(promised.centBps, weiPerCent) === gwei + promised.offsetGwei) return undefined;
  const isGuess = payment.weiPerCent === null && promised.weiPerCent === null;
  return { weiPerCent, centBps: isGuess ? promised.centBps : centBpsOfGwei(gwei, weiPerCent), offsetGwei: 0n };
}

/** The rate at which a cashback is exactly what was paid: rounded up. Of a payment that 1.0.0 read, all that can be known. */
function rateFor(gwei: bigint, centBps: bigint): bigint {
  return (gwei * WEI_PER_GWEI * BPS + centBps - 1n) / centBps;
}

/** Each of a sale's purchases shows whether it is held or declined. */
function shownOtherwise({ row, facts }: LoadedSale, { state }: SaleDecision): bigint[] {
  const isChanged = ["held", "declined"].some((one) => (one === state) !== (one === row.state));
  return isChanged ? facts.purchases.map(({ id }) => id) : [];
}

/** Writes the difference between a sale and what was decided. Returns the purchases that changed, to be recounted. */
async function save(
  queries: Queries,
  sale: LoadedSale,
  decision: SaleDecision,
  { saleRefs }: SaleRules,
): Promise<ReadonlySet<bigint>> {
  const { row } = sale;
  const { actions, click, steps } = decision;
  const touched = new Set<bigint>();
  const [ref = 0n] = saleRefs({ ...row, saleKey: row.sale_key });
  for (const { id, withdrawn } of steps) for (const move of withdrawn) await withdrawMove(queries, id, move);
  for (const action of actions) await act(queries, sale, decision, { action, ref }, touched);
  for (const { id, approvedAt, payableAt, mintAfterMs } of steps) {
    touched.add(id);
    await permitPurchase(queries, id, { approvedAt, payableAt });
    if (mintAfterMs !== null) await enqueue(queries, [{ kind: "mint", subjectId: id, afterMs: mintAfterMs }]);
  }
  for (const id of await stopPurchases(queries, row.id, decision.stops)) touched.add(id);
  const columns = columnsOf(sale, decision, click);
  const after = { ...row, ...columns };
  const counted = await moveTotals(queries, row.counted, contributionOf(after, decision.paidCentBps));
  const isSame =
    counted === row.counted && Object.entries(columns).every(([name, value]) => value === row[name as keyof SaleRow]);
  if (!isSame) {
    await queries
      .updateTable("sales")
      .set({ ...columns, counted, updated_at: BigInt(Date.now()) })
      .where("id", "=", row.id)
      .execute();
  }
  return touched;
}

/** A person's no is that of all purchases of a sale, whichever a decision makes of it. Returns those that had none. */
async function stopPurchases(
  queries: Queries,
  saleId: bigint,
  { hold, refusedRequest }: SaleDecision["stops"],
): Promise<bigint[]> {
  const open = () =>
    queries.updateTable("purchases").where("sale_id", "=", saleId).where("settled_at", "is", null).returning("id");
  const held =
    hold === null
      ? []
      : await open()
          .set({ held_at: hold.at, held_by: hold.by, held_reason: hold.reason })
          .where("held_at", "is", null)
          .execute();
  for (const { id } of held) await withdrawMove(queries, id, "pay");
  const refused =
    refusedRequest === null
      ? []
      : await open()
          .set({ approval_id: refusedRequest })
          .where(({ or, eb }) => or([eb("approval_id", "is", null), eb("approval_id", "<>", refusedRequest)]))
          .execute();
  return idsOf([...held, ...refused]);
}

async function act(
  queries: Queries,
  { row, facts }: LoadedSale,
  { click, permission }: SaleDecision,
  { action, ref }: { action: SaleAction; ref: bigint },
  touched: Set<bigint>,
): Promise<void> {
  if (action.kind === "create") {
    if (!click) throw new Error(`Sale ${row.id} has no buyer`);
    const of = {
      source: "live" as const,
      sale: { id: row.id, centBps: action.centBps, ref },
      decidedBy: row.decided_by,
    };
    const [created] = await create(queries, [{ ...of, click, action, permission }]);
    if (created) touched.add(created.id);
    return;
  }
  touched.add(action.id);
  if (action.kind === "adjust") {
    const wallet = facts.purchases.find((one) => one.id === action.id)?.wallet as WalletAddress;
    return adjustDebt(queries, { purchaseId: action.id, revisionId: row.revision_id ?? 0n, wallet }, action);
  }
  await lapseApprovals(queries, action.id);
  if (action.kind === "withdraw") return reversePurchase(queries, action.id);
  const { id, centBps } = action;
  if (action.kind === "correct") return entitlePurchase(queries, id, { centBps, terms: action });
  return entitlePurchase(queries, id, { centBps, isRateNew: action.weiPerCent === null });
}

type Created = Pick<NewPurchase, "source" | "sale" | "decidedBy" | "bonusRead"> & {
  click: ClickFacts;
  action: SaleAction & { kind: "create" };
  permission: SaleDecision["permission"];
};

/** Inserts purchases that were decided, and queues their mints. */
async function create(queries: Queries, created: readonly Created[]): Promise<InsertedPurchase[]> {
  const inserted = await insertPurchases(
    queries,
    created.map(({ click, action, ...of }) => ({
      ...of,
      wallet: click.wallet,
      storeId: click.store.id,
      storeName: click.storeName,
      amountCents: action.valueCents,
      cashbackBps: action.cashbackBps,
      bonusBps: action.bonusBps,
      tokenSlug: click.tokenSlug,
      balanceBlock: click.balanceBlock,
      weiPerCent: action.weiPerCent ?? null,
    })),
  );
  const mints = created.flatMap(({ permission }, index) => {
    const [id, afterMs] = [inserted[index]?.id, permission.mintAfterMs];
    return id === undefined || afterMs === null ? [] : [{ kind: "mint" as const, subjectId: id, afterMs }];
  });
  await enqueue(queries, mints);
  return inserted;
}

/**
 * Registers simulated purchases of any buyers: what is decided about a sale of the network `simulated`, with the mints
 * of their tickets after a delay. docs/product.md#purchase-simulated
 */
export async function registerSimulated(
  queries: Queries,
  purchases: readonly SimulatedPurchase[],
  { rules, mintDelayMs }: { rules: SaleRules; mintDelayMs: bigint },
): Promise<InsertedPurchase[]> {
  await touchUsers(queries, new Set(purchases.map(({ wallet }) => wallet)));
  const now = BigInt(await readClock(queries));
  const created = purchases.map((purchase): Created => {
    // A ticket's percent is for ever: it is minted once its bonus is decided.
    const delayMs = purchase.bonusRead ? READ_UNTIL_MS : mintDelayMs;
    const { click, actions, permission } = decide(simulatedSale(purchase, { now, mintDelayMs: delayMs }), rules, now);
    const [action] = actions;
    if (!click || action?.kind !== "create") throw new Error("A simulated purchase has no cashback");
    return { source: "simulated", click, action, permission, bonusRead: purchase.bonusRead ?? null };
  });
  return create(queries, created);
}

function columnsOf({ facts }: LoadedSale, decision: SaleDecision, click: ClickFacts | null) {
  const { value, holds, isHeld, isDeclined, kept } = decision;
  return {
    ...(click && { click_id: click.id, wallet: click.wallet, store_id: click.store.id }),
    state: decision.state,
    amount_cents: value?.amountCents ?? null,
    commission_cents: value?.commissionCents ?? null,
    // For a held sale too: the admin compares it with the commission.
    cashback_cent_bps: decision.cashbackCentBps,
    fx_rate_micros: kept.rates.get(facts.report.currency) ?? null,
    unknown_groups: decision.unknownGroups.join(", ") || null,
    hold_reasons: holds.map(({ reason }) => reason).join(" "),
    hold_figures: encodeFigures(holds),
    // In English, for operators reading the database; the api translates it into the caller's language.
    reason: isDeclined
      ? facts.declined
        ? facts.declined.reason
        : facts.report.reason
      : isHeld
        ? sayHolds(holds, "en")
        : null,
    kept: encodeKept(kept),
    order_key: decision.orderKey,
  };
}

// Rows of purchases ------------------------------------------------------------------------------------------------------

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
 * A ticket on chain that the database does not know becomes a purchase: with what was paid for it, or the cashback of the
 * ticket. docs/product.md#sale-ref
 */
async function adoptTicket(
  queries: Queries,
  ticket: TicketFacts,
  { saleId, storeName }: { saleId: bigint; storeName: string },
): Promise<void> {
  const { id, ref, valueCents, cashbackBps, bonusBps, payment } = ticket;
  const ofTicket = { centBps: valueCents * (cashbackBps + bonusBps), weiPerCent: null, offsetGwei: 0n };
  const { centBps, weiPerCent } = (payment && saidOf(payment, ofTicket)) ?? ofTicket;
  const row = rowOf({
    wallet: ticket.owner,
    storeId: ticket.storeId,
    storeName,
    amountCents: valueCents,
    cashbackBps,
    bonusBps,
    tokenSlug: null,
    balanceBlock: null,
    source: "live",
    sale: { id: saleId, centBps, ref },
    weiPerCent,
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
    balance_block: purchase.balanceBlock,
    source: purchase.source,
    approved_at: purchase.permission?.approvedAt ?? null,
    payable_at: purchase.permission?.payableAt ?? null,
    wei_per_cent: purchase.weiPerCent ?? null,
    decided_by: purchase.decidedBy ?? null,
    click_id: newClickToken(),
    created_at: BigInt(Date.now()),
    metadata_uri: "",
    ...bonusColumns(purchase.bonusRead),
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

type PurchaseTerms = { valueCents: bigint; cashbackBps: bigint; bonusBps: bigint };

/**
 * Changes the buyer's cashback, or restores a withdrawn one; before the mint, the terms can change too. The caller
 * recounts it.
 */
async function entitlePurchase(
  queries: Queries,
  id: bigint,
  { centBps, terms, isRateNew = false }: { centBps: bigint; terms?: PurchaseTerms; isRateNew?: boolean },
): Promise<void> {
  await queries
    .updateTable("purchases")
    .set({
      approval_id: null,
      reversed_at: null,
      settled_at: null,
      cashback_cent_bps: centBps,
      ...(isRateNew && { wei_per_cent: null }),
      ...(terms && { amount_cents: terms.valueCents, cashback_bps: terms.cashbackBps, bonus_bps: terms.bonusBps }),
    })
    .where("id", "=", id)
    .execute();
}

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
    const terms = { valueCents: row.amount_cents, cashbackBps: row.cashback_bps, bonusBps };
    await entitlePurchase(queries, id, { centBps: terms.valueCents * (terms.cashbackBps + bonusBps), terms });
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
async function reversePurchase(queries: Queries, id: bigint): Promise<void> {
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

/** Sets how far a live purchase may proceed automatically; null means not yet. The caller recounts it. */
async function permitPurchase(
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
