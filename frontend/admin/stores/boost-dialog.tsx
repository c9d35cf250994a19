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
import { t } from "../texts.ts";
import { type Saving, useSaving } from "../use-saving.ts";
import { bpsOf, PercentNotice } from "./percent-notice.tsx";

type BoostDialogProps = Saving & {
  store: StoreWithCategories;
  request: (fields: BoostFields) => Promise<Outcome>;
};

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
    if (starts !== "" && from === undefined) refuse("starts", t("boost.noTime"));
    if (to === undefined) refuse("ends", t("boost.noTime"));
    else if (Date.parse(to) <= Math.max(Date.now(), from ? Date.parse(from) : 0)) refuse("ends", t("boost.badEnd"));
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
      title={t("boost.title", { name: store.name })}
      action={t("boost.action")}
      isBusy={isSubmitting}
      onClose={saving.onClose}
      onSubmit={save}
    >
      <Field
        label={t("boost.percent")}
        hint={t("boost.percent.hint")}
        problem={errors.percent && t("boost.percent.invalid")}
      >
        {(control) => <input inputMode="decimal" {...control} {...register("percent", trimmed)} />}
      </Field>
      <PercentNotice bps={bpsOf(watch("percent"))} />
      <Field label={t("validFor")}>
        {(control) => (
          <select {...control} {...register("category")}>
            <option value="">{t("wholeStore")}</option>
            {store.cashbacks.map((one) => (
              <option key={one.id} value={one.id}>
                {one.category}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={t("boost.starts")} hint={t("boost.starts.hint")} problem={errors.starts?.message}>
        {(control) => <input type="datetime-local" {...control} {...register("starts")} />}
      </Field>
      <Field label={t("boost.ends")} hint={t("boost.ends.hint")} problem={errors.ends?.message}>
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
