import { useState } from "react";
import type { AuditLogEntry } from "../../../domain/api/administration.ts";
import { shortenAddress } from "../../../domain/wallet-address.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { AdminList } from "../list/admin-list.tsx";
import type { ListDefinition } from "../list/definition.ts";
import { getPage } from "../list/list-calls.ts";
import { logSentence } from "./log-words.ts";
import { storeIdsOf, useNames } from "./use-names.ts";

export const LOG_PATH = "/api/admin/audit-log";

/** Who changed what, in words, newest first. */
export function LogView() {
  return <AdminList list={useLogList()} />;
}

function useLogList(): ListDefinition<AuditLogEntry> {
  const [storeIds, setStoreIds] = useState<readonly string[]>([]);
  const names = useNames(storeIds);
  const { dateTime } = useFormat();
  return {
    path: LOG_PATH,
    async load(asked, signal) {
      const page = await getPage<AuditLogEntry>(LOG_PATH, asked, signal);
      setStoreIds(storeIdsOf(page.rows));
      return page;
    },
    title: "Registro",
    noun: ["registro", "registros"],
    search: "quem, o quê ou em quê",
    keyOf: (row) => String(row.id),
    nameOf: (row) => (
      <span className="log-sentence">
        <span className="figures" title={row.actor}>
          {actorName(row.actor)}
        </span>{" "}
        {logSentence(row, names)}
      </span>
    ),
    columns: [{ header: "Quando", cell: (row) => <time dateTime={row.at}>{dateTime(row.at)}</time> }],
    empty: { title: "Nenhuma alteração ainda", hint: "Tudo o que um admin muda fica aqui, com hora e nome." },
  };
}

/** A wallet, short, or a program's name. */
export const actorName = (actor: string): string => (actor.startsWith("0x") ? shortenAddress(actor) : actor);
