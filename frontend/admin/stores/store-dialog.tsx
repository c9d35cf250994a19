import { type ReactNode, useEffect, useState } from "react";
import type { FieldError, FieldErrors, UseFormRegister } from "react-hook-form";
import { z } from "zod";
import { createStoreRequestSchema } from "../../../core/rules/api/catalogue.ts";
import { OTHER_LANGUAGES } from "../../../core/rules/languages.ts";
import { isKeyOf } from "../../../core/rules/records.ts";
import { ApiError } from "../../api/http.ts";
import { DraftNotice, useDraft, useKeptForm } from "../../session/use-draft.tsx";
import { Field } from "../../ui/field.tsx";
import { trimmed, useForm } from "../../ui/use-form.ts";
import { useOneSubmit } from "../../ui/use-one-at-a-time.ts";
import { nonEmpty, type Outcome, type StoreFields } from "../admin-calls.ts";
import { toastMissing } from "../admin-toasts.tsx";
import { fieldResolver } from "../field-resolver.ts";
import { FormDialog } from "../form-dialog.tsx";
import { labelOf } from "../invalid-field.ts";
import { refusalOf } from "../refusals.ts";
import { listText, t } from "../texts.ts";
import { type Saving, useSaving } from "../use-saving.ts";
import { capitalized, inLanguage } from "../words.ts";
import style from "./store-dialog.module.css";
import {
  EMPTY_STORE,
  fieldsIn,
  inSeconds,
  inWords,
  LOGO_FIELDS,
  MAIN_FIELDS,
  NETWORK_FIELDS,
  OFFER_FIELDS,
  type StoreField,
} from "./store-fields.ts";

/** The server's rules, for fields with a value. */
const schema = z.preprocess((fields: StoreFields) => nonEmpty(inSeconds(fields)), createStoreRequestSchema);

const isMissing = (error: FieldError | undefined) => error?.type === "missing";

type StoreDialogProps = Saving & {
  /** Of a store that exists. */
  id?: string;
  /** The field that is to be filled in. */
  field?: StoreField["name"] | undefined;
  title: string;
  action: string;
  /** The store as it is now; it may change while the form is open. */
  initial?: StoreFields;
  /** `before`: what the form was opened with. If it fails, the form stays open and shows the reason. */
  request: (fields: StoreFields, before: StoreFields) => Promise<Outcome>;
};

const OFFER = [...OFFER_FIELDS, ...LOGO_FIELDS];

/** Creates or edits a store. docs/product.md#store. */
export function StoreDialog({ id, field, title, action, initial = EMPTY_STORE, request, ...saving }: StoreDialogProps) {
  const { register, errors, isSubmitting, draft, before, submit } = useStoreForm({ id, initial, request, saving });
  const close = () => {
    draft.drop();
    saving.onClose();
  };
  /** A section says which of its fields have a value, or what it is for, and opens for the one that is to be filled in. */
  const foldOf = (fields: readonly StoreField[], purpose: string) => {
    const filled = fields.filter(({ name }) => before[name] !== "").map(({ name }) => labelOf(name));
    return {
      note: filled.length === 0 ? purpose : listText(filled),
      isOpen: fields.some(({ name }) => name === field),
    };
  };
  const textField = (field: StoreField) => (
    <TextField key={field.name} field={field} error={errors[field.name]} register={register} />
  );
  return (
    <FormDialog title={title} action={action} isBusy={isSubmitting} look="wide" onClose={close} onSubmit={submit}>
      <DraftNotice draft={draft} />
      <div className={style.grid}>{MAIN_FIELDS.filter(({ kind }) => kind !== "long").map(textField)}</div>
      {MAIN_FIELDS.filter(({ kind }) => kind === "long").map(textField)}
      <FormSection title={t("store.offer")} {...foldOf(OFFER, t("store.offer.note"))}>
        {OFFER_FIELDS.map(textField)}
        {LOGO_FIELDS.map(textField)}
        <label className="check">
          <input type="checkbox" {...register("featured")} />
          <span>{t("store.featured.label")}</span>
        </label>
      </FormSection>
      <FormSection title={t("store.network")} {...foldOf(NETWORK_FIELDS, t("store.network.note"))}>
        <div className={style.grid}>{NETWORK_FIELDS.map(textField)}</div>
      </FormSection>
      {OTHER_LANGUAGES.map((one) => (
        <FormSection
          key={one}
          title={capitalized(inLanguage(one))}
          {...foldOf(fieldsIn(one), t("store.language.note"))}
        >
          <p className="field-hint">{t("store.language.hint", { one: inLanguage(one) })}</p>
          <div className={style.grid}>{fieldsIn(one).map(textField)}</div>
        </FormSection>
      ))}
    </FormDialog>
  );
}

type StoreForm = Pick<StoreDialogProps, "id" | "request"> & { initial: StoreFields; saving: Saving };

/** The form's state, which survives the session as a draft, and its saving. */
function useStoreForm({ id, initial, request, saving }: StoreForm) {
  const [before, setBefore] = useState(initial);
  const draft = useDraft(`store ${id ?? "new"}`, inWords(initial));
  const { register, handleSubmit, setError, getValues, setValue, subscribe, formState } = useForm({
    defaultValues: draft.start,
    resolver: fieldResolver<StoreFields>(schema),
  });
  const { errors, isSubmitting } = formState;
  useKeptForm(subscribe, draft);
  // An upload that ends while the form is open. A logo typed here wins.
  const { logo } = initial;
  useEffect(() => {
    if (logo === before.logo) return;
    if (getValues("logo") === before.logo) setValue("logo", logo);
    setBefore({ ...before, logo });
  }, [logo, before, getValues, setValue]);

  const finish = useSaving(saving, draft.drop);
  async function save(fields: StoreFields) {
    const outcome = await finish(() => request(inSeconds(fields), before));
    const field = refusedField(outcome.error);
    if (!field) return;
    reveal([field]);
    setError(field, { type: "server", message: refusalOf(outcome.error) ?? "" }, { shouldFocus: true });
  }
  function refuse(found: FieldErrors<StoreFields>) {
    reveal(Object.keys(found));
    if (isMissing(found.name) || isMissing(found.country)) toastMissing(t("store.required"));
  }
  return { register, errors, isSubmitting, draft, before, submit: useOneSubmit(handleSubmit(save, refuse)) };
}

type TextFieldProps = {
  field: StoreField;
  error: FieldError | undefined;
  register: UseFormRegister<StoreFields>;
};

function TextField({ field, error, register }: TextFieldProps) {
  const { name, kind, lang, isRequired, hint, suggestions } = field;
  const label = labelOf(name);
  return (
    <Field label={isRequired ? `${label} *` : label} hint={hint && t(hint)} problem={error?.message}>
      {(control) =>
        kind === "long" ? (
          <textarea rows={3} lang={lang} {...control} {...register(name, trimmed)} />
        ) : (
          <>
            <input
              type={kind === "url" ? "url" : "text"}
              lang={lang}
              required={isRequired}
              autoComplete="off"
              list={suggestions && `${control.id}-list`}
              {...control}
              {...register(name, trimmed)}
            />
            {suggestions && (
              <datalist id={`${control.id}-list`}>
                {suggestions().map((one) => (
                  <option key={one} value={one} />
                ))}
              </datalist>
            )}
          </>
        )
      }
    </Field>
  );
}

type FormSectionProps = { title: string; note: string; isOpen: boolean; children: ReactNode };

/** Folded: two fields are required. A step of the store's page, and what is refused, opens it. */
function FormSection({ title, note, isOpen, children }: FormSectionProps) {
  return (
    <details className={style.section} open={isOpen}>
      <summary>
        <span>{title}</span>
        <span className={style.note}>{note}</span>
      </summary>
      <div className={style.body}>{children}</div>
    </details>
  );
}

/** Opens the sections of these fields: a field in a closed section cannot take the focus. */
function reveal(names: readonly string[]): void {
  for (const name of names) {
    for (const field of document.getElementsByName(name)) {
      const section = field.closest("details");
      if (section) section.open = true;
    }
  }
}

/** The field that the server rejected, such as a name already in use. */
function refusedField(error: unknown): keyof StoreFields | undefined {
  const field = error instanceof ApiError ? error.field : undefined;
  return field !== undefined && isKeyOf(EMPTY_STORE, field) ? field : undefined;
}
