import { zodResolver } from "@hookform/resolvers/zod";
import { type FieldError, type FieldErrors, useForm } from "react-hook-form";
import { z } from "zod";
import { createStoreRequestSchema } from "../../domain/api/catalogue.ts";
import { nonEmpty, type StoreFields } from "./admin-calls.ts";
import { toastMissing } from "./admin-toasts.tsx";
import { Field, REQUIRED, trimmed } from "./field.tsx";
import { FormDialog } from "./form-dialog.tsx";

const EMPTY: StoreFields = {
  name: "",
  country: "",
  club: "",
  category: "",
  description: "",
  logo: "",
  affiliate_link: "",
  featured: false,
};

type TextField = Exclude<keyof StoreFields, "featured">;
type FieldDefinition = { name: TextField; label: string; maxLength: number; type?: string; problem: string };

const TOO_LONG = "Este texto é longo demais.";
const NOT_HTTPS = "Informe um endereço que comece com https://.";
const FIELDS: readonly FieldDefinition[] = [
  {
    name: "name",
    label: "Nome *",
    maxLength: 40,
    problem: "Use até 40 caracteres; letras com acento contam por dois.",
  },
  { name: "country", label: "País *", maxLength: 60, problem: TOO_LONG },
  { name: "club", label: "Clube", maxLength: 60, problem: TOO_LONG },
  { name: "category", label: "Categoria", maxLength: 60, problem: TOO_LONG },
  { name: "affiliate_link", label: "Link de afiliado", maxLength: 2_048, type: "url", problem: NOT_HTTPS },
  { name: "logo", label: "URL do logo", maxLength: 2_048, type: "url", problem: NOT_HTTPS },
];

/** The server's rules, for fields with a value. */
const schema = z.preprocess((fields: StoreFields) => nonEmpty(fields), createStoreRequestSchema);

const isMissing = (error: FieldError | undefined) => error?.type === "invalid_type";

type StoreDialogProps = {
  title: string;
  action: string;
  initial?: StoreFields;
  onClose: () => void;
  /** Returns whether it was saved; otherwise the form stays open. */
  onSubmit: (fields: StoreFields) => Promise<boolean>;
};

/** Creates or edits a store. docs/product.md#store. */
export function StoreDialog({ title, action, initial = EMPTY, onClose, onSubmit }: StoreDialogProps) {
  const { register, handleSubmit, formState } = useForm({
    defaultValues: initial,
    resolver: zodResolver(schema, undefined, { raw: true }),
  });
  const { errors, isSubmitting } = formState;
  async function save(fields: StoreFields) {
    if (await onSubmit(fields)) onClose();
  }
  function refuse(found: FieldErrors<StoreFields>) {
    if (isMissing(found.name) || isMissing(found.country)) toastMissing("Nome e país são campos obrigatórios.");
  }
  return (
    <FormDialog
      title={title}
      action={action}
      isBusy={isSubmitting}
      isWide
      onClose={onClose}
      onSubmit={handleSubmit(save, refuse)}
    >
      <div className="form-grid">
        {FIELDS.map(({ name, label, maxLength, type = "text", problem }) => (
          <Field key={name} label={label} problem={errors[name] && (isMissing(errors[name]) ? REQUIRED : problem)}>
            {(control) => (
              <input
                type={type}
                maxLength={maxLength}
                required={label.endsWith("*")}
                {...control}
                {...register(name, trimmed)}
              />
            )}
          </Field>
        ))}
      </div>
      <Field label="Descrição" problem={errors.description && TOO_LONG}>
        {(control) => <textarea rows={3} maxLength={1_000} {...control} {...register("description", trimmed)} />}
      </Field>
      <label className="check">
        <input type="checkbox" {...register("featured")} />
        <span>Loja em destaque</span>
      </label>
    </FormDialog>
  );
}
