import { cashbackOfCentBps } from "../cashback.ts";
import { WEI_PER_GWEI } from "../product.ts";
import { blendRate, divideUp } from "./terms.ts";

/**
 * The stage of a sale's purchase. An operation counts as soon as it is sent: `pending` after sending the mint,
 * `confirmed` after the confirmation, `paid` after the payout; `cancelled` once the cancellation is decided.
 */
export type SalePurchaseStage = "planned" | "pending" | "confirmed" | "paid" | "cancelled";

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
};

/** The buyer's entitlement by the last read; zero cashback if the sale is declined. */
export type SaleTarget = { amountCents: bigint; centBps: bigint; bonusBps: bigint };

type Terms = { valueCents: bigint; cashbackBps: bigint; bonusBps: bigint; centBps: bigint };

export type SaleAction =
  /** Changes the terms of a planned purchase, or plans it again. */
  | ({ kind: "correct"; id: bigint } & Terms)
  /** Changes the payout of a minted purchase, at most to its ticket's cashback; restores a withdrawn one. */
  | { kind: "entitle"; id: bigint; centBps: bigint }
  /** Not minted, cancelled on the chain, or never paid. */
  | { kind: "withdraw"; id: bigint }
  | ({ kind: "create" } & Terms)
  /** Adds debt; a negative amount lifts it. */
  | { kind: "adjust"; id: bigint; centBps: bigint; gwei: bigint };

/**
 * The effect of a changed sale on its purchases, as one function: distributes the buyer's cashback over the existing
 * purchases, those that can change least first, and returns the actions. Idempotent: once the actions are applied, it
 * returns none. `debtGwei` is the wallet's current debt: at most that much of an earlier adjustment can be lifted; the
 * rest becomes the cashback of another purchase. docs/product.md#sales-changes
 * @example
 * // A first report of R$ 100,00 at 8 %, of which 2 % are bonus: one purchase.
 * planSale(
 *   { amountCents: 10_000n, centBps: 8_000_000n, bonusBps: 200n }, [], 0n,
 * ) // [{ kind: "create", valueCents: 10_000n, cashbackBps: 600n, bonusBps: 200n, centBps: 8_000_000n }]
 */
export function planSale(target: SaleTarget, purchases: readonly SalePurchase[], debtGwei: bigint): SaleAction[] {
  const of = (stage: SalePurchaseStage) => purchases.filter((purchase) => purchase.stage === stage);
  const share = new Share(target.centBps);
  return [
    ...liftUnpaid(purchases),
    ...sharePaid(of("paid"), share, debtGwei),
    ...shareConfirmed(of("confirmed"), share),
    ...sharePending(of("pending"), share),
    ...sharePlanned(of("planned"), share, target),
  ];
}

/** The part of the entitlement that is not distributed yet, and the value of the purchases that have a part. */
class Share {
  remaining: bigint;
  valueCents = 0n;
  readonly #counted = new Set<SalePurchase>();

  constructor(centBps: bigint) {
    this.remaining = centBps;
  }

  /** Gives a purchase at most so much of the rest. Returns how much it got. */
  take(purchase: SalePurchase, mostCentBps: bigint): bigint {
    const centBps = minimum(this.remaining, mostCentBps);
    this.remaining -= centBps;
    if (centBps > 0n && !this.#counted.has(purchase)) this.valueCents += purchase.valueCents;
    if (centBps > 0n) this.#counted.add(purchase);
    return centBps;
  }
}

/** Lifts debt for payouts that never happened. */
function liftUnpaid(purchases: readonly SalePurchase[]): SaleAction[] {
  const unpaid = purchases.filter(({ stage, returnedCentBps }) => stage !== "paid" && returnedCentBps !== 0n);
  return unpaid.map((purchase) => adjust(purchase, 0n));
}

/** Every purchase keeps what it can of its payout; the rest is debt, of which the share may lift some again. */
function sharePaid(purchases: readonly SalePurchase[], share: Share, debtGwei: bigint): SaleAction[] {
  const returns = purchases.map((purchase) => {
    const kept = share.take(purchase, purchase.centBps - purchase.returnedCentBps);
    return { purchase, returned: purchase.centBps - kept };
  });
  let debt = debtGwei;
  return returns.flatMap(({ purchase, returned }) => {
    const lifted = share.take(purchase, liftable(purchase, returned, debt));
    const action = adjust(purchase, returned - lifted);
    if (lifted > 0n) debt += action.gwei;
    return action.centBps === 0n ? [] : [action];
  });
}

function shareConfirmed(purchases: readonly SalePurchase[], share: Share): SaleAction[] {
  return purchases.flatMap((purchase) => entitle(purchase, share.take(purchase, capacityOf(purchase))));
}

/** Cancelled is final, and a ticket's value cannot grow: for a higher value it is cancelled and minted again. */
function sharePending(purchases: readonly SalePurchase[], share: Share): SaleAction[] {
  return purchases.flatMap((purchase) => {
    const isEnough = share.remaining <= capacityOf(purchase);
    const entitled = share.take(purchase, isEnough && !purchase.isWithdrawn ? share.remaining : 0n);
    return purchase.isWithdrawn ? [] : entitle(purchase, entitled);
  });
}

/** The rest becomes one purchase that is not minted yet. */
function sharePlanned(purchases: readonly SalePurchase[], share: Share, target: SaleTarget): SaleAction[] {
  const [planned, ...spare] = purchases;
  const create: SaleAction[] = share.remaining > 0n ? [{ kind: "create", ...termsOf(target, share) }] : [];
  return [
    ...(planned ? planAgain(planned, target, share) : create),
    ...spare.flatMap((purchase) => entitle(purchase, 0n)),
  ];
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
  if (share.remaining === 0n) return entitle(purchase, 0n);
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
  const rest = target.amountCents - share.valueCents;
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

/** How much debt can still be lifted: what has not been offset yet. */
function liftable(purchase: SalePurchase, returned: bigint, debtGwei: bigint): bigint {
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
