import { BIG_DAY_MS } from "../iso-time.ts";
import { MOVE_NAMES, type Move } from "../purchase/life.ts";
import type { WalletAddress } from "../wallet-address.ts";
import {
  CHANGEABLE_MS,
  type ClickFacts,
  type DecidedBefore,
  type DeclinedSale,
  type Freed,
  type LetGo,
  type Permission,
  type PurchaseFacts,
  type PurchaseStep,
  type SaleDecision,
  type SaleFacts,
  type SaleState,
  type StaffHold,
  type TicketFacts,
  WINDOW_GRACE_MS,
} from "./facts.ts";
import { holdSale } from "./holds.ts";
import { orderKeyOf, placeInOrder } from "./order.ts";
import { planPurchases, type SaleAction } from "./plan.ts";
import type { SaleStatus } from "./report.ts";
import type { SaleRules } from "./rules.ts";
import { type Valued, worthOf } from "./value.ts";

/** Paid, kept or queued, and not owed back. */
const isKeeping = (one: PurchaseFacts): boolean => hasPayout(one) && one.centBps > one.returnedCentBps;

/**
 * Everything that follows from what is known of a sale at a time: pure, total and idempotent. Decided anew whenever
 * one of the facts changes. docs/product.md#sales-decision
 */
export function decide(facts: SaleFacts, rules: SaleRules, now: bigint): SaleDecision {
  const { click, other, isMoved } = buyerOf(facts);
  const { valued, status, isDeclined, cashbackCentBps, isEntitled } = worthOf(facts, { click, isMoved });
  const order = orderOf(facts, click, isEntitled);
  const current = { clickId: click?.id ?? 0n, centBps: cashbackCentBps };
  // What was cancelled stands for nothing.
  const otherTickets = facts.tickets.filter((one) => !one.isCancelled && !isOf(one, click));
  const held = holdSale(facts, { click, other, valued, heldFor: order.heldFor, otherTickets }, rules, current);
  const isHeld = !isDeclined && (isEntitled === undefined || held.isHolding);
  // What is held loses no more than before; what cannot be read, the same.
  const loss = isDeclined ? 0n : valued.value === undefined ? facts.lostCentBps : held.lossCentBps;
  const lostCentBps = isHeld && loss > facts.lostCentBps ? facts.lostCentBps : loss;

  const buyer = click ? { wallet: click.wallet, storeId: click.store.id } : undefined;
  const worth = { amountCents: valued.value?.amountCents ?? 0n, centBps: cashbackCentBps, bonusBps: valued.bonusBps };
  const target = isEntitled === undefined ? undefined : worth;
  const { tiers, taken, planned } = planPurchases(target, facts.purchases, buyer, {
    tiers: isMoved && click?.wallet !== facts.click?.wallet ? [] : facts.kept.tiers,
    debtGwei: facts.kept.liftsNone ? 0n : facts.debtGwei,
  });
  const actions = [...taken, ...(isHeld ? planned.filter(isOwedToUs) : planned)];

  const approvedAt = status === "approved" ? facts.approvedAt : null;
  const payableAt = approvedAt === null ? null : payableTime(facts, approvedAt, click, rules);
  const permission = isHeld ? { approvedAt: null, payableAt: null } : { approvedAt, payableAt };
  const mintDelayMs = click?.store.mintDelayMs ?? rules.mintDelayMs;
  const all = facts.purchases.map((one) => afterActions(one, actions));
  const after = all.filter(({ wallet, storeId }) => wallet === buyer?.wallet && storeId === buyer.storeId);
  // What it is given again makes the order its own too.
  const has = !isHeld && order.mayHave && after.some(isKeeping) ? order.current : order.has;
  const changedAt = facts.report.changedAt ?? facts.createdAt;
  const holdMs = click?.store.holdMs ?? rules.holdMs;
  const known = facts.knownReturn;
  const returns = returnOf({ ...facts, isDeclined, holdMs, changedAt, known, purchases: all }, now);
  // What has its order is nobody else's, and what is declined loses nothing.
  const holds = held.holds.filter(
    ({ reason }) =>
      !(reason === "order_twice" && has === order.current) && !(reason === "low_commission" && isDeclined),
  );
  return {
    click,
    kept: { ...keep(facts, { movedTo: isMoved ? click : null, other, valued }), tiers, order: has },
    state: saleState({
      status,
      isHeld,
      hasBuyer: click !== null,
      isPayable: payableAt !== null && payableAt <= now,
      isSettled: after.every((one) => one.isSettled) && !actions.some(({ kind }) => kind === "create"),
    }),
    value: valued.value,
    cashbackCentBps,
    paidCentBps: all.reduce((sum, one) => sum + paidCentBpsOf(one), 0n),
    lostCentBps,
    needsLoss: !isDeclined && isEntitled !== undefined && held.needsLoss,
    unknownGroups: valued.unknownGroups,
    holds,
    isHeld,
    isDeclined,
    orderKey: orderKeyOf(facts.report.orderRef),
    actions,
    permission: { ...permission, mintAfterMs: isHeld ? null : mintDelayMs },
    steps: all.flatMap((one) =>
      stepOf(one, { ...permission, isHeld, isDeclined, isReturned: returns.ids.has(one.id), mintDelayMs, now }),
    ),
    returnDueAt: returns.dueAt,
    stops: stopsOf(facts.purchases, facts.letGo, current),
  };
}

/**
 * Rates and figures once used stay. `movedTo`: whose it is, if it moves; `other`: the one that it cannot move to. Nor can it
 * later: the hold takes back the payout that was the reason.
 */
function keep(
  { kept }: SaleFacts,
  { movedTo, other, valued }: Record<"movedTo" | "other", ClickFacts | null> & { valued: Valued },
) {
  return {
    rates: valued.rates,
    tracked: valued.tracked,
    terms: movedTo ? null : kept.terms,
    assignedOver: movedTo ? null : kept.assignedOver,
    liftsNone: kept.liftsNone,
    moves: other ? MOST_MOVES : kept.moves + (movedTo ? 1 : 0),
  };
}

/** Its place among the sales of its order. */
function orderOf({ kept, purchases, ...facts }: SaleFacts, click: ClickFacts | null, isEntitled: boolean | undefined) {
  if (!click) return { current: kept.order, has: kept.order, mayHave: true, heldFor: [] };
  return placeInOrder({
    ...facts,
    // What comes to nothing has nothing, whatever is still queued or was paid of it.
    sameOrder: facts.sameOrder.map((one) => ({
      ...one,
      had: one.isEntitled === false ? null : one.had,
      isKeeping: one.isEntitled !== false && one.purchases.some(isKeeping),
    })),
    clickId: click.id,
    merchant: click.store.merchant,
    orderRef: facts.report.orderRef,
    keyBefore: facts.orderKeyBefore,
    had: kept.order,
    isKeeping: purchases.some(isKeeping),
    isEntitled,
  });
}

/** By the network's own statement; without one, the approval plus the waiting period. */
function payableTime(facts: SaleFacts, approvedAt: bigint, click: ClickFacts | null, rules: SaleRules): bigint | null {
  if (facts.report.payable !== null) return facts.report.payable ? approvedAt : null;
  return approvedAt + (click?.store.holdMs ?? rules.holdMs);
}

/** A hold stops only what we pay: less than before, and debts, count at once. */
function isOwedToUs(action: SaleAction): boolean {
  return action.kind === "adjust" ? action.centBps > 0n : action.kind === "entitle" || action.kind === "withdraw";
}

function paidCentBpsOf({ isSettled, isWithdrawn, centBps, returnedCentBps }: PurchaseFacts): bigint {
  return (isSettled && !isWithdrawn ? centBps : 0n) - returnedCentBps;
}

/** `isChanged`: it is owed another amount, or nothing, so that nothing holds that was queued or kept of it. */
type ChangedPurchase = PurchaseFacts & { isChanged: boolean };

/** A purchase once its actions are carried out. */
function afterActions(before: PurchaseFacts, actions: readonly SaleAction[]): ChangedPurchase {
  const own = actions.filter((one) => "id" in one && one.id === before.id);
  const owed = own.reduce((sum, one) => sum + (one.kind === "adjust" ? one.centBps : 0n), before.returnedCentBps);
  const purchase = { ...before, returnedCentBps: owed, isChanged: false };
  const action = own.find(({ kind }) => kind !== "adjust");
  if (!action) return purchase;
  const isWithdrawn = action.kind === "withdraw";
  const isSettled = isWithdrawn && (purchase.stage === "planned" || purchase.isSettled);
  // A payout that was not sent is taken back with what it was for.
  const queued = new Set([...before.queued].filter((move) => move !== "pay" || !before.unsent.has(move)));
  return { ...purchase, queued, isWithdrawn, isSettled, isChanged: true };
}

/** How far a purchase may proceed, and what is withdrawn of it; nothing if neither has changed. */
function stepOf(
  purchase: ChangedPurchase,
  {
    isHeld,
    isDeclined,
    isReturned,
    mintDelayMs,
    now,
    ...permission
  }: Permission & { isHeld: boolean; isDeclined: boolean; isReturned: boolean; mintDelayMs: bigint; now: bigint },
): PurchaseStep[] {
  const { id, stage } = purchase;
  const isOver = purchase.isWithdrawn || stage === "paid" || stage === "cancelled";
  const { approvedAt, payableAt } = isOver ? purchase : permission;
  const isPayable = payableAt !== null && payableAt <= now;
  const ends: Record<Move, boolean> = {
    mint: stage === "planned" && isHeld,
    confirm: stage === "pending" && approvedAt === null,
    cancel: false,
    return: false,
    pay: !isPayable,
  };
  // What was kept of a payout is withdrawn with it, also where nothing was left to queue.
  const isThere = (move: Move) => purchase.unsent.has(move) || (move === "pay" && purchase.offsetGwei > 0n);
  const isEnded = (move: Move) => (move === "return" ? !isDeclined : purchase.isChanged || (!isOver && ends[move]));
  const withdrawn = MOVE_NAMES.filter((move) => isThere(move) && isEnded(move));
  const hasMint = purchase.queued.has("mint") && !withdrawn.includes("mint");
  const mintDue = purchase.createdAt + mintDelayMs - now;
  const mintAfterMs = isOver || stage !== "planned" || isHeld || hasMint ? null : mintDue > 0n ? mintDue : 0n;
  const isPermitted = approvedAt === purchase.approvedAt && payableAt === purchase.payableAt;
  if (isPermitted && withdrawn.length === 0 && mintAfterMs === null && !isReturned) return [];
  return [{ id, approvedAt, payableAt, mintAfterMs, withdrawn, isReturned }];
}

// When a return is final -------------------------------------------------------------------------------------------------

/** Also where nothing is waited for before a payout: a shop takes back a mistake. */
const LEAST_MS = BIG_DAY_MS;

/**
 * When a declined sale is decided again for its return, and the purchases whose tickets say from now on that it is final:
 * their sale has been declined for longer than its network may change it. docs/product.md#return-final
 */
export function returnOf(
  { isDeclined, network, holdMs, changedAt, known, purchases }: DeclinedSale,
  now: bigint,
): { dueAt: bigint | null; ids: ReadonlySet<bigint> } {
  const none: ReadonlySet<bigint> = new Set();
  if (!isDeclined) return { dueAt: 0n, ids: none };
  // Their tickets are, or may become, Confirmed, and do not say so yet.
  const open = purchases.filter(
    ({ stage, isReturnFinal, queued }) =>
      stage !== "planned" && stage !== "cancelled" && !isReturnFinal && !queued.has("return"),
  );
  if (open.length === 0) return { dueAt: null, ids: none };
  const windowMs = network === "direct" ? greater(holdMs, LEAST_MS) : BigInt(CHANGEABLE_MS);
  // An earlier version declined it, and nobody knows when: at the latest as it was changed.
  const since = known.isKnown ? greater(changedAt + windowMs, now + LEAST_MS) : now + windowMs;
  const dueAt = known.isKnown && known.dueAt ? known.dueAt : since;
  if (dueAt > now) return { dueAt, ids: none };
  // What is not settled is looked at again: its payout or its confirmation is still on its way.
  const ready = open.filter((one) => one.isSettled && one.isTicketConfirmed);
  const ids = new Set(ready.map(({ id }) => id));
  return { dueAt: ready.length === open.length ? null : now + LEAST_MS, ids };
}

const greater = (one: bigint, other: bigint) => (one > other ? one : other);

// What sales share ---------------------------------------------------------------------------------------------------------

/** `buyer`: whose it is, before it is decided; `unsentGwei`: what their payouts that are not sent keep of their debt. */
type Shared = {
  facts: SaleFacts;
  buyer: WalletAddress | null;
  unsentGwei: bigint;
  before: Omit<DecidedBefore, "purchases">;
};

/**
 * Decides sales, in the order of their ids. Those of a buyer share what this buyer owes: first counts all that these sales
 * return now, and what payouts that are not sent would keep; then each sale that comes back lifts what is left; then payouts
 * keep the rest. So it does not matter in which order sales are decided, nor whether some of them are decided again. Who
 * owes nothing shares nothing. `mostGwei`: what may be lifted in all; undefined: any sum. docs/product.md#debt
 */
export function decideTogether<Sale extends Shared>(
  sales: readonly Sale[],
  rules: SaleRules,
  now: bigint,
  mostGwei?: bigint,
): {
  decided: { sale: Sale; decision: SaleDecision; freed: Freed }[];
  liftedGwei: bigint;
  /** The buyers who owe something before anything is lifted. */
  debtors: ReadonlySet<WalletAddress>;
  /** Those of them whose payouts that are not sent keep less than is owed, or more. */
  unsettled: readonly WalletAddress[];
} {
  const left = new Map<WalletAddress, bigint>();
  const unsent = new Map<WalletAddress, bigint>();
  for (const { buyer, facts, unsentGwei } of sales) {
    if (buyer === null) continue;
    left.set(buyer, facts.debtGwei);
    unsent.set(buyer, unsentGwei);
  }
  const add = (sums: Map<WalletAddress, bigint>, wallet: WalletAddress, gwei: bigint) =>
    sums.set(wallet, (sums.get(wallet) ?? 0n) + gwei);
  const alone = sales.map(({ facts }) => decide(facts, rules, now));
  for (const [index, { buyer, facts }] of sales.entries())
    if (buyer !== null) add(left, buyer, settledGwei(facts, alone[index]).returned);
  const debtors = new Set([...left].filter(([, gwei]) => gwei > 0n).map(([wallet]) => wallet));
  let liftedGwei = 0n;
  const decided = sales.map((sale, index) => {
    const { buyer, facts, before } = sale;
    let decision = alone[index] as SaleDecision;
    if (buyer !== null && debtors.has(buyer)) {
      // What it returns itself, it counts by itself.
      const shared = { ...facts, debtGwei: (left.get(buyer) ?? 0n) - settledGwei(facts, decision).returned };
      decision = decide(shared, rules, now);
      if (mostGwei !== undefined && settledGwei(facts, decision).lifted > mostGwei - liftedGwei)
        decision = decide({ ...shared, kept: { ...facts.kept, liftsNone: true } }, rules, now);
      add(left, buyer, -settledGwei(facts, decision).lifted);
      for (const { id, withdrawn } of decision.steps) {
        const { offsetGwei = 0n } = facts.purchases.find((one) => one.id === id) ?? {};
        if (withdrawn.includes("pay")) add(unsent, buyer, -offsetGwei);
      }
    }
    liftedGwei += settledGwei(facts, decision).lifted;
    return { sale, decision, freed: freedBy({ ...before, purchases: facts.purchases }, decision) };
  });
  const unsettled = [...debtors].filter((wallet) => left.get(wallet) !== unsent.get(wallet));
  return { decided, liftedGwei, debtors, unsettled };
}

/**
 * In gwei, what a decision makes be owed back and what it lifts of debts that were recorded before; of payouts that are
 * final: of others, nothing is kept or lifted.
 */
function settledGwei(
  { purchases }: SaleFacts,
  decision: SaleDecision | undefined,
): { returned: bigint; lifted: bigint } {
  const isSettled = (id: bigint) => purchases.find((one) => one.id === id)?.isSettled;
  const sums = { returned: 0n, lifted: 0n };
  for (const action of decision?.actions ?? []) {
    if (action.kind !== "adjust" || !isSettled(action.id)) continue;
    if (action.gwei > 0n) sums.returned += action.gwei;
    else sums.lifted -= action.gwei;
  }
  return sums;
}

const BPS = 10_000n;

/** `from`: the account's month of which the row says that it lost; `to`: the one in which the sale is. */
type Losing = { facts: SaleFacts; from: string; to: string };

/**
 * Which of these sales may lose more, in their order: first counts what any of them loses no longer, then each takes what it
 * needs while its account's month has lost less than the limit. `lost`: of those months, with these sales as they were
 * decided last. What was once taken stays taken, so deciding again changes nothing. `freed`: the months that were at the
 * limit, and are below it now. docs/product.md#margin-loss
 */
export function shareLosses(
  sales: readonly Losing[],
  lost: ReadonlyMap<string, bigint>,
  rules: SaleRules,
  now: bigint,
): { mayLose: boolean[]; freed: readonly string[] } {
  const after = new Map(lost);
  const add = (month: string, centBps: bigint) => after.set(month, (after.get(month) ?? 0n) + centBps);
  const alone = sales.map(({ facts }) => decide(facts, rules, now));
  for (const [index, { facts, from, to }] of sales.entries()) {
    add(from, -facts.lostCentBps);
    add(to, alone[index]?.lostCentBps ?? 0n);
  }
  const limit = rules.limits.marginLossCents * BPS;
  const mayLose = sales.map(({ facts, to }, index) => {
    const { needsLoss = false, lostCentBps = 0n } = alone[index] ?? {};
    if (!needsLoss || (after.get(to) ?? 0n) >= limit) return false;
    add(to, decide({ ...facts, mayLose: true }, rules, now).lostCentBps - lostCentBps);
    return true;
  });
  const freed = [...lost].filter(([month, sum]) => sum >= limit && (after.get(month) ?? 0n) < limit);
  return { mayLose, freed: freed.map(([month]) => month) };
}

// Whose a sale is -------------------------------------------------------------------------------------------------------

export const MOST_MOVES = 2;

/**
 * Whose a sale is: the click that its last read names. `adoptable`: the tickets of this buyer and store that the database does
 * not know: it was lost, restored or moved back. They become purchases of the sale before anything else is decided.
 * docs/product.md#sales-buyer
 */
export function buyerOf(
  facts: Pick<SaleFacts, "report" | "createdAt" | "click" | "named" | "kept" | "tickets"> & {
    purchases: readonly Pick<PurchaseFacts, "stage" | "queued">[];
  },
): { click: ClickFacts | null; other: ClickFacts | null; isMoved: boolean; adoptable: readonly TicketFacts[] } {
  const { report, click, kept } = facts;
  const of = (click: ClickFacts | null, other: ClickFacts | null = null, isMoved = false) => ({
    click,
    other,
    isMoved,
    adoptable: facts.tickets.filter((one) => isOf(one, click)),
  });
  const named = facts.named && isInWindow(facts.named, report.occurredAt ?? facts.createdAt) ? facts.named : null;
  if (!named || named.id === click?.id) return of(click);
  if (!click) return of(named);
  if (kept.assignedOver !== null && kept.assignedOver === (report.clickRef ?? "")) return of(click);
  if (facts.purchases.some(hasPayout) || kept.moves >= MOST_MOVES) return of(click, named);
  return of(named, null, true);
}

/** From then on its sale belongs to its buyer and store: a payout cannot be taken back. docs/product.md#sales-buyer */
function hasPayout({ stage, queued }: Pick<PurchaseFacts, "stage" | "queued">): boolean {
  return stage === "paid" || queued.has("pay");
}

/** Whether a sale may be assigned to a click: nobody else was paid for it, nor its buyer by another store's ticket. */
export function isAssignable(
  purchases: readonly Pick<PurchaseFacts, "stage" | "queued" | "wallet" | "storeId">[],
  to: { wallet: WalletAddress; storeId: bigint },
): boolean {
  return purchases.filter(hasPayout).every(({ wallet, storeId }) => wallet === to.wallet && storeId === to.storeId);
}

function isOf({ isTaken, owner, storeId }: TicketFacts, click: ClickFacts | null): boolean {
  return !isTaken && owner === click?.wallet && storeId === click.store.id;
}

function isInWindow(click: ClickFacts, occurredAt: bigint): boolean {
  return occurredAt <= click.expiresAt + WINDOW_GRACE_MS;
}

// What it shows, and what people said -------------------------------------------------------------------------------------

/** The state of a sale; the first condition that applies decides. docs/product.md#sales-states */
function saleState(sale: {
  status: SaleStatus | "unknown";
  isHeld: boolean;
  hasBuyer: boolean;
  isPayable: boolean;
  isSettled: boolean;
}): SaleState {
  if (sale.status === "declined") return "declined";
  if (!sale.hasBuyer) return "unmatched";
  if (sale.isHeld) return "held";
  if (sale.status !== "approved") return "open";
  if (!sale.isPayable) return "approved";
  return sale.isSettled ? "settled" : "payable";
}

/** A purchase, as far as a person said no to its sale. */
type Stopped = {
  heldByStaff: StaffHold | null;
  /** The request about it that a second person refused, and that nobody has decided again since. */
  refusedRequest: bigint | null;
};

/**
 * What people said no to, of a sale: whichever purchase they named, it counts for all that the sale has and will have. Only
 * a person ends it: a hold for the cashback that they saw, beyond which it holds again. docs/product.md#panel-hold
 */
function stopsOf(
  purchases: readonly Stopped[],
  letGo: LetGo | null,
  now: { clickId: bigint; centBps: bigint },
): { hold: StaffHold | null; refusedRequest: bigint | null } {
  const isBeyond = letGo !== null && (letGo.clickId !== now.clickId || letGo.centBps < now.centBps);
  const holds = purchases.flatMap(({ heldByStaff }) => heldByStaff ?? []);
  const last = holds.reduce<StaffHold | null>((last, one) => (last !== null && last.at >= one.at ? last : one), null);
  const requests = purchases.flatMap(({ refusedRequest }) => refusedRequest ?? []);
  return {
    hold: last ?? (isBeyond ? letGo.hold : null),
    refusedRequest: requests.reduce<bigint | null>((last, id) => (last !== null && last >= id ? last : id), null),
  };
}

const NOTHING_FREED: Freed = { centBps: 0n, isSooner: false };
const STOPPED: ReadonlySet<SaleState> = new Set(["held", "unmatched", "declined"]);

/**
 * What a decision adds to what the sale's buyer was paid, kept or will be paid: pure. What is held counts as nothing but
 * what was paid and kept of it. docs/product.md#who-frees
 */
function freedBy(
  before: DecidedBefore,
  { click, isHeld, isDeclined, cashbackCentBps, permission: { payableAt } }: SaleDecision,
): Freed {
  if (click === null || isHeld || isDeclined) return NOTHING_FREED;
  const own = before.purchases.filter(({ wallet }) => wallet === click.wallet);
  const kept = own.filter(hasPayout).reduce((sum, one) => sum + one.centBps - one.returnedCentBps, 0n);
  const isStopped = STOPPED.has(before.state) || before.wallet !== click.wallet;
  const had = isStopped || before.cashbackCentBps < kept ? kept : before.cashbackCentBps;
  const isSooner = ({ payableAt: was, isWithdrawn }: PurchaseFacts) =>
    !isWithdrawn && was !== null && payableAt !== null && payableAt < was;
  return {
    centBps: cashbackCentBps > had ? cashbackCentBps - had : 0n,
    isSooner: own.some((one) => !hasPayout(one) && isSooner(one)),
  };
}
