import type { AuditLogEntry } from "../../../domain/api/administration.ts";
import { shortenAddress } from "../../../domain/wallet-address.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { AdminList } from "../list/admin-list.tsx";
import type { ListDefinition } from "../list/definition.ts";
import { logSentence } from "./log-words.ts";
import { useNames } from "./use-names.ts";

export const LOG_PATH = "/api/admin/audit-log";

/** Who changed what, in words, newest first. */
export function LogView() {
  return <AdminList list={useLogList()} />;
}

function useLogList(): ListDefinition<AuditLogEntry> {
  const names = useNames();
  const { dateTime } = useFormat();
  return {
    path: LOG_PATH,
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
