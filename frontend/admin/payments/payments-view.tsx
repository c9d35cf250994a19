import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Link } from "react-router";
import { paymentSchema } from "../../../core/rules/api/admin-purchases.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { retryOperation, setPayouts } from "../admin-calls.ts";
import { StateBadge } from "../badge.tsx";
import { DecisionDialog } from "../decisions/decision-dialog.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import { ShortWallet, WholeWallet } from "../facts.tsx";
import { AdminList } from "../list/admin-list.tsx";
import { sumOfChz } from "../list/bulk.tsx";
import type { ListDefinition } from "../list/definition.ts";
import { viewHref } from "../list/list-address.ts";
import { overviewQuery } from "../overview/queries.ts";
import type { Overview, Payment } from "../shapes.ts";
import { operationWhy, optionsOf, PAYMENT_WORDS, pauseReason, wordOf } from "../words.ts";
import { Why } from "./why.tsx";

const isStuck = ({ state }: Payment): boolean => state === "waiting" || state === "failed";

/** The payout queue: what is waiting and why, retry, and the switch that pauses all payouts. */
export function PaymentsView() {
  const [retrying, setRetrying] = useState<Payment>();
  const { chz } = useFormat();
  return (
    <div className="grid gap-5">
      <PayoutSwitch />
      <AdminList list={usePaymentsList(setRetrying)} />
      {retrying && (
        <DecisionDialog
          title={`Tentar de novo o pagamento da compra nº ${retrying.purchase_id}?`}
          text="O pagamento volta para a fila agora. Cada compra é paga uma vez só, mesmo que você tente de novo."
          mayPay
          consequences={[
            ["Vai ser enviado", chz(retrying.amount)],
            ["Para", <WholeWallet key="wallet" address={retrying.wallet} />],
            ["Parou porque", operationWhy(retrying.reason) ?? "–"],
            ["Tentativas até agora", String(retrying.attempts)],
          ]}
          action="Tentar de novo"
          reasonHint="Fica no registro."
          done="O pagamento voltou para a fila."
          decide={(reason) => retryOperation(retrying.id, reason)}
          onClose={() => setRetrying(undefined)}
        />
      )}
    </div>
  );
}

function usePaymentsList(onRetry: (payment: Payment) => void): ListDefinition<Payment> {
  const { chz, dateTime } = useFormat();
  return {
    path: "/api/admin/payments",
    row: paymentSchema,
    title: "Pagamentos",
    noun: ["pagamento", "pagamentos"],
    search: "compra, carteira ou transação",
    states: optionsOf(PAYMENT_WORDS),
    waiting: ({ failed_payments, waiting_payments }) => ({ failed: failed_payments, waiting: waiting_payments }),
    allStates: "Todos",
    sorts: [
      { value: "-id", label: "Mais novos" },
      { value: "id", label: "Mais antigos" },
      { value: "-amount", label: "Maior valor" },
      { value: "amount", label: "Menor valor" },
    ],
    refreshMs: 15_000,
    keyOf: (row) => String(row.id),
    nameOf: (row) => (
      <Link to={viewHref({ view: "purchases" }, { row: String(row.purchase_id) })} className="row-link" data-row="">
        <span className="figures">Compra nº {row.purchase_id}</span>
        <span className="row-note">{row.store}</span>
      </Link>
    ),
    columns: [
      {
        header: "Situação",
        cell: (row) => <StateBadge {...wordOf(PAYMENT_WORDS, row.state)} />,
      },
      {
        header: "Por quê",
        cell: (row) => <Why operation={row} />,
      },
      { header: "Carteira", cell: (row) => <ShortWallet address={row.wallet} /> },
      { header: "CHZ", isFigure: true, cell: (row) => chz(row.amount) },
      { header: "Desde", cell: (row) => <time dateTime={row.since}>{dateTime(row.since)}</time> },
    ],
    bulk: {
      permission: "payments",
      fits: isStuck,
      action: "Tentar de novo",
      what: (count) => `os ${count} pagamentos parados`,
      text: "Voltam para a fila agora. Cada compra é paga uma vez só, mesmo que você tente de novo.",
      mayPay: true,
      consequences: (rows) => [
        ["Vai ser enviado", chz(sumOfChz(rows))],
        ["Compras", rows.map((row) => `nº ${row.purchase_id}`).join(", ")],
      ],
      decide: (row, reason) => retryOperation(row.id, reason),
    },
    actions: (row) =>
      isStuck(row) && (
        <PermittedButton permission="payments" onClick={() => onRetry(row)}>
          Tentar de novo<span className="sr-only"> – compra nº {row.purchase_id}</span>
        </PermittedButton>
      ),
    empty: { title: "Nenhum pagamento ainda", hint: "Cada compra confirmada entra aqui sozinha." },
  };
}

/** Whether payouts run, with the switch. */
function PayoutSwitch() {
  const { chz } = useFormat();
  const [deciding, setDeciding] = useState<"pause" | "resume">();
  const closeDialog = () => setDeciding(undefined);
  const { data } = useQuery(overviewQuery);
  if (!data) return null;
  const { paused, reason, cause } = data.payouts;
  const { sender } = data;
  return (
    <section className="payout-switch" data-paused={paused || undefined} aria-label="Situação dos pagamentos">
      <div>
        <p className="state-title">{paused ? "Pagamentos pausados" : "Pagamentos em andamento"}</p>
        <p className="muted">
          {paused
            ? `Motivo: ${pauseReason(reason, cause)}`
            : `${sender.in_flight} em envio, ${sender.queued} na fila, ${sender.failed} com falha. A pagar: ${chz(data.cashback_open)}.`}
        </p>
      </div>
      <PermittedButton
        permission="payments"
        className={paused ? "button" : "button button-danger"}
        onClick={() => setDeciding(paused ? "resume" : "pause")}
      >
        {paused ? "Retomar pagamentos" : "Pausar pagamentos"}
      </PermittedButton>
      {deciding === "pause" && <PauseDialog overview={data} onClose={closeDialog} />}
      {deciding === "resume" && <ResumeDialog overview={data} onClose={closeDialog} />}
    </section>
  );
}

type DialogProps = { overview: Overview; onClose: () => void };

function PauseDialog({ overview: { cashback_open, sender }, onClose }: DialogProps) {
  const { chz } = useFormat();
  return (
    <DecisionDialog
      title="Pausar todos os pagamentos?"
      text="Nenhum cashback sai até alguém retomar. Compras continuam sendo registradas, emitidas e confirmadas."
      consequences={[
        ["Fica esperando", chz(cashback_open)],
        ["Na fila agora", `${sender.queued} transações`],
      ]}
      action="Pausar pagamentos"
      isDangerous
      reasonHint="Aparece no painel para todos os admins, e fica no registro."
      done="Pagamentos pausados."
      decide={(text) => setPayouts(true, text)}
      onClose={onClose}
    />
  );
}

function ResumeDialog({ overview: { cashback_open, sender, payouts }, onClose }: DialogProps) {
  const { chz } = useFormat();
  return (
    <DecisionDialog
      title="Retomar os pagamentos?"
      text="O que esperou começa a ser pago em segundos, do mais antigo ao mais novo."
      consequences={[
        ["Cashback a pagar", chz(cashback_open)],
        ["No distribuidor", sender.distributor_balance === null ? "–" : chz(sender.distributor_balance)],
        ["Foi pausado por", pauseReason(payouts.reason, payouts.cause)],
      ]}
      action="Retomar pagamentos"
      reasonHint="Fica no registro."
      done="Pagamentos retomados."
      decide={(text) => setPayouts(false, text)}
      onClose={onClose}
    />
  );
}
