import { z } from "zod";
import { createCashbackRequestSchema } from "../../../core/rules/api/catalogue.ts";
import { LANGUAGES, OTHER_LANGUAGES, translations } from "../../../core/rules/languages.ts";
import { DraftNotice, useDraft, useKeptForm } from "../../session/use-draft.tsx";
import { Field } from "../../ui/field.tsx";
import { trimmed, useForm } from "../../ui/use-form.ts";
import { useOneSubmit } from "../../ui/use-one-at-a-time.ts";
import type { CashbackFields, Outcome } from "../admin-calls.ts";
import { toastMissing } from "../admin-toasts.tsx";
import { fieldResolver } from "../field-resolver.ts";
import { FormDialog } from "../form-dialog.tsx";
import { t } from "../texts.ts";
import { type Saving, useSaving } from "../use-saving.ts";
import { inLanguage } from "../words.ts";
import { bpsOf, CoverNotice, PercentNotice } from "./percent-notice.tsx";

type CashbackDialogProps = Saving & {
  /** Names the category, or the store of a new one. */
  id: string;
  initial: CashbackFields | undefined;
  /** The highest percent that saving these would raise, in basis points. */
  raises: (fields: CashbackFields) => bigint | undefined;
  /** What the network pays for it, if that is known, and the store's club, whose fans get a bonus. */
  covered?: { commission: string | null | undefined; club: string | null | undefined };
  /** Whether the store's first day needs nobody else. */
  isFreeAtFirst?: boolean;
  request: (fields: CashbackFields) => Promise<Outcome>;
};

const EMPTY: CashbackFields = {
  category: "",
  ...translations({ category: "" }),
  cashback_percent: "",
  group_code: "",
  is_default: false,
  is_by_hand: true,
  cashback_share_percent: "",
};

/** An emptied name stays unchanged; an emptied percent is an error. */
const updateSchema = z.preprocess(
  (fields: CashbackFields) => ({ ...fields, category: fields.category || undefined }),
  createCashbackRequestSchema.partial({ category: true }),
);

/** Adds or edits a store category. A comma is converted to a dot. docs/product.md#store-category. */
export function CashbackDialog(props: CashbackDialogProps) {
  const isNew = props.initial === undefined;
  const { register, watch, errors, isSubmitting, draft, save } = useCategoryForm(props);
  const close = () => {
    draft.drop();
    props.onClose();
  };
  return (
    <FormDialog
      title={isNew ? t("category.add") : t("category.edit")}
      action={isNew ? t("add") : t("saveChanges")}
      isBusy={isSubmitting}
      onClose={close}
      onSubmit={save}
    >
      <DraftNotice draft={draft} />
      <Field label={t("category.label")} problem={errors.category?.message}>
        {(control) => <input {...control} {...register("category", trimmed)} />}
      </Field>
      <Field label={t("category.percent")} hint={t("category.percent.hint")} problem={errors.cashback_percent?.message}>
        {(control) => <input inputMode="decimal" {...control} {...register("cashback_percent", trimmed)} />}
      </Field>
      <PercentNotice bps={props.raises(watch())} isFreeAtFirst={props.isFreeAtFirst ?? false} />
      {props.covered && <CoverNotice bps={bpsOf(watch("cashback_percent"))} {...props.covered} />}
      {OTHER_LANGUAGES.map((one) => (
        <Field
          key={one}
          label={t("category.nameIn", { language: inLanguage(one) })}
          hint={t("category.nameIn.hint", { language: inLanguage(one) })}
          problem={errors[`category_${one}`]?.message}
        >
          {(control) => <input lang={LANGUAGES[one].locale} {...control} {...register(`category_${one}`, trimmed)} />}
        </Field>
      ))}
      <Field label={t("category.groupCode")} hint={t("category.groupCode.hint")} problem={errors.group_code?.message}>
        {(control) => <input autoCapitalize="none" {...control} {...register("group_code", trimmed)} />}
      </Field>
      <label className="check">
        <input type="checkbox" {...register("is_default")} />
        <span>{t("category.default.label")}</span>
      </label>
      <label className="check">
        <input type="checkbox" {...register("is_by_hand")} />
        <span>{t("category.byHand.label")}</span>
      </label>
      <p className="hint">{t("category.byHand.hint")}</p>
      <Field
        label={t("category.share")}
        hint={t("category.share.hint")}
        problem={errors.cashback_share_percent?.message}
      >
        {(control) => <input inputMode="numeric" {...control} {...register("cashback_share_percent", trimmed)} />}
      </Field>
    </FormDialog>
  );
}

/** The form's state, which survives the session as a draft, and its saving. */
function useCategoryForm({
  id,
  initial,
  request,
  raises: _,
  isFreeAtFirst: __,
  covered: ___,
  ...saving
}: CashbackDialogProps) {
  const isNew = initial === undefined;
  const draft = useDraft(`category ${id}`, initial ?? EMPTY);
  const { register, handleSubmit, getValues, watch, subscribe, formState } = useForm({
    defaultValues: draft.start,
    resolver: fieldResolver<CashbackFields>(isNew ? createCashbackRequestSchema : updateSchema),
  });
  useKeptForm(subscribe, draft);
  const { errors, isSubmitting } = formState;
  const finish = useSaving(saving, draft.drop);
  const save = useOneSubmit(
    handleSubmit(
      async (fields) => {
        await finish(() => request({ ...fields, cashback_percent: fields.cashback_percent.replace(",", ".") }));
      },
      () => {
        const { category, cashback_percent } = getValues();
        if (isNew && (!category || !cashback_percent)) toastMissing(t("category.required"));
      },
    ),
  );
  return { register, watch, errors, isSubmitting, draft, save };
}
