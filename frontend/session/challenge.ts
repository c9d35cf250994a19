import { useCallback } from "react";
import { signInSentence } from "../../core/rules/session.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { type CheckedUser, checkUser, login, type SignedLogin } from "../api/calls.ts";
import { OtherSiteError } from "../wallet/errors.ts";
import { useConnectWallet } from "../wallet/use-connect-wallet.ts";
import { useSign } from "../wallet/use-sign.ts";
import { useWallet } from "../wallet/use-wallet.ts";
import { useSession } from "./session.tsx";

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

/**
 * The server's challenge if it contains the sign-in message; otherwise the message itself.
 * @throws OtherSiteError if the challenge is not for the site of this page
 */
function challengeOf({ challenge }: CheckedUser, sentence: string): { message: string; nonce?: string } {
  if (!challenge?.message.includes(sentence)) return { message: sentence };
  if (!challenge.message.startsWith(`${window.location.host} wants you to sign in`)) throw new OtherSiteError();
  return challenge;
}

/** A new session of the same wallet without leaving the page, because calls that move money need a recent sign-in. */
export function useSignAgain(): { hasWallet: boolean; connect: () => Promise<void>; signAgain: () => Promise<void> } {
  const { begin } = useSession();
  const { address } = useWallet();
  const { connect } = useConnectWallet();
  const sign = useSign();
  const signAgain = useCallback(async () => {
    if (!address) return;
    const { token } = await login(await signChallenge("login", await checkUser(address), { address, sign }));
    await begin(token);
  }, [address, begin, sign]);
  return { hasWallet: address !== undefined, connect, signAgain };
}
