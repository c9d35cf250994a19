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

/** All reasons that apply, each with a sentence for the admin. */
export function holdReasons(facts: HoldFacts, limits: HoldLimits): { reason: HoldReason; text: string }[] {
  const found: { reason: HoldReason; text: string }[] = [];
  const add = (applies: boolean, reason: HoldReason, text: string) => {
    if (applies) found.push({ reason, text });
  };
  found.push(...holdForDrift(facts.drift));
  add(facts.amountCents === undefined, "no_rate", `There is no exchange rate for ${facts.currency}`);
  add(!facts.isOfAccount, "other_account", "The click is of a store of another network or account");
  add(
    facts.ordinalOfDay > limits.salesPerDay,
    "too_many",
    `More than ${limits.salesPerDay} sales of one wallet in a day`,
  );
  add((facts.amountCents ?? 0n) > limits.maximumCents, "too_high", "The amount is above SALE_MAX_REAIS");
  add(
    limits.minimumSeconds > 0n &&
      facts.occurredAt !== null &&
      facts.occurredAt - facts.clickedAt < limits.minimumSeconds * 1_000n,
    "too_fast",
    `The sale is less than ${limits.minimumSeconds} seconds after the click`,
  );
  add(facts.isOrderShared, "order_twice", "The same order was reported for another wallet");
  add(
    facts.commissionCents !== null && facts.commissionCents * BPS < facts.cashbackCentBps,
    "low_commission",
    "The commission is below the cashback",
  );
  return found;
}

/** The only reason that does not depend on the buyer. */
export function holdForDrift(drift: string | null): { reason: HoldReason; text: string }[] {
  return drift === null ? [] : [{ reason: "drift", text: `The network's report is not understood: ${drift}` }];
}
