import { MOVES, type Move } from "../purchase/life.ts";
import { keysOf } from "../records.ts";
import type { WalletAddress } from "../wallet-address.ts";
import { wrongAccount } from "./accounts.ts";
import type {
  ClickFacts,
  DecidedBefore,
  Freed,
  Kept,
  LetGo,
  OrderFacts,
  Permission,
  PurchaseFacts,
  PurchaseStep,
  SaleDecision,
  SaleFacts,
  SaleState,
  SameOrder,
  StaffHold,
  StoreFacts,
  TicketFacts,
  UnclaimedTicket,
} from "./facts.ts";
import { type Hold, holdForDrift, holdReasons, isReleased, type ReportProblem } from "./hold.ts";
import { confirmedTiers, liftUnpaid, planSale, type SaleAction } from "./plan.ts";
import type { SaleReport, SaleStatus } from "./report.ts";
import { type AccountKey, type SaleRules, SIMULATED } from "./rules.ts";
import {
  amountProblem,
  type SaleValue,
  saleCashback,
  saleValue,
  termsAt,
  trackedProblem,
  trackedSince,
} from "./value.ts";

/** Paid, kept or queued, and not owed back. */
const isKeeping = (one: PurchaseFacts): boolean => hasPayout(one) && one.centBps > one.returnedCentBps;

/** A ticket of the same buyer, store, amount and time may be this sale's, though the key of its reference is lost. */
function likelyTickets(facts: SaleFacts, click: ClickFacts, value: SaleValue | undefined): UnclaimedTicket[] {
  if (facts.purchases.length > 0) return [];
  const since = (facts.report.occurredAt ?? click.createdAt) - WINDOW_GRACE_MS;
  return facts.unclaimed.filter(
    (one) =>
      one.owner === click.wallet &&
      one.storeId === click.store.id &&
      one.valueCents === value?.amountCents &&
      one.mintedAt >= since,
  );
}

/**
 * Everything that follows from what is known of a sale at a time: pure, total and idempotent. Decided anew whenever
 * one of the facts changes. docs/product.md#sales-decision
 */
export function decide(facts: SaleFacts, rules: SaleRules, now: bigint): SaleDecision {
  const { click, other, isMoved } = buyerOf(facts);
  const before = keep(facts, { click, movedTo: isMoved ? click : null, other });
  const valued = readValue(facts, before, click);
  const status = facts.declined ? "declined" : facts.report.status === "unknown" ? "pending" : facts.report.status;
  const isDeclined = status === "declined";
  // Without known amounts, what was decided stays as it is.
  const isKnown = isDeclined || valued.value !== undefined;
  const cashbackCentBps = isDeclined ? 0n : valued.cashbackCentBps;
  const order = orderOf(facts, click, isKnown ? cashbackCentBps > 0n : undefined);
  const found = holdsOf(facts, { click, other, valued, heldFor: order.heldFor }, rules);
  const released = { clickId: click?.id ?? 0n, centBps: cashbackCentBps };
  const isHeld = !isDeclined && (!isKnown || found.some((hold) => !isReleased(hold, facts.released, released)));

  const isOwn = (one: PurchaseFacts) => one.wallet === click?.wallet && one.storeId === click.store.id;
  const own = facts.purchases.filter(isOwn);
  const target = { amountCents: valued.value?.amountCents ?? 0n, centBps: cashbackCentBps, bonusBps: valued.bonusBps };
  const planned = click && isKnown ? planSale(target, own, before.liftsNone ? 0n : facts.debtGwei, before.tiers) : [];
  const actions = [
    ...facts.purchases.filter((one) => !isOwn(one)).flatMap((one) => [...liftUnpaid([one]), ...withdrawal(one)]),
    ...(isHeld ? planned.filter(isOwedToUs) : planned),
  ];

  const approvedAt = status === "approved" ? facts.approvedAt : null;
  const payableAt = approvedAt === null ? null : payableTime(facts, approvedAt, click, rules);
  const permission = isHeld ? { approvedAt: null, payableAt: null } : { approvedAt, payableAt };
  const mintDelayMs = click?.store.mintDelayMs ?? rules.mintDelayMs;
  const all = facts.purchases.map((one) => afterActions(one, actions));
  const after = all.filter(isOwn);
  // What it is given again makes the order its own too.
  const has = !isHeld && order.mayHave && after.some(isKeeping) ? order.current : order.has;
  const holds = has === order.current ? found.filter(({ reason }) => reason !== "order_twice") : found;
  return {
    click,
    kept: { ...before, order: has },
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
    unknownGroups: valued.unknownGroups,
    holds,
    isHeld,
    isDeclined,
    orderKey: orderKeyOf(facts.report.orderRef),
    actions,
    permission: { ...permission, mintAfterMs: isHeld ? null : mintDelayMs },
    steps: all.flatMap((one) => stepOf(one, { ...permission, isHeld, mintDelayMs, now })),
    stops: stopsOf(facts.purchases, facts.letGo, released),
  };
}

/**
 * Rates and figures once used, and what was confirmed for its buyer, stay. `click`: whose it is; `movedTo`: the same, if it
 * moves; `other`: the one that it cannot move to. Nor can it later: the hold takes back the payout that was the reason.
 */
function keep(
  facts: SaleFacts,
  { click, movedTo, other }: Record<"click" | "movedTo" | "other", ClickFacts | null>,
): Kept {
  const { report, kept } = facts;
  const used = [report.currency, report.commissionCurrency ?? report.currency];
  const rates = new Map(kept.rates);
  for (const currency of used) {
    const rate = facts.rates.get(currency);
    if (currency !== "BRL" && rate !== undefined && !rates.has(currency)) rates.set(currency, rate);
  }
  const isOfOther = movedTo !== null && movedTo.wallet !== facts.click?.wallet;
  const own = facts.purchases.filter(({ wallet }) => wallet === click?.wallet);
  return {
    rates,
    tracked: amountProblem(report, kept.tracked) ? kept.tracked : trackedSince(report, kept.tracked),
    tiers: confirmedTiers(isOfOther ? [] : kept.tiers, own),
    terms: movedTo ? null : kept.terms,
    assignedOver: movedTo ? null : kept.assignedOver,
    order: kept.order,
    liftsNone: kept.liftsNone,
    moves: other ? MOST_MOVES : kept.moves + (movedTo ? 1 : 0),
  };
}

type Valued = {
  value: SaleValue | undefined;
  drift: readonly ReportProblem[];
  missing: string | null;
  cashbackCentBps: bigint;
  /** The same without a boost, which people decided to pay on top of what the network pays. */
  plainCentBps: bigint;
  bonusBps: bigint;
  unknownGroups: readonly string[];
};

function readValue({ report, createdAt }: SaleFacts, kept: Kept, click: ClickFacts | null): Valued {
  const promised = kept.terms ?? click?.terms;
  const terms = promised && termsAt(promised, report.occurredAt ?? createdAt);
  const none = {
    value: undefined,
    missing: null,
    cashbackCentBps: 0n,
    plainCentBps: 0n,
    bonusBps: terms?.bonusBps ?? 0n,
  };
  const problem = amountProblem(report, kept.tracked);
  const drift = problemsOf(report, [problem, trackedProblem(report, kept.tracked)]);
  if (problem !== undefined) return { ...none, drift, unknownGroups: [] };
  const value = saleValue(report, (currency) => kept.rates.get(currency) ?? null, kept.tracked);
  if ("missing" in value) return { ...none, drift, missing: value.missing, unknownGroups: [] };
  const { centBps, unknownGroups } = terms ? saleCashback(value.parts, terms) : { centBps: 0n, unknownGroups: [] };
  if (value.amountCents <= 0n) return { ...none, value, drift, unknownGroups };
  const plainCentBps = promised ? saleCashback(value.parts, promised).centBps : 0n;
  return { ...none, value, drift, cashbackCentBps: centBps, plainCentBps, unknownGroups };
}

function problemsOf(report: SaleReport, found: readonly (ReportProblem | undefined)[]): ReportProblem[] {
  const problems = [...(report.drift ?? []), ...found.filter((one) => one !== undefined)];
  return problems.length === 0 && report.status === "unknown" ? [{ code: "unknown_status" }] : problems;
}

/** Its place among the sales of its order. */
function orderOf({ kept, purchases, ...facts }: SaleFacts, click: ClickFacts | null, isEntitled: boolean | undefined) {
  if (!click) return { current: kept.order, has: kept.order, mayHave: true, heldFor: [] };
  return placeInOrder({
    ...facts,
    sameOrder: facts.sameOrder.map((one) => ({ ...one, isKeeping: one.purchases.some(isKeeping) })),
    clickId: click.id,
    merchant: click.store.merchant,
    orderRef: facts.report.orderRef,
    keyBefore: facts.orderKeyBefore,
    had: kept.order,
    isKeeping: purchases.some(isKeeping),
    isEntitled,
  });
}

function holdsOf(
  facts: SaleFacts,
  {
    click,
    other,
    valued,
    heldFor,
  }: Record<"click" | "other", ClickFacts | null> & {
    valued: Valued;
    heldFor: readonly bigint[];
  },
  rules: SaleRules,
): Hold[] {
  // No rule holds what nobody sold.
  if (facts.network === SIMULATED) return [];
  if (!click) return holdForDrift(valued.drift);
  const wrong = wrongAccount(facts, click, rules.accounts);
  return holdReasons(
    {
      drift: valued.drift,
      missingRate: valued.missing,
      amountCents: valued.value?.amountCents,
      commissionCents: valued.value?.commissionCents ?? null,
      cashbackCentBps: valued.plainCentBps,
      storeId: click.store.id,
      isOfAccount: wrong === undefined,
      accountFigures: wrong ?? {},
      otherAdvertiser: facts.kept.terms === null ? otherAdvertiser(facts.report, click.store) : null,
      otherClick: other?.id ?? null,
      clickedAt: click.createdAt,
      occurredAt: facts.report.occurredAt ?? facts.createdAt,
      ordinalOfDay: facts.ordinalOfDay,
      sameOrder: heldFor,
      // What was cancelled stands for nothing.
      otherTickets: facts.tickets.filter((one) => !one.isCancelled && !isOf(one, click)).map(({ id }) => id),
      likelyTickets: likelyTickets(facts, click, valued.value).map(({ id }) => id),
    },
    rules.limits,
  );
}

/** The advertiser that a report names, if the store is known by others. docs/product.md#sales-store */
function otherAdvertiser({ advertiserId }: SaleReport, { advertiserIds }: StoreFacts): string | null {
  if (advertiserId === null || advertiserIds.length === 0) return null;
  return advertiserIds.includes(advertiserId) ? null : advertiserId;
}

/** By the network's own statement; without one, the approval plus the waiting period. */
function payableTime(facts: SaleFacts, approvedAt: bigint, click: ClickFacts | null, rules: SaleRules): bigint | null {
  if (facts.report.payable !== null) return facts.report.payable ? approvedAt : null;
  return approvedAt + (click?.store.holdMs ?? rules.holdMs);
}

/** Of another buyer: the sale has moved. */
function withdrawal({ id, stage, isWithdrawn }: PurchaseFacts): SaleAction[] {
  return isWithdrawn || stage === "paid" || stage === "cancelled" ? [] : [{ kind: "withdraw", id }];
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
  { isHeld, mintDelayMs, now, ...permission }: Permission & { isHeld: boolean; mintDelayMs: bigint; now: bigint },
): PurchaseStep[] {
  const { id, stage } = purchase;
  const isOver = purchase.isWithdrawn || stage === "paid" || stage === "cancelled";
  const { approvedAt, payableAt } = isOver ? purchase : permission;
  const isPayable = payableAt !== null && payableAt <= now;
  const ends: Record<Move, boolean> = {
    mint: stage === "planned" && isHeld,
    confirm: stage === "pending" && approvedAt === null,
    cancel: false,
    pay: !isPayable,
  };
  // What was kept of a payout is withdrawn with it, also where nothing was left to queue.
  const isThere = (move: Move) => purchase.unsent.has(move) || (move === "pay" && purchase.offsetGwei > 0n);
  const withdrawn = keysOf(MOVES).filter((move) => isThere(move) && (purchase.isChanged || (!isOver && ends[move])));
  const hasMint = purchase.queued.has("mint") && !withdrawn.includes("mint");
  const mintDue = purchase.createdAt + mintDelayMs - now;
  const mintAfterMs = isOver || stage !== "planned" || isHeld || hasMint ? null : mintDue > 0n ? mintDue : 0n;
  const isPermitted = approvedAt === purchase.approvedAt && payableAt === purchase.payableAt;
  if (isPermitted && withdrawn.length === 0 && mintAfterMs === null) return [];
  return [{ id, approvedAt, payableAt, mintAfterMs, withdrawn }];
}

// Whose a sale is -------------------------------------------------------------------------------------------------------

/** The sale's time and the click's window come from different clocks, so allow a day. */
export const WINDOW_GRACE_MS = 86_400_000n;
export const MOST_MOVES = 2;

/** Whose a sale is: the click that its last read names. docs/product.md#sales-buyer */
export function buyerOf(
  facts: Pick<SaleFacts, "report" | "createdAt" | "click" | "named" | "kept"> & {
    purchases: readonly Pick<PurchaseFacts, "stage" | "queued">[];
  },
): { click: ClickFacts | null; other: ClickFacts | null; isMoved: boolean } {
  const { report, click, kept } = facts;
  const named = facts.named && isInWindow(facts.named, report.occurredAt ?? facts.createdAt) ? facts.named : null;
  const stays = { click, other: null, isMoved: false };
  if (!named || named.id === click?.id) return stays;
  if (!click) return { click: named, other: null, isMoved: false };
  if (kept.assignedOver !== null && kept.assignedOver === (report.clickRef ?? "")) return stays;
  if (facts.purchases.some(hasPayout) || kept.moves >= MOST_MOVES) return { click, other: named, isMoved: false };
  return { click: named, other: null, isMoved: true };
}

/** From then on its sale belongs to its buyer and store: a payout cannot be taken back. docs/product.md#sales-buyer */
export function hasPayout({ stage, queued }: Pick<PurchaseFacts, "stage" | "queued">): boolean {
  return stage === "paid" || queued.has("pay");
}

/** Whether a sale may be assigned to a click: nobody else was paid for it, nor its buyer by another store's ticket. */
export function isAssignable(
  purchases: readonly Pick<PurchaseFacts, "stage" | "queued" | "wallet" | "storeId">[],
  to: { wallet: WalletAddress; storeId: bigint },
): boolean {
  return purchases.filter(hasPayout).every(({ wallet, storeId }) => wallet === to.wallet && storeId === to.storeId);
}

/**
 * The tickets of the sale's buyer and store that the database does not know: it was lost, restored or moved back. They
 * become purchases of the sale before anything else is decided. docs/product.md#sale-ref
 */
export function adoptable(facts: SaleFacts): readonly TicketFacts[] {
  const { click } = buyerOf(facts);
  return facts.tickets.filter((one) => isOf(one, click));
}

export function isOf({ isTaken, owner, storeId }: TicketFacts, click: ClickFacts | null): boolean {
  return !isTaken && owner === click?.wallet && storeId === click.store.id;
}

function isInWindow(click: ClickFacts, occurredAt: bigint): boolean {
  return occurredAt <= click.expiresAt + WINDOW_GRACE_MS;
}

// Once an order ----------------------------------------------------------------------------------------------------------

/** Rows of one order that are first recorded within this time are its parts. */
const PARTS_MS = 600_000n;

/**
 * By which sales of one order are found; null if it has no order number. Whose order it is follows from the stores, whose
 * merchants can change. docs/product.md#sales-once
 */
export function orderKeyOf(orderRef: string | null): string | null {
  return orderRef?.normalize("NFC").trim().toLowerCase() || null;
}

/**
 * Whether a sale has its order, and which other sales it is held for. The order is that of the sale whose payout was
 * queued first, until nothing of it stands: what was once paid counts no more than what never was. Beside it, another one
 * is paid only what a person releases. `mayHave`: what it is given makes the order its own. docs/product.md#sales-once
 */
export function placeInOrder(facts: OrderFacts): {
  current: string;
  has: string | null;
  mayHave: boolean;
  heldFor: bigint[];
} {
  const others = facts.sameOrder.filter((one) => !isPart(facts, one));
  const current = orderNamed(facts.merchant, orderKeyOf(facts.orderRef));
  // Of two that are paid and have none yet, the first one has it.
  const hasOf = ({ id, had, isKeeping, keyBefore }: SameOrder) =>
    had ?? (isKeeping && id < facts.id ? orderNamed(facts.merchant, keyBefore) : null);
  const mayHave = !others.some((one) => hasOf(one) === current);
  const has = orderAfter(facts, current, { hasOthers: others.length > 0, mayHave });
  return { current, has, mayHave, heldFor: has === current ? [] : others.map(({ id }) => id) };
}

/** Which order is its own. Once it pays, it takes another one only if nobody else does. */
function orderAfter(
  facts: OrderFacts,
  order: string,
  { hasOthers, mayHave }: { hasOthers: boolean; mayHave: boolean },
): string | null {
  const { isKeeping, isEntitled } = facts;
  if (isEntitled === undefined) return facts.had;
  if (!isEntitled) return null;
  const paidFor = isKeeping ? orderNamed(facts.merchant, facts.keyBefore) : null;
  const had = facts.had ?? (paidFor === order && !mayHave ? null : paidFor);
  if (had === order) return order;
  if (had === null || !isKeeping) return null;
  return hasOthers ? had : order;
}

/** One without a number is nobody else's. */
function orderNamed(merchant: string, key: string | null): string {
  return `${merchant} ${key ?? ""}`;
}

type Row = AccountKey & { clickId: bigint | null; createdAt: bigint };

/** Rows of one account, order and click that are recorded soon after one another. */
export function isPart(facts: Row, one: Row): boolean {
  const apart = one.createdAt - facts.createdAt;
  return (
    one.network === facts.network &&
    one.account === facts.account &&
    one.clickId === facts.clickId &&
    (apart < 0n ? -apart : apart) <= PARTS_MS
  );
}

// What it shows, and what people said -------------------------------------------------------------------------------------

/** The state of a sale; the first condition that applies decides. docs/product.md#sales-states */
export function saleState(sale: {
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
export function stopsOf(
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

const NOTHING: Freed = { centBps: 0n, isSooner: false };
const STOPPED: ReadonlySet<SaleState> = new Set(["held", "unmatched", "declined"]);

/**
 * What a decision adds to what the sale's buyer was paid, kept or will be paid: pure. What is held counts as nothing but
 * what was paid and kept of it. docs/product.md#who-frees
 */
export function freedBy(
  before: DecidedBefore,
  { click, isHeld, isDeclined, cashbackCentBps, permission: { payableAt } }: SaleDecision,
): Freed {
  if (click === null || isHeld || isDeclined) return NOTHING;
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
