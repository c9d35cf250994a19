import { useQuery } from "@tanstack/react-query";
import { type AuditLogEntry, auditLogEntrySchema } from "../../../domain/api/administration.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { WalletName } from "../facts.tsx";
import { AdminList } from "../list/admin-list.tsx";
import type { ListDefinition } from "../list/definition.ts";
import { useListAddress } from "../list/list-address.ts";
import { listQuery } from "../list/queries.ts";
import { logSentence } from "./log-words.ts";
import { storeIdsOf, useNames } from "./use-names.ts";

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
    title: "Registro",
    noun: ["registro", "registros"],
    search: "quem, o quê ou em quê",
    keyOf: (row) => String(row.id),
    nameOf: (row) => (
      <span className="log-sentence">
        <Actor name={row.actor} /> {logSentence(row, names)}
      </span>
    ),
    columns: [{ header: "Quando", cell: (row) => <time dateTime={row.at}>{dateTime(row.at)}</time> }],
    empty: { title: "Nenhuma alteração ainda", hint: "Tudo o que um admin muda fica aqui, com hora e nome." },
  };
}

/** Whose wallet it was, or a program's name. */
export const Actor = ({ name }: { name: string }) => (name.startsWith("0x") ? <WalletName address={name} /> : name);
