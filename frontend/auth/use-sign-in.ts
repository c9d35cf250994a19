import { useCallback, useEffect, useRef, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { signInSentence } from "../../domain/sign-in-messages.ts";
import { type CheckedUser, checkUser, login } from "../api/calls.ts";
import { UnreachableError } from "../api/http.ts";
import { reasonOf } from "../api/reason-of.ts";
import { safeNext } from "../app/paths.ts";
import { type Translate, useText } from "../i18n/language.tsx";
import { challengeOf } from "../session/challenge.ts";
import { useSession } from "../session/session.tsx";
import { toast } from "../ui/toast.ts";
import { hasCode, REJECTED, REQUEST_PENDING } from "../wallet/errors.ts";
import { AddressMismatchError } from "../wallet/sign.ts";
import { useWallet } from "../wallet/wallet.tsx";

/** `waiting`: the user logged out with this wallet, so it is asked only after a click, even after a reload. */
export type SignInStep = "idle" | "waiting" | "checking" | "signing" | "failed" | "unregistered" | "registering";

/**
 * After a connection: a registered wallet logs in by signature, another one gets the registration form.
 * docs/product.md#sign-in.
 */
export function useSignIn() {
  const t = useText();
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  const { begin, signedOutWallet } = useSession();
  const { address, sign } = useWallet();
  const [step, setStep] = useState<SignInStep>("idle");
  const [problem, setProblem] = useState("");
  const asked = useRef<string>(undefined);
  const next = safeNext(parameters.get("next"));

  const start = useCallback(async () => {
    if (!address) return;
    asked.current = address;
    const isStale = () => asked.current !== address;
    const fail = (text: string) => {
      setProblem(text);
      setStep("failed");
    };
    setStep("checking");
    let checked: CheckedUser;
    try {
      checked = await checkUser(address);
    } catch (error) {
      if (isStale()) return;
      toast.error(t("login.checkFailed"), { id: "login", description: reasonOf(error, t) });
      fail(t("login.checkFailed"));
      return;
    }
    if (isStale()) return;
    if (!checked.exists) {
      setStep("unregistered");
      return;
    }
    setStep("signing");
    const { message, nonce } = challengeOf(checked, signInSentence("login", address));
    let signature: string;
    try {
      signature = await sign(message);
    } catch (error) {
      if (isStale()) return;
      toastSignatureProblem(error, t);
      fail(t("login.failed"));
      return;
    }
    try {
      const { token } = await login({ address, signature, ...(nonce && { nonce }) });
      await begin(token);
    } catch (error) {
      if (isStale()) return;
      const title = t(error instanceof UnreachableError ? "login.connectionFailed" : "login.failed");
      toast.error(title, { id: "login", description: reasonOf(error, t) });
      fail(title);
      return;
    }
    toast.success(t("login.done"), { id: "login" });
    navigate(next, { replace: true });
  }, [address, begin, navigate, next, sign, t]);

  // Once per wallet that connects while this page is open.
  const isRegistering = useRef(false);
  isRegistering.current = step === "registering";
  const startRef = useRef(start);
  startRef.current = start;
  useEffect(() => {
    if (!address) {
      // The form keeps its input, which can be sent once the same wallet is connected again.
      if (isRegistering.current) return;
      asked.current = undefined;
      setStep("idle");
    } else if (asked.current !== address) {
      if (address === signedOutWallet) setStep("waiting");
      else startRef.current();
    }
  }, [address, signedOutWallet]);

  return { step, problem, start, continueToRegistration: () => setStep("registering") };
}

/** docs/product.md#error-toasts. */
export function toastSignatureProblem(error: unknown, t: Translate): void {
  if (error instanceof AddressMismatchError) {
    toast.error(t("sign.mismatch"), { id: "sign", description: t("sign.mismatch.detail") });
  } else if (hasCode(error, REQUEST_PENDING)) {
    toast.warning(t("wallet.requestPending"), { id: "wallet-pending" });
  } else {
    const say = hasCode(error, REJECTED) ? toast : toast.error;
    say(t("sign.failed"), { id: "sign", description: t("sign.failed.detail") });
  }
}
