import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { type Key, type ReactNode, startTransition, useState } from "react";
import { Link } from "react-router";
import type { PurchaseStatus } from "../../core/rules/purchase/life.ts";
import { ownValue } from "../../core/rules/records.ts";
import type { Claim, Click } from "../api/calls.ts";
import { knownOf } from "../api/heard.ts";
import { configQuery } from "../api/queries.ts";
import type { PurchaseRecord } from "../api/shapes.ts";
import { PageHeading } from "../app/page.tsx";
import { paths } from "../app/paths.ts";
import { useText } from "../i18n/language.tsx";
import { claimWord, FOREIGN, situationWord, statusWord } from "../i18n/situation-word.ts";
import { useFormat } from "../i18n/use-format.ts";
import { useSession } from "../session/session.tsx";
import { fetchedDialog } from "../ui/fetched-dialog.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../ui/state-panel.tsx";
import rowStyle from "../ui/statement-rows.module.css";
import { Stamp } from "../ui/ticket.tsx";
import { claimPagesQuery, clickPagesQuery, type OwnPages, simulatedPagesQuery } from "./queries.ts";
import style from "./visits-page.module.css";

const ClaimDialog = fetchedDialog(() => import("./claim-dialog.tsx"));

/** The user's visits to stores, and claims for missing cashback. docs/product.md#sales-claims */
export default function VisitsPage() {
  const t = useText();
  const { profile, status, retry } = useSession();
  const { simulated } = useQuery(configQuery).data;
  return (
    <section className={`page grid gap-4 ${style.page}`}>
      <PageHeading>{t("visits.title")}</PageHeading>
      <p className="lead">{t(simulated ? "visits.lead.simulated" : "visits.lead")}</p>
      {profile ? (
        <Own wallet={profile.wallet} />
      ) : status === "restoring" ? (
        <Skeletons count={3} className="h-24" />
      ) : status === "unreachable" ? (
        <RetryPanel title={t("session.unreachable")} query={retry} />
      ) : (
        <EmptyPanel title={t("visits.visitor")}>
          <LinkButton to={paths.auth(paths.visits)}>{t("dashboard.goToLogin")}</LinkButton>
        </EmptyPanel>
      )}
    </section>
  );
}

/** All at once, so that none pushes the others down. A simulated purchase stays here after the product went live. */
function Own({ wallet }: { wallet: string }) {
  const claims = useOwnPages(claimPagesQuery(wallet));
  const visits = useOwnPages(clickPagesQuery(wallet));
  const purchases = useOwnPages(simulatedPagesQuery(wallet));
  const { simulated } = useQuery(configQuery).data;
  if (claims.query.isPending || visits.query.isPending || purchases.query.isPending)
    return <Skeletons count={4} className="h-24" />;
  const hasSimulated = simulated || purchases.rows.length > 0 || purchases.query.isError;
  const hasVisits = !simulated || visits.rows.length > 0 || visits.query.isError;
  return (
    <>
      <Claims pages={claims} />
      {hasVisits && <Visits wallet={wallet} pages={visits} />}
      {hasSimulated && (
        <OwnList id="simulated" pages={purchases} row={(purchase) => <SimulatedRow purchase={purchase} />} />
      )}
    </>
  );
}

function useOwnPages<T>(pages: OwnPages<T>) {
  const query = useInfiniteQuery(pages);
  return { query, rows: query.data?.pages.flatMap((page) => page.rows) ?? [] };
}

function MoreButton({ query }: { query: ReturnType<typeof useOwnPages<unknown>>["query"] }) {
  const t = useText();
  if (!query.hasNextPage) return null;
  return (
    <button
      type="button"
      className="button button-quiet"
      disabled={query.isFetching}
      onClick={() => query.fetchNextPage()}
    >
      {t(query.isFetching ? "common.loading" : "statement.more")}
    </button>
  );
}

type Pages<T> = ReturnType<typeof useOwnPages<T>>;

type OwnList<T> = { id: "simulated" | "list"; pages: Pages<T>; row: (one: T) => ReactNode };

function OwnList<T extends { id: Key }>({ id, pages: { query, rows }, row }: OwnList<T>) {
  const t = useText();
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="section-title">
        {t(`visits.${id}`)}
      </h2>
      {rows.length > 0 ? (
        <ul className={`card ${rowStyle.rows}`}>
          {rows.map((one) => (
            <li key={one.id}>{row(one)}</li>
          ))}
        </ul>
      ) : query.isError ? (
        <RetryPanel title={t("visits.away")} query={query} />
      ) : (
        <EmptyPanel title={t("visits.none")} hint={t("visits.none.hint")}>
          <LinkButton to={paths.stores}>{t("dashboard.explore")}</LinkButton>
        </EmptyPanel>
      )}
      <MoreButton query={query} />
    </section>
  );
}

function SimulatedRow({ purchase }: { purchase: PurchaseRecord }) {
  const t = useText();
  const { chz, date } = useFormat();
  const { amount, cashback_amount, expected_at, status } = purchase;
  return (
    <article className={`${rowStyle.row} ${style.row}`} data-status={status}>
      <div>
        <RowHead visit={purchase} />
        <p>{t(`situation.${situationWord(purchase)}`, { date: expected_at ? date(expected_at) : "" })}</p>
      </div>
      <Money cashback={chz(cashback_amount)} amount={amount} />
      <div className={style.claim}>
        <Stamp kind={statusWord(status)}>{t(`status.${statusWord(status)}`)}</Stamp>
      </div>
    </article>
  );
}

function Money({ cashback, amount }: { cashback: string; amount: string }) {
  const t = useText();
  const { brl } = useFormat();
  return (
    <p className={`${rowStyle.money} ${style.money}`}>
      <strong className="figures">{cashback}</strong>{" "}
      <span className="muted figures">{t("visits.amount", { amount: brl(amount) })}</span>
    </p>
  );
}

type Visit = Pick<Click, "store_id" | "store" | "created_at" | "token_slug" | "bonus_state">;

function RowHead({ visit: { store_id, store, created_at, token_slug, bonus_state } }: { visit: Visit }) {
  const t = useText();
  const bonus = knownOf(["open", "none"], bonus_state);
  const { dateTime } = useFormat();
  return (
    <>
      <h3>
        <Link to={paths.store(store_id)}>{store}</Link>
      </h3>
      <p className="muted dotted">
        <time dateTime={created_at}>{dateTime(created_at)}</time>{" "}
        {token_slug && <span>{t("visits.token", { token: token_slug.toUpperCase() })}</span>}
      </p>
      {token_slug && bonus && <p>{t(`visits.bonus.${bonus}`, { token: token_slug.toUpperCase() })}</p>}
    </>
  );
}

function Visits({ wallet, pages }: { wallet: string; pages: Pages<Click> }) {
  const [claimed, setClaimed] = useState<Click>();
  const claim = (click: Click) => startTransition(() => setClaimed(click));
  return (
    <>
      <OwnList id="list" pages={pages} row={(click) => <VisitRow click={click} onClaim={() => claim(click)} />} />
      {claimed && <ClaimDialog click={claimed} wallet={wallet} onClose={() => setClaimed(undefined)} />}
    </>
  );
}

function VisitRow({ click, onClaim }: { click: Click; onClaim: () => void }) {
  const t = useText();
  const { brl, date } = useFormat();
  const isDeclined = click.sales > 0 && click.sales === click.declined;
  const now = new Date().toISOString();
  const isOver = click.expires_at < now;
  const isEarly = click.claimable_at > now;
  return (
    <article
      className={`${rowStyle.row} ${style.row}`}
      data-status={click.sales === 0 ? undefined : isDeclined ? "cancelled" : "confirmed"}
    >
      <div>
        <RowHead visit={click} />
        <p>
          {t("visits.sales", { count: click.sales })}
          {click.sales === 0 &&
            click.usual_days !== null &&
            ` ${t("storePage.usual.report", { count: click.usual_days })}`}
          {click.declined > 0 && ` ${t("visits.declined", { count: click.declined })}`}
        </p>
      </div>
      {click.amount !== null && click.cashback !== null && (
        <Money cashback={brl(click.cashback)} amount={click.amount} />
      )}
      <div className={style.claim}>
        {isOver ? (
          <span className="muted">{t("visits.over", { date: date(click.expires_at) })}</span>
        ) : isEarly ? (
          <span className="muted">{t("visits.early", { date: date(click.claimable_at) })}</span>
        ) : (
          <button type="button" className="button button-small button-quiet" onClick={onClaim}>
            {t("visits.claim")}
            <span className="sr-only">
              {" "}
              {click.store}, {date(click.created_at)}
            </span>
          </button>
        )}
      </div>
    </article>
  );
}

function Claims({ pages: { query, rows } }: { pages: Pages<Claim> }) {
  const t = useText();
  const { brl, date } = useFormat();
  if (query.isError && rows.length === 0) {
    return <RetryPanel title={t("claims.away")} query={query} />;
  }
  if (rows.length === 0) return null;
  const answerOf = ({ answer_by }: Claim) =>
    t(Date.parse(answer_by) < Date.now() ? "claims.answerLate" : "claims.answerBy", { date: date(answer_by) });
  return (
    <section aria-labelledby="claims">
      <h2 id="claims" className="section-title">
        {t("claims.title")}
      </h2>
      <ul className={`card ${rowStyle.rows}`}>
        {rows.map((claim) => (
          <li key={claim.id}>
            <article className={`${rowStyle.row} ${style.row}`} data-status={stampOf(claim)}>
              <div>
                <h3>{claim.store}</h3>
                <p className="muted dotted">
                  <span>{t("claims.order", { order: claim.order_ref })}</span>{" "}
                  <time dateTime={claim.date}>{date(claim.date)}</time>{" "}
                  <span className="figures">{brl(claim.amount)}</span>{" "}
                  {claim.has_picture && <span>{t("claims.picture")}</span>}
                </p>
                <p>
                  {t(`claims.${claimWord(claim.state)}.text`)}
                  {claim.state === "open" && ` ${answerOf(claim)}`}
                </p>
                {claim.reason && <p>{t("claims.reason", { reason: claim.reason })}</p>}
              </div>
              <div className={style.claim}>
                <Stamp kind={stampOf(claim)}>{t(`claims.${claimWord(claim.state)}`)}</Stamp>
              </div>
            </article>
          </li>
        ))}
      </ul>
      <MoreButton query={query} />
    </section>
  );
}

/** A claim's stamp, as of a purchase in the same position. */
const STAMPS = { open: "pending", matched: "confirmed", refused: "cancelled" } as const satisfies Record<
  string,
  PurchaseStatus
>;
const stampOf = ({ state }: Claim) => ownValue(STAMPS, state) ?? FOREIGN;
