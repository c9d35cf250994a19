import { signInSentence } from "../../core/rules/session.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { askChallenge, type SignedWish, type WishPurpose } from "../api/calls.ts";
import { hasCode, REJECTED } from "../wallet/errors.ts";

type Wallet = {
  address: WalletAddress | undefined;
  sign: (message: string) => Promise<string>;
  connect: () => Promise<void>;
};

/** The signature of a wish; undefined if there is none yet, "declined" if the user declined in the wallet. */
export async function proveWish(
  purpose: WishPurpose,
  { address, sign, connect }: Wallet,
): Promise<SignedWish | "declined" | undefined> {
  try {
    // The wallet is chosen first; the next press asks for the signature.
    if (!address) {
      await connect();
      return undefined;
    }
    const { nonce, message } = await askChallenge(purpose);
    if (!message.includes(signInSentence(purpose, address))) return undefined;
    return { nonce, signature: await sign(message) };
  } catch (error) {
    if (hasCode(error, REJECTED)) return "declined";
    throw error;
  }
}
