import { getTransactionReceipt } from "viem/actions";
import { isPaid } from "../../core/chain/generated/cashback-distributor.ts";
import { isTransactionHash, payoutsIn } from "../../core/chain/proof/payouts.ts";
import { readTicket } from "../../core/chain/proof/read-ticket.ts";
import type { ProvenTicket } from "../../core/rules/proof.ts";
import { client, readContract } from "../chain/client.ts";
import { distributor, distributors, purchaseNft } from "../chain/contracts.ts";

/** A ticket with the payout of `payoutTx`, and whether it was paid at all. */
export type ChainTicket = ProvenTicket & { isPaid: boolean };

export async function readChainTicket(id: bigint, payoutTx: string | undefined): Promise<ChainTicket> {
  const [ticket, paid, payouts] = await Promise.all([
    readTicket({ client: { readContract }, purchaseNft: purchaseNft() }, id),
    readContract({ address: distributor(), abi: [isPaid], functionName: "isPaid", args: [id] }),
    payoutTx ? readPayouts(payoutTx) : [],
  ]);
  return { ...ticket, isPaid: paid, payouts: payouts.filter(({ purchaseId }) => purchaseId === id) };
}

async function readPayouts(hash: string) {
  if (!isTransactionHash(hash)) throw new Error(`The site names ${hash} as a payout, which is not a transaction`);
  const { logs } = await getTransactionReceipt(client, { hash });
  return payoutsIn(logs, distributors());
}
