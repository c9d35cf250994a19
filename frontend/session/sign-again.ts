import { useCallback } from "react";
import { checkUser, login } from "../api/calls.ts";
import { useWallet } from "../wallet/wallet.tsx";
import { signChallenge } from "./challenge.ts";
import { useSession } from "./session.tsx";

/** A new session of the same wallet without leaving the page, because calls that move money need a recent sign-in. */
export function useSignAgain(): { hasWallet: boolean; connect: () => Promise<void>; signAgain: () => Promise<void> } {
  const { begin } = useSession();
  const { address, sign, connect } = useWallet();
  const signAgain = useCallback(async () => {
    if (!address) return;
    const { token } = await login(await signChallenge("login", await checkUser(address), { address, sign }));
    await begin(token);
  }, [address, begin, sign]);
  return { hasWallet: address !== undefined, connect, signAgain };
}
