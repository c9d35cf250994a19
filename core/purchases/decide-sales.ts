import { among } from "../database/among.ts";
import { type Acting, actingIn, type ChangedFact, readAuthors } from "../database/changed-facts.ts";
import { readClock } from "../database/clock.ts";
import { touchUsers } from "../database/touch-user.ts";
import { BeginAnewError, type Queries } from "../database/transaction.ts";
import { bonusColumns, READ_UNTIL_MS } from "../rules/bonus-read.ts";
import { paidOtherwise } from "../rules/cashback.ts";
import { idsOf } from "../rules/records.ts";
import { decide, decideTogether } from "../rules/sale/decide.ts";
import type { ClickFacts, Freed, SaleDecision, SaleState } from "../rules/sale/facts.ts";
import { OwnSaleError } from "../rules/sale/own-sale-error.ts";
import type { SaleAction } from "../rules/sale/plan.ts";
import type { SaleRules } from "../rules/sale/rules.ts";
import { type SimulatedPurchase, simulatedSale } from "../rules/sale/simulated.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { enqueue, lockOperations, UNSENT } from "../sender/queue.ts";
import { lapseApprovals, liftInDay, setDecider } from "./approvals.ts";
import { adjustDebt } from "./debt.ts";
import { type LoadedSale, loadSales } from "./facts.ts";
import { inviteSimulated } from "./invites.ts";
import { lockSales } from "./locks.ts";
import {
  adoptPurchase,
  type InsertedPurchase,
  insertPurchases,
  type NewPurchase,
  recountPurchases,
  reversePurchase,
  withdrawMove,
} from "./purchase-rows.ts";
import { type CountedLife, IS_UNSETTLED } from "./queries.ts";
import { saveSale, takeLosses } from "./sale-row.ts";

/**
 * Decides sales anew from all their facts and saves what changed, in the transaction of the change: the only way in
 * which a sale's state, purchases, debts and operations change. With them all that share a fact: others of their orders,
 * and of their buyers who owe something. So deciding any of them again changes nothing. docs/product.md#sales-decision
 */
export async function decideSales(queries: Queries, ids: Iterable<bigint>, rules: SaleRules): Promise<Decided> {
  const changed = new Set<bigint>();
  const unchanged: CountedLife[] = [];
  const wanted = new Set(ids);
  if (wanted.size === 0) return { changed, unchanged };
  const locked = await lockSales(queries, { sales: wanted });
  const now = BigInt(await readClock(queries));
  const found = await loadTogether(queries, wanted, { locked, rules, now });
  const losing = await takeLosses(queries, found.together.decided, rules, now);
  const { loaded, together } = losing ? { loaded: losing, together: decideTogether(losing, rules, now) } : found;
  const decideWithin = (leftGwei?: bigint) =>
    leftGwei === undefined ? together : decideTogether(loaded, rules, now, leftGwei);
  const { decided, unsettled } = together.debtors.size === 0 ? together : await liftInDay(queries, decideWithin);
  const recounted = new Set<bigint>();
  const authors = await authorsOf(queries, decided);
  for (const { sale, decision, freed } of decided) {
    const waited = await judgeFreed(queries, { sale, decision, freed }, authors(sale, decision));
    const touched = new Set([...waited, ...(await save(queries, sale, decision, rules))]);
    if (touched.size > 0) changed.add(sale.row.id);
    else unchanged.push(...sale.lives);
    // Each of a sale's purchases shows whether it is held or declined.
    const isShownOtherwise = (["held", "declined"] as const).some(
      (one) => (one === decision.state) !== (one === sale.row.state),
    );
    for (const id of [...touched, ...(isShownOtherwise ? idsOf(sale.facts.purchases) : [])]) recounted.add(id);
  }
  for (const { id, sale_id } of await takeBackPayouts(queries, unsettled)) {
    recounted.add(id);
    if (sale_id !== null) changed.add(sale_id);
    const index = unchanged.findIndex(({ row }) => row.id === id);
    if (index >= 0) unchanged.splice(index, 1);
  }
  await recountPurchases(queries, [...recounted]);
  return { changed, unchanged };
}

/** The sales whose purchases changed, and the purchases of the others. */
export type Decided = { changed: ReadonlySet<bigint>; unchanged: readonly CountedLife[] };

const MOST_RETURNED = 100;

/** Sales, oldest first, with all that are decided with them. Who has no twin and owes nothing is read once. */
async function loadTogether(
  queries: Queries,
  ids: ReadonlySet<bigint>,
  { locked, rules, now }: { locked: ReadonlySet<bigint> | undefined; rules: SaleRules; now: bigint },
): Promise<{ loaded: LoadedSale[]; together: ReturnType<typeof decideTogether<LoadedSale>> }> {
  const all = new Set(ids);
  const load = async () => {
    const loaded = await loadSales(queries, [...all], rules);
    const hasAdopted = [await adoptTickets(queries, loaded), await adoptFates(queries, loaded)].includes(true);
    return hasAdopted ? loadSales(queries, [...all], rules) : loaded;
  };
  const addAll = (some: readonly bigint[]) => {
    const { size } = all;
    for (const id of some) all.add(id);
    return all.size > size;
  };
  let loaded = await load();
  const related = loaded.flatMap((sale) => sale.related);
  // The others of an order were locked with it, unless one is new since: then the transaction begins anew.
  if (locked && !related.every((id) => locked.has(id))) throw new BeginAnewError("A sale of the order is new");
  if (addAll(related)) loaded = await load();
  const together = decideTogether(loaded, rules, now);
  const { debtors } = together;
  if (debtors.size === 0) return { loaded, together };
  // They owe something back, though they are not declined: they may come to lift some of a debt. The oldest, at most so
  // many that nobody makes others wait. Their buyers are locked, and whoever locks a sale has locked its buyer.
  const returned = await queries
    .selectFrom("adjustments")
    .innerJoin("purchases", "purchases.id", "adjustments.purchase_id")
    .innerJoin("sales", "sales.id", "purchases.sale_id")
    .select("sales.id")
    .where(among(queries, "adjustments.wallet", debtors))
    .where("sales.state", "<>", "declined")
    .groupBy("sales.id")
    .having(({ fn }) => fn.sum("adjustments.cent_bps"), ">", 0)
    .orderBy("sales.id")
    .limit(MOST_RETURNED)
    .execute();
  if (!addAll(idsOf(returned))) return { loaded, together };
  loaded = await load();
  return { loaded, together: decideTogether(loaded, rules, now) };
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

// What the chain knows better -----------------------------------------------------------------------------------------------

/** Tickets of a sale that the database does not know become its purchases. Returns whether there were any. */
async function adoptTickets(queries: Queries, loaded: readonly LoadedSale[]): Promise<boolean> {
  const found = loaded.flatMap(({ row, storeName, adoptable }) =>
    adoptable.map((ticket) => ({ row, storeName, ticket })),
  );
  for (const { row, storeName, ticket } of found) {
    const { id, ref, valueCents, cashbackBps, bonusBps, isCancelled, payment } = ticket;
    // With what was paid for it, or the cashback of the ticket.
    const ofTicket = { centBps: valueCents * (cashbackBps + bonusBps), weiPerCent: null, offsetGwei: 0n };
    const { centBps, weiPerCent } = (payment && paidOtherwise(payment, ofTicket)) ?? ofTicket;
    await adoptPurchase(queries, {
      id,
      isCancelled,
      wallet: ticket.owner,
      storeId: ticket.storeId,
      storeName,
      amountCents: valueCents,
      cashbackBps,
      bonusBps,
      tokenSlug: null,
      balanceBlock: null,
      source: "live",
      sale: { id: row.id, centBps, ref },
      weiPerCent,
    });
  }
  return found.length > 0;
}

/**
 * What the chain did is a fact: a database that was moved back may have promised more or less, or not yet have frozen the
 * rate; may have withdrawn what was paid, or not what was cancelled. Returns whether there was any such purchase.
 * docs/product.md#sale-ref
 */
async function adoptFates(queries: Queries, loaded: readonly LoadedSale[]): Promise<boolean> {
  const lives = loaded.flatMap(({ row, lives }) => lives.map((one) => ({ ...one, revisionId: row.revision_id ?? 0n })));
  const cancelled = lives.filter(({ facts }) => facts.stage === "cancelled" && !facts.isWithdrawn);
  for (const { facts } of cancelled) {
    await lapseApprovals(queries, facts.id);
    await reversePurchase(queries, facts.id);
  }
  const paid = lives.flatMap((life) => {
    const { payment, centBps, weiPerCent, offsetGwei, isWithdrawn } = life.facts;
    const said = payment ? paidOtherwise(payment, { centBps, weiPerCent, offsetGwei }) : undefined;
    return said || (payment && isWithdrawn) ? [{ ...life, said }] : [];
  });
  for (const { facts, returned, revisionId, said } of paid) {
    await lapseApprovals(queries, facts.id);
    // What was owed back for another payout than the one that was made is not: it is reckoned anew.
    const forgotten = { centBps: -returned.centBps, gwei: -returned.gwei };
    if (said && (forgotten.centBps !== 0n || forgotten.gwei !== 0n))
      await adjustDebt(queries, { purchaseId: facts.id, revisionId, wallet: facts.wallet }, forgotten);
    const columns = said && {
      cashback_cent_bps: said.centBps,
      wei_per_cent: said.weiPerCent,
      offset_gwei: said.offsetGwei,
    };
    await queries
      .updateTable("purchases")
      .set({ reversed_at: null, ...columns })
      .where("id", "=", facts.id)
      .execute();
  }
  const adopted = [...cancelled, ...paid].map(({ facts }) => facts.id);
  await recountPurchases(queries, adopted);
  return adopted.length > 0;
}

// By whose word ---------------------------------------------------------------------------------------------------------------

/** What a decision does to one sale; `debtGwei`: what its buyer comes to owe, or no longer owes. */
export type SaleChange = {
  id: bigint;
  wallet: string | null;
  was: SaleState;
  state: SaleState;
  freed: Freed;
  debtGwei: bigint;
};

const watched = new WeakMap<Queries, SaleChange[]>();

/** From now on, what this transaction decides about sales is listed, in the order in which it is decided. */
export function watchDecisions(queries: Queries): readonly SaleChange[] {
  const changes: SaleChange[] = [];
  watched.set(queries, changes);
  return changes;
}

type DecidedSale = { sale: LoadedSale; decision: SaleDecision; freed: Freed };

/** `author`, `changedBy`: by whose word it is paid though nobody decided about it. */
type Authors = { author: string | null; changedBy: string | null };

/**
 * By whose word sales are paid though nobody decided about them. `author`: who accepted the rate of its currency; its own
 * buyer, if they have said something about its store, account, fan token or order. `changedBy`: who changed its store,
 * while that is not worked off yet. docs/product.md#who-frees
 */
async function authorsOf(
  queries: Queries,
  decided: readonly DecidedSale[],
): Promise<(sale: LoadedSale, decision: SaleDecision) => Authors> {
  const subjectsOf = ({ row, orderKey }: LoadedSale, { click }: SaleDecision) => [
    `account:${row.network}/${row.account}`,
    ...(click ? [`store:${click.store.id}`] : []),
    ...(click?.tokenSlug ? [`fan_token:${click.tokenSlug}`] : []),
    ...(orderKey === null ? [] : [`order:${orderKey}`]),
  ];
  const bought = decided.filter(({ decision }) => decision.click !== null);
  if (bought.length === 0) return () => ({ author: null, changedBy: null });
  const hasSaid = await readAuthors(
    queries,
    new Set(bought.flatMap(({ decision }) => decision.click?.wallet ?? [])),
    new Set(bought.flatMap(({ sale, decision }) => subjectsOf(sale, decision))),
  );
  const changes = await queries
    .selectFrom("changed_facts")
    .select(["fact", "said_by"])
    .where("said_by", "is not", null)
    .execute();
  const changedBy = new Map(changes.map(({ fact, said_by }) => [fact, said_by]));
  return (sale, decision) => {
    const wallet = decision.click?.wallet;
    if (wallet === undefined) return { author: null, changedBy: null };
    const { currency, commissionCurrency } = sale.facts.report;
    const by = [currency, commissionCurrency ?? currency].flatMap((one) => sale.acceptedBy.get(one) ?? []);
    const isOwn = subjectsOf(sale, decision).some((subject) => hasSaid(wallet, subject)) || by.includes(wallet);
    const fact: ChangedFact = `store ${sale.row.store_id ?? 0n}`;
    return { author: (isOwn ? wallet : by[0]) ?? null, changedBy: changedBy.get(fact) ?? null };
  };
}

/**
 * Before a decision is saved: what it frees is paid by the decision of whoever acts, else of the author of what it rests on.
 * Returns the purchases that no longer wait for another decision. docs/product.md#who-frees
 * @throws OwnSaleError if it frees money of who acts
 */
async function judgeFreed(
  queries: Queries,
  { sale: { row }, decision, freed }: DecidedSale,
  { author, changedBy }: Authors,
): Promise<bigint[]> {
  watched.get(queries)?.push({
    id: row.id,
    wallet: decision.click?.wallet ?? row.wallet,
    was: row.state,
    state: decision.state,
    freed,
    debtGwei: decision.actions.reduce((sum, one) => sum + (one.kind === "adjust" ? one.gwei : 0n), 0n),
  });
  // What waited at a store that somebody has just changed is theirs too where another report is the first to see it.
  const isChanged = changedBy !== null && (freed.isSooner || row.state === "held");
  const changing: Acting | undefined = isChanged ? { by: changedBy, when: "later" } : undefined;
  const acting = freed.centBps > 0n || freed.isSooner ? (actingIn(queries) ?? changing) : undefined;
  const buyer = decision.click?.wallet;
  if (acting?.when === "now" && acting.by === buyer)
    throw new OwnSaleError(`Somebody else must decide: this would let sale ${row.id} of your own wallet be paid`);
  // Several may have changed its store since: none of them lets their own be paid by another one's change.
  const said = acting?.when === "later" && author === buyer ? author : acting?.by;
  const by = said ?? row.decided_by ?? author;
  if (by === null || by === row.decided_by) return [];
  // Purchases that the decision makes are this person's too.
  row.decided_by = by;
  return setDecider(queries, row.id, by);
}

// What follows ----------------------------------------------------------------------------------------------------------------

/** Writes the difference between a sale and what was decided. Returns the purchases that changed, to be recounted. */
async function save(
  queries: Queries,
  sale: LoadedSale,
  decision: SaleDecision,
  { saleRefs }: SaleRules,
): Promise<ReadonlySet<bigint>> {
  const { row, facts } = sale;
  const { actions, steps } = decision;
  const touched = new Set<bigint>();
  const [ref = 0n] = saleRefs({ ...row, saleKey: row.sale_key });
  for (const { id, withdrawn } of steps) for (const move of withdrawn) await withdrawMove(queries, id, move);
  for (const action of actions) touched.add(await act(queries, sale, decision, { action, ref }));
  for (const { id, approvedAt, payableAt, mintAfterMs, isReturned } of steps) {
    if (isReturned) await enqueue(queries, [{ kind: "return", subjectId: id }]);
    touched.add(id);
    await queries
      .updateTable("purchases")
      .set({ approved_at: approvedAt, payable_at: payableAt })
      .where("id", "=", id)
      .execute();
    if (mintAfterMs !== null) await enqueue(queries, [{ kind: "mint", subjectId: id, afterMs: mintAfterMs }]);
  }
  for (const id of await stopPurchases(queries, row.id, decision.stops)) touched.add(id);
  await saveSale(queries, row, facts, decision);
  return touched;
}

/** Returns the purchase that it is about. */
async function act(
  queries: Queries,
  { row, facts }: LoadedSale,
  { click, permission }: SaleDecision,
  { action, ref }: { action: SaleAction; ref: bigint },
): Promise<bigint> {
  if (action.kind === "create") {
    if (!click) throw new Error(`Sale ${row.id} has no buyer`);
    const sale = { id: row.id, centBps: action.centBps, ref };
    const wanted = { source: "live" as const, sale, decidedBy: row.decided_by, click, action, permission };
    const [created] = await create(queries, [wanted]);
    if (!created) throw new Error(`A purchase of sale ${row.id} was not inserted`);
    return created.id;
  }
  const { id } = action;
  if (action.kind === "adjust") {
    const wallet = facts.purchases.find((one) => one.id === id)?.wallet as WalletAddress;
    await adjustDebt(queries, { purchaseId: id, revisionId: row.revision_id ?? 0n, wallet }, action);
    return id;
  }
  await lapseApprovals(queries, id);
  if (action.kind === "withdraw") await reversePurchase(queries, id);
  else await entitle(queries, action);
  return id;
}

/** Changes the buyer's cashback, or restores a withdrawn one; before the mint, its terms too. */
async function entitle(queries: Queries, action: SaleAction & { kind: "correct" | "entitle" }): Promise<void> {
  const terms =
    action.kind === "entitle"
      ? action.weiPerCent === null && { wei_per_cent: null }
      : { amount_cents: action.valueCents, cashback_bps: action.cashbackBps, bonus_bps: action.bonusBps };
  await queries
    .updateTable("purchases")
    .set({ approval_id: null, reversed_at: null, settled_at: null, cashback_cent_bps: action.centBps, ...terms })
    .where("id", "=", action.id)
    .execute();
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

type Created = Pick<NewPurchase, "source" | "sale" | "decidedBy" | "bonus" | "clickId"> & {
  click: ClickFacts;
  action: SaleAction & { kind: "create" };
  permission: SaleDecision["permission"];
  traceparent?: string | null | undefined;
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
  const mints = created.flatMap(({ permission, traceparent }, index) => {
    const [id, afterMs] = [inserted[index]?.id, permission.mintAfterMs];
    return id === undefined || afterMs === null ? [] : [{ kind: "mint" as const, subjectId: id, afterMs, traceparent }];
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
  const invited = await inviteSimulated(queries, purchases, now);
  const created = invited.map(({ clickId, ...purchase }): Created => {
    // A ticket's percent is for ever: it is minted once its bonus is decided.
    const delayMs = purchase.bonusRead ? READ_UNTIL_MS : mintDelayMs;
    const { click, actions, permission } = decide(simulatedSale(purchase, { now, mintDelayMs: delayMs }), rules, now);
    const [action] = actions;
    if (!click || action?.kind !== "create") throw new Error("A simulated purchase has no cashback");
    const { bonusRead, traceparent } = purchase;
    return { source: "simulated", clickId, click, action, permission, traceparent, bonus: bonusColumns(bonusRead) };
  });
  return create(queries, created);
}
