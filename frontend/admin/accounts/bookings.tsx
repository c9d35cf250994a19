import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { BookingRow } from "../../../core/rules/api/admin-accounts.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { Skeletons } from "../../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../../ui/state-panel.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import { type Column, PlainTable } from "../plain-table.tsx";
import { refusalOf } from "../refusals.ts";
import { ReverseDialog } from "./booking-dialogs.tsx";
import { type AccountName, bookingsQuery } from "./queries.ts";

/** What arrived from an account, newest first; a wrong row is reversed by another. */
export function Bookings({ account }: { account: AccountName }) {
  const { brl, date } = useFormat();
  const bookings = useQuery(bookingsQuery(account));
  const [reversed, setReversed] = useState<number>();
  if (bookings.isPending) return <Skeletons count={2} className="h-16" />;
  if (!bookings.data)
    return (
      <RetryPanel
        title="Não foi possível carregar os lançamentos."
        reason={refusalOf(bookings.error)}
        query={bookings}
      />
    );
  if (bookings.data.length === 0)
    return <EmptyPanel title={`Nenhum lançamento de ${account.account}`} hint="Lance o que já chegou desta conta." />;
  const columns: readonly Column<BookingRow>[] = [
    { header: "Chegou em", cell: ({ arrived_on }) => date(arrived_on) },
    {
      header: "Valor",
      isFigure: true,
      isBad: ({ amount }) => amount.startsWith("-"),
      cell: ({ amount }) => brl(amount),
    },
    {
      header: "Referência",
      cell: ({ reference, reverses }) => (reverses === null ? reference : `Estorno do nº ${reverses}: ${reference}`),
    },
    {
      header: "Estorno",
      cell: ({ id, reverses, is_reversed }) =>
        is_reversed ? (
          "Estornado"
        ) : reverses === null ? (
          <PermittedButton permission="payments" onClick={() => setReversed(id)}>
            Estornar
          </PermittedButton>
        ) : null,
    },
  ];
  return (
    <>
      <PlainTable
        caption={`Lançamentos de ${account.account}`}
        noun="lançamento"
        rows={bookings.data}
        keyOf={({ id }) => String(id)}
        nameOf={({ id }) => `nº ${id}`}
        columns={columns}
      />
      {reversed !== undefined && (
        <ReverseDialog account={account} id={reversed} onClose={() => setReversed(undefined)} />
      )}
    </>
  );
}
