import { percentText } from "./money.ts";
import { WEI_PER_GWEI } from "./product.ts";

/** The terms that determine a purchase's cashback: percents frozen at registration, rate at confirmation. */
export type CashbackTerms = {
  /** The value of the purchase in BRL cents. */
  valueCents: bigint;
  /** Base plus bonus, in basis points. */
  totalBps: bigint;
  /** Wei of CHZ per BRL cent. */
  weiPerCent: bigint;
};

/**
 * The cashback of a purchase in gwei of CHZ: value × percent × rate, rounded down to a whole gwei.
 * docs/product.md#cashback-formula.
 * @example
 * // R$ 123,45 at 5.75 %, one CHZ for a real: 7.098375 CHZ.
 * cashbackGwei({ valueCents: 12_345n, totalBps: 575n, weiPerCent: 10n ** 16n }) // 7_098_375_000n
 */
export function cashbackGwei({ valueCents, totalBps, weiPerCent }: CashbackTerms): bigint {
  return cashbackOfCentBps(valueCents * totalBps, weiPerCent);
}

/** The same in wei, not rounded to a gwei: the most that the distributor pays. docs/product.md#payout-once */
export function cashbackWei({ valueCents, totalBps, weiPerCent }: CashbackTerms): bigint {
  return (valueCents * totalBps * weiPerCent) / 10_000n;
}

/** In gwei for an exact cashback in cents × basis points: the sum of parts with different percents. */
export function cashbackOfCentBps(centBps: bigint, weiPerCent: bigint): bigint {
  return (centBps * weiPerCent) / (10_000n * WEI_PER_GWEI);
}

/** The least cents × basis points whose cashback at a rate is so many gwei: exact for what was once such a cashback. */
function centBpsOfGwei(gwei: bigint, weiPerCent: bigint): bigint {
  return (gwei * 10_000n * WEI_PER_GWEI + weiPerCent - 1n) / weiPerCent;
}

/** What the chain paid, and the rate of its transaction; null where it was read by 1.0.0. */
export type Payment = { gwei: bigint; weiPerCent: bigint | null };
type Promised = { centBps: bigint; weiPerCent: bigint | null; offsetGwei: bigint };

/**
 * The cashback and the rate that a payment shows, if its row promised otherwise (docs/product.md#sale-ref). What was kept of it for a debt, and is
 * not known any more, was not paid: it is owed anew, and kept for that debt again.
 */
export function paidOtherwise(payment: Payment, promised: Promised): (Promised & { weiPerCent: bigint }) | undefined {
  const { gwei } = payment;
  const weiPerCent = payment.weiPerCent ?? promised.weiPerCent ?? rateFor(gwei, promised.centBps);
  const isSame = promised.weiPerCent === weiPerCent;
  if (isSame && cashbackOfCentBps(promised.centBps, weiPerCent) === gwei + promised.offsetGwei) return undefined;
  const isGuess = payment.weiPerCent === null && promised.weiPerCent === null;
  return { weiPerCent, centBps: isGuess ? promised.centBps : centBpsOfGwei(gwei, weiPerCent), offsetGwei: 0n };
}

/** The rate at which a cashback is exactly what was paid: rounded up. Of a payment that 1.0.0 read, all that can be known. */
function rateFor(gwei: bigint, centBps: bigint): bigint {
  return (gwei * WEI_PER_GWEI * 10_000n + centBps - 1n) / centBps;
}

/** What gwei of CHZ are worth at a rate, in BRL cents, rounded down. docs/product.md#worth */
export function worthCents(gwei: bigint, weiPerCent: bigint): bigint {
  return (gwei * WEI_PER_GWEI) / weiPerCent;
}

/** The range of a store's percents, in basis points; undefined if it has none. */
export function cashbackRange(allBps: readonly bigint[]): { minBps: bigint; maxBps: bigint } | undefined {
  const [first, ...rest] = allBps;
  if (first === undefined) return undefined;
  return rest.reduce(
    (range, bps) => ({
      minBps: bps < range.minBps ? bps : range.minBps,
      maxBps: bps > range.maxBps ? bps : range.maxBps,
    }),
    { minBps: first, maxBps: first },
  );
}

/**
 * 'min%' if min equals max, else 'min% - max%', and '0%' if there are none. docs/product.md#cashback-range.
 * @example
 * cashbackRangeText([500n, 1_050n, 300n]) // "3% - 10.5%"
 */
export function cashbackRangeText(allBps: readonly bigint[]): string {
  const range = cashbackRange(allBps);
  if (!range) return "0%";
  const min = `${percentText(range.minBps)}%`;
  return range.minBps === range.maxBps ? min : `${min} - ${percentText(range.maxBps)}%`;
}

/** What determines a purchase's cashback: its exact share, and the rate that its confirmation froze. */
export type CashbackShare = { cashback_cent_bps: bigint; wei_per_cent: bigint | null };

/** A purchase's cashback in gwei at its frozen rate, or at the current one before that. */
export function cashbackOf(purchase: CashbackShare, currentWeiPerCent: bigint): bigint {
  return cashbackOfCentBps(purchase.cashback_cent_bps, purchase.wei_per_cent ?? currentWeiPerCent);
}

/**
 * How much of a cashback is kept for its buyer's debt: the smaller of the two. docs/product.md#debt
 * @example
 * offsetOf(8n, 5n) // 5n
 * offsetOf(8n, 20n) // 8n
 */
export function offsetOf(cashbackGwei: bigint, debtGwei: bigint): bigint {
  if (debtGwei <= 0n) return 0n;
  return debtGwei < cashbackGwei ? debtGwei : cashbackGwei;
}
