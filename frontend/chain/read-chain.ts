import { createClient, decodeFunctionResult, encodeFunctionData, type Hex, http, type PublicClient } from "viem";
import { getBlock, getBlockNumber, getLogs, getTransaction, getTransactionReceipt } from "viem/actions";
import { isPaid } from "../../chain/generated/cashback-distributor.ts";
import { isTransactionHash, payoutsIn } from "../../chain/proof/payouts.ts";
import { readTicket } from "../../chain/proof/read-ticket.ts";
import type { ProvenTicket } from "../../domain/proof.ts";
import { toWalletAddress } from "../../domain/wallet-address.ts";
import { deployment } from "../app/deployment.ts";
import { targetChain } from "./target-chain.ts";

const client = createClient({ chain: targetChain, transport: http() });

/**
 * One call of a view. viem's `readContract` also batches calls, overrides state and follows look-ups outside the chain:
 * that is 17 kB of code that no page here needs.
 * @throws the client's error, and viem's if the answer is not as the ABI says
 */
const readContract: PublicClient["readContract"] = async ({ address, abi, functionName, args }) => {
  const view = { abi, functionName, args } as Parameters<typeof encodeFunctionData>[0];
  const data = await client.request({
    method: "eth_call",
    params: [{ to: address, data: encodeFunctionData(view) }, "latest"],
  });
  return decodeFunctionResult({ ...view, data } as Parameters<typeof decodeFunctionResult>[0]) as never;
};

/** In wei. viem's `getBalance` may read through a contract, and needs the code of `readContract` for it. */
export const readBalance = async (address: Hex): Promise<bigint> =>
  BigInt(await client.request({ method: "eth_getBalance", params: [address, "latest"] }));

const ACTIONS = { getBlock, getBlockNumber, getLogs, getTransaction, getTransactionReceipt };
type Action = (...parameters: unknown[]) => unknown;
const bound = Object.entries(ACTIONS).map(([name, action]) => [
  name,
  (...parameters: unknown[]) => (action as Action)(client, ...parameters),
]);

/** The reads of the pages, on the deployment's chain: viem's public client has all there are, which triples its weight. */
export const chainClient: Pick<PublicClient, keyof typeof ACTIONS | "readContract"> = {
  ...Object.fromEntries(bound),
  readContract,
};

export const purchaseNft = () => toWalletAddress(deployment.purchase_nft);

/** The distributor that pays. */
export const distributor = () => toWalletAddress(deployment.cashback_distributor);

/** A ticket with the payout of `payoutTx`, and whether it was paid at all. */
export type ChainTicket = ProvenTicket & { isPaid: boolean };

export async function readChainTicket(id: bigint, payoutTx: string | undefined): Promise<ChainTicket> {
  const [ticket, paid, payouts] = await Promise.all([
    readTicket({ client: chainClient, purchaseNft: purchaseNft() }, id),
    readContract({ address: distributor(), abi: [isPaid], functionName: "isPaid", args: [id] }),
    payoutTx ? readPayouts(payoutTx) : [],
  ]);
  return { ...ticket, isPaid: paid, payouts: payouts.filter(({ purchaseId }) => purchaseId === id) };
}

/** The current distributor and its predecessors. */
export const distributors = (): Hex[] =>
  [deployment.cashback_distributor, ...deployment.former_distributors].map(toWalletAddress);

async function readPayouts(hash: string) {
  if (!isTransactionHash(hash)) throw new Error(`The site names ${hash} as a payout, which is not a transaction`);
  const { logs } = await chainClient.getTransactionReceipt({ hash });
  return payoutsIn(logs, distributors());
}

export async function readTransaction(hash: Hex) {
  const [transaction, receipt] = await Promise.all([
    chainClient.getTransaction({ hash }),
    chainClient.getTransactionReceipt({ hash }),
  ]);
  const block = await chainClient.getBlock({ blockNumber: receipt.blockNumber });
  const at = new Date(Number(block.timestamp) * 1_000).toISOString();
  return { transaction, receipt, payouts: payoutsIn(receipt.logs, distributors()), at };
}
