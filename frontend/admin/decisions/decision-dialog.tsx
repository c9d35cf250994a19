import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useId, useRef, useState } from "react";
import { Link } from "react-router";
import type { Decided } from "../../../core/rules/api/common.ts";
import { ApiError } from "../../api/http.ts";
import { OWN_KEY } from "../../api/queries.ts";
import { useSignAgain } from "../../session/challenge.ts";
import { DraftNotice, useDraft } from "../../session/use-draft.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Field } from "../../ui/field.tsx";
import { toast } from "../../ui/toast.ts";
import { useIsShown } from "../../ui/use-is-shown.ts";
import { useOneAtATime } from "../../ui/use-one-at-a-time.ts";
import { hasCode, REJECTED } from "../../wallet/errors.ts";
import { type FactRow, Facts } from "../facts.tsx";
import { viewHref } from "../list/list-address.ts";
import { placeInRow } from "../list/row-focus.ts";
import { refusalOf } from "../refusals.ts";
import { RichText } from "../rich-text.tsx";
import { panelLocale, t } from "../texts.ts";
import { AloneNotice } from "./alone-notice.tsx";
import { roleQuery } from "./permissions.tsx";

type DecisionDialogProps = {
  title: string;
  /** What will happen. */
  text: ReactNode;
  consequences?: readonly FactRow[];
  /** The button's label, such as "Liberar venda". */
  action: string;
  isDangerous?: boolean;
  /** Whether payouts may follow from it. */
  mayPay?: boolean;
  /** Explains the reason field; without it no reason is asked for. */
  reasonHint?: string;
  /** The toast when it is done. */
  done: string;
  /** Further fields. */
  children?: ReactNode;
  /** What it will also change. Below all fields: it comes later, and must not move the one that is being filled. */
  preview?: ReactNode;
  /** Returns what is wrong with the further fields. */
  validate?: () => string | undefined;
  decide: (reason: string) => Promise<Decided | undefined>;
  onClose: () => void;
};

const REASON_LENGTH = 200;

/** On a phone, a message after the form is below the visible part. */
const intoView = (message: HTMLElement | null) => message?.scrollIntoView({ block: "nearest" });

/**
 * A decision by an admin: shows its effect, asks for a reason, and asks for a new signature if the sign-in is too old.
 */
export function DecisionDialog(props: DecisionDialogProps) {
  const {
    title,
    text,
    consequences,
    action,
    isDangerous = false,
    mayPay = false,
    reasonHint,
    children,
    preview,
  } = props;
  const formId = useId();
  const draft = useDraft(`decision ${title}`, { reason: "" });
  const [reason, setReason] = useState(draft.start.reason);
  const onClose = () => {
    draft.drop();
    props.onClose();
  };
  const decision = useDecision({ ...props, onClose });
  const { step, problem, isReasonMissing } = decision;
  const isBusy = step === "busy";
  if (step === "asked") return <Asked onClose={onClose} />;
  function submit(event: FormEvent) {
    event.preventDefault();
    decision.submit(reason.trim());
  }
  return (
    <Dialog
      title={title}
      onClose={onClose}
      lang={panelLocale()}
      focusAfter={(opener) => (decision.isDone() ? placeOf(opener) : undefined)}
      leave={t("cancel")}
      actions={
        <button
          type="submit"
          form={formId}
          className={isDangerous ? "button button-danger" : "button"}
          disabled={isBusy}
        >
          {isBusy ? t("oneMoment") : step === "sign" ? t("sign.action") : action}
        </button>
      }
    >
      <form id={formId} className="grid gap-4" noValidate onSubmit={submit}>
        <DraftNotice draft={draft} />
        <div>{text}</div>
        {consequences && <Facts rows={consequences} look="consequences" />}
        {mayPay && <AloneNotice />}
        {children}
        {reasonHint && (
          <ReasonField
            hint={reasonHint}
            isMissing={isReasonMissing}
            value={reason}
            onChange={(typed) => {
              setReason(typed);
              draft.keep({ reason: typed });
            }}
          />
        )}
        {preview}
        {step === "sign" && (
          <p ref={intoView} className="hint" role="status">
            {t("sign.text")}
          </p>
        )}
        {problem && (
          <p ref={intoView} className="problem" role="alert">
            {problem}
          </p>
        )}
      </form>
    </Dialog>
  );
}

type ReasonFieldProps = { hint: string; isMissing: boolean; value: string; onChange: (typed: string) => void };

function ReasonField({ hint, isMissing, value, onChange }: ReasonFieldProps) {
  return (
    <Field label={t("reason.label")} hint={hint} problem={isMissing ? t("reason.missing") : undefined}>
      {(control) => (
        <textarea
          {...control}
          rows={2}
          required
          maxLength={REASON_LENGTH}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

/** A decision often removes its button: the focus stays in the sheet or on the row. */
function placeOf(opener: Element | null): HTMLElement | undefined {
  const row = opener?.closest("tr");
  return document.querySelector<HTMLElement>(".sheet") ?? (row ? placeInRow(row) : undefined);
}

/** The decision needs a second person; the request has been made. docs/product.md#panel-approvals. */
function Asked({ onClose }: { onClose: () => void }) {
  const isNobody = useQuery(roleQuery).data?.approvers.payments.length === 0;
  return (
    <Dialog
      title={t("asked.title")}
      onClose={onClose}
      lang={panelLocale()}
      leave={t("close")}
      actions={
        <Link className="button" to={viewHref({ view: "approvals" })} onClick={onClose}>
          {t("asked.open")}
        </Link>
      }
    >
      <p role="status">
        <RichText id={isNobody ? "asked.nobody" : "asked.other"} />
      </p>
    </Dialog>
  );
}

/** `sign`: the server requires a newer sign-in. `asked`: a second person decides first. */
type Step = "idle" | "busy" | "sign" | "asked";

function useDecision({ reasonHint, validate, decide, done, onClose }: DecisionDialogProps) {
  const client = useQueryClient();
  const isShown = useIsShown();
  const { hasWallet, connect, signAgain } = useSignAgain();
  const decision = useMutation({ mutationFn: decide });
  const [step, setStep] = useState<Step>("idle");
  const [problem, setProblem] = useState<string>();
  const [isReasonMissing, setReasonMissing] = useState(false);
  const isDone = useRef(false);

  async function run(reason: string): Promise<void> {
    const answer = await decision.mutateAsync(reason);
    isDone.current = true;
    if (answer?.approval_id !== undefined && isShown()) {
      setStep("asked");
      await client.invalidateQueries({ queryKey: OWN_KEY });
      return;
    }
    if (isShown()) {
      toast.success(done, { id: "admin" });
      onClose();
    }
    await client.invalidateQueries({ queryKey: OWN_KEY });
  }

  const submit = useOneAtATime(async (reason: string): Promise<void> => {
    const mustSign = step === "sign";
    const isMissing = reasonHint !== undefined && reason === "";
    setReasonMissing(isMissing);
    const wrong = validate?.();
    setProblem(wrong);
    if (isMissing || wrong) return;
    setStep("busy");
    try {
      if (mustSign) {
        if (!hasWallet) {
          await connect();
          setStep("sign");
          return;
        }
        await signAgain();
        // Cancelled while the wallet asked for the signature: do not send the decision.
        if (!isShown()) return;
      }
      await run(reason);
    } catch (error) {
      // Somebody else was faster: list, counts and dialog show how things are next to the refusal.
      if (error instanceof PartlyDone || (error instanceof ApiError && error.status === 409)) {
        await client.invalidateQueries({ queryKey: OWN_KEY });
      }
      const needsSignature = isSignInTooOld(error);
      setStep(needsSignature || mustSign ? "sign" : "idle");
      if (!needsSignature) setProblem(problemOf(error));
    }
  });
  return { step, problem, isReasonMissing, submit, isDone: () => isDone.current };
}

/** Of several decisions some were refused; the message says which, and why. */
export class PartlyDone extends Error {
  override readonly name = "PartlyDone";
}

export const isSignInTooOld = (error: unknown): boolean =>
  error instanceof ApiError && (error.code === "SIGN_IN_AGAIN" || error.code === "PROOF_TOO_OLD");

function problemOf(error: unknown): string {
  if (error instanceof PartlyDone) return error.message;
  if (hasCode(error, REJECTED)) return t("sign.declined");
  return refusalOf(error) ?? t("decision.failed");
}
