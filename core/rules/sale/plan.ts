import { cashbackOfCentBps } from "../cashback.ts";
import { WEI_PER_GWEI } from "../product.ts";
import type { PurchaseStatus } from "../purchase/life.ts";

/**
 * The stage of a sale's purchase. An operation counts as soon as it is sent: `pending` after sending the mint,
 * `confirmed` after the confirmation, `paid` after the payout; `cancelled` once the cancellation is decided, and of an
 * unpaid one once its return is final.
 */
export const SALE_PURCHASE_STAGES = ["planned", "pending", "confirmed", "paid", "cancelled"] as const satisfies (
  | Exclude<PurchaseStatus, "processing">
  | "planned"
  | "paid"
)[];
export type SalePurchaseStage = (typeof SALE_PURCHASE_STAGES)[number];

export type SalePurchase = {
  id: bigint;
  stage: SalePurchaseStage;
  /** Withdrawn: a planned purchase is not minted, a confirmed one not paid. */
  isWithdrawn: boolean;
  /** The ticket's terms; fixed once it is minted. */
  valueCents: bigint;
  totalBps: bigint;
  /** The exact cashback, in cents × basis points; of a paid purchase, what was paid and kept. */
  centBps: bigint;
  /** Frozen at its confirmation. */
  weiPerCent: bigint | null;
  /** Its debt: the sum of its adjustments. */
  returnedCentBps: bigint;
  /** Nothing is left to do: from then on other purchases pay its debt. */
  isSettled: boolean;
  /** Its ticket says Returned, or is about to: it keeps nothing, for ever, and its sale comes back as another purchase. */
  isReturnFinal: boolean;
};

/** The buyer's entitlement by the last read; zero cashback if the sale is declined. */
export type SaleTarget = { amountCents: bigint; centBps: bigint; bonusBps: bigint };

type Terms = { valueCents: bigint; cashbackBps: bigint; bonusBps: bigint; centBps: bigint };

/** The highest entitlement that was confirmed under one rate; each further increase has the rate of its own. */
export type Tier = { centBps: bigint; weiPerCent: bigint };

export type SaleAction =
  /** Changes the terms of a planned purchase, or plans it again. */
  | ({ kind: "correct"; id: bigint } & Terms)
  /**
   * Changes the payout of a minted purchase, at most to its ticket's cashback; restores a withdrawn one. `weiPerCent`:
   * null for one whose rate is frozen anew.
   */
  | { kind: "entitle"; id: bigint; centBps: bigint; weiPerCent?: null }
  /** Not minted, cancelled on the chain, or never paid. */
  | { kind: "withdraw"; id: bigint }
  /** `weiPerCent`: the rate that a restored entitlement had. */
  | ({ kind: "create"; weiPerCent?: bigint } & Terms)
  /** Adds debt; a negative amount lifts it. */
  | { kind: "adjust"; id: bigint; centBps: bigint; gwei: bigint };

/** The tiers of a sale with what has been confirmed by now; they never shrink. */
export function confirmedTiers(tiers: readonly Tier[], purchases: readonly SalePurchase[]): Tier[] {
  const found = [...tiers];
  const confirmed = purchases.filter(({ stage }) => stage === "confirmed" || stage === "paid");
  for (const [weiPerCent, ofRate] of Map.groupBy(confirmed, (purchase) => purchase.weiPerCent)) {
    if (weiPerCent === null) continue;
    const live = ofRate.filter((one) => one.stage === "paid" || !one.isWithdrawn);
    const entitled = live.reduce((sum, one) => sum + keptOf(one), 0n);
    const known = found.filter((tier) => tier.weiPerCent === weiPerCent);
    const excess = entitled - known.reduce((sum, tier) => sum + tier.centBps, 0n);
    if (excess > 0n) found.push({ centBps: excess, weiPerCent });
  }
  return found;
}

type OfBuyer = { wallet: string; storeId: bigint };

/**
 * What becomes of all purchases of a sale: of its buyer's own, as planned; of another buyer's or store's, because the sale
 * has moved, nothing is left but what was paid. `target`: undefined while its amounts are not known, and what was decided
 * stays. `tiers`: what was confirmed for this buyer, and then is. docs/product.md#sales-changes
 */
export function planPurchases(
  target: SaleTarget | undefined,
  purchases: readonly (SalePurchase & OfBuyer)[],
  buyer: OfBuyer | undefined,
  { tiers, debtGwei }: { tiers: readonly Tier[]; debtGwei: bigint },
): { tiers: readonly Tier[]; taken: readonly SaleAction[]; planned: readonly SaleAction[] } {
  const ofWallet = purchases.filter(({ wallet }) => wallet === buyer?.wallet);
  const own = ofWallet.filter(({ storeId }) => storeId === buyer?.storeId);
  const confirmed = confirmedTiers(tiers, ofWallet);
  const taken = purchases
    .filter((one) => !own.includes(one))
    .flatMap((one): SaleAction[] => {
      const isOver = one.isWithdrawn || one.stage === "paid" || one.stage === "cancelled";
      return [...liftUnpaid([one]), ...(isOver ? [] : [{ kind: "withdraw", id: one.id } as const])];
    });
  return { tiers: confirmed, taken, planned: target && buyer ? planSale(target, own, debtGwei, confirmed) : [] };
}

/** What a confirmed purchase was not owed back. */
function keptOf({ stage, centBps, returnedCentBps }: SalePurchase): bigint {
  return stage === "paid" ? centBps - returnedCentBps : centBps;
}

/**
 * The effect of a changed sale on its purchases, as one function: distributes the buyer's cashback over the existing
 * purchases, each rate's own part first over those that can change least, and returns the actions. Idempotent: once
 * the actions are applied, it returns none. `debtGwei` is the wallet's current debt for settled purchases: at most
 * that much of their adjustments can be lifted, and what the sale itself returns now; the rest becomes the cashback of another purchase, at the rate that it had.
 * docs/product.md#sales-changes
 * @example
 * // A first report of R$ 100,00 at 8 %, of which 2 % are bonus: one purchase.
 * planSale(
 *   { amountCents: 10_000n, centBps: 8_000_000n, bonusBps: 200n }, [], 0n,
 * ) // [{ kind: "create", valueCents: 10_000n, cashbackBps: 600n, bonusBps: 200n, centBps: 8_000_000n }]
 */
export function planSale(
  target: SaleTarget,
  purchases: readonly SalePurchase[],
  debtGwei: bigint,
  tiers: readonly Tier[] = [],
): SaleAction[] {
  const values = new Values();
  const shares = sharesOf(target, confirmedTiers(tiers, purchases), values);
  const of = (stage: SalePurchaseStage) => purchases.filter((purchase) => purchase.stage === stage);
  const ofRate = (stage: SalePurchaseStage, share: Share) =>
    of(stage).filter((one) => shareOf(one.weiPerCent, shares) === share);
  const paid = shares.flatMap((share) => ofRate("paid", share).map((purchase) => ({ share, purchase })));
  return [
    ...liftUnpaid(purchases),
    ...sharePaid(paid, debtGwei),
    ...shares.flatMap((share) => shareConfirmed(ofRate("confirmed", share), share)),
    ...of("pending").flatMap((purchase) => sharePending(purchase, shares)),
    ...sharePlanned(of("planned"), shares, target),
  ];
}

/** Each rate's part of the entitlement, in the order of the tiers; last, what was never confirmed. */
function sharesOf({ centBps }: SaleTarget, tiers: readonly Tier[], values: Values): Share[] {
  const parts = new Map<bigint, bigint>();
  let rest = centBps;
  for (const tier of tiers) {
    const part = minimum(rest, tier.centBps);
    rest -= part;
    parts.set(tier.weiPerCent, (parts.get(tier.weiPerCent) ?? 0n) + part);
  }
  return [
    ...[...parts].map(([weiPerCent, part]) => new Share(part, weiPerCent, values)),
    new Share(rest, null, values),
  ];
}

/** Every rate of a confirmed purchase has a share; the last one is of those without a rate. */
function shareOf(weiPerCent: bigint | null, shares: readonly Share[]): Share | undefined {
  return shares.find((share) => share.weiPerCent === weiPerCent);
}

/** The value of the purchases that have a part. */
class Values {
  valueCents = 0n;
  readonly #counted = new Set<SalePurchase>();

  count(purchase: SalePurchase): void {
    if (!this.#counted.has(purchase)) this.valueCents += purchase.valueCents;
    this.#counted.add(purchase);
  }
}

/** The part of the entitlement at one rate that is not distributed yet. */
class Share {
  remaining: bigint;
  readonly weiPerCent: bigint | null;
  readonly values: Values;

  constructor(centBps: bigint, weiPerCent: bigint | null, values: Values) {
    this.remaining = centBps;
    this.weiPerCent = weiPerCent;
    this.values = values;
  }

  /** Gives a purchase at most so much of the rest. Returns how much it got. */
  take(purchase: SalePurchase, mostCentBps: bigint): bigint {
    const centBps = minimum(this.remaining, mostCentBps);
    this.remaining -= centBps;
    if (centBps > 0n) this.values.count(purchase);
    return centBps;
  }
}

/** Lifts debt for payouts that never happened. */
function liftUnpaid(purchases: readonly SalePurchase[]): SaleAction[] {
  const unpaid = purchases.filter(({ stage, returnedCentBps }) => stage !== "paid" && returnedCentBps !== 0n);
  return unpaid.map((purchase) => adjust(purchase, 0n));
}

/**
 * Every purchase keeps what it can of its payout; the rest is debt, of which the shares may lift some again: also of what
 * other purchases of the sale return now.
 */
function sharePaid(paid: readonly { share: Share; purchase: SalePurchase }[], debtGwei: bigint): SaleAction[] {
  const returns = paid.map(({ share, purchase }) => {
    const most = purchase.isReturnFinal ? 0n : purchase.centBps - purchase.returnedCentBps;
    const kept = share.take(purchase, most);
    return { share, purchase, returned: purchase.centBps - kept };
  });
  let left = debtGwei;
  for (const { purchase, returned } of returns) if (purchase.isSettled) left += adjust(purchase, returned).gwei;
  return returns.flatMap(({ share, purchase, returned }) => {
    const lifted = share.take(purchase, liftable(purchase, returned, left));
    const action = adjust(purchase, returned - lifted);
    // Who gets some of the share again keeps all that it had.
    if (lifted > 0n && purchase.isSettled) left += action.gwei;
    return action.centBps === 0n ? [] : [action];
  });
}

/** Each keeps what it has, as far as the share goes; then the first ones get more, up to their tickets. */
function shareConfirmed(purchases: readonly SalePurchase[], share: Share): SaleAction[] {
  const keeping = purchases.map((purchase) => {
    const had = purchase.isWithdrawn ? 0n : minimum(purchase.centBps, capacityOf(purchase));
    return { purchase, kept: share.take(purchase, had) };
  });
  return keeping.flatMap(({ purchase, kept }) =>
    entitle(purchase, kept + share.take(purchase, capacityOf(purchase) - kept)),
  );
}

/** Cancelled is final, and a ticket's value cannot grow: for a higher value it is cancelled and minted again. */
function sharePending(purchase: SalePurchase, shares: readonly Share[]): SaleAction[] {
  if (purchase.isWithdrawn) return [];
  const last = shares.slice(-1);
  const own = shares.filter((share) => share.weiPerCent !== null && share.weiPerCent === purchase.weiPerCent);
  const isEnough = ({ remaining }: Share) => remaining > 0n && remaining <= capacityOf(purchase);
  const share = [...own, ...last].find(isEnough);
  const actions = entitle(purchase, share?.take(purchase, share.remaining) ?? 0n);
  const isNew = share?.weiPerCent === null && purchase.weiPerCent !== null;
  return actions.map((action) => (isNew && action.kind === "entitle" ? { ...action, weiPerCent: null } : action));
}

/** The rest at each rate becomes one purchase that is not minted yet. */
function sharePlanned(purchases: readonly SalePurchase[], shares: readonly Share[], target: SaleTarget): SaleAction[] {
  const spare = new Set(purchases);
  const actions = shares.flatMap((share): SaleAction[] => {
    if (share.remaining === 0n) return [];
    const planned = purchases.find((one) => spare.has(one) && one.weiPerCent === share.weiPerCent);
    if (planned) {
      spare.delete(planned);
      return planAgain(planned, target, share);
    }
    const { weiPerCent } = share;
    return [{ kind: "create", ...termsOf(target, share), ...(weiPerCent !== null && { weiPerCent }) }];
  });
  return [...actions, ...[...spare].flatMap((purchase) => entitle(purchase, 0n))];
}

/** Changes a purchase's debt to so much of its payout. */
function adjust(purchase: SalePurchase, returnedCentBps: bigint) {
  const centBps = returnedCentBps - purchase.returnedCentBps;
  const gwei = returnedGwei(purchase, returnedCentBps) - returnedGwei(purchase, purchase.returnedCentBps);
  return { kind: "adjust", id: purchase.id, centBps, gwei } as const;
}

function entitle(purchase: SalePurchase, centBps: bigint): SaleAction[] {
  if (centBps === 0n) return purchase.isWithdrawn ? [] : [{ kind: "withdraw", id: purchase.id }];
  if (centBps === purchase.centBps && !purchase.isWithdrawn) return [];
  return [{ kind: "entitle", id: purchase.id, centBps }];
}

function planAgain(purchase: SalePurchase, target: SaleTarget, share: Share): SaleAction[] {
  const terms = termsOf(target, share);
  const isSame =
    !purchase.isWithdrawn &&
    terms.centBps === purchase.centBps &&
    terms.valueCents === purchase.valueCents &&
    terms.cashbackBps + terms.bonusBps === purchase.totalBps;
  return isSame ? [] : [{ kind: "correct", id: purchase.id, ...terms }];
}

/** The terms of a ticket for the rest: the value without a ticket, or more if its percent would be too high. */
function termsOf(target: SaleTarget, share: Share): Terms {
  const highestBps = divideUp(target.centBps, target.amountCents);
  const least = divideUp(share.remaining, highestBps);
  const rest = target.amountCents - share.values.valueCents;
  const valueCents = rest > least ? rest : least;
  return { valueCents, centBps: share.remaining, ...blendRate(valueCents, share.remaining, target.bonusBps) };
}

function capacityOf(purchase: SalePurchase): bigint {
  return purchase.valueCents * purchase.totalBps;
}

/** The part of a payout that becomes debt, such that parts add up exactly. */
function returnedGwei(purchase: SalePurchase, returnedCentBps: bigint): bigint {
  const weiPerCent = purchase.weiPerCent ?? 0n;
  return (
    cashbackOfCentBps(purchase.centBps, weiPerCent) - cashbackOfCentBps(purchase.centBps - returnedCentBps, weiPerCent)
  );
}

/** How much debt can still be lifted: what has not been offset yet. That of a payout that can still revert never is. */
function liftable(purchase: SalePurchase, returned: bigint, debtGwei: bigint): bigint {
  if (purchase.isReturnFinal) return 0n;
  if (!purchase.isSettled) return returned;
  const weiPerCent = purchase.weiPerCent ?? 0n;
  if (returned === 0n || debtGwei <= 0n || weiPerCent === 0n) return 0n;
  const kept = purchase.centBps - returned;
  const unit = 10_000n * WEI_PER_GWEI;
  const reachable = ((debtGwei + cashbackOfCentBps(kept, weiPerCent) + 1n) * unit - 1n) / weiPerCent;
  return minimum(returned, reachable > kept ? reachable - kept : 0n);
}

function minimum(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/**
 * The single percent of a ticket for a value and an exact cashback: rounded up, so that the contract never limits
 * what is owed. The part that was promised as bonus is bonus.
 * @example
 * // R$ 11,00 of R$ 150,00 are 7.333… %, rounded up: a ticket of 5.34 + 2 %.
 * blendRate(15_000n, 11_000_000n, 200n) // { cashbackBps: 534n, bonusBps: 200n }
 */
export function blendRate(
  valueCents: bigint,
  centBps: bigint,
  bonusBps: bigint,
): { cashbackBps: bigint; bonusBps: bigint } {
  const total = divideUp(centBps, valueCents);
  const bonus = bonusBps < total ? bonusBps : total;
  return { cashbackBps: total - bonus, bonusBps: bonus };
}

/** Integer division rounded up; the dividend is not negative, the divisor positive. */
export function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
