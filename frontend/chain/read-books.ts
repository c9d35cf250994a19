import { parseDecimal } from "../../core/rules/money.ts";
import type { ProofBooks } from "../../core/rules/proof.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { getWalletBooks } from "../api/calls.ts";

const GWEI_DECIMALS = 9;

/** A wallet's published books; undefined if the api does not respond: then nothing explains a lower payout. */
export async function readWalletBooks(wallet: WalletAddress, signal?: AbortSignal): Promise<ProofBooks | undefined> {
  const rows = await getWalletBooks(wallet, signal ? { signal } : {}).catch(() => undefined);
  const gwei = (chz: string) => parseDecimal(chz, GWEI_DECIMALS);
  return (
    rows &&
    new Map(
      rows.map(({ token_id, cashback, kept, owed }) => [
        BigInt(token_id),
        { cashbackGwei: gwei(cashback), keptGwei: gwei(kept), owedGwei: gwei(owed) },
      ]),
    )
  );
}
