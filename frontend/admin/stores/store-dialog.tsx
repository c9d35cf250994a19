import { zodResolver } from "@hookform/resolvers/zod";
import { type ReactNode, useEffect, useState } from "react";
import { type FieldError, type FieldErrors, useForm } from "react-hook-form";
import { z } from "zod";
import { createStoreRequestSchema } from "../../../domain/api/catalogue.ts";
import { ApiError } from "../../api/http.ts";
import { DraftNotice, useDraft, useKeptForm } from "../../session/use-draft.tsx";
import { useOneSubmit } from "../../ui/use-one-at-a-time.ts";
import { nonEmpty, type Outcome, type StoreFields } from "../admin-calls.ts";
import { toastMissing } from "../admin-toasts.tsx";
import { Field, REQUIRED, trimmed } from "../field.tsx";
import { FormDialog } from "../form-dialog.tsx";
import { refusalOf } from "../refusals.ts";
import { type Saving, useSaving } from "../use-saving.ts";
import { NETWORK_WORDS, networkName } from "../words.ts";
import { COUNTRIES } from "./countries.ts";
import { EMPTY_STORE, inSeconds, inWords } from "./store-fields.ts";

type TextField = Exclude<keyof StoreFields, "featured">;
type FieldDefinition = {
  name: TextField;
  label: string;
  maxLength: number;
  type?: string;
  hint?: string;
  problem: string;
  suggestions?: readonly string[];
  isLong?: true;
};

const TOO_LONG = "Este texto é longo demais.";
const NOT_HTTPS = "Informe um endereço que comece com https://.";
const NOT_DURATION = "Escreva como 3 dias, 12 horas ou 30 minutos, até um ano.";
const NOT_COUNT = "Informe um número inteiro, sem sinal.";
const FIELDS: readonly FieldDefinition[] = [
  {
    name: "name",
    label: "Nome *",
    maxLength: 40,
    problem: "Use até 40 caracteres; letras com acento contam por dois.",
  },
  { name: "country", label: "País *", maxLength: 60, problem: TOO_LONG, suggestions: COUNTRIES },
  { name: "club", label: "Clube", maxLength: 60, problem: TOO_LONG },
  { name: "category", label: "Categoria", maxLength: 60, problem: TOO_LONG },
  {
    name: "affiliate_link",
    label: "Link de afiliado",
    maxLength: 2_048,
    type: "url",
    hint: "{click} no link vira o código do clique; sem ele, vai no fim.",
    problem: NOT_HTTPS,
  },
];

const LOGO: readonly FieldDefinition[] = [
  { name: "logo", label: "URL do logo", maxLength: 2_048, type: "url", problem: NOT_HTTPS },
];
const TEXTS: readonly FieldDefinition[] = [
  { name: "description", label: "Descrição", maxLength: 1_000, isLong: true, problem: TOO_LONG },
  {
    name: "terms",
    label: "Exclusões",
    maxLength: 1_000,
    isLong: true,
    hint: "O que não rende cashback nesta loja. Aparece na página dela e na compra.",
    problem: TOO_LONG,
  },
];

/** The English texts, labelled in English. docs/product.md#store-languages. */
const ENGLISH_FIELDS: readonly FieldDefinition[] = [
  { name: "country_en", label: "Country", maxLength: 60, problem: TOO_LONG },
  { name: "category_en", label: "Category", maxLength: 60, problem: TOO_LONG },
];
const ENGLISH_TEXTS: readonly FieldDefinition[] = [
  { name: "description_en", label: "Description", maxLength: 1_000, isLong: true, problem: TOO_LONG },
  { name: "terms_en", label: "Exclusions", maxLength: 1_000, isLong: true, problem: TOO_LONG },
];

/** The network that reports its sales. docs/product.md#sales. */
const NETWORK_FIELDS: readonly FieldDefinition[] = [
  {
    name: "network",
    label: "Rede",
    maxLength: 32,
    hint: Object.keys(NETWORK_WORDS).join(", "),
    problem: "Use letras minúsculas, números e hífens.",
    suggestions: Object.keys(NETWORK_WORDS),
  },
  { name: "account", label: "Conta na rede", maxLength: 32, problem: "Use letras minúsculas, números e hífens." },
  { name: "advertiser_id", label: "Anunciante", maxLength: 64, hint: "O código da loja na rede.", problem: TOO_LONG },
  {
    name: "store_url",
    label: "Site da loja",
    maxLength: 2_048,
    type: "url",
    hint: "Na Awin e na Admitad o link pode ser montado dele.",
    problem: NOT_HTTPS,
  },
  {
    name: "mint_delay_seconds",
    label: "Espera antes do ingresso",
    maxLength: 60,
    hint: "Como 3 dias ou 12 horas. Vazio: a da plataforma.",
    problem: NOT_DURATION,
  },
  {
    name: "hold_seconds",
    label: "Prazo de segurança",
    maxLength: 60,
    hint: "Como 30 dias. Vazio: o da plataforma.",
    problem: NOT_DURATION,
  },
  {
    name: "claim_days",
    label: "Dias para reclamar",
    maxLength: 3,
    hint: "Vazio: os da plataforma.",
    problem: NOT_COUNT,
  },
];

/** The server's rules, for fields with a value. */
const schema = z.preprocess((fields: StoreFields) => nonEmpty(inSeconds(fields)), createStoreRequestSchema);

const isMissing = (error: FieldError | undefined) => error?.type === "invalid_type";

type StoreDialogProps = Saving & {
  /** Of a store that exists. */
  id?: string;
  title: string;
  action: string;
  /** The store as it is now; it may change while the form is open. */
  initial?: StoreFields;
  /** `before`: what the form was opened with. If it fails, the form stays open and shows the reason. */
  request: (fields: StoreFields, before: StoreFields) => Promise<Outcome>;
};

/** Creates or edits a store. docs/product.md#store. */
export function StoreDialog({ id, title, action, initial = EMPTY_STORE, request, ...saving }: StoreDialogProps) {
  const [before, setBefore] = useState(initial);
  const draft = useDraft(`store ${id ?? "new"}`, inWords(initial));
  const { register, handleSubmit, setError, getValues, setValue, subscribe, formState } = useForm({
    defaultValues: draft.start,
    resolver: zodResolver(schema, undefined, { raw: true }),
  });
  useKeptForm(subscribe, draft);
  const { errors, isSubmitting } = formState;
  const close = () => {
    draft.drop();
    saving.onClose();
  };
  const finish = useSaving(saving, draft.drop);
  // An upload that ends while the form is open. A logo typed here wins.
  const { logo } = initial;
  useEffect(() => {
    if (logo === before.logo) return;
    if (getValues("logo") === before.logo) setValue("logo", logo);
    setBefore({ ...before, logo });
  }, [logo, before, getValues, setValue]);
  async function save(fields: StoreFields) {
    const outcome = await finish(request(inSeconds(fields), before));
    const field = refusedField(outcome.error);
    if (!field) return;
    reveal([field]);
    setError(field, { type: "server", message: refusalOf(outcome.error) ?? "" }, { shouldFocus: true });
  }
  function refuse(found: FieldErrors<StoreFields>) {
    reveal(Object.keys(found));
    if (isMissing(found.name) || isMissing(found.country)) toastMissing("Nome e país são campos obrigatórios.");
  }
  const submit = useOneSubmit(handleSubmit(save, refuse));
  const textField = ({
    name,
    label,
    maxLength,
    type = "text",
    hint,
    problem,
    suggestions,
    isLong,
  }: FieldDefinition) => {
    const error = errors[name];
    const wrong = error && (isMissing(error) ? REQUIRED : error.type === "server" ? error.message : problem);
    return (
      <Field key={name} label={label} hint={hint} problem={wrong}>
        {(control) =>
          isLong ? (
            <textarea rows={3} maxLength={maxLength} {...control} {...register(name, trimmed)} />
          ) : (
            <>
              <input
                type={type}
                maxLength={maxLength}
                required={label.endsWith("*")}
                autoComplete="off"
                list={suggestions && `${control.id}-list`}
                {...control}
                {...register(name, trimmed)}
              />
              {suggestions && (
                <datalist id={`${control.id}-list`}>
                  {suggestions.map((one) => (
                    <option key={one} value={one} />
                  ))}
                </datalist>
              )}
            </>
          )
        }
      </Field>
    );
  };
  return (
    <FormDialog title={title} action={action} isBusy={isSubmitting} look="wide" onClose={close} onSubmit={submit}>
      <DraftNotice draft={draft} />
      <FormSection title="Loja">
        <div className="form-grid">{FIELDS.map(textField)}</div>
        <label className="check">
          <input type="checkbox" {...register("featured")} />
          <span>Loja em destaque</span>
        </label>
      </FormSection>
      <FormSection title="Texto e logo">
        {TEXTS.map(textField)}
        {LOGO.map(textField)}
      </FormSection>
      <FormSection
        title="Rede de afiliados"
        note={before.network ? networkName(before.network) : "Conta, anunciante e prazos"}
      >
        <div className="form-grid">{NETWORK_FIELDS.map(textField)}</div>
      </FormSection>
      <FormSection title="Em inglês" note="Textos opcionais">
        <p className="field-hint">Vazio: as páginas em inglês mostram o texto em português.</p>
        <div lang="en" className="grid gap-4">
          <div className="form-grid">{ENGLISH_FIELDS.map(textField)}</div>
          {ENGLISH_TEXTS.map(textField)}
        </div>
      </FormSection>
    </FormDialog>
  );
}

type FormSectionProps = { title: string; note?: string; children: ReactNode };

/** Open until an admin closes it, because a store needs fields from nearly every section to be ready. */
function FormSection({ title, note, children }: FormSectionProps) {
  return (
    <details className="form-section" open>
      <summary>
        <span>{title}</span>
        {note && <span className="form-section-note">{note}</span>}
      </summary>
      <div className="form-section-body">{children}</div>
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
  return field !== undefined && field in EMPTY_STORE ? (field as keyof StoreFields) : undefined;
}
