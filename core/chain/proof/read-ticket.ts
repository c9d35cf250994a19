import type { PublicClient } from "viem";
import type { WalletAddress } from "../../rules/wallet-address.ts";
import { storedPurchaseOf } from "../generated/purchase-nft.ts";
import { unpackPurchase } from "../packed-purchase.ts";

/**
 * A ticket as stored, here or at a contract that this one continues, without its payouts; a burnt one's buyer is the
 * zero address. @throws if there is none
 */
export async function readTicket(
  { client, purchaseNft }: { client: Pick<PublicClient, "readContract">; purchaseNft: WalletAddress },
  id: bigint,
) {
  const word = await client.readContract({
    address: purchaseNft,
    abi: [storedPurchaseOf],
    functionName: "storedPurchaseOf",
    args: [id],
  });
  if (word === 0n) throw new Error(`No contract has a ticket ${id}`);
  const { buyer, status, valueCents, cashbackBps, bonusBps } = unpackPurchase(word);
  return { id, buyer, status: Number(status), valueCents, totalBps: cashbackBps + bonusBps };
}
