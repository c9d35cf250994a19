import { useState } from "react";
import { z } from "zod";
import { type Decided, decidedSchema } from "../../../core/rules/api/common.ts";
import { fromSaoPaulo } from "../../../core/rules/sao-paulo-time.ts";
import { ask } from "../../api/ask.ts";
import { Field } from "../../ui/field.tsx";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import { t } from "../texts.ts";
import { networkName } from "../words.ts";
import { type AccountName, accountPath } from "./queries.ts";

type AccountDialogProps = { account: AccountName; onClose: () => void };

const titleOf = ({ network, account }: AccountName) => `${account} (${networkName(network)})`;
const today = () => new Date().toISOString().slice(0, 10);
const postedSchema = decidedSchema.extend({ proposal_id: z.number().optional() });

/** A large booking waits for a second person, as a payout does. docs/product.md#accounts-bookings */
export async function post(path: string, body: object): Promise<Decided> {
  const { proposal_id, ...decided } = await ask(postedSchema, path, { method: "POST", body });
  return proposal_id === undefined ? decided : { ...decided, approval_id: proposal_id };
}

/** Money that has arrived, by hand. docs/product.md#accounts-bookings */
export function BookDialog({ account, onClose }: AccountDialogProps) {
  const [typed, setTyped] = useState({ amount: "", arrived_on: today(), reference: "" });
  const amount = typed.amount.trim().replaceAll(".", "").replace(",", ".");
  const set = (name: keyof typeof typed) => (event: { target: { value: string } }) =>
    setTyped((now) => ({ ...now, [name]: event.target.value }));
  return (
    <DecisionDialog
      title={t("booking.title", { account: titleOf(account) })}
      text={t("booking.text")}
      action={t("booking.action")}
      mayPay
      done={t("booking.done")}
      validate={() => {
        if (!/^\d+(?:\.\d{1,2})?$/.test(amount) || Number(amount) === 0) return t("booking.noAmount");
        if (typed.arrived_on === "") return t("booking.noDay");
        return typed.reference.trim() === "" ? t("booking.noReference") : undefined;
      }}
      decide={() => post(`${accountPath(account)}/bookings`, { ...typed, amount })}
      onClose={onClose}
    >
      <Field label={t("booking.amount")}>
        {(control) => <input inputMode="decimal" {...control} value={typed.amount} onChange={set("amount")} />}
      </Field>
      <Field label={t("booking.arrived")}>
        {(control) => <input type="date" {...control} value={typed.arrived_on} onChange={set("arrived_on")} />}
      </Field>
      <Field label={t("booking.reference")}>
        {(control) => <input {...control} maxLength={140} value={typed.reference} onChange={set("reference")} />}
      </Field>
    </DecisionDialog>
  );
}

/** docs/product.md#accounts-unusual */
export function SalesDayDialog({ account, onClose }: AccountDialogProps) {
  const [day, setDay] = useState(today());
  return (
    <DecisionDialog
      title={t("salesDay.title", { account: titleOf(account) })}
      text={t("salesDay.text")}
      action={t("salesDay.action")}
      mayPay
      done={t("salesDay.done")}
      validate={() => (fromSaoPaulo(`${day}T12:00`) === undefined ? t("salesDay.noDay") : undefined)}
      decide={() => post(`${accountPath(account)}/sales-days`, { day })}
      onClose={onClose}
    >
      <Field label={t("day")}>
        {(control) => <input type="date" {...control} value={day} onChange={({ target }) => setDay(target.value)} />}
      </Field>
    </DecisionDialog>
  );
}

/** Another row takes the booking back; what it let pass and is not sent waits again. */
export function ReverseDialog({ account, id, onClose }: AccountDialogProps & { id: number }) {
  return (
    <DecisionDialog
      title={t("reverse.title", { id })}
      text={t("reverse.text")}
      action={t("reverse.action")}
      isDangerous
      reasonHint={t("reverse.reasonHint")}
      done={t("reverse.done")}
      decide={(reason) => post(`${accountPath(account)}/bookings/${id}/reverse`, { reason })}
      onClose={onClose}
    />
  );
}
