import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import type { AuditLogEntry } from "../../../domain/api/administration.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { Skeletons } from "../../ui/skeleton.tsx";
import { RetryPanel } from "../../ui/state-panel.tsx";
import { viewHref } from "../list/list-address.ts";
import { getPage } from "../list/list-calls.ts";
import { actorName, LOG_PATH } from "../log/log-view.tsx";
import { logSentence } from "../log/log-words.ts";
import { useNames } from "../log/use-names.ts";

const SHOWN = 5;
const NEWEST = { query: "", state: "", sort: "", before: undefined };

/** The last changes that admins made. */
export function RecentChanges() {
  const names = useNames();
  const { dateTime } = useFormat();
  const log = useQuery({
    queryKey: ["own", "recent-changes"],
    queryFn: ({ signal }) => getPage<AuditLogEntry>(LOG_PATH, NEWEST, signal, SHOWN),
    staleTime: 0,
  });
  return (
    <section className="card card-body" aria-labelledby="changes">
      <div className="section-head">
        <h2 id="changes" className="card-title">
          Registro
        </h2>
        <Link className="link" to={viewHref({ view: "log" })}>
          Ver tudo
        </Link>
      </div>
      {log.isPending ? (
        <Skeletons count={1} className="h-24" />
      ) : log.data ? (
        <ul className="activity">
          {log.data.rows.length === 0 && <li className="muted">Nenhuma alteração ainda.</li>}
          {log.data.rows.map((entry) => (
            <li key={entry.id} className="activity-line">
              <span className="figures">{actorName(entry.actor)}</span> {logSentence(entry, names)} ·{" "}
              <time dateTime={entry.at}>{dateTime(entry.at)}</time>
            </li>
          ))}
        </ul>
      ) : (
        <RetryPanel title="Não foi possível carregar o registro." query={log} />
      )}
    </section>
  );
}
