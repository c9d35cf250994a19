import { z } from "zod";
import { OFFER_SHAPE } from "../../../core/rules/api/offers.ts";
import { fromSaoPaulo, toSaoPaulo } from "../../../core/rules/sao-paulo-time.ts";
import { Field } from "../../ui/field.tsx";
import { trimmed, useForm } from "../../ui/use-form.ts";
import { useOneSubmit } from "../../ui/use-one-at-a-time.ts";
import { changesOf, type Outcome } from "../admin-calls.ts";
import { fieldResolver, says } from "../field-resolver.ts";
import { FormDialog } from "../form-dialog.tsx";
import type { OfferRow } from "../shapes.ts";
import { t } from "../texts.ts";
import { type Saving, useSaving } from "../use-saving.ts";

type OfferDialogProps = Saving & {
  title: string;
  /** Undefined for a new one. */
  offer: OfferRow | undefined;
  request: (fields: Record<string, unknown>) => Promise<Outcome>;
};

const { title, code, terms, url } = OFFER_SHAPE;
const formSchema = z
  .object({ title, code, terms, url, starts: z.string(), ends: z.string(), with_cashback: z.boolean() })
  .superRefine(({ starts, ends }, context) => {
    const [from, to] = [starts, ends].map((text) => (text === "" ? undefined : fromSaoPaulo(text)));
    const refuse = (path: string, sentence: string) => context.addIssue({ ...says(sentence), path: [path] });
    if (starts !== "" && from === undefined) refuse("starts", t("boost.noTime"));
    if (ends !== "" && to === undefined) refuse("ends", t("boost.noTime"));
    else if (to && Date.parse(to) <= Math.max(Date.now(), from ? Date.parse(from) : 0))
      refuse("ends", t("offer.badEnd"));
  });

type OfferForm = Record<"title" | "code" | "terms" | "url" | "starts" | "ends", string> & { with_cashback: boolean };

const momentOf = (text: string | null | undefined): string => (text ? toSaoPaulo(Date.parse(text)) : "");

function formOf(offer: OfferRow | undefined): OfferForm {
  return {
    title: offer?.title ?? "",
    code: offer?.code ?? "",
    terms: offer?.terms ?? "",
    url: offer?.url ?? "",
    starts: momentOf(offer?.starts_at),
    ends: momentOf(offer?.ends_at),
    with_cashback: offer?.with_cashback ?? true,
  };
}

/** The fields that differ from what the offer was, as the api takes them. */
function requestOf(before: OfferForm, after: OfferForm): Record<string, unknown> {
  const { starts, ends, ...fields } = changesOf(before, after);
  const timeOf = (value: unknown) => (typeof value === "string" ? (fromSaoPaulo(value) ?? null) : null);
  return {
    ...fields,
    ...(starts === undefined ? {} : { starts_at: timeOf(starts) }),
    ...(ends === undefined ? {} : { ends_at: timeOf(ends) }),
  };
}

/** Writes an offer of a store, or changes one. Times are São Paulo's. docs/product.md#offers */
export function OfferDialog({ title, offer, request, ...saving }: OfferDialogProps) {
  const initial = formOf(offer);
  const { register, handleSubmit, formState } = useForm({
    defaultValues: initial,
    resolver: fieldResolver<OfferForm>(formSchema),
  });
  const { errors, isSubmitting } = formState;
  const finish = useSaving(saving, () => {});
  const save = useOneSubmit(
    handleSubmit(async (fields) => {
      await finish(() => request(requestOf(initial, fields)));
    }),
  );
  return (
    <FormDialog
      title={title}
      action={offer ? t("saveChanges") : t("add")}
      isBusy={isSubmitting}
      onClose={saving.onClose}
      onSubmit={save}
    >
      <Field label={t("offer.label.title")} hint={t("offer.label.title.hint")} problem={errors.title?.message}>
        {(control) => <input {...control} {...register("title", trimmed)} />}
      </Field>
      <Field label={t("offer.label.code")} hint={t("offer.label.code.hint")} problem={errors.code?.message}>
        {(control) => <input autoCapitalize="none" {...control} {...register("code", trimmed)} />}
      </Field>
      <Field label={t("offer.label.terms")} problem={errors.terms?.message}>
        {(control) => <textarea rows={3} {...control} {...register("terms", trimmed)} />}
      </Field>
      <Field label={t("offer.label.url")} hint={t("offer.label.url.hint")} problem={errors.url?.message}>
        {(control) => <input inputMode="url" autoCapitalize="none" {...control} {...register("url", trimmed)} />}
      </Field>
      <Field label={t("offer.label.starts")} hint={t("offer.label.starts.hint")} problem={errors.starts?.message}>
        {(control) => <input type="datetime-local" {...control} {...register("starts")} />}
      </Field>
      <Field label={t("offer.label.ends")} hint={t("offer.label.ends.hint")} problem={errors.ends?.message}>
        {(control) => <input type="datetime-local" {...control} {...register("ends")} />}
      </Field>
      <label className="check">
        <input type="checkbox" {...register("with_cashback")} />
        <span>
          {t("offer.withCashback")}
          <span className="field-hint">{t("offer.withCashback.hint")}</span>
        </span>
      </label>
    </FormDialog>
  );
}
