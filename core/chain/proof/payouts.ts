import { type Log, parseEventLogs } from "viem";
import type { Payout } from "../../rules/proof.ts";
import { toWalletAddress } from "../../rules/wallet-address.ts";
import { CashbackDeferred, CashbackPaid, RateApplied } from "../generated/cashback-distributor.ts";

export type PurchasePayout = Payout & { purchaseId: bigint };

/**
 * The payouts in a transaction's logs, each with the rate that its distributor emitted last before it. Logs of other
 * contracts are left out.
 */
export function payoutsIn(logs: readonly Log<bigint, number, false>[], distributors: readonly string[]) {
  const rates = new Map<string, bigint>();
  const payouts: PurchasePayout[] = [];
  const own = logs.filter(({ address }) => distributors.includes(toWalletAddress(address)));
  for (const event of parseEventLogs({ abi: [RateApplied, CashbackPaid, CashbackDeferred], logs: own })) {
    const distributor = toWalletAddress(event.address);
    if (event.eventName === "RateApplied") {
      rates.set(distributor, event.args.weiPerCent);
      continue;
    }
    const { purchaseId, amount, recipient } = event.args;
    payouts.push({
      purchaseId,
      kind: event.eventName === "CashbackPaid" ? "paid" : "deferred",
      amountWei: amount,
      weiPerCent: rates.get(distributor),
      recipient: toWalletAddress(recipient),
      transaction: event.transactionHash,
    });
  }
  return payouts;
}

export function isTransactionHash(text: string): text is `0x${string}` {
  return /^0x[0-9a-f]{64}$/i.test(text);
}
