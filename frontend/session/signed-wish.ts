import { useCallback } from "react";
import type { SignedWish, WishPurpose } from "../api/calls.ts";
import { ApiError } from "../api/http.ts";
import { useConnectWallet } from "../wallet/use-connect-wallet.ts";
import { useSign } from "../wallet/use-sign.ts";
import { useWallet } from "../wallet/use-wallet.ts";

/** Whoever was asked for the signature, or for a wallet, declined. */
export class WishDeclinedError extends Error {
  override readonly name = "WishDeclinedError";
}

/**
 * Makes a call that only the owner of the wallet may make: where the server asks for it, the wallet signs a sentence that
 * says what happens, and the call is made again with it. docs/product.md#erase
 */
export function useSignedWish(purpose: WishPurpose) {
  const { address } = useWallet();
  const { connect } = useConnectWallet();
  const sign = useSign();
  return useCallback(
    async <T>(make: (wish: SignedWish) => Promise<T>): Promise<T> => {
      try {
        return await make({});
      } catch (error) {
        if (!(error instanceof ApiError && error.code === "SIGNATURE_NEEDED")) throw error;
        const { proveWish } = await import("./prove-wish.ts");
        const wish = await proveWish(purpose, { address, sign, connect });
        if (!wish) throw error;
        if (wish === "declined") throw new WishDeclinedError();
        return make(wish);
      }
    },
    [address, connect, purpose, sign],
  );
}
