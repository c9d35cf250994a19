import { z } from "zod";
import { percentSchema } from "../../../core/rules/api/catalogue.ts";
import { DAY_MS } from "../../../core/rules/iso-time.ts";
import { fromSaoPaulo, toSaoPaulo } from "../../../core/rules/sao-paulo-time.ts";
import { Field } from "../../ui/field.tsx";
import { trimmed, useForm } from "../../ui/use-form.ts";
import { useOneSubmit } from "../../ui/use-one-at-a-time.ts";
import type { BoostFields, Outcome } from "../admin-calls.ts";
import { fieldResolver, says } from "../field-resolver.ts";
import { FormDialog } from "../form-dialog.tsx";
import type { StoreWithCategories } from "../shapes.ts";
import { type Saving, useSaving } from "../use-saving.ts";
import { bpsOf, PercentNotice } from "./percent-notice.tsx";

type BoostDialogProps = Saving & {
  store: StoreWithCategories;
  request: (fields: BoostFields) => Promise<Outcome>;
};

const NO_TIME = "Informe dia e hora.";

const formSchema = z
  .object({
    percent: percentSchema.refine((bps) => bps > 0n),
    category: z.string(),
    starts: z.string(),
    ends: z.string(),
  })
  .superRefine(({ starts, ends }, context) => {
    const [from, to] = [starts === "" ? undefined : fromSaoPaulo(starts), fromSaoPaulo(ends)];
    const refuse = (path: string, sentence: string) => context.addIssue({ ...says(sentence), path: [path] });
    if (starts !== "" && from === undefined) refuse("starts", NO_TIME);
    if (to === undefined) refuse("ends", NO_TIME);
    else if (Date.parse(to) <= Math.max(Date.now(), from ? Date.parse(from) : 0))
      refuse("ends", "O fim precisa vir depois do começo e de agora.");
  });

type BoostForm = Record<keyof typeof formSchema.shape, string>;

/** Plans a boost. Times are São Paulo's. */
export function BoostDialog({ store, request, ...saving }: BoostDialogProps) {
  const { register, handleSubmit, formState, watch } = useForm({
    defaultValues: { percent: "", category: "", starts: "", ends: endOfWeek() },
    resolver: fieldResolver<BoostForm>(formSchema),
  });
  const { errors, isSubmitting } = formState;
  const finish = useSaving(saving, () => {});
  const save = useOneSubmit(
    handleSubmit(async ({ percent, category, starts, ends }) => {
      await finish(() =>
        request({
          percent: percent.replace(",", "."),
          category_id: category === "" ? null : Number(category),
          starts_at: starts === "" ? null : (fromSaoPaulo(starts) ?? null),
          ends_at: fromSaoPaulo(ends) ?? "",
        }),
      );
    }),
  );
  return (
    <FormDialog
      title={`Turbinar o cashback de ${store.name}`}
      action="Planejar"
      isBusy={isSubmitting}
      onClose={saving.onClose}
      onSubmit={save}
    >
      <Field
        label="Percentual turbinado"
        hint="Substitui os percentuais menores enquanto durar. Os maiores ficam."
        problem={errors.percent && "Informe um percentual até 100, com até 2 casas, por exemplo 10."}
      >
        {(control) => <input inputMode="decimal" {...control} {...register("percent", trimmed)} />}
      </Field>
      <PercentNotice bps={bpsOf(watch("percent"))} />
      <Field label="Vale para">
        {(control) => (
          <select {...control} {...register("category")}>
            <option value="">Toda a loja</option>
            {store.cashbacks.map((one) => (
              <option key={one.id} value={one.id}>
                {one.category}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Começa (horário de São Paulo)" hint="Vazio: agora." problem={errors.starts?.message}>
        {(control) => <input type="datetime-local" {...control} {...register("starts")} />}
      </Field>
      <Field
        label="Termina (horário de São Paulo)"
        hint="Visitas antes deste minuto ainda contam, e rendem por 7 dias."
        problem={errors.ends?.message}
      >
        {(control) => <input type="datetime-local" {...control} {...register("ends")} />}
      </Field>
    </FormDialog>
  );
}

/** The next Sunday's last minute. */
function endOfWeek(): string {
  const today = toSaoPaulo(Date.now()).slice(0, 10);
  const weekday = new Date(`${today}T12:00:00Z`).getUTCDay();
  const sunday = new Date(Date.parse(`${today}T12:00:00Z`) + ((7 - weekday) % 7) * DAY_MS);
  return `${sunday.toISOString().slice(0, 10)}T23:59`;
}
