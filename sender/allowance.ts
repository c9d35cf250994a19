import type { OperationReason } from "../database/operations.ts";
import { chzTextFromGwei, chzTextFromWei } from "../domain/money.ts";
import type { Verdict } from "./encoder.ts";
import type { Operation } from "./queue.ts";

/** A contract's current limits on payouts, in gwei. */
export type Allowance = {
  /** Set if no payout is possible at all. */
  closed?: Verdict & { kind: "later" };
  maxWeiPerCent: bigint;
  /** The limit per payout. */
  maxPayout: bigint;
  /** The rest of the daily cap. */
  dayLeft: bigint;
  /** Milliseconds until the next day. */
  dayEndsInMs: bigint;
  /** The CHZ that can be paid out. */
  pool: bigint;
};

type Sized = Pick<Operation, "id" | "amount_gwei">;
type Outcome<T> = { ready: T[]; setAside: { operation: T; verdict: Verdict }[]; left: Allowance };

const LIMIT_RETRY_MS = 600_000n;
const POOL_RETRY_MS = 60_000n;
/** Shortly after midnight, because the time of the next block counts. */
const AFTER_MIDNIGHT_MS = 5_000n;

/**
 * Splits operations, in order, into those within the limits and those set aside. One that is too large does not delay
 * those behind it.
 */
export function admit<T extends Sized>(operations: readonly T[], allowance: Allowance): Outcome<T> {
  const outcome: Outcome<T> = { ready: [], setAside: [], left: { ...allowance } };
  for (const operation of operations) {
    const verdict = allowance.closed ?? verdictOn(operation.amount_gwei ?? 0n, outcome.left);
    if (verdict) {
      outcome.setAside.push({ operation, verdict });
      continue;
    }
    outcome.ready.push(operation);
    outcome.left = spend(outcome.left, operation.amount_gwei ?? 0n);
  }
  return outcome;
}

/** The limits after a payout. */
export function spend(allowance: Allowance, gwei: bigint): Allowance {
  return { ...allowance, dayLeft: allowance.dayLeft - gwei, pool: allowance.pool - gwei };
}

/** The verdict on a payout whose rate is above the distributor's maximum. docs/product.md#payout-aside */
export function aboveRate(maxWeiPerCent: bigint): Verdict {
  const text = `RateTooHigh: the purchase's rate is above the distributor's bound of ${maxWeiPerCent} wei a cent`;
  return later("rate_too_high", chzTextFromWei(maxWeiPerCent * 100n), text);
}

function verdictOn(gwei: bigint, left: Allowance): Verdict | undefined {
  const asks = `${chzTextFromGwei(gwei)} CHZ is above the`;
  const chz = (amount: bigint) => chzTextFromGwei(amount > 0n ? amount : 0n);
  if (gwei > left.maxPayout) {
    const limit = chz(left.maxPayout);
    return later("max_payout", limit, `AboveMaxPayout: ${asks} distributor's limit of ${limit} CHZ a payout`);
  }
  if (gwei > left.dayLeft) {
    const limit = chz(left.dayLeft);
    const text = `AboveDailyCap: ${asks} ${limit} CHZ left of the distributor's daily cap`;
    return later("day_cap", limit, text, left.dayEndsInMs + AFTER_MIDNIGHT_MS);
  }
  if (gwei > left.pool) {
    const limit = chz(left.pool);
    return later("pool_empty", limit, `InsufficientFunds: ${asks} ${limit} CHZ in the distributor`, POOL_RETRY_MS);
  }
  return undefined;
}

function later(reason: OperationReason, limit: string, text: string, afterMs = LIMIT_RETRY_MS): Verdict {
  return { kind: "later", reason, text, limit, afterMs };
}
