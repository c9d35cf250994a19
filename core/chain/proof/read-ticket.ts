import type { PublicClient } from "viem";
import { toWalletAddress, type WalletAddress } from "../../rules/wallet-address.ts";
import { purchaseOf } from "../generated/purchase-nft.ts";

/** A ticket as stored, without its payouts; a burnt one's buyer is the zero address. @throws if there is none */
export async function readTicket(
  { client, purchaseNft }: { client: Pick<PublicClient, "readContract">; purchaseNft: WalletAddress },
  id: bigint,
) {
  const { buyer, status, valueCents, baseBps, bonusBps } = await client.readContract({
    address: purchaseNft,
    abi: [purchaseOf],
    functionName: "purchaseOf",
    args: [id],
  });
  return {
    id,
    buyer: toWalletAddress(buyer),
    status,
    valueCents: BigInt(valueCents),
    totalBps: BigInt(baseBps) + BigInt(bonusBps),
  };
}
