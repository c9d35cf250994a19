import { signInSentence } from "../../domain/sign-in-messages.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import type { CheckedUser, SignedLogin } from "../api/calls.ts";

export type Signer = { address: WalletAddress; sign: (message: string) => Promise<string> };

/** A wallet's answer to the server's challenge, as the login or the registration sends it. @throws as the wallet does */
export async function signChallenge(
  purpose: "login" | "register",
  checked: CheckedUser,
  { address, sign }: Signer,
): Promise<SignedLogin> {
  const { message, nonce } = challengeOf(checked, signInSentence(purpose, address));
  return { address, signature: await sign(message), ...(nonce && { nonce }) };
}

/** The server's challenge if it contains the sign-in message; otherwise the message itself. */
function challengeOf({ challenge }: CheckedUser, sentence: string): { message: string; nonce?: string } {
  return challenge?.message.includes(sentence) ? challenge : { message: sentence };
}
