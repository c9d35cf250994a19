import { useCallback } from "react";
import { signInSentence } from "../../domain/sign-in-messages.ts";
import { checkUser, login } from "../api/calls.ts";
import { useWallet } from "../wallet/wallet.tsx";
import { challengeOf } from "./challenge.ts";
import { useSession } from "./session.tsx";

/** A new session of the same wallet without leaving the page, because calls that move money need a recent sign-in. */
export function useSignAgain(): { hasWallet: boolean; connect: () => Promise<void>; signAgain: () => Promise<void> } {
  const { begin } = useSession();
  const { address, sign, connect } = useWallet();
  const signAgain = useCallback(async () => {
    if (!address) return;
    const { message, nonce } = challengeOf(await checkUser(address), signInSentence("login", address));
    const signature = await sign(message);
    const { token } = await login({ address, signature, ...(nonce && { nonce }) });
    await begin(token);
  }, [address, begin, sign]);
  return { hasWallet: address !== undefined, connect, signAgain };
}
