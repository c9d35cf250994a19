/** Why a sale waits for a person. Nothing is minted or paid for a held sale. docs/product.md#sales-held */
export const HOLD_REASONS = [
  "drift",
  "no_rate",
  "other_account",
  "too_many",
  "too_high",
  "too_fast",
  "order_twice",
  "low_commission",
] as const;
export type HoldReason = (typeof HOLD_REASONS)[number];

function isHoldReason(text: string): text is HoldReason {
  return HOLD_REASONS.some((reason) => reason === text);
}

export type HoldLimits = { salesPerDay: bigint; maximumCents: bigint; minimumSeconds: bigint };

/** The facts that decide whether a sale is held. */
export type HoldFacts = {
  drift: string | null;
  currency: string;
  /** Undefined if its currency has no rate. */
  amountCents: bigint | undefined;
  commissionCents: bigint | null;
  cashbackCentBps: bigint;
  /** Whether the click's store belongs to the account that reports the sale. */
  isOfAccount: boolean;
  clickedAt: bigint;
  occurredAt: bigint | null;
  /** The number of this sale among its buyer's sales of the day, from 1. */
  ordinalOfDay: bigint;
  /** Whether another wallet has a sale with the same order. */
  isOrderShared: boolean;
};

const BPS = 10_000n;

/** The figures a screen needs to word a reason; amounts are in cents. */
export type HoldFigures = Partial<
  Record<"limit" | "seconds" | "currency" | "detail" | "commission" | "cashback", string>
>;
/** A reason that applies. */
export type Hold = { reason: HoldReason; figures: HoldFigures };

/** All reasons that apply. */
export function holdReasons(facts: HoldFacts, limits: HoldLimits): Hold[] {
  const found: Hold[] = [];
  const add = (applies: boolean, reason: HoldReason, figures: HoldFigures = {}) => {
    if (applies) found.push({ reason, figures });
  };
  found.push(...holdForDrift(facts.drift));
  add(facts.amountCents === undefined, "no_rate", { currency: facts.currency });
  add(!facts.isOfAccount, "other_account");
  add(facts.ordinalOfDay > limits.salesPerDay, "too_many", { limit: String(limits.salesPerDay) });
  add((facts.amountCents ?? 0n) > limits.maximumCents, "too_high", { limit: String(limits.maximumCents) });
  add(
    limits.minimumSeconds > 0n &&
      facts.occurredAt !== null &&
      facts.occurredAt - facts.clickedAt < limits.minimumSeconds * 1_000n,
    "too_fast",
    { seconds: String(limits.minimumSeconds) },
  );
  add(facts.isOrderShared, "order_twice");
  add(facts.commissionCents !== null && facts.commissionCents * BPS < facts.cashbackCentBps, "low_commission", {
    commission: String(facts.commissionCents),
    cashback: String(facts.cashbackCentBps / BPS),
  });
  return found;
}

/** The only reason that does not depend on the buyer. */
export function holdForDrift(drift: string | null): Hold[] {
  return drift === null ? [] : [{ reason: "drift", figures: { detail: drift } }];
}

/** The figures of each reason, stored with the reasons. */
export function encodeFigures(holds: readonly Hold[]): string {
  return JSON.stringify(Object.fromEntries(holds.map(({ reason, figures }) => [reason, figures])));
}

/** Stored reasons with their figures; old rows have none. */
export function readHolds(reasons: string, figures: string | null): Hold[] {
  const known: Partial<Record<HoldReason, HoldFigures>> = figures === null ? {} : JSON.parse(figures);
  const names = reasons.split(" ").filter(isHoldReason);
  return names.map((reason) => ({ reason, figures: known[reason] ?? {} }));
}
