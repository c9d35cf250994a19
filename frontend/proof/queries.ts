import { queryOptions, skipToken } from "@tanstack/react-query";
import { isAddressShaped } from "../../core/rules/wallet-address.ts";
import { proveWallet, readBooks } from "./prove-wallet.ts";

const STALE_MS = 15_000;

/** A wallet's purchases, recomputed from the chain; nothing for what is no address. */
export const proofQuery = (wallet: string, onProgress: (progress: number) => void) =>
  queryOptions({
    queryKey: ["proof", wallet],
    queryFn: isAddressShaped(wallet) ? ({ signal }) => proveWallet(wallet, { signal, onProgress }) : skipToken,
    retry: 1,
    staleTime: STALE_MS,
  });

export const booksQuery = queryOptions({ queryKey: ["books"], queryFn: readBooks, staleTime: STALE_MS });
