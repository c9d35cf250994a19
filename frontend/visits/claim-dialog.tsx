import { zodResolver } from "@hookform/resolvers/zod";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { z } from "zod";
import { createClaimRequestSchema } from "../../core/rules/api/sales.ts";
import { attachPicture, type Click, createClaim } from "../api/calls.ts";
import { claimsKey } from "../api/queries.ts";
import { reasonOf } from "../api/reason-of.ts";
import { type MessageId, useText } from "../i18n/language.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { FileChoice } from "../ui/file-choice.tsx";
import { toast } from "../ui/toast.ts";
import { useForm } from "../ui/use-form.ts";
import { useIsShown } from "../ui/use-is-shown.ts";
import { useOneSubmit } from "../ui/use-one-at-a-time.ts";
import style from "./claim-dialog.module.css";
import { shrinkPicture } from "./shrink-picture.ts";

const schema = createClaimRequestSchema.pick({ order_ref: true, amount: true, date: true, note: true });
type Fields = z.input<typeof schema>;

const PROBLEMS = {
  order_ref: "claim.badOrder",
  amount: "claim.badAmount",
  date: "claim.badDate",
  note: "claim.badNote",
} as const satisfies Record<keyof Fields, MessageId>;

/** The buyer's day: in Greenwich, the evening of a visit is the next one. */
const dayOf = (moment: Date) =>
  new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);

type ClaimDialogProps = { click: Click; wallet: string; onClose: () => void };

/** Asks for the details needed to find the sale. docs/product.md#sales-claims */
export default function ClaimDialog(props: ClaimDialogProps) {
  const t = useText();
  const { click, onClose } = props;
  const { register, errors, isSubmitting, send, picture, problem } = useClaim(props);
  const problemOf = (field: keyof Fields) => errors[field] && t(PROBLEMS[field]);
  return (
    <Dialog
      title={t("claim.title", { store: click.store })}
      onClose={onClose}
      leave={t("common.cancel")}
      actions={
        <button type="submit" form="claim" className="button" disabled={isSubmitting}>
          {t(isSubmitting ? "claim.sending" : "claim.send")}
        </button>
      }
    >
      <form id="claim" className="grid gap-4" onSubmit={send} noValidate>
        <p className="muted">{t("claim.text")}</p>
        <Field label={t("claim.order")} problem={problemOf("order_ref")}>
          {(control) => <input maxLength={64} autoComplete="off" {...register("order_ref")} {...control} />}
        </Field>
        <div className={style.pair}>
          <Field label={t("claim.amount")} problem={problemOf("amount")}>
            {(control) => (
              <input
                inputMode="decimal"
                autoComplete="off"
                placeholder={t("claim.amount.example")}
                {...register("amount", { setValueAs: withDot })}
                {...control}
              />
            )}
          </Field>
          <Field label={t("claim.date")} problem={problemOf("date")}>
            {(control) => (
              <input
                type="date"
                min={dayOf(new Date(click.created_at))}
                max={dayOf(new Date())}
                {...register("date")}
                {...control}
              />
            )}
          </Field>
        </div>
        <Field label={t("claim.note")} problem={problemOf("note")}>
          {(control) => <textarea rows={3} maxLength={1_000} {...register("note")} {...control} />}
        </Field>
        <Field label={t("claim.picture")} problem={picture.isUnreadable ? t("claim.badPicture") : undefined}>
          {(control) => (
            <FileChoice
              action={t("claim.picture.choose")}
              none={t("claim.picture.none")}
              accept="image/png,image/jpeg,image/webp"
              choose={picture.choose}
              {...control}
            />
          )}
        </Field>
        {problem && (
          <p role="alert" className="problem">
            {problem}
          </p>
        )}
      </form>
    </Dialog>
  );
}

/** The picture to attach, made small when it is chosen. */
function usePicture() {
  // A promise: what is sent meanwhile waits for it.
  const shrunk = useRef<Promise<Blob | undefined>>(undefined);
  const [isUnreadable, setUnreadable] = useState(false);
  const choose = (file: File | undefined) => {
    setUnreadable(false);
    shrunk.current =
      file &&
      shrinkPicture(file).catch(() => {
        setUnreadable(true);
        return undefined;
      });
  };
  return { shrunk, isUnreadable, choose };
}

/** The form's state and its sending; `problem` is why it was not sent. */
function useClaim({ click, wallet, onClose }: ClaimDialogProps) {
  const t = useText();
  const client = useQueryClient();
  const isShown = useIsShown();
  const picture = usePicture();
  const { register, handleSubmit, formState } = useForm<Fields>({
    defaultValues: { order_ref: "", amount: "", date: dayOf(new Date(click.created_at)), note: "" },
    resolver: zodResolver(schema, undefined, { raw: true }),
  });
  const { mutateAsync, error } = useMutation({
    mutationFn: async (fields: Fields) => {
      const shrunk = await picture.shrunk.current;
      const { id } = await createClaim({ ...fields, store_id: click.store_id, click_id: click.id });
      // The claim stands without it.
      return (
        !shrunk ||
        attachPicture(id, shrunk)
          .then(() => true)
          .catch(() => false)
      );
    },
    onSuccess: async (isAttached) => {
      await client.invalidateQueries({ queryKey: claimsKey(wallet) });
      if (!isShown()) return;
      toast.success(t("claim.sent"), {
        id: "claim",
        description: t(isAttached ? "claim.sent.detail" : "claim.sent.withoutPicture"),
      });
      onClose();
    },
  });
  const send = useOneSubmit(handleSubmit((fields) => mutateAsync(fields).catch(() => undefined)));
  const { errors, isSubmitting } = formState;
  return { register, errors, isSubmitting, send, picture, problem: error && reasonOf(error, t) };
}

/** "1.234,50" and "1234,50" as "1234.50". */
function withDot(typed: unknown): string {
  const text = String(typed).replace(/^R\$|\s/g, "");
  return text.includes(",") ? text.replaceAll(".", "").replace(",", ".") : text;
}
