import { useMutationState } from "@tanstack/react-query";
import { useConnection } from "wagmi";
import { toWalletAddress } from "../../core/rules/wallet-address.ts";
import { readStored, STORAGE_KEYS } from "../app/storage.ts";
import { targetChain } from "../chain/target-chain.ts";
import { hasCode, REJECTED } from "./errors.ts";

/** Whether an earlier page had a wallet, which is restored. */
export const hadWallet = readStored(STORAGE_KEYS.recentConnector) !== null;

/**
 * wagmi's connection in the product's words. `address`: lower case; undefined while no wallet is connected. `isRestoring`:
 * it is not known yet whether an earlier connection can be restored. `isDeclined`: the user declined the last request to
 * connect, which is said where it was asked, since it is no failure.
 */
export function useWallet() {
  const { address: connected, status, chainId } = useConnection();
  const last = useMutationState({ filters: { mutationKey: ["connect"] }, select: ({ state }) => state }).at(-1);
  const isConnecting = last?.status === "pending";
  const address = status === "connected" ? toWalletAddress(connected) : undefined;
  return {
    address,
    isConnecting,
    isDeclined: last?.status === "error" && hasCode(last.error, REJECTED),
    isRestoring: hadWallet && !isConnecting && (status === "connecting" || status === "reconnecting"),
    isWrongNetwork: address !== undefined && chainId !== targetChain.id,
  };
}
