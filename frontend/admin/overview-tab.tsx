import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useFormat } from "../i18n/use-format.ts";
import { Skeletons } from "../ui/skeleton.tsx";
import { RetryPanel } from "../ui/state-panel.tsx";
import { getAuditLog, getOverview } from "./admin-calls.ts";

/** Sample figures, shown as examples while the API has none. docs/product.md#admin-overview. */
const SAMPLE_FIGURES = { stores: 12, users: 1_204, purchases: 2_945, chz: 9_721 } as const;
const SAMPLE_ACTIVITY = [
  "Nova loja cadastrada: Mercado da Bola",
  "Compra confirmada: R$ 100,00 em Verdão Store",
  "Cashback pago: 8,00 CHZ",
];

const STATUS_WORDS: Record<string, string> = {
  processing: "em processamento",
  pending: "pendente",
  confirmed: "confirmada",
  cancelled: "cancelada",
};

export function OverviewTab() {
  const { integer, decimal, brl, dateTime } = useFormat();
  const overview = useQuery({ queryKey: ["own", "overview"], queryFn: getOverview, staleTime: 0 });
  const { data } = overview;
  const figures = data
    ? [
        ["Lojas", integer(data.stores)],
        ["Usuários", integer(data.users)],
        ["Compras", integer(data.purchases)],
        ["CHZ distribuídos", decimal(data.cashback_paid)],
      ]
    : [
        ["Lojas", integer(SAMPLE_FIGURES.stores)],
        ["Usuários", integer(SAMPLE_FIGURES.users)],
        ["Compras", integer(SAMPLE_FIGURES.purchases)],
        ["CHZ distribuídos", integer(SAMPLE_FIGURES.chz)],
      ];
  if (overview.isPending) {
    return (
      <div className="figure-grid" aria-busy="true">
        <Skeletons count={4} className="h-32" />
      </div>
    );
  }
  return (
    <div className="grid gap-6">
      {!data && <p className="hint">Números de exemplo: os verdadeiros aparecem quando o servidor responder.</p>}
      {data?.payouts.paused && (
        <p className="problem" role="status">
          Pagamentos pausados. {data.payouts.reason}
        </p>
      )}
      <dl className="figure-grid">
        {figures.map(([label, value]) => (
          <div key={label} className="stat">
            <dt className="stat-note">{label}</dt>
            <dd className="stat-number">{value}</dd>
          </div>
        ))}
      </dl>
      <section className="card card-body" aria-labelledby="activity">
        <h2 id="activity" className="card-title">
          Atividade recente{!data && " (exemplo)"}
        </h2>
        {data && data.activity.length === 0 && <p className="muted">Nenhuma compra ainda.</p>}
        <ul className="activity">
          {data
            ? data.activity.map((one) => (
                <li key={one.id}>
                  <strong>{one.store}</strong> · {brl(one.amount)} · {STATUS_WORDS[one.status] ?? one.status} ·{" "}
                  <time dateTime={one.created_at}>{dateTime(one.created_at)}</time>
                </li>
              ))
            : SAMPLE_ACTIVITY.map((text) => <li key={text}>{text}</li>)}
        </ul>
      </section>
      {data && (
        <section className="card card-body" aria-labelledby="sender">
          <h2 id="sender" className="card-title">
            Emissor de transações
          </h2>
          <dl className="facts">
            <Fact label="CHZ para taxas" value={data.sender.balance === null ? "–" : decimal(data.sender.balance)} />
            <Fact
              label="CHZ para cashback"
              value={data.sender.distributor_balance === null ? "–" : decimal(data.sender.distributor_balance)}
            />
            <Fact label="Cashback a pagar (CHZ)" value={decimal(data.cashback_open)} />
            <Fact
              label="Em envio / na fila / com falha"
              value={`${data.sender.in_flight} / ${data.sender.queued} / ${data.sender.failed}`}
            />
          </dl>
        </section>
      )}
      {data && <AuditLog />}
    </div>
  );
}

function Fact({ label, value }: { label: string; value: string }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className="figures">{value}</dd>
    </div>
  );
}

/** Who changed what, newest first. */
function AuditLog() {
  const { dateTime } = useFormat();
  const log = useInfiniteQuery({
    queryKey: ["own", "audit-log"],
    queryFn: ({ pageParam, signal }) => getAuditLog(pageParam, signal),
    initialPageParam: null as number | null,
    getNextPageParam: (page) => page.next_before,
    staleTime: 0,
  });
  const entries = log.data?.pages.flatMap((page) => page.rows ?? []) ?? [];
  return (
    <section className="card card-body" aria-labelledby="audit">
      <h2 id="audit" className="card-title">
        Registro de alterações
      </h2>
      {log.isError && !log.data ? (
        <RetryPanel
          title="Não foi possível carregar o registro."
          error={log.error}
          onRetry={() => log.refetch()}
          isRetrying={log.isFetching}
        />
      ) : log.isPending ? (
        <Skeletons count={1} className="h-24" />
      ) : entries.length === 0 ? (
        <p className="muted">Nenhuma alteração ainda.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
        <section className="table-wrap" tabIndex={0} aria-label="Registro de alterações">
          <table>
            <thead>
              <tr>
                <th scope="col">Quando</th>
                <th scope="col">Quem</th>
                <th scope="col">O quê</th>
                <th scope="col">Em quê</th>
              </tr>
            </thead>
            <tbody>
              {entries.map((entry) => (
                <tr key={entry.id}>
                  <td>
                    <time dateTime={entry.at}>{dateTime(entry.at)}</time>
                  </td>
                  <td className="figures">
                    {entry.actor.startsWith("0x")
                      ? `${entry.actor.slice(0, 6)}...${entry.actor.slice(-4)}`
                      : entry.actor}
                  </td>
                  <td>{entry.action}</td>
                  <td>{entry.subject}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {log.hasNextPage && (
        <button
          type="button"
          className="button button-small button-quiet mt-3"
          disabled={log.isFetchingNextPage}
          onClick={() => log.fetchNextPage()}
        >
          Mostrar mais
        </button>
      )}
    </section>
  );
}
