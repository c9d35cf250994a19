import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { ownValue } from "../../../core/rules/records.ts";
import { MalformedAnswer } from "../../api/http.ts";
import { useAttention } from "../../api/queries.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { Skeletons } from "../../ui/skeleton.tsx";
import { RetryPanel } from "../../ui/state-panel.tsx";
import { Facts } from "../facts.tsx";
import { viewHref } from "../list/list-address.ts";
import { listQuery } from "../list/queries.ts";
import { Actor, LOG, storeIdsOf, useNames } from "../log/log-view.tsx";
import { logSentence } from "../log/log-words.ts";
import type { Overview as OverviewFigures } from "../shapes.ts";
import { newWord, pauseReason } from "../words.ts";
import { AttentionList } from "./attention-list.tsx";
import { Figures } from "./figures.tsx";
import { overviewQuery } from "./queries.ts";

const SHOWN = 5;

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

/** The state of the shop: open tasks, figures and totals. */
export function Overview() {
  const overview = useQuery(overviewQuery);
  const attention = useAttention();
  const { data } = overview;
  if (overview.isPending) {
    return (
      <div className="figure-grid" aria-busy="true">
        <Skeletons count={4} className="h-32" />
      </div>
    );
  }
  if (overview.error instanceof MalformedAnswer)
    return <RetryPanel title="Não foi possível carregar os números." query={overview} />;
  return (
    <div className="grid gap-6">
      {!data && <p className="hint">Números de exemplo: os verdadeiros aparecem quando o servidor responder.</p>}
      {data?.payouts.paused && !attention.data && (
        <p className="problem" role="status">
          Pagamentos pausados. Motivo: {pauseReason(data.payouts.reason, data.payouts.cause)}.
        </p>
      )}
      {attention.data ? (
        <AttentionList attention={attention.data} />
      ) : (
        // Nothing here would look as if nothing waited.
        data &&
        attention.isError && <RetryPanel title="Não foi possível carregar o que precisa de alguém." query={attention} />
      )}
      {data && <Figures />}
      <Totals data={data} />
      <div className="two-columns">
        <Activity data={data} />
        {data && <SenderFacts data={data} />}
      </div>
      {data && <RecentChanges />}
    </div>
  );
}

type Data = { data: OverviewFigures | undefined };

function Totals({ data }: Data) {
  const { integer, decimal } = useFormat();
  const { stores, users, purchases } = data ?? SAMPLE_FIGURES;
  const figures = [
    ["Lojas", integer(stores)],
    ["Usuários", integer(users)],
    ["Compras", integer(purchases)],
    ["CHZ distribuídos", data ? decimal(data.cashback_paid) : integer(SAMPLE_FIGURES.chz)],
  ];
  return (
    <section aria-labelledby="totals">
      <h2 id="totals" className="section-title">
        Desde o começo
      </h2>
      <dl className="figure-grid">
        {figures.map(([label, value]) => (
          <div key={label} className="stat">
            <dt className="stat-note">{label}</dt>
            <dd className="stat-number">{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Activity({ data }: Data) {
  const { brl, dateTime } = useFormat();
  return (
    <section className="card card-body" aria-labelledby="activity">
      <h2 id="activity" className="card-title">
        Atividade recente{!data && " (exemplo)"}
      </h2>
      {data && data.activity.length === 0 && <p className="muted">Nenhuma compra ainda.</p>}
      <ul className="activity">
        {data
          ? data.activity.map((one) => (
              <li key={one.id}>
                <Link to={viewHref({ view: "purchases" }, { row: String(one.id) })}>
                  <strong>{one.store}</strong> · {brl(one.amount)} · {STATUS_WORDS[one.status] ?? one.status} ·{" "}
                  <time dateTime={one.created_at}>{dateTime(one.created_at)}</time>
                </Link>
              </li>
            ))
          : SAMPLE_ACTIVITY.map((text) => <li key={text}>{text}</li>)}
      </ul>
    </section>
  );
}

const KEY_WORDS = { operator: "operador", minter: "emissor", confirmer: "confirmador", payer: "pagador" };

/** One wallet signs everything, or each signs its own kind. */
function feeRows({
  keys = [],
  balance,
}: Partial<OverviewFigures["sender"]>): [label: string, balance: string | null][] {
  if (keys.length < 2) return [["Para taxas", balance ?? null]];
  return keys.map(({ key, balance }) => [`Para taxas, ${ownValue(KEY_WORDS, key) ?? newWord(key)}`, balance]);
}

function SenderFacts({ data: { sender, cashback_open } }: { data: OverviewFigures }) {
  const { chz, integer } = useFormat();
  return (
    <section className="card card-body" aria-labelledby="sender">
      <h2 id="sender" className="card-title">
        Emissor de transações
      </h2>
      <Facts
        rows={[
          ...feeRows(sender).map(([label, balance]) => [label, balance && chz(balance)] as const),
          ["Para cashback", sender.distributor_balance && chz(sender.distributor_balance)],
          ["Cashback a pagar", chz(cashback_open)],
          ["Em envio", integer(sender.in_flight)],
          ["Na fila", integer(sender.queued)],
          ["Com falha", integer(sender.failed)],
        ]}
      />
    </section>
  );
}

/** The last changes that admins made. */
function RecentChanges() {
  const { dateTime } = useFormat();
  const log = useQuery(listQuery(LOG, {}, SHOWN));
  const names = useNames(storeIdsOf(log.data?.rows ?? []));
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
              <Actor name={entry.actor} /> {logSentence(entry, names)} ·{" "}
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
