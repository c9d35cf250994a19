import { zodResolver } from "@hookform/resolvers/zod";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { FormattedMessage } from "react-intl";
import { hasRoomForNames, registerRequestSchema } from "../../core/rules/api/people.ts";
import { shortenAddress } from "../../core/rules/wallet-address.ts";
import type { PersonalData } from "../api/calls.ts";
import { configQuery } from "../api/queries.ts";
import { useLanguage, useText } from "../i18n/language.tsx";
import { DraftNotice, useDraft, useKeptForm } from "../session/use-draft.tsx";
import { Field } from "../ui/field.tsx";
import { Icon } from "../ui/icon.tsx";
import { useForm } from "../ui/use-form.ts";
import { useWallet } from "../wallet/use-wallet.ts";
import style from "./auth-page.module.css";
import { useRegistration } from "./use-registration.ts";

const EMPTY = { first_name: "", last_name: "", email: "" };
const MISSING = {
  first_name: "registration.noFirstName",
  last_name: "registration.noLastName",
  email: "registration.noEmail",
} as const;
const WRONG = {
  first_name: "registration.longName",
  last_name: "registration.longName",
  email: "registration.badEmail",
} as const;
const NAMES = ["first_name", "last_name", "email"] as const;

const schema = registerRequestSchema
  .pick({ first_name: true, last_name: true, email: true })
  // Before a signature is asked for.
  .refine(hasRoomForNames, { path: ["last_name"] });

/** Step 2: names and e-mail, linked to the connected wallet by a signature. docs/product.md#registration. */
export default function RegistrationForm() {
  const t = useText();
  const draft = useDraft("registration", EMPTY, useWallet().address);
  const { register, handleSubmit, setError, getValues, subscribe, formState } = useForm({
    defaultValues: draft.start,
    resolver: zodResolver(schema),
  });
  useKeptForm(subscribe, draft);
  const { errors, isSubmitting } = formState;
  const { address, send, isDone } = useRegistration((message) => setError("root", { message }));
  useEffect(() => {
    if (isDone) draft.drop();
  }, [isDone, draft]);
  const { language } = useLanguage();
  const { data: config } = useQuery(configQuery);
  const [wantsMail, setWantsMail] = useState(false);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  if (isDone) return <Registered />;
  const isIncomplete = NAMES.some((name) => errors[name] && !getValues(name));
  const problem = isIncomplete ? t("registration.incomplete") : errors.root?.message;
  const bind = (name: keyof PersonalData) => register(name, { setValueAs: (value: string) => value.trim() });
  const problemOf = (name: keyof PersonalData) => {
    if (!errors[name]) return undefined;
    return t(getValues(name) ? WRONG[name] : MISSING[name]);
  };
  return (
    <form
      onSubmit={handleSubmit((names) => send(names, wantsMail ? { mail_language: language } : {}))}
      noValidate
      className="grid gap-4"
    >
      <h2 ref={heading} tabIndex={-1} className={style.stepTitle}>
        {t("auth.step2")}
      </h2>
      <DraftNotice draft={draft} />
      <div className={style.names}>
        <Field label={t("registration.firstName")} problem={problemOf("first_name")}>
          {(control) => (
            <input required autoComplete="given-name" maxLength={80} {...bind("first_name")} {...control} />
          )}
        </Field>
        <Field label={t("registration.lastName")} problem={problemOf("last_name")}>
          {(control) => (
            <input required autoComplete="family-name" maxLength={80} {...bind("last_name")} {...control} />
          )}
        </Field>
      </div>
      <Field label={t("registration.email")} problem={problemOf("email")}>
        {(control) => (
          <input required type="email" autoComplete="email" maxLength={254} {...bind("email")} {...control} />
        )}
      </Field>
      {config.mail && (
        <label className="check">
          <input type="checkbox" checked={wantsMail} onChange={(event) => setWantsMail(event.target.checked)} />
          <span>{t("mail.want")}</span>
        </label>
      )}
      <p className="muted text-sm">
        {t("registration.whyEmail")} {address && t("registration.linked", { address: shortenAddress(address) })}
      </p>
      {problem && (
        <p role="alert" className="problem">
          {problem}
        </p>
      )}
      <button type="submit" className="button" disabled={isSubmitting || !address}>
        {t(isSubmitting ? "registration.creating" : "registration.submit")}
      </button>
    </form>
  );
}

function Registered() {
  return (
    <div role="status" className="success">
      <Icon name="check" size={28} />
      <p className="font-semibold">
        <FormattedMessage id="registration.done" />
      </p>
    </div>
  );
}
