import { MOVES, type Move } from "../purchase/life.ts";
import { keysOf } from "../records.ts";
import type { WalletAddress } from "../wallet-address.ts";
import { wrongAccount } from "./accounts.ts";
import { buyerOf, hasPayout, isOf, MOST_MOVES, WINDOW_GRACE_MS } from "./buyer.ts";
import { type Hold, holdForDrift, holdReasons, isReleased, type Release } from "./hold.ts";
import { orderKeyOf, placeInOrder, type SameOrder } from "./order.ts";
import { confirmedTiers, liftUnpaid, planSale, type SaleAction, type SalePurchase, type Tier } from "./plan.ts";
import type { ReportProblem } from "./problem.ts";
import type { SaleReport } from "./report.ts";
import { type AccountKey, type SaleRules, SIMULATED } from "./rules.ts";
import { type SaleState, saleState } from "./state.ts";
import { type LetGo, type StaffHold, stopsOf } from "./stop.ts";
import { type ClickTerms, saleCashback, termsAt } from "./terms.ts";
import { amountProblem, type SaleValue, saleValue, type TrackedAmount, trackedProblem, trackedSince } from "./value.ts";

/** A store, as far as its sales depend on it. */
export type StoreFacts = {
  id: bigint;
  /** Null: nobody has said where its sales are reported, so none is decided. */
  network: string | null;
  /** Somebody has said it, and it does not follow from the store's being older. */
  isLinked: boolean;
  /** Null: the network's only account. */
  account: string | null;
  /** The ids by which reports name it; empty if they name none. */
  advertiserIds: readonly string[];
  /** Orders are told apart by merchant and number. */
  merchant: string;
  mintDelayMs: bigint | null;
  holdMs: bigint | null;
};

export type ClickFacts = {
  id: bigint;
  wallet: WalletAddress;
  store: StoreFacts;
  storeName: string;
  tokenSlug: string | null;
  balanceBlock: bigint | null;
  terms: ClickTerms;
  createdAt: bigint;
  expiresAt: bigint;
};

/** What a sale keeps of what was once decided. */
export type Kept = {
  /** The rate of each currency that it was reported in, in millionths of a real. */
  rates: ReadonlyMap<string, bigint>;
  tracked: TrackedAmount | null;
  tiers: readonly Tier[];
  /** The terms that staff assigned it at, if they are not its click's. */
  terms: ClickTerms | null;
  /** The click reference, or "", over which staff assigned it; null if the network did. */
  assignedOver: string | null;
  /** How often the network moved it to another click; `MOST_MOVES`: it no longer moves. */
  moves: number;
  /** The order that is its own: the merchant, and the number in its compared form. */
  order: string | null;
  /**
   * No debt is lifted for it: a person let it go on above what they may alone, so what it gives back is a purchase of its
   * own, which is kept for the debt once a second person has agreed.
   */
  liftsNone: boolean;
};

export const NOTHING_KEPT: Kept = {
  rates: new Map(),
  tracked: null,
  tiers: [],
  terms: null,
  assignedOver: null,
  moves: 0,
  order: null,
  liftsNone: false,
};

/** A purchase of a sale, with what is queued for it. */
export type PurchaseFacts = SalePurchase & {
  wallet: WalletAddress;
  storeId: bigint;
  createdAt: bigint;
  approvedAt: bigint | null;
  payableAt: bigint | null;
  offsetGwei: bigint;
  /** Queued and not withdrawn. */
  queued: ReadonlySet<Move>;
  /** The same, and not sent yet. */
  unsent: ReadonlySet<Move>;
  heldByStaff: StaffHold | null;
  /** The last request about it that a second person refused, and that nobody has decided again since. */
  refusedRequest: bigint | null;
  /** On the chain. */
  payment?: Payment | null;
};

/** What the chain paid, and the rate of its transaction; null where it was read by 1.0.0. */
export type Payment = { gwei: bigint; weiPerCent: bigint | null };

/** A ticket on chain that carries the sale's reference, and is none of its purchases. */
export type TicketFacts = {
  id: bigint;
  ref: bigint;
  owner: WalletAddress;
  storeId: bigint;
  valueCents: bigint;
  cashbackBps: bigint;
  bonusBps: bigint;
  isCancelled: boolean;
  payment: Payment | null;
  /** Whether another purchase has its id. */
  isTaken: boolean;
};

/** A ticket of a buyer on chain that no purchase has, and that carries a reference of some sale. */
export type UnclaimedTicket = Pick<TicketFacts, "id" | "owner" | "storeId" | "valueCents"> & { mintedAt: bigint };

/** Of what is decided at another time, no purchases are read. */
export type OtherOfOrder = Omit<SameOrder, "isKeeping"> & { purchases: readonly PurchaseFacts[] };

/** Everything that decides about a sale. */
export type SaleFacts = AccountKey & {
  id: bigint;
  /** The last read. */
  report: SaleReport;
  createdAt: bigint;
  /** When its current approval was first read. */
  approvedAt: bigint | null;
  /** Staff declined it for good. */
  declined: { reason: string | null } | null;
  released: readonly Release[];
  letGo: LetGo | null;
  /** The click that it belongs to, and the known click that the last read names. */
  click: ClickFacts | null;
  named: ClickFacts | null;
  kept: Kept;
  /** The rates of the sale's day. */
  rates: ReadonlyMap<string, bigint>;
  /** The number of this sale among its buyer's sales of the day, from 1. */
  ordinalOfDay: bigint;
  sameOrder: readonly OtherOfOrder[];
  /** Its order number at its last decision, in its compared form; the one that it names, if this is the first. */
  orderKeyBefore: string | null;
  purchases: readonly PurchaseFacts[];
  tickets: readonly TicketFacts[];
  /** Of the buyer, while the sale has no purchase. */
  unclaimed: readonly UnclaimedTicket[];
  /** Of the buyer, now: what other purchases pay, also those whose payouts are not sent. */
  debtGwei: bigint;
};

export type Permission = { approvedAt: bigint | null; payableAt: bigint | null };

/** What happens to a purchase that exists already: `withdrawn` before its action, the rest after it. */
export type PurchaseStep = Permission & { id: bigint; mintAfterMs: bigint | null; withdrawn: readonly Move[] };

export type SaleDecision = {
  click: ClickFacts | null;
  kept: Kept;
  state: SaleState;
  /** Undefined while an amount is not known. */
  value: SaleValue | undefined;
  cashbackCentBps: bigint;
  /** What its buyers were paid or kept, less what they owe back. */
  paidCentBps: bigint;
  unknownGroups: readonly string[];
  holds: readonly Hold[];
  isHeld: boolean;
  isDeclined: boolean;
  orderKey: string | null;
  actions: readonly SaleAction[];
  /** For purchases that are created. */
  permission: Permission & { mintAfterMs: bigint | null };
  steps: readonly PurchaseStep[];
  /** What people said no to, for all its purchases. */
  stops: ReturnType<typeof stopsOf>;
};

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
