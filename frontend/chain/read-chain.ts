import { decodeEventLog, type Hex, type TransactionReceipt } from "viem";
import { getPublicClient } from "wagmi/actions";
import { cashbackDistributorAbi } from "../../chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../chain/generated/purchase-nft.ts";
import type { ChainTicket, Payout } from "../../domain/payout-verdict.ts";
import { toWalletAddress } from "../../domain/wallet-address.ts";
import { deployment } from "../app/deployment.ts";
import { wagmiConfig } from "../wallet/config.ts";

export const contracts = () => ({
  nft: { address: toWalletAddress(deployment.purchase_nft), abi: purchaseNftAbi },
  distributor: { address: toWalletAddress(deployment.cashback_distributor), abi: cashbackDistributorAbi },
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
    payoutTx ? readPayout(tokenId, payoutTx) : undefined,
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
  [deployment.cashback_distributor, ...deployment.former_distributors].map(toWalletAddress);

/** Whether a text is 32 bytes of hex. */
export function isTransactionHash(text: string): text is Hex {
  return /^0x[0-9a-f]{64}$/i.test(text);
}

async function readPayout(tokenId: bigint, hash: string): Promise<Payout | undefined> {
  return (await readPayouts(hash)).get(tokenId);
}

/** The payouts of a transaction by purchase, each with the rate that applied to it. */
export async function readPayouts(hash: string): Promise<Map<bigint, Payout>> {
  if (!isTransactionHash(hash)) throw new Error(`The site names ${hash} as a payout, which is not a transaction`);
  return payoutsIn(await chainClient().getTransactionReceipt({ hash }));
}

function payoutsIn({ logs }: Pick<TransactionReceipt, "logs">): Map<bigint, Payout> {
  const payouts = new Map<bigint, Payout>();
  let weiPerCent: bigint | undefined;
  const ours: readonly string[] = distributors();
  for (const log of logs) {
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
  const at = new Date(Number(block.timestamp) * 1_000).toISOString();
  return { transaction, receipt, payouts: [...payoutsIn(receipt).values()], at };
}
