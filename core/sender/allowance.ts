import type { OperationReason } from "../database/operations.ts";
import { chzTextFromGwei, chzTextFromWei } from "../rules/money.ts";
import type { Verdict } from "./encoder.ts";
import type { Operation } from "./queue.ts";

/** A contract's current limits on payouts, less what is under way, in gwei. */
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
  /** Who shares the day's cap, by `share_id` of their payouts. */
  shares: ReadonlyMap<bigint, DayShare>;
};

export type DayShare = {
  /** What is left of its share of the day, which binds while others wait. */
  leftGwei: bigint;
  /** The smallest of its payouts that is queued, or waits for the day's cap. */
  smallestGwei: bigint | undefined;
};

type Sized = Pick<Operation, "id" | "amount_gwei" | "share_id">;
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
    const verdict = allowance.closed ?? verdictOn(operation, outcome.left);
    if (verdict) {
      outcome.setAside.push({ operation, verdict });
      continue;
    }
    outcome.ready.push(operation);
    outcome.left = spend(outcome.left, [operation]);
  }
  return outcome;
}

/** The limits after payouts. */
export function spend(allowance: Allowance, operations: readonly Sized[]): Allowance {
  const shares = new Map(allowance.shares);
  let gwei = 0n;
  for (const { share_id, amount_gwei } of operations) {
    gwei += amount_gwei ?? 0n;
    const share = share_id === null ? undefined : shares.get(share_id);
    if (share_id !== null && share) shares.set(share_id, { ...share, leftGwei: share.leftGwei - (amount_gwei ?? 0n) });
  }
  return { ...allowance, dayLeft: allowance.dayLeft - gwei, pool: allowance.pool - gwei, shares };
}

/** The verdict on a payout whose rate is above the distributor's maximum. docs/product.md#payout-aside */
export function aboveRate(maxWeiPerCent: bigint): Verdict {
  const text = `RateTooHigh: the purchase's rate is above the distributor's bound of ${maxWeiPerCent} wei a cent`;
  return later("rate_too_high", chzTextFromWei(maxWeiPerCent * 100n), text);
}

function verdictOn({ amount_gwei, share_id }: Sized, left: Allowance): Verdict | undefined {
  const gwei = amount_gwei ?? 0n;
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
  const share = share_id === null ? undefined : left.shares.get(share_id);
  if (share && gwei > share.leftGwei && doOthersWait(share_id, left)) {
    const limit = chz(share.leftGwei);
    const text = `AboveDayShare: ${asks} ${limit} CHZ left of its account's share of the daily cap, while others wait`;
    return later("day_cap", limit, text, left.dayEndsInMs + AFTER_MIDNIGHT_MS);
  }
  return undefined;
}

/** Whether a payout of another account could still be paid today, within that one's share. */
function doOthersWait(share_id: bigint | null, { shares, dayLeft, maxPayout }: Allowance): boolean {
  return [...shares].some(([id, { leftGwei, smallestGwei }]) => {
    if (id === share_id || smallestGwei === undefined) return false;
    return smallestGwei <= leftGwei && smallestGwei <= dayLeft && smallestGwei <= maxPayout;
  });
}

function later(reason: OperationReason, limit: string, text: string, afterMs = LIMIT_RETRY_MS): Verdict {
  return { kind: "later", reason, text, limit, afterMs };
}
