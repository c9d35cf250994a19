import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AccountRow } from "../../../core/rules/api/admin-accounts.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { Skeletons } from "../../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../../ui/state-panel.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import style from "../list/admin-list.module.css";
import { type Column, PlainTable } from "../plain-table.tsx";
import { refusalOf } from "../refusals.ts";
import { t } from "../texts.ts";
import { networkName } from "../words.ts";
import { BankFile } from "./bank-file.tsx";
import { BookDialog, SalesDayDialog } from "./booking-dialogs.tsx";
import { Bookings } from "./bookings.tsx";
import { accountsQuery } from "./queries.ts";

type Asked = { kind: "book" | "file" | "day"; account: AccountRow };

/** What each account is paid for, and what has arrived from it. docs/product.md#accounts */
export function AccountsView() {
  const accounts = useQuery(accountsQuery);
  const [asked, setAsked] = useState<Asked>();
  const [shown, setShown] = useState<string>();
  if (accounts.isPending) return <Skeletons count={3} className="h-24" />;
  if (!accounts.data)
    return <RetryPanel title={t("accounts.failed")} reason={refusalOf(accounts.error)} query={accounts} />;
  if (accounts.data.length === 0) return <EmptyPanel title={t("accounts.none")} hint={t("accounts.none.hint")} />;
  const open = accounts.data.find((one) => keyOf(one) === shown);
  const close = () => setAsked(undefined);
  return (
    <section className="grid gap-5" aria-label={t("view.accounts")}>
      <p className="muted">{t("accounts.rule")}</p>
      <AccountsTable rows={accounts.data} onAsk={setAsked} onShow={(account) => setShown(keyOf(account))} />
      {open && <Bookings account={open} />}
      {asked?.kind === "book" && <BookDialog account={asked.account} onClose={close} />}
      {asked?.kind === "file" && <BankFile account={asked.account} onClose={close} />}
      {asked?.kind === "day" && <SalesDayDialog account={asked.account} onClose={close} />}
    </section>
  );
}

const keyOf = ({ network, account }: AccountRow) => `${network}/${account}`;

type AccountsTableProps = {
  rows: readonly AccountRow[];
  onAsk: (asked: Asked) => void;
  onShow: (account: AccountRow) => void;
};

function AccountsTable({ rows, onAsk, onShow }: AccountsTableProps) {
  const { brl, date } = useFormat();
  const isWaiting = ({ waiting }: AccountRow) => Number(waiting) > 0;
  const columns: readonly Column<AccountRow>[] = [
    { header: t("accounts.promised"), isFigure: true, cell: ({ promised }) => brl(promised) },
    { header: t("accounts.booked"), isFigure: true, cell: ({ booked }) => brl(booked) },
    {
      header: t("accounts.credit"),
      isFigure: true,
      cell: ({ credit_reais, needs_credit }) => (
        <>
          {credit_reais === null ? t("accounts.unlimited") : brl(credit_reais)}
          {needs_credit && <span className={style.note}>{t("accounts.needsCredit")}</span>}
        </>
      ),
    },
    { header: t("paid"), isFigure: true, cell: ({ paid }) => brl(paid) },
    {
      header: t("accounts.waiting"),
      isFigure: true,
      isBad: isWaiting,
      cell: ({ waiting, stopped_on }) => (
        <>
          {brl(waiting)}
          {stopped_on !== null && (
            <span className={style.note}>{t("accounts.stopped", { date: date(stopped_on) })}</span>
          )}
        </>
      ),
    },
    { header: t("accounts.usualDays"), isFigure: true, cell: ({ usual_days }) => usual_days },
    {
      header: t("actions"),
      cell: (account) => (
        <div className={style.actions}>
          <PermittedButton permission="payments" onClick={() => onAsk({ kind: "book", account })}>
            {t("booking.action")}
          </PermittedButton>
          <PermittedButton permission="payments" onClick={() => onAsk({ kind: "file", account })}>
            {t("bankFile.open")}
          </PermittedButton>
          <PermittedButton permission="payments" onClick={() => onAsk({ kind: "day", account })}>
            {t("salesDay.open")}
          </PermittedButton>
          <button type="button" className="button button-small button-quiet" onClick={() => onShow(account)}>
            {t("accounts.bookings")}
          </button>
        </div>
      ),
    },
  ];
  return (
    <PlainTable
      caption={t("accounts.caption")}
      noun={t("noun.account")}
      rows={rows}
      keyOf={keyOf}
      nameOf={({ network, account }) => (
        <>
          {account}
          <span className={style.note}>{networkName(network)}</span>
        </>
      )}
      columns={columns}
    />
  );
}
