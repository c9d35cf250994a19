import { zodResolver } from "@hookform/resolvers/zod";
import { useEffect, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { useNavigate, useSearchParams } from "react-router";
import type { z } from "zod";
import { registerRequestSchema } from "../../domain/api/people.ts";
import { joinFullName, splitFullName } from "../../domain/full-name.ts";
import { REGISTRATION_REDIRECT_MS } from "../../domain/product.ts";
import { signInSentence } from "../../domain/sign-in-messages.ts";
import { shortenAddress } from "../../domain/wallet-address.ts";
import { checkUser, login, registerUser } from "../api/calls.ts";
import { ApiError, UnreachableError } from "../api/http.ts";
import { reasonOf } from "../api/reason-of.ts";
import { safeNext } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { challengeOf } from "../session/challenge.ts";
import { useSession } from "../session/session.tsx";
import { Icon } from "../ui/icon.tsx";
import { toast } from "../ui/toast.ts";
import { useWallet } from "../wallet/wallet.tsx";
import { toastSignatureProblem } from "./use-sign-in.ts";

const schema = registerRequestSchema.pick({ first_name: true, last_name: true, email: true });
type Fields = z.infer<typeof schema>;

/** Step 2: names and e-mail, linked to the connected wallet by a signature. docs/product.md#registration. */
export default function RegistrationForm() {
  const t = useText();
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  const { begin } = useSession();
  const { address, sign } = useWallet();
  const { register, handleSubmit, setError, getValues, formState } = useForm({
    defaultValues: { first_name: "", last_name: "", email: "" },
    resolver: zodResolver(schema),
  });
  const { errors, isSubmitting } = formState;
  const [token, setToken] = useState<string>();
  const heading = useRef<HTMLHeadingElement>(null);
  const next = safeNext(parameters.get("next"));

  useEffect(() => heading.current?.focus(), []);

  useEffect(() => {
    if (token === undefined) return;
    const timer = setTimeout(async () => {
      if (token) await begin(token).catch(() => {});
      navigate(next, { replace: true });
    }, REGISTRATION_REDIRECT_MS);
    return () => clearTimeout(timer);
  }, [token, begin, navigate, next]);

  const setProblem = (message: string) => setError("root", { message });

  async function send(fields: Fields) {
    if (!address) {
      setProblem(t("registration.incomplete"));
      return;
    }
    let proof: { signature: string; nonce?: string };
    try {
      const checked = await checkUser(address);
      if (checked.exists) {
        toast.error(t("registration.failed"), { id: "registration", description: t("registration.exists") });
        setProblem(t("registration.exists"));
        return;
      }
      const { message, nonce } = challengeOf(checked, signInSentence("register", address));
      proof = { signature: await sign(message), ...(nonce && { nonce }) };
    } catch (error) {
      if (error instanceof ApiError || error instanceof UnreachableError) {
        toast.error(t("registration.error"), { id: "registration", description: reasonOf(error, t) });
        setProblem(reasonOf(error, t));
        return;
      }
      toastSignatureProblem(error, t);
      setProblem(t("registration.signFailed"));
      return;
    }
    try {
      // The full name is split again: its first word is the first name. docs/product.md#full-name
      const { firstName, lastName } = splitFullName(joinFullName(fields.first_name, fields.last_name));
      const named = { first_name: firstName, last_name: lastName, email: fields.email };
      const answer = await registerUser({ address, ...named, ...proof });
      toast.success(t("registration.doneToast"), { id: "registration" });
      setToken(answer.token ?? (await logInAfterwards()));
    } catch (error) {
      const isExisting = error instanceof ApiError && error.status === 409;
      const reason = isExisting ? t("registration.exists") : reasonOf(error, t);
      toast.error(t(error instanceof ApiError ? "registration.failed" : "registration.error"), {
        id: "registration",
        description: reason,
      });
      setProblem(reason);
    }
  }

  /** If a registration returns no token, the server requires a login signature. */
  async function logInAfterwards(): Promise<string> {
    if (!address) return "";
    const { message, nonce } = challengeOf(await checkUser(address), signInSentence("login", address));
    try {
      return (await login({ address, signature: await sign(message), ...(nonce && { nonce }) })).token;
    } catch (error) {
      toast.error(t("login.failed"), {
        id: "login",
        description: reasonOf(error, t),
      });
      return "";
    }
  }

  if (token !== undefined) {
    return (
      <div role="status" className="success">
        <Icon name="check" size={28} />
        <p className="font-semibold">{t("registration.done")}</p>
      </div>
    );
  }
  const isIncomplete = errors.first_name || errors.last_name || (errors.email && !getValues("email"));
  const problem = isIncomplete
    ? t("registration.incomplete")
    : errors.email
      ? t("registration.badEmail")
      : errors.root?.message;
  const bind = (name: keyof Fields) => ({
    required: true,
    "aria-invalid": errors[name] !== undefined,
    "aria-describedby": problem ? "registration-problem" : undefined,
    ...register(name, { setValueAs: (value: string) => value.trim() }),
  });
  return (
    <form onSubmit={handleSubmit(send)} noValidate className="grid gap-4">
      <h2 ref={heading} tabIndex={-1} className="step-title">
        {t("auth.step2")}
      </h2>
      <label className="field">
        <span>{t("registration.firstName")}</span>
        <input autoComplete="given-name" maxLength={80} {...bind("first_name")} />
      </label>
      <label className="field">
        <span>{t("registration.lastName")}</span>
        <input autoComplete="family-name" maxLength={80} {...bind("last_name")} />
      </label>
      <label className="field">
        <span>{t("registration.email")}</span>
        <input type="email" autoComplete="email" maxLength={254} {...bind("email")} />
      </label>
      {address && <p className="muted">{t("registration.linked", { address: shortenAddress(address) })}</p>}
      {problem && (
        <p role="alert" id="registration-problem" className="problem">
          {problem}
        </p>
      )}
      <button type="submit" className="button" disabled={isSubmitting || !address}>
        {t(isSubmitting ? "registration.creating" : "registration.submit")}
      </button>
    </form>
  );
}
