import { useState } from "react";
import { z } from "zod";
import { type Decided, decidedSchema } from "../../../core/rules/api/common.ts";
import { fromSaoPaulo } from "../../../core/rules/sao-paulo-time.ts";
import { ask } from "../../api/ask.ts";
import { Field } from "../../ui/field.tsx";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
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
      title={`Lançar o que chegou de ${titleOf(account)}`}
      text="As vendas que esperam esta conta são pagas até este valor, a mais antiga primeiro. Um lançamento não muda: só pode ser estornado."
      action="Lançar"
      mayPay
      done="Lançamento feito"
      validate={() => {
        if (!/^\d+(?:\.\d{1,2})?$/.test(amount) || Number(amount) === 0)
          return "Informe o valor, por exemplo 1.250,00.";
        if (typed.arrived_on === "") return "Informe o dia em que chegou.";
        return typed.reference.trim() === "" ? "Escreva de onde veio, como está no extrato." : undefined;
      }}
      decide={() => post(`${accountPath(account)}/bookings`, { ...typed, amount })}
      onClose={onClose}
    >
      <Field label="Valor em reais">
        {(control) => <input inputMode="decimal" {...control} value={typed.amount} onChange={set("amount")} />}
      </Field>
      <Field label="Chegou em">
        {(control) => <input type="date" {...control} value={typed.arrived_on} onChange={set("arrived_on")} />}
      </Field>
      <Field label="Referência no extrato">
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
      title={`Anunciar dia de promoção de ${titleOf(account)}`}
      text="Neste dia (UTC) a conta pode ser paga dez vezes o seu dia normal ou mais. O que um dia fora do normal parou segue. O crédito continua valendo."
      action="Anunciar"
      mayPay
      done="Dia anunciado"
      validate={() => (fromSaoPaulo(`${day}T12:00`) === undefined ? "Informe o dia." : undefined)}
      decide={() => post(`${accountPath(account)}/sales-days`, { day })}
      onClose={onClose}
    >
      <Field label="Dia">
        {(control) => <input type="date" {...control} value={day} onChange={({ target }) => setDay(target.value)} />}
      </Field>
    </DecisionDialog>
  );
}

/** Another row takes the booking back; what it let pass and is not sent waits again. */
export function ReverseDialog({ account, id, onClose }: AccountDialogProps & { id: number }) {
  return (
    <DecisionDialog
      title={`Estornar o lançamento nº ${id}`}
      text="O que este lançamento deixou passar e ainda não foi enviado volta a esperar. O que foi pago fica pago."
      action="Estornar"
      isDangerous
      reasonHint="Fica no lançamento de estorno."
      done="Lançamento estornado"
      decide={(reason) => post(`${accountPath(account)}/bookings/${id}/reverse`, { reason })}
      onClose={onClose}
    />
  );
}
