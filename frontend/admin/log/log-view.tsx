import { useQuery } from "@tanstack/react-query";
import type { AuditLogEntry } from "../../../core/rules/api/administration.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { AdminList } from "../list/admin-list.tsx";
import type { ListDefinition } from "../list/definition.ts";
import { useListAddress } from "../list/list-address.ts";
import { listQuery } from "../list/queries.ts";
import { t } from "../texts.ts";
import { Actor, LOG, storeIdsOf, useNames } from "./log-entries.tsx";
import style from "./log-view.module.css";
import { logSentence } from "./log-words.ts";

/** Who changed what, in words, newest first. */
export function LogView() {
  return <AdminList list={useLogList()} />;
}

function useLogList(): ListDefinition<AuditLogEntry> {
  const { query, state, sort, cursors } = useListAddress();
  const page = useQuery(listQuery(LOG, { query, state, sort, before: cursors.at(-1) }));
  const names = useNames(storeIdsOf(page.data?.rows ?? []));
  const { dateTime } = useFormat();
  return {
    ...LOG,
    title: t("view.log"),
    noun: "log",
    search: t("log.search"),
    keyOf: (row) => String(row.id),
    nameOf: (row) => (
      <span className={style.sentence}>
        <Actor name={row.actor} /> {logSentence(row, names)}
      </span>
    ),
    columns: [{ header: t("when"), cell: (row) => <time dateTime={row.at}>{dateTime(row.at)}</time> }],
    empty: { title: t("log.none"), hint: t("log.none.hint") },
  };
}
