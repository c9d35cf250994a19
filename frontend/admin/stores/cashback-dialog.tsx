import { zodResolver } from "@hookform/resolvers/zod";
import { useForm } from "react-hook-form";
import { z } from "zod";
import { createCashbackRequestSchema } from "../../../domain/api/catalogue.ts";
import { percentText } from "../../../domain/money.ts";
import type { CashbackFields } from "../admin-calls.ts";
import { toastMissing } from "../admin-toasts.tsx";
import { Field, REQUIRED, trimmed } from "../field.tsx";
import { FormDialog } from "../form-dialog.tsx";

type CashbackDialogProps = {
  initial: CashbackFields | undefined;
  onClose: () => void;
  onSubmit: (fields: CashbackFields) => Promise<boolean>;
};

const EMPTY: CashbackFields = {
  category: "",
  category_en: "",
  cashback_percent: "",
  group_code: "",
  is_default: false,
};

/** An emptied name stays unchanged; an emptied percent is an error. */
const updateSchema = createCashbackRequestSchema.extend({ category: z.string().trim().max(60) });

/** Adds or edits a store category. A comma is converted to a dot. docs/product.md#store-category. */
export function CashbackDialog({ initial, onClose, onSubmit }: CashbackDialogProps) {
  const isNew = initial === undefined;
  const { register, handleSubmit, getValues, formState } = useForm({
    defaultValues: initial ?? EMPTY,
    resolver: zodResolver(isNew ? createCashbackRequestSchema : updateSchema),
  });
  const { errors, isSubmitting } = formState;
  const save = handleSubmit(
    async ({ category, category_en, cashback_percent: bps, group_code, is_default = false }) => {
      const isSaved = await onSubmit({
        category,
        category_en: category_en ?? "",
        cashback_percent: percentText(bps),
        group_code: group_code ?? "",
        is_default,
      });
      if (isSaved) onClose();
    },
    () => {
      const { category, cashback_percent } = getValues();
      if (isNew && (!category || !cashback_percent)) toastMissing("Categoria e percentual são obrigatórios.");
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
      <Field
        label="Nome em inglês"
        hint="Vazio: as páginas em inglês mostram o nome em português."
        problem={errors.category_en && "Este texto é longo demais."}
      >
        {(control) => <input maxLength={60} lang="en" {...control} {...register("category_en", trimmed)} />}
      </Field>
      <Field
        label="Código do grupo"
        hint="O grupo de comissão na rede que rende este percentual. Vazio: nenhum em especial."
        problem={errors.group_code && "Este texto é longo demais."}
      >
        {(control) => <input maxLength={64} autoCapitalize="none" {...control} {...register("group_code", trimmed)} />}
      </Field>
      <label className="check">
        <input type="checkbox" {...register("is_default")} />
        <span>Padrão: vale para o que nenhum grupo nomeia</span>
      </label>
    </FormDialog>
  );
}
