import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { BookingRow } from "../../../core/rules/api/admin-accounts.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { Skeletons } from "../../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../../ui/state-panel.tsx";
import { PermittedButton } from "../decisions/permissions.tsx";
import { type Column, PlainTable } from "../plain-table.tsx";
import { refusalOf } from "../refusals.ts";
import { t } from "../texts.ts";
import { ReverseDialog } from "./booking-dialogs.tsx";
import { type AccountName, bookingsQuery } from "./queries.ts";

/** What arrived from an account, newest first; a wrong row is reversed by another. */
export function Bookings({ account }: { account: AccountName }) {
  const { brl, date } = useFormat();
  const bookings = useQuery(bookingsQuery(account));
  const [reversed, setReversed] = useState<number>();
  if (bookings.isPending) return <Skeletons count={2} className="h-16" />;
  if (!bookings.data)
    return <RetryPanel title={t("bookings.failed")} reason={refusalOf(bookings.error)} query={bookings} />;
  if (bookings.data.length === 0)
    return <EmptyPanel title={t("bookings.none", { account: account.account })} hint={t("bookings.none.hint")} />;
  const columns: readonly Column<BookingRow>[] = [
    { header: t("booking.arrived"), cell: ({ arrived_on }) => date(arrived_on) },
    {
      header: t("amount"),
      isFigure: true,
      isBad: ({ amount }) => amount.startsWith("-"),
      cell: ({ amount }) => brl(amount),
    },
    {
      header: t("bookings.reference"),
      cell: ({ reference, reverses }) =>
        reverses === null ? reference : t("bookings.reversal", { reverses, reference }),
    },
    {
      header: t("bookings.reverse"),
      cell: ({ id, reverses, is_reversed }) =>
        is_reversed ? (
          t("bookings.reversed")
        ) : reverses === null ? (
          <PermittedButton permission="payments" onClick={() => setReversed(id)}>
            {t("reverse.action")}
          </PermittedButton>
        ) : null,
    },
  ];
  return (
    <>
      <PlainTable
        caption={t("bookings.caption", { account: account.account })}
        noun={t("noun.booking")}
        rows={bookings.data}
        keyOf={({ id }) => String(id)}
        nameOf={({ id }) => t("numberedLow", { id })}
        columns={columns}
      />
      {reversed !== undefined && (
        <ReverseDialog account={account} id={reversed} onClose={() => setReversed(undefined)} />
      )}
    </>
  );
}
