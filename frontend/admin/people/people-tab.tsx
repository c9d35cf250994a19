import { adminUserSchema } from "../../../core/rules/api/admin-people.ts";
import { shortenAddress } from "../../../core/rules/wallet-address.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { StateBadge } from "../badge.tsx";
import style from "../list/admin-list.module.css";
import { AdminList } from "../list/admin-list.tsx";
import type { ListDefinition } from "../list/definition.ts";
import type { AdminUser } from "../shapes.ts";
import { TabHead } from "../tab-head.tsx";
import { t } from "../texts.ts";
import { optionsOf, PERSON_WORDS, wordOf } from "../words.ts";
import { PersonSheet, personName } from "./person-sheet.tsx";

/** Registered users: purchases, sessions, and erasure of their data. */
export function PeopleTab() {
  return (
    <>
      <TabHead title={t("tab.users")} text={t("people.fixed")}>
        {t("people.now")}
      </TabHead>
      <AdminList
        list={usePeopleList()}
        details={(wallet, close) => <PersonSheet key={wallet} wallet={wallet} onClose={close} />}
      />
    </>
  );
}

function usePeopleList(): ListDefinition<AdminUser> {
  const { integer, chz, date } = useFormat();
  return {
    path: "/api/admin/users",
    row: adminUserSchema,
    title: t("tab.users"),
    noun: "person",
    search: t("people.search"),
    states: optionsOf(PERSON_WORDS),
    allStates: t("list.allMasculine"),
    sorts: [
      { value: "-created_at", label: t("people.newest") },
      { value: "created_at", label: t("people.oldest") },
      { value: "name", label: t("name") },
      { value: "email", label: "E-mail" },
    ],
    keyOf: (row) => row.wallet,
    nameOf: (row) => (
      <>
        {personName(row)}
        <span className={style.note}>
          {[row.nickname && `${row.first_name} ${row.last_name}`, row.email].filter(Boolean).join(" · ")}
        </span>
      </>
    ),
    columns: [
      { header: t("status"), cell: (row) => <StateBadge {...wordOf(PERSON_WORDS, row.state)} /> },
      {
        header: t("wallet"),
        cell: (row) => (
          <span className="figures" title={row.wallet}>
            {shortenAddress(row.wallet)}
          </span>
        ),
      },
      { header: t("view.purchases"), isFigure: true, cell: (row) => integer(row.purchases) },
      { header: t("cashbackPaid"), isFigure: true, cell: (row) => chz(row.paid) },
      { header: t("since"), cell: (row) => <time dateTime={row.created_at}>{date(row.created_at)}</time> },
    ],
    empty: { title: t("people.none"), hint: t("people.none.hint") },
  };
}
