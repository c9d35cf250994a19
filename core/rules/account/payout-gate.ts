/** Why a payable purchase waits for its account: it was paid as much as it may be, or ten times its usual day. */
export type AccountWait = "credit_used" | "unusual_day";

/**
 * The sums that an account's books keep, all but the last in cents × basis points: what passed the gate and did not come
 * back; what waits at it; what has arrived, in cents.
 */
export const ACCOUNT_SUMS = ["paid_cent_bps", "waiting_cent_bps", "booked_cents"] as const;
export type AccountSum = (typeof ACCOUNT_SUMS)[number];

const BPS = 10_000n;
/** So many days with payouts make an account's usual day. */
export const USUAL_DAYS = 28;
/** It counts as at least so much: a new account has no usual day. */
const LEAST_USUAL_CENTS = 100_000n;
const UNUSUAL_FACTOR = 10n;

/** A purchase that could be paid now. */
export type Candidate = {
  id: bigint;
  /** When it became payable. The oldest goes first. */
  payableAt: bigint;
  /** Its cashback, in cents × basis points. */
  centBps: bigint;
};

export type AccountRoom = {
  /** What may still be paid, in cents × basis points; null: any sum. */
  centBps: bigint | null;
  /** What may still be paid today; null: any sum, a sales day is announced. */
  dayCentBps: bigint | null;
  /** An unusual day stopped it, and nobody has announced that day. */
  isStopped: boolean;
  /** The oldest purchase that waits and is not looked at now. */
  oldestWaiting: Pick<Candidate, "id" | "payableAt"> | undefined;
};

/**
 * Which of an account's purchases are paid now, and why the others wait; pure. Oldest payable first, each whole or not at
 * all: one that waits keeps back all that are younger. docs/product.md#accounts
 * @example
 * // R$ 10 of room: the older one of R$ 8 passes, the younger one of R$ 3 waits.
 * judge(
 *   [{ id: 2n, payableAt: 9n, centBps: 3_000_000n }, { id: 1n, payableAt: 5n, centBps: 8_000_000n }],
 *   { centBps: 10_000_000n, dayCentBps: null, isStopped: false, oldestWaiting: undefined },
 * ) // { passed: [1n], waiting: new Map([[2n, "credit_used"]]), stops: false }
 */
export function judge(
  candidates: readonly Candidate[],
  room: AccountRoom,
): { passed: bigint[]; waiting: Map<bigint, AccountWait>; stops: boolean } {
  const passed: bigint[] = [];
  const waiting = new Map<bigint, AccountWait>();
  let { centBps: left, dayCentBps: dayLeft } = room;
  let reason: AccountWait | undefined = room.isStopped ? "unusual_day" : undefined;
  let stops = false;
  for (const one of [...candidates].sort(byAge)) {
    if (reason === undefined && room.oldestWaiting && byAge(room.oldestWaiting, one) < 0) reason = "credit_used";
    if (reason === undefined && left !== null && one.centBps > left) reason = "credit_used";
    if (reason === undefined && dayLeft !== null && one.centBps > dayLeft) {
      reason = "unusual_day";
      stops = true;
    }
    if (reason !== undefined) {
      waiting.set(one.id, reason);
      continue;
    }
    passed.push(one.id);
    if (left !== null) left -= one.centBps;
    if (dayLeft !== null) dayLeft -= one.centBps;
  }
  return { passed, waiting, stops };
}

export function byAge(one: Pick<Candidate, "id" | "payableAt">, other: Pick<Candidate, "id" | "payableAt">): number {
  if (one.payableAt !== other.payableAt) return one.payableAt < other.payableAt ? -1 : 1;
  return one.id < other.id ? -1 : one.id > other.id ? 1 : 0;
}

/** What an account may be paid with what has arrived and its credit, less what was; in cents × basis points. */
export function roomOf({
  bookedCents,
  creditCents,
  paidCentBps,
}: {
  bookedCents: bigint;
  creditCents: bigint | null;
  paidCentBps: bigint;
}): bigint | null {
  return creditCents === null ? null : (bookedCents + creditCents) * BPS - paidCentBps;
}

/**
 * The most that is paid on one day before a person is asked: ten times the median of the last 28 days with payouts, which
 * counts as R$ 1,000 at least; in cents × basis points. docs/product.md#accounts-unusual
 */
export function dayLimitOf(earlierDays: readonly bigint[]): bigint {
  const sorted = earlierDays.slice(0, USUAL_DAYS).sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0n;
  const least = LEAST_USUAL_CENTS * BPS;
  return UNUSUAL_FACTOR * (median > least ? median : least);
}
