import type { Client, Hex, PublicClient } from "viem";
import {
  getBalance,
  getBlock,
  getBlockNumber,
  getLogs,
  getTransaction,
  getTransactionReceipt,
  readContract,
} from "viem/actions";
import { getClient } from "wagmi/actions";
import { cashbackDistributorAbi } from "../../chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../chain/generated/purchase-nft.ts";
import { isTransactionHash, payoutsIn } from "../../chain/proof/payouts.ts";
import { readTicket } from "../../chain/proof/read-ticket.ts";
import type { ProvenTicket } from "../../domain/proof.ts";
import { toWalletAddress } from "../../domain/wallet-address.ts";
import { deployment } from "../app/deployment.ts";
import { wagmiConfig } from "../wallet/config.ts";

export const contracts = () => ({
  nft: { address: toWalletAddress(deployment.purchase_nft), abi: purchaseNftAbi },
  distributor: { address: toWalletAddress(deployment.cashback_distributor), abi: cashbackDistributorAbi },
});

const ACTIONS = {
  getBalance,
  getBlock,
  getBlockNumber,
  getLogs,
  getTransaction,
  getTransactionReceipt,
  readContract,
};
type Action = (client: Client, ...parameters: unknown[]) => unknown;

/** The actions that the pages use: viem's public client has all of them, which triples its weight. */
export function chainClient(): Pick<PublicClient, keyof typeof ACTIONS> {
  const client = getClient(wagmiConfig);
  if (!client) throw new Error("There is no chain to read");
  const bound = Object.entries(ACTIONS).map(([name, action]) => [
    name,
    (...parameters: unknown[]) => (action as Action)(client, ...parameters),
  ]);
  return Object.fromEntries(bound);
}

/** A ticket with the payout of `payoutTx`, and whether it was paid at all. */
export type ChainTicket = ProvenTicket & { isPaid: boolean };

export async function readChainTicket(id: bigint, payoutTx: string | undefined): Promise<ChainTicket> {
  const { nft, distributor } = contracts();
  const client = chainClient();
  const [ticket, isPaid, payouts] = await Promise.all([
    readTicket({ client, purchaseNft: nft.address }, id),
    client.readContract({ ...distributor, functionName: "isPaid", args: [id] }),
    payoutTx ? readPayouts(payoutTx) : [],
  ]);
  return { ...ticket, isPaid, payouts: payouts.filter(({ purchaseId }) => purchaseId === id) };
}

/** The current distributor and its predecessors. */
export const distributors = (): Hex[] =>
  [deployment.cashback_distributor, ...deployment.former_distributors].map(toWalletAddress);

async function readPayouts(hash: string) {
  if (!isTransactionHash(hash)) throw new Error(`The site names ${hash} as a payout, which is not a transaction`);
  const { logs } = await chainClient().getTransactionReceipt({ hash });
  return payoutsIn(logs, distributors());
}

export async function readTransaction(hash: Hex) {
  const [transaction, receipt] = await Promise.all([
    chainClient().getTransaction({ hash }),
    chainClient().getTransactionReceipt({ hash }),
  ]);
  const block = await chainClient().getBlock({ blockNumber: receipt.blockNumber });
  const at = new Date(Number(block.timestamp) * 1_000).toISOString();
  return { transaction, receipt, payouts: payoutsIn(receipt.logs, distributors()), at };
}
