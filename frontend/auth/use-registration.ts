import { useEffect, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import type { Language } from "../../core/rules/languages.ts";
import { REGISTRATION_REDIRECT_MS } from "../../core/rules/product.ts";
import { joinFullName, splitFullName } from "../../core/rules/text.ts";
import { checkUser, login, type PersonalData, registerUser, type SignedLogin } from "../api/calls.ts";
import { ApiError, UnreachableError } from "../api/http.ts";
import { reasonOf } from "../api/reason-of.ts";
import { safeNext } from "../app/paths.ts";
import { readStored, STORAGE_KEYS, store } from "../app/storage.ts";
import { type MessageId, useText } from "../i18n/language.tsx";
import { type Signer, signChallenge } from "../session/challenge.ts";
import { useSession } from "../session/session.tsx";
import { toast } from "../ui/toast.ts";
import { useSign } from "../wallet/use-sign.ts";
import { useWallet } from "../wallet/use-wallet.ts";
import { toastSignatureProblem } from "./use-sign-in.ts";

/** Registers the connected wallet by its signature, and logs it in. docs/product.md#registration. */
export function useRegistration(setProblem: (problem: string) => void) {
  const t = useText();
  const { address } = useWallet();
  const sign = useSign();
  const [token, setToken] = useState<string>();
  useWayOn(token);

  async function send(names: PersonalData, mail: { mail_language?: Language }): Promise<void> {
    if (!address) {
      setProblem(t("registration.incomplete"));
      return;
    }
    const proof = await prove({ address, sign });
    if (proof) await register({ ...names, ...mail }, proof);
  }

  const refuse = (title: MessageId, reason: string) => {
    toast.error(t(title), { id: "registration", description: reason });
    setProblem(reason);
  };

  /** Undefined if the wallet cannot be registered, or did not sign. */
  async function prove(signer: Signer): Promise<SignedLogin | undefined> {
    try {
      const checked = await checkUser(signer.address);
      if (!checked.exists) return await signChallenge("register", checked, signer);
      refuse("registration.failed", t("registration.exists"));
    } catch (error) {
      if (error instanceof ApiError || error instanceof UnreachableError) {
        refuse("registration.error", reasonOf(error, t));
      } else {
        toastSignatureProblem(error, t);
        setProblem(t("registration.signFailed"));
      }
    }
    return undefined;
  }

  async function register(names: PersonalData & { mail_language?: Language }, proof: SignedLogin): Promise<void> {
    try {
      // The full name is split again: its first word is the first name. docs/product.md#full-name
      const { firstName, lastName } = splitFullName(joinFullName(names.first_name, names.last_name));
      const named = { ...names, first_name: firstName, last_name: lastName };
      const invite = readStored(STORAGE_KEYS.invite);
      const answer = await registerUser({ ...named, ...proof, ...(invite && { invite }) });
      store(STORAGE_KEYS.invite, null);
      toast.success(t("registration.doneToast"), { id: "registration" });
      setToken(answer.token ?? (await logInAfterwards({ address: proof.address, sign })));
    } catch (error) {
      const isExisting = error instanceof ApiError && error.status === 409;
      refuse(
        error instanceof ApiError ? "registration.failed" : "registration.error",
        isExisting ? t("registration.exists") : reasonOf(error, t),
      );
    }
  }

  /** If a registration returns no token, the server requires a login signature. */
  async function logInAfterwards(signer: Signer): Promise<string> {
    const checked = await checkUser(signer.address);
    try {
      return (await login(await signChallenge("login", checked, signer))).token;
    } catch (error) {
      toast.error(t("login.failed"), { id: "login", description: reasonOf(error, t) });
      return "";
    }
  }

  return { address, send, isDone: token !== undefined };
}

/** Begins the session and leads on, once the message about the registration could be read. */
function useWayOn(token: string | undefined): void {
  const { begin } = useSession();
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  const next = safeNext(parameters.get("next"));
  useEffect(() => {
    if (token === undefined) return;
    const timer = setTimeout(async () => {
      if (token) await begin(token).catch(() => {});
      navigate(next, { replace: true });
    }, REGISTRATION_REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [token, begin, navigate, next]);
}
