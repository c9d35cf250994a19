import { cashbackGwei, cashbackWei } from "./cashback.ts";
import { WEI_PER_GWEI } from "./product.ts";

/** A ticket and its payout, read from the chain. */
export type ChainTicket = {
  buyer: string;
  valueCents: bigint;
  totalBps: bigint;
  isPaid: boolean;
  /** Undefined if its transaction is not known. */
  payout: Payout | undefined;
};
/** `weiPerCent` is undefined if the distributor emitted no rate before it. */
export type Payout = { amountWei: bigint; weiPerCent: bigint | undefined; recipient: string };

/**
 * How a ticket's payout compares with value × percent × rate: not paid; paid in a transaction that the site does not
 * know yet; paid in full to the gwei, in part, or wrongly. docs/product.md#proof-page
 */
export type Verdict = { kind: "open" | "unread" | "exact" | "wrong" } | { kind: "less"; missingWei: bigint };

export function verdictOn({ buyer, valueCents, totalBps, isPaid, payout }: ChainTicket): Verdict {
  if (!payout) return { kind: isPaid ? "unread" : "open" };
  const { amountWei, weiPerCent, recipient } = payout;
  if (weiPerCent === undefined || recipient !== buyer) return { kind: "wrong" };
  const terms = { valueCents, totalBps, weiPerCent };
  if (amountWei > cashbackWei(terms)) return { kind: "wrong" };
  const missingWei = cashbackGwei(terms) * WEI_PER_GWEI - amountWei;
  return missingWei > 0n ? { kind: "less", missingWei } : { kind: "exact" };
}

/** Whether as many tickets are listed as the wallet has, each once: one that is listed twice would hide another. */
export function isWhole(listed: readonly { token_id: number }[], count: bigint): boolean {
  return BigInt(listed.length) === count && new Set(listed.map((one) => one.token_id)).size === listed.length;
}
