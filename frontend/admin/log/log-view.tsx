import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type AuditLogEntry, auditLogEntrySchema } from "../../../core/rules/api/administration.ts";
import { fanTokensQuery, namedStoresQuery } from "../../api/queries.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { WalletName } from "../facts.tsx";
import { AdminList } from "../list/admin-list.tsx";
import type { ListDefinition } from "../list/definition.ts";
import { useListAddress } from "../list/list-address.ts";
import { listQuery } from "../list/queries.ts";
import { t } from "../texts.ts";
import { logSentence, type Names } from "./log-words.ts";

export const LOG = { path: "/api/admin/audit-log", row: auditLogEntrySchema };

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
      <span className="log-sentence">
        <Actor name={row.actor} /> {logSentence(row, names)}
      </span>
    ),
    columns: [{ header: t("when"), cell: (row) => <time dateTime={row.at}>{dateTime(row.at)}</time> }],
    empty: { title: t("log.none"), hint: t("log.none.hint") },
  };
}

/** Whose wallet it was, or a program's name. */
export const Actor = ({ name }: { name: string }) => (name.startsWith("0x") ? <WalletName address={name} /> : name);

/** The API takes no more at once. */
const IDS_ASKED = 100;

/** The stores that entries of the log are about. */
export function storeIdsOf(entries: readonly AuditLogEntry[]): string[] {
  const ids = entries.flatMap(({ subject }) => /^store:(\d{1,15})/.exec(subject)?.[1] ?? []);
  return [...new Set(ids)].slice(0, IDS_ASKED);
}

/** Names of the stores with these ids, of their categories, and of fan tokens, as they are now. */
export function useNames(storeIds: readonly string[]): Names {
  const { data: page } = useQuery(namedStoresQuery(storeIds));
  const { data: tokens } = useQuery(fanTokensQuery);
  return useMemo(() => {
    const byId = new Map(page?.stores.map((store) => [store.id, store]));
    const tokenNames = new Map(tokens?.map((token) => [token.id, token.name]));
    return {
      store: (id) => byId.get(id)?.name,
      category: (storeId, id) => byId.get(storeId)?.cashbacks.find((one) => one.id === id)?.category,
      fanToken: (id) => tokenNames.get(id),
    };
  }, [page, tokens]);
}
