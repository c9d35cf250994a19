import { decodeEventLog, type Hex } from "viem";
import { getPublicClient } from "wagmi/actions";
import { cashbackDistributorAbi } from "../../chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../chain/generated/purchase-nft.ts";
import { deployment } from "../app/deployment.ts";
import { wagmiConfig } from "../wallet/config.ts";

/** A ticket on the chain, read by the visitor's browser from a public node. */
export type ChainTicket = {
  buyer: string;
  valueCents: bigint;
  totalBps: bigint;
  isPaid: boolean;
  /** From the transaction that the site names; undefined if it names none. */
  payout: Payout | undefined;
};
export type Payout = { amountWei: bigint; weiPerCent: bigint | undefined; recipient: string };

export const contracts = () => ({
  nft: { address: deployment.purchase_nft as Hex, abi: purchaseNftAbi },
  distributor: { address: deployment.cashback_distributor as Hex, abi: cashbackDistributorAbi },
});

export const chainClient = () => {
  const found = getPublicClient(wagmiConfig);
  if (!found) throw new Error("There is no chain to read");
  return found;
};

export async function readChainTicket(tokenId: bigint, payoutTx: string | undefined): Promise<ChainTicket> {
  const { nft, distributor } = contracts();
  const [record, isPaid, payout] = await Promise.all([
    chainClient().readContract({ ...nft, functionName: "purchaseOf", args: [tokenId] }),
    chainClient().readContract({ ...distributor, functionName: "isPaid", args: [tokenId] }),
    payoutTx ? readPayout(tokenId, payoutTx as Hex) : undefined,
  ]);
  return {
    buyer: record.buyer.toLowerCase(),
    valueCents: BigInt(record.valueCents),
    totalBps: BigInt(record.cashbackBps) + BigInt(record.bonusBps),
    isPaid,
    payout,
  };
}

/** The current distributor and its predecessors. */
export const distributors = (): Hex[] =>
  [deployment.cashback_distributor, ...deployment.former_distributors].map((address) => address as Hex);

async function readPayout(tokenId: bigint, hash: Hex): Promise<Payout | undefined> {
  return (await readPayouts(hash)).get(tokenId);
}

/** The payouts of a transaction by purchase, each with the rate that applied to it. */
export async function readPayouts(hash: Hex): Promise<Map<bigint, Payout>> {
  const receipt = await chainClient().getTransactionReceipt({ hash });
  const payouts = new Map<bigint, Payout>();
  let weiPerCent: bigint | undefined;
  const ours: readonly string[] = distributors();
  for (const log of receipt.logs) {
    if (!ours.includes(log.address.toLowerCase())) continue;
    const event = decodeEventLog({ abi: cashbackDistributorAbi, data: log.data, topics: log.topics });
    // The rate event comes before the payouts that it applies to.
    if (event.eventName === "RateApplied") weiPerCent = event.args.weiPerCent;
    if (event.eventName !== "CashbackPaid" && event.eventName !== "CashbackDeferred") continue;
    const { purchaseId, amount, recipient } = event.args;
    payouts.set(purchaseId, { amountWei: amount, weiPerCent, recipient: recipient.toLowerCase() });
  }
  return payouts;
}

export async function readTransaction(hash: Hex) {
  const [transaction, receipt] = await Promise.all([
    chainClient().getTransaction({ hash }),
    chainClient().getTransactionReceipt({ hash }),
  ]);
  const block = await chainClient().getBlock({ blockNumber: receipt.blockNumber });
  return { transaction, receipt, at: new Date(Number(block.timestamp) * 1_000).toISOString() };
}
