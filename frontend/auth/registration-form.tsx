import { zodResolver } from "@hookform/resolvers/zod";
import { useEffect, useRef } from "react";
import { registerRequestSchema } from "../../domain/api/people.ts";
import { shortenAddress } from "../../domain/wallet-address.ts";
import type { PersonalData } from "../api/calls.ts";
import { useText } from "../i18n/language.tsx";
import { Icon } from "../ui/icon.tsx";
import { useForm } from "../ui/use-form.ts";
import { useRegistration } from "./use-registration.ts";

const schema = registerRequestSchema.pick({ first_name: true, last_name: true, email: true });

/** Step 2: names and e-mail, linked to the connected wallet by a signature. docs/product.md#registration. */
export default function RegistrationForm() {
  const t = useText();
  const { register, handleSubmit, setError, getValues, formState } = useForm({
    defaultValues: { first_name: "", last_name: "", email: "" },
    resolver: zodResolver(schema),
  });
  const { errors, isSubmitting } = formState;
  const { address, send, isDone } = useRegistration((message) => setError("root", { message }));
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  if (isDone) return <Registered />;
  const isIncomplete = errors.first_name || errors.last_name || (errors.email && !getValues("email"));
  const problem = isIncomplete
    ? t("registration.incomplete")
    : errors.email
      ? t("registration.badEmail")
      : errors.root?.message;
  const bind = (name: keyof PersonalData) => ({
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

function Registered() {
  const t = useText();
  return (
    <div role="status" className="success">
      <Icon name="check" size={28} />
      <p className="font-semibold">{t("registration.done")}</p>
    </div>
  );
}
