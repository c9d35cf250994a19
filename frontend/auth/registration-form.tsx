import { type FormEvent, useEffect, useRef, useState } from "react";
import { useNavigate, useSearchParams } from "react-router";
import { toast } from "sonner";
import { REGISTRATION_REDIRECT_MS } from "../../domain/product.ts";
import { signInSentence } from "../../domain/sign-in-messages.ts";
import { shortenAddress } from "../../domain/wallet-address.ts";
import { checkUser, login, registerUser } from "../api/calls.ts";
import { ApiError } from "../api/http.ts";
import { safeNext } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { useSession } from "../session/session.tsx";
import { Icon } from "../ui/icon.tsx";
import { useWallet } from "../wallet/wallet.tsx";
import { challengeOf, reasonOf, toastSignatureProblem } from "./use-sign-in.ts";

type Fields = { firstName: string; lastName: string; email: string };

/** Step 2: names and e-mail, linked to the connected wallet by its signature. Specification, sections 2 and 5. */
export function RegistrationForm() {
  const t = useText();
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  const { begin } = useSession();
  const { address, sign } = useWallet();
  const [fields, setFields] = useState<Fields>({ firstName: "", lastName: "", email: "" });
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState("");
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

  async function submit(event: FormEvent) {
    event.preventDefault();
    const firstName = fields.firstName.trim();
    const lastName = fields.lastName.trim();
    const email = fields.email.trim();
    if (!firstName || !lastName || !email || !address) {
      setProblem(t("registration.incomplete"));
      return;
    }
    if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) {
      setProblem(t("registration.badEmail"));
      return;
    }
    setProblem("");
    setBusy(true);
    try {
      await register({ firstName, lastName, email });
    } finally {
      setBusy(false);
    }
  }

  async function register({ firstName, lastName, email }: Fields) {
    if (!address) return;
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
      if (error instanceof ApiError || (error as Error).name === "UnreachableError") {
        toast.error(t("registration.error"), { id: "registration", description: reasonOf(error, t) });
        setProblem(reasonOf(error, t));
        return;
      }
      toastSignatureProblem(error, t);
      setProblem(t("registration.signFailed"));
      return;
    }
    try {
      const answer = await registerUser({ address, first_name: firstName, last_name: lastName, email, ...proof });
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

  /** A server that answers no token with a registration wants a login signature of its own. */
  async function logInAfterwards(): Promise<string> {
    if (!address) return "";
    const { message, nonce } = challengeOf(await checkUser(address), signInSentence("login", address));
    try {
      return (await login({ address, signature: await sign(message), ...(nonce && { nonce }) })).token;
    } catch (error) {
      toast.error(t("login.failed"), {
        id: "login",
        description: error instanceof ApiError ? error.message : undefined,
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
  const bind = (name: keyof Fields) => ({
    value: fields[name],
    onChange: (event: { target: { value: string } }) =>
      setFields((before) => ({ ...before, [name]: event.target.value })),
    "aria-invalid": problem !== "" && fields[name].trim() === "",
    "aria-describedby": problem ? "registration-problem" : undefined,
  });
  return (
    <form onSubmit={submit} noValidate className="grid gap-4">
      <h2 ref={heading} tabIndex={-1} className="step-title">
        {t("auth.step2")}
      </h2>
      <label className="field">
        <span>{t("registration.firstName")}</span>
        <input name="first_name" autoComplete="given-name" required maxLength={80} {...bind("firstName")} />
      </label>
      <label className="field">
        <span>{t("registration.lastName")}</span>
        <input name="last_name" autoComplete="family-name" required maxLength={80} {...bind("lastName")} />
      </label>
      <label className="field">
        <span>{t("registration.email")}</span>
        <input name="email" type="email" autoComplete="email" required maxLength={254} {...bind("email")} />
      </label>
      {address && <p className="muted">{t("registration.linked", { address: shortenAddress(address) })}</p>}
      {problem && (
        <p role="alert" id="registration-problem" className="problem">
          {problem}
        </p>
      )}
      <button type="submit" className="button" disabled={isBusy || !address}>
        {t(isBusy ? "registration.creating" : "registration.submit")}
      </button>
    </form>
  );
}
