import { readClock } from "../database/clock.ts";
import { touchUsers } from "../database/touch-user.ts";
import type { Queries } from "../database/transaction.ts";
import { adoptable, buyerOf, type ClickFacts, decide, type SaleDecision } from "../domain/sale/decide.ts";
import { encodeFigures } from "../domain/sale/hold.ts";
import { sayHolds } from "../domain/sale/hold-words.ts";
import type { SaleAction } from "../domain/sale/plan.ts";
import type { SaleRules } from "../domain/sale/rules.ts";
import { type SimulatedPurchase, simulatedSale } from "../domain/sale/simulated.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import { enqueue } from "../sender/queue.ts";
import { recountPurchases } from "./counting.ts";
import { adjustDebt } from "./debt.ts";
import { encodeKept, type LoadedSale, loadSales, type SaleRow } from "./facts.ts";
import {
  adoptTicket,
  entitlePurchase,
  type InsertedPurchase,
  insertPurchases,
  type NewPurchase,
  permitPurchase,
  reversePurchase,
  withdrawMove,
} from "./lifecycle.ts";
import type { CountedLife } from "./queries.ts";
import { contributionOf, moveTotals } from "./sale-totals.ts";

/**
 * Decides sales anew from all their facts and saves what changed, in the transaction of the change: the only way in
 * which a sale's state, purchases, debts and operations change. Other sales of the same order are decided too.
 * docs/product.md#sales-decision
 */
export async function decideSales(queries: Queries, ids: Iterable<bigint>, rules: SaleRules): Promise<Decided> {
  const first = new Set(ids);
  const decided = { changed: new Set<bigint>(), unchanged: [] };
  const others = await decideOnce(queries, first, rules, decided);
  await decideOnce(queries, new Set([...others].filter((id) => !first.has(id))), rules, decided);
  return decided;
}

/** The sales whose purchases changed, and the purchases of the others. */
export type Decided = { changed: Set<bigint>; unchanged: CountedLife[] };

/** Returns the sales that are related to them. */
async function decideOnce(
  queries: Queries,
  ids: ReadonlySet<bigint>,
  rules: SaleRules,
  { changed, unchanged }: Decided,
): Promise<Set<bigint>> {
  if (ids.size === 0) return new Set();
  let loaded = await loadSales(queries, [...ids], rules);
  if (await adoptTickets(queries, loaded)) loaded = await loadSales(queries, [...ids], rules);
  const now = BigInt(await readClock(queries));
  const recounted = new Set<bigint>();
  for (const sale of loaded) {
    const decision = decide(sale.facts, rules, now);
    const touched = await save(queries, sale, decision, rules);
    if (touched.size > 0) changed.add(sale.row.id);
    else unchanged.push(...sale.lives);
    for (const id of [...touched, ...shownOtherwise(sale, decision)]) recounted.add(id);
  }
  await recountPurchases(queries, [...recounted]);
  return new Set(loaded.flatMap(({ related }) => related));
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
  for (const action of actions) await act(queries, sale, decision, { action, ref }, touched);
  for (const { id, approvedAt, payableAt, mintAfterMs, withdrawn } of steps) {
    touched.add(id);
    await permitPurchase(queries, id, { approvedAt, payableAt });
    for (const move of withdrawn) await withdrawMove(queries, id, move);
    if (mintAfterMs !== null) await enqueue(queries, [{ kind: "mint", subjectId: id, afterMs: mintAfterMs }]);
  }
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
  if (action.kind === "withdraw") return reversePurchase(queries, action.id);
  const { id, centBps } = action;
  if (action.kind === "correct") return entitlePurchase(queries, id, { centBps, terms: action });
  return entitlePurchase(queries, id, { centBps, isRateNew: action.weiPerCent === null });
}

type Created = Pick<NewPurchase, "source" | "sale" | "decidedBy"> & {
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
      holdingsBlock: click.holdingsBlock,
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
    const { click, actions, permission } = decide(simulatedSale(purchase, { now, mintDelayMs }), rules, now);
    const [action] = actions;
    if (!click || action?.kind !== "create") throw new Error("A simulated purchase has no cashback");
    return { source: "simulated", click, action, permission };
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
