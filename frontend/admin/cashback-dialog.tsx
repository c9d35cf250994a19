import { zodResolver } from "@hookform/resolvers/zod";
import { useForm } from "react-hook-form";
import { z } from "zod";
import { createCashbackRequestSchema, updateCashbackRequestSchema } from "../../domain/api/catalogue.ts";
import { percentText } from "../../domain/money.ts";
import { type CashbackFields, nonEmpty } from "./admin-calls.ts";
import { toastMissing } from "./admin-toasts.tsx";
import { Field, REQUIRED, trimmed } from "./field.tsx";
import { FormDialog } from "./form-dialog.tsx";

type CashbackDialogProps = {
  initial: CashbackFields | undefined;
  onClose: () => void;
  onSubmit: (fields: CashbackFields) => Promise<boolean>;
};

/** An update sends only fields with a value. docs/product.md#store-category. */
const updateSchema = z.preprocess((fields: CashbackFields) => nonEmpty(fields), updateCashbackRequestSchema);

/** Adds or edits a store category. A comma is converted to a dot. */
export function CashbackDialog({ initial, onClose, onSubmit }: CashbackDialogProps) {
  const isNew = initial === undefined;
  const { register, handleSubmit, getValues, formState } = useForm({
    defaultValues: initial ?? { category: "", cashback_percent: "" },
    resolver: zodResolver(isNew ? createCashbackRequestSchema : updateSchema),
  });
  const { errors, isSubmitting } = formState;
  const save = handleSubmit(
    async ({ category = "", cashback_percent: bps }) => {
      const isSaved = await onSubmit({ category, cashback_percent: bps === undefined ? "" : percentText(bps) });
      if (isSaved) onClose();
    },
    () => {
      const isMissing = Object.values(getValues()).some((value) => value === "");
      if (isNew && isMissing) toastMissing("Categoria e percentual são obrigatórios.");
    },
  );
  return (
    <FormDialog
      title={isNew ? "Adicionar cashback" : "Editar cashback"}
      action={isNew ? "Adicionar" : "Salvar alterações"}
      isBusy={isSubmitting}
      onClose={onClose}
      onSubmit={save}
    >
      <Field label="Categoria" problem={errors.category && REQUIRED}>
        {(control) => <input maxLength={60} {...control} {...register("category", trimmed)} />}
      </Field>
      <Field
        label="Percentual de cashback"
        hint="Use ponto como separador decimal, por exemplo 5.75. Vírgula também serve."
        problem={errors.cashback_percent && "Informe um percentual de 0 a 100, com até 2 casas, por exemplo 5.75."}
      >
        {(control) => <input inputMode="decimal" {...control} {...register("cashback_percent", trimmed)} />}
      </Field>
    </FormDialog>
  );
}
