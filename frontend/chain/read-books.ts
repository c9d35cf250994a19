import { booksOf, type ProofBooks } from "../../core/rules/proof.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { getWalletBooks } from "../api/calls.ts";

/** A wallet's published books; undefined if the api does not respond: then nothing explains a lower payout. */
export async function readWalletBooks(wallet: WalletAddress, signal?: AbortSignal): Promise<ProofBooks | undefined> {
  const rows = await getWalletBooks(wallet, signal ? { signal } : {}).catch(() => undefined);
  return rows && booksOf(rows);
}
