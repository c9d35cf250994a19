import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AccountRow } from "../../../core/rules/api/admin-accounts.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { Skeletons } from "../../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../../ui/state-panel.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import { type Column, PlainTable } from "../plain-table.tsx";
import { refusalOf } from "../refusals.ts";
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
    return (
      <RetryPanel title="Não foi possível carregar as contas." reason={refusalOf(accounts.error)} query={accounts} />
    );
  if (accounts.data.length === 0)
    return (
      <EmptyPanel title="Nenhuma conta" hint="As contas das redes e das lojas vêm do arquivo AFFILIATE_ACCOUNTS." />
    );
  const open = accounts.data.find((one) => keyOf(one) === shown);
  const close = () => setAsked(undefined);
  return (
    <section className="grid gap-5" aria-label="Contas">
      <p className="muted">
        As vendas de uma conta são pagas até o que já chegou dela mais o seu crédito; as outras esperam, a mais antiga
        primeiro.
      </p>
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
    { header: "A receber", isFigure: true, cell: ({ promised }) => brl(promised) },
    { header: "Recebido", isFigure: true, cell: ({ booked }) => brl(booked) },
    {
      header: "Crédito",
      isFigure: true,
      cell: ({ credit_reais, needs_credit }) => (
        <>
          {credit_reais === null ? "Sem limite" : brl(credit_reais)}
          {needs_credit && <span className="row-note">Dos 30 maiores dias: defina credit_reais</span>}
        </>
      ),
    },
    { header: "Pago", isFigure: true, cell: ({ paid }) => brl(paid) },
    {
      header: "Esperando",
      isFigure: true,
      isBad: isWaiting,
      cell: ({ waiting, stopped_on }) => (
        <>
          {brl(waiting)}
          {stopped_on !== null && <span className="row-note">Parada desde {date(stopped_on)}: dia fora do normal</span>}
        </>
      ),
    },
    { header: "Dias até pagar", isFigure: true, cell: ({ usual_days }) => usual_days },
    {
      header: "Ações",
      cell: (account) => (
        <div className="row-actions">
          <PermittedButton permission="payments" onClick={() => onAsk({ kind: "book", account })}>
            Lançar
          </PermittedButton>
          <PermittedButton permission="payments" onClick={() => onAsk({ kind: "file", account })}>
            Extrato
          </PermittedButton>
          <PermittedButton permission="payments" onClick={() => onAsk({ kind: "day", account })}>
            Dia de promoção
          </PermittedButton>
          <button type="button" className="button button-small button-quiet" onClick={() => onShow(account)}>
            Lançamentos
          </button>
        </div>
      ),
    },
  ];
  return (
    <PlainTable
      caption="Contas das redes e das lojas"
      noun="conta"
      rows={rows}
      keyOf={keyOf}
      nameOf={({ network, account }) => (
        <>
          {account}
          <span className="row-note">{networkName(network)}</span>
        </>
      )}
      columns={columns}
    />
  );
}
