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
import adminListStyle from "../list/admin-list.module.css";
import { AdminList } from "../list/admin-list.tsx";
import { sumOfChz } from "../list/bulk.tsx";
import { type ListDefinition, sortsByAgeOrAmount } from "../list/definition.ts";
import { viewHref } from "../list/list-address.ts";
import { overviewQuery } from "../overview/queries.ts";
import type { Overview, Payment } from "../shapes.ts";
import { t } from "../texts.ts";
import { operationWhy, optionsOf, PAYMENT_WORDS, pauseReason, wordOf } from "../words.ts";
import style from "./payments-view.module.css";
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
          title={t("payments.retry.title", { purchaseId: retrying.purchase_id })}
          text={t("payments.retry.text")}
          mayPay
          consequences={[
            [t("willBeSent"), chz(retrying.amount)],
            [t("to"), <WholeWallet key="wallet" address={retrying.wallet} />],
            [t("stoppedBecause"), operationWhy(retrying.reason) ?? "–"],
            [t("payments.attempts"), String(retrying.attempts)],
          ]}
          action={t("retry")}
          reasonHint={t("reasonHint.log")}
          done={t("payments.retry.done")}
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
    title: t("view.payments"),
    noun: "payment",
    search: t("payments.search"),
    states: optionsOf(PAYMENT_WORDS),
    waiting: ({ failed_payments, waiting_payments }) => ({ failed: failed_payments, waiting: waiting_payments }),
    allStates: t("list.allMasculine"),
    sorts: sortsByAgeOrAmount("masculine"),
    refreshMs: 15_000,
    keyOf: (row) => String(row.id),
    nameOf: (row) => (
      <Link
        to={viewHref({ view: "purchases" }, { row: String(row.purchase_id) })}
        className={adminListStyle.link}
        data-row=""
      >
        <span className="figures">{t("payments.purchase", { purchaseId: row.purchase_id })}</span>
        <span className={adminListStyle.note}>{row.store}</span>
      </Link>
    ),
    columns: [
      {
        header: t("status"),
        cell: (row) => <StateBadge {...wordOf(PAYMENT_WORDS, row.state)} />,
      },
      {
        header: t("why"),
        cell: (row) => <Why operation={row} />,
      },
      { header: t("wallet"), cell: (row) => <ShortWallet address={row.wallet} /> },
      { header: "CHZ", isFigure: true, cell: (row) => chz(row.amount) },
      { header: t("since"), cell: (row) => <time dateTime={row.since}>{dateTime(row.since)}</time> },
    ],
    bulk: {
      permission: "payments",
      fits: isStuck,
      what: "payments",
      mayPay: true,
      consequences: (rows) => [
        [t("willBeSent"), chz(sumOfChz(rows))],
        [t("view.purchases"), rows.map((row) => t("numberedLow", { id: row.purchase_id })).join(", ")],
      ],
      decide: (row, reason) => retryOperation(row.id, reason),
    },
    actions: (row) =>
      isStuck(row) && (
        <PermittedButton permission="payments" onClick={() => onRetry(row)}>
          {t("retry")}
          <span className="sr-only"> {t("payments.purchaseLow", { purchaseId: row.purchase_id })}</span>
        </PermittedButton>
      ),
    empty: { title: t("payments.none"), hint: t("payments.none.hint") },
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
    <section className={style.payouts} data-paused={paused || undefined} aria-label={t("payouts.state")}>
      <div>
        <p className="state-title">{paused ? t("payouts.paused") : t("payouts.running")}</p>
        <p className="muted">
          {paused
            ? t("reason", { reason: pauseReason(reason, cause) })
            : t("payouts.queue", {
                sent: sender.in_flight,
                queued: sender.queued,
                failed: sender.failed,
                open: chz(data.cashback_open),
              })}
        </p>
      </div>
      <PermittedButton
        permission="payments"
        className={paused ? "button" : "button button-danger"}
        onClick={() => setDeciding(paused ? "resume" : "pause")}
      >
        {paused ? t("payouts.resume") : t("payouts.pause")}
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
      title={t("payouts.pause.title")}
      text={t("payouts.pause.text")}
      consequences={[
        [t("payouts.pause.waits"), chz(cashback_open)],
        [t("payouts.pause.queued"), t("payouts.transactions", { count: sender.queued })],
      ]}
      action={t("payouts.pause")}
      isDangerous
      reasonHint={t("payouts.pause.hint")}
      done={t("payouts.pause.done")}
      decide={(text) => setPayouts(true, text)}
      onClose={onClose}
    />
  );
}

function ResumeDialog({ overview: { cashback_open, sender, payouts }, onClose }: DialogProps) {
  const { chz } = useFormat();
  return (
    <DecisionDialog
      title={t("payouts.resume.title")}
      text={t("payouts.resume.text")}
      consequences={[
        [t("overview.open"), chz(cashback_open)],
        [t("payouts.distributor"), sender.distributor_balance === null ? "–" : chz(sender.distributor_balance)],
        [t("payouts.pausedBecause"), pauseReason(payouts.reason, payouts.cause)],
      ]}
      action={t("payouts.resume")}
      reasonHint={t("reasonHint.log")}
      done={t("payouts.resume.done")}
      decide={(text) => setPayouts(false, text)}
      onClose={onClose}
    />
  );
}
