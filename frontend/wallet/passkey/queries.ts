import { queryOptions } from "@tanstack/react-query";
import type { WalletAddress } from "../../../core/rules/wallet-address.ts";
import type { AddressCheck } from "./send-rules.ts";

/** In wei, from the chain. */
export const balanceQuery = (wallet: WalletAddress) =>
  queryOptions({
    queryKey: ["passkey", "balance", wallet],
    queryFn: async () => (await import("./sending.ts")).balanceOf(wallet),
  });

/** The highest fee of sending CHZ to `to`, in wei. */
export const feeQuery = (from: WalletAddress, to: WalletAddress) =>
  queryOptions({
    queryKey: ["passkey", "fee", from, to],
    queryFn: async () => (await (await import("./sending.ts")).costOf(from, to)).fee,
    // A fee that is beyond all sense is told when it is sent.
    retry: false,
  });

export type Receiver = { check: AddressCheck; isContract: boolean };

/** What is known of an address before CHZ is sent there from `own`. */
export const receiverQuery = (address: string, own: WalletAddress) =>
  queryOptions({
    queryKey: ["passkey", "receiver", address, own],
    queryFn: async (): Promise<Receiver> => (await import("./sending.ts")).receiverOf(address, own),
  });
