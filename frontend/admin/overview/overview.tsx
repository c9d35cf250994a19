import { useQuery } from "@tanstack/react-query";
import { Link } from "react-router";
import { MalformedAnswer } from "../../api/http.ts";
import { useAttention } from "../../api/queries.ts";
import { useFormat } from "../../i18n/use-format.ts";
import { Skeletons } from "../../ui/skeleton.tsx";
import { RetryPanel } from "../../ui/state-panel.tsx";
import { Facts } from "../facts.tsx";
import { viewHref } from "../list/list-address.ts";
import { listQuery } from "../list/queries.ts";
import { Actor, LOG, storeIdsOf, useNames } from "../log/log-entries.tsx";
import { logSentence } from "../log/log-words.ts";
import panelStyle from "../panel.module.css";
import type { Overview as OverviewFigures } from "../shapes.ts";
import { type CodeOf, t, textOf } from "../texts.ts";
import { newWord, pauseReason } from "../words.ts";
import { AttentionList } from "./attention-list.tsx";
import { Figures } from "./figures.tsx";
import style from "./overview.module.css";
import { overviewQuery } from "./queries.ts";

const SHOWN = 5;

/** Sample figures, shown as examples while the API has none. docs/product.md#admin-overview. */
const SAMPLE_FIGURES = { stores: 12, users: 1_204, purchases: 2_945, chz: 9_721 } as const;
const SAMPLE_ACTIVITY = ["store", "purchase", "paid"] as const satisfies readonly CodeOf<"sample">[];

/** The state of the shop: open tasks, figures and totals. */
export function Overview() {
  const overview = useQuery(overviewQuery);
  const attention = useAttention();
  const { data } = overview;
  if (overview.isPending) {
    return (
      <div className={panelStyle.figureGrid} aria-busy="true">
        <Skeletons count={4} className="h-32" />
      </div>
    );
  }
  if (overview.error instanceof MalformedAnswer) return <RetryPanel title={t("overview.failed")} query={overview} />;
  return (
    <div className="grid gap-6">
      {!data && <p className="hint">{t("overview.sample")}</p>}
      {data?.payouts.paused && !attention.data && (
        <p className="problem" role="status">
          {t("overview.paused", { reason: pauseReason(data.payouts.reason, data.payouts.cause) })}
        </p>
      )}
      {attention.data ? (
        <AttentionList attention={attention.data} />
      ) : (
        // Nothing here would look as if nothing waited.
        data && attention.isError && <RetryPanel title={t("attention.failed")} query={attention} />
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
    [t("tab.stores"), integer(stores)],
    [t("tab.users"), integer(users)],
    [t("view.purchases"), integer(purchases)],
    [t("overview.chz"), data ? decimal(data.cashback_paid) : integer(SAMPLE_FIGURES.chz)],
  ];
  return (
    <section aria-labelledby="totals">
      <h2 id="totals" className="section-title">
        {t("overview.totals")}
      </h2>
      <dl className={panelStyle.figureGrid}>
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
        {t(data ? "overview.activity" : "overview.activitySample")}
      </h2>
      {data && data.activity.length === 0 && <p className="muted">{t("overview.noPurchase")}</p>}
      <ul className={style.activity}>
        {data
          ? data.activity.map((one) => (
              <li key={one.id}>
                <Link to={viewHref({ view: "purchases" }, { row: String(one.id) })}>
                  <strong>{one.store}</strong> · {brl(one.amount)} ·{" "}
                  {textOf("overview.status", one.status) ?? one.status} ·{" "}
                  <time dateTime={one.created_at}>{dateTime(one.created_at)}</time>
                </Link>
              </li>
            ))
          : SAMPLE_ACTIVITY.map((one) => <li key={one}>{t(`sample.${one}`)}</li>)}
      </ul>
    </section>
  );
}

/** One wallet signs everything, or each signs its own kind. */
function feeRows({
  keys = [],
  balance,
}: Partial<OverviewFigures["sender"]>): [label: string, balance: string | null][] {
  if (keys.length < 2) return [[t("overview.fees"), balance ?? null]];
  return keys.map(({ key, balance }) => [textOf("overview.feesOf", key) ?? newWord(key), balance]);
}

function SenderFacts({ data: { sender, cashback_open } }: { data: OverviewFigures }) {
  const { chz, integer } = useFormat();
  return (
    <section className="card card-body" aria-labelledby="sender">
      <h2 id="sender" className="card-title">
        {t("overview.sender")}
      </h2>
      <Facts
        rows={[
          ...feeRows(sender).map(([label, balance]) => [label, balance && chz(balance)] as const),
          [t("overview.forCashback"), sender.distributor_balance && chz(sender.distributor_balance)],
          [t("overview.open"), chz(cashback_open)],
          [t("overview.inFlight"), integer(sender.in_flight)],
          [t("overview.queued"), integer(sender.queued)],
          [t("overview.failedCount"), integer(sender.failed)],
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
          {t("view.log")}
        </h2>
        <Link className="link" to={viewHref({ view: "log" })}>
          {t("overview.all")}
        </Link>
      </div>
      {log.isPending ? (
        <Skeletons count={1} className="h-24" />
      ) : log.data ? (
        <ul className={style.activity}>
          {log.data.rows.length === 0 && <li className="muted">{t("overview.noChange")}</li>}
          {log.data.rows.map((entry) => (
            <li key={entry.id} className={style.line}>
              <Actor name={entry.actor} /> {logSentence(entry, names)} ·{" "}
              <time dateTime={entry.at}>{dateTime(entry.at)}</time>
            </li>
          ))}
        </ul>
      ) : (
        <RetryPanel title={t("overview.logFailed")} query={log} />
      )}
    </section>
  );
}
