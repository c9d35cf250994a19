import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { checkUser, login } from "../api/calls.ts";
import { UnreachableError } from "../api/http.ts";
import { reasonOf } from "../api/reason-of.ts";
import { safeNext } from "../app/paths.ts";
import { type Translate, useText } from "../i18n/language.tsx";
import { signChallenge } from "../session/challenge.ts";
import { useSession } from "../session/session.tsx";
import { toast } from "../ui/toast.ts";
import { AddressMismatchError, hasCode, OtherSiteError, REJECTED, REQUEST_PENDING } from "../wallet/errors.ts";
import { newWallets } from "../wallet/local-wallets.ts";
import { useSign } from "../wallet/use-sign.ts";
import { useWallet } from "../wallet/use-wallet.ts";

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
  const { begin } = useSession();
  const { address } = useWallet();
  const sign = useSign();
  const [step, setStep] = useState<SignInStep>("idle");
  const [problem, setProblem] = useState("");
  const asked = useRef<string>(undefined);
  const next = safeNext(parameters.get("next"));

  const start = useCallback(async () => {
    if (!address) return;
    asked.current = address;
    const isStale = () => asked.current !== address;
    /** Undefined if it failed, which is then shown unless another wallet was connected meanwhile. */
    const attempt = async <T>(work: () => Promise<T>, toastFailure: FailureToast): Promise<T | undefined> => {
      try {
        return await work();
      } catch (error) {
        if (isStale()) return undefined;
        setProblem(toastFailure(error, t));
        setStep("failed");
        return undefined;
      }
    };
    setStep("checking");
    const checked = await attempt(() => checkUser(address), toastCheckFailure);
    if (!checked || isStale()) return;
    if (!checked.exists) {
      setStep(newWallets.has(address) ? "registering" : "unregistered");
      return;
    }
    setStep("signing");
    const signed = await attempt(() => signChallenge("login", checked, { address, sign }), toastSignatureFailure);
    if (!signed) return;
    const profile = await attempt(async () => begin((await login(signed)).token), toastLoginFailure);
    if (!profile) return;
    toast.success(t("login.done"), { id: "login" });
    navigate(next, { replace: true });
  }, [address, begin, navigate, next, sign, t]);

  useEachWallet({ address, asked, step, setStep, start });
  return { step, problem, start, continueToRegistration: () => setStep("registering") };
}

type EachWallet = {
  address: string | undefined;
  asked: RefObject<string | undefined>;
  step: SignInStep;
  setStep: (step: SignInStep) => void;
  start: () => Promise<void>;
};

/** Starts once for each wallet that connects while this page is open. */
function useEachWallet({ address, asked, step, setStep, start }: EachWallet): void {
  const { signedOutWallet } = useSession();
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
  }, [address, signedOutWallet, asked, setStep]);
}

/** Shows in a toast what failed, and returns why: the sentence that stays on the page. */
type FailureToast = (error: unknown, t: Translate) => string;

const toastCheckFailure: FailureToast = (error, t) => {
  toast.error(t("login.checkFailed"), { id: "login" });
  return `${t("auth.unchecked")} ${reasonOf(error, t)}`;
};

const toastSignatureFailure: FailureToast = (error, t) => {
  toastSignatureProblem(error, t);
  if (error instanceof AddressMismatchError) return t("sign.mismatch.detail");
  if (error instanceof OtherSiteError) return t("sign.otherSite");
  if (hasCode(error, REQUEST_PENDING)) return t("wallet.requestPending");
  return t(hasCode(error, REJECTED) ? "wallet.declined" : "login.failed");
};

const toastLoginFailure: FailureToast = (error, t) => {
  toast.error(t(error instanceof UnreachableError ? "login.connectionFailed" : "login.failed"), { id: "login" });
  return reasonOf(error, t);
};

/** docs/product.md#error-toasts. */
export function toastSignatureProblem(error: unknown, t: Translate): void {
  if (error instanceof AddressMismatchError) {
    toast.error(t("sign.mismatch"), { id: "sign", description: t("sign.mismatch.detail") });
  } else if (error instanceof OtherSiteError) {
    toast.error(t("sign.failed"), { id: "sign", description: t("sign.otherSite") });
  } else if (hasCode(error, REQUEST_PENDING)) {
    toast.warning(t("wallet.requestPending"), { id: "wallet-pending" });
  } else {
    const say = hasCode(error, REJECTED) ? toast : toast.error;
    say(t("sign.failed"), { id: "sign", description: t("sign.failed.detail") });
  }
}
