import { useQuery } from "@tanstack/react-query";
import { type CSSProperties, lazy, Suspense, startTransition, useEffect, useState } from "react";
import { FormattedMessage } from "react-intl";
import { Link, useParams, useSearchParams } from "react-router";
import { formatDecimal, percentText } from "../../core/rules/money.ts";
import { CHZ_DECIMALS } from "../../core/rules/product.ts";
import type { StorePace } from "../../core/rules/sale/pace.ts";
import { ApiError } from "../api/http.ts";
import { configQuery, storePaceQuery, storeQuery } from "../api/queries.ts";
import type { Store } from "../api/shapes.ts";
import { PageHeading, usePageMeta } from "../app/page.tsx";
import { paths, STORE_ID } from "../app/paths.ts";
import { useClubOf } from "../club/use-clubs.ts";
import { useLanguage, useText, withLaterTexts } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { Card } from "../ui/card.tsx";
import { fetchedDialog } from "../ui/fetched-dialog.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import promiseStyle from "../ui/promise.module.css";
import { usePromise } from "../ui/promise.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { RetryPanel } from "../ui/state-panel.tsx";
import { StoreMark } from "../ui/store-mark.tsx";
import { BoostBadge, PlainPercent } from "./boost-badge.tsx";
import markStyle from "./favourites.module.css";
import { FavouriteMark } from "./favourites.tsx";
import style from "./store-page.module.css";
import { useStoreTexts } from "./store-texts.ts";

/** Few ask for what is not there. */
const NotFound = lazy(() => import("../app/not-found-page.tsx"));

const StoreOffers = lazy(() => withLaterTexts(() => import("./store-offers.tsx")));
const BuyDialog = fetchedDialog(() => import("./buy-dialog.tsx"));
/** The value of the example on the page: R$ 100. */
const EXAMPLE_CENTS = 10_000n;

/** The page of one store: its percents, its conditions, and what the user would receive. */
export default function StorePage() {
  const t = useText();
  const { storeId = "" } = useParams();
  const store = useQuery({ ...storeQuery(storeId), enabled: STORE_ID.test(storeId) });
  const { language } = useLanguage();
  const description = store.data?.texts[language].description;
  usePageMeta(store.data?.name ?? t("stores.title"), description || t("stores.description"));
  const isGone = store.error instanceof ApiError && store.error.status === 404;
  if (!STORE_ID.test(storeId) || isGone || store.data?.isDraft) return <NotFound what="store" />;
  if (store.isError) {
    return (
      <div className="page">
        <RetryPanel title={t("redirect.unavailable")} query={store} />
      </div>
    );
  }
  return store.data ? <Contents store={store.data} /> : <OnTheWay />;
}

/**
 * The parts of the page, as high as they will be; the build paints them with the store's name, and with what a visitor
 * receives (`prerender.tsx`).
 */
export function OnTheWay({ name, description, figure }: { name?: string; description?: string; figure?: string }) {
  const { brl } = useFormat();
  return (
    <div className="page page-loading" aria-busy="true">
      <div className="grid gap-4">
        <div className={style.banner} aria-hidden={name === undefined}>
          <svg className="skeleton" width="96" height="96" opacity=".25" />
          {name ? (
            <div>
              <PageHeading>{name}</PageHeading>
            </div>
          ) : (
            <div className="skeleton h-14" style={{ opacity: 0.25 }} />
          )}
          <div className={style.offer}>
            <p aria-hidden="true" className={`${promiseStyle.receive} ${style.receive} ${figure ? "" : style.unknown}`}>
              <span>
                <FormattedMessage id="receive.upTo" values={{ value: brl(Number(EXAMPLE_CENTS) / 100) }} />
              </span>
              <strong className="figures">{figure ?? "\u00a0"}</strong>
            </p>
            <div className="action-row">
              <button type="button" className="button button-signal" disabled>
                <FormattedMessage id="store.buy" />
              </button>
              <span className={markStyle.mark} />
              <button type="button" className="button button-quiet" disabled>
                <FormattedMessage id="home.featured.all" />
              </button>
            </div>
          </div>
        </div>
        {description ? <p className="lead">{description}</p> : <span className="skeleton h-6 w-2/3" />}
        <div className={style.facts}>
          <Skeletons count={3} className="card card-body h-56">
            <div className="skeleton h-6 w-2/3 mb-4" />
            <div className="skeleton h-24" />
          </Skeletons>
        </div>
      </div>
    </div>
  );
}

function Contents({ store }: { store: Store }) {
  const { category, country, description } = useStoreTexts(store);
  const club = useClubOf(store.clubSlug);
  const [buying, setBuying] = useBuying();
  return (
    <section className={`page grid gap-4 ${style.page}`}>
      <div
        className={style.banner}
        style={
          club && ({ "--accent": club.ground, "--on-accent": club.ink, "--accent-mark": club.mark } as CSSProperties)
        }
      >
        <StoreMark store={store} size={96} />
        <div>
          <PageHeading>{store.name}</PageHeading>
          <ul className="tags">
            {[category, country].filter(Boolean).map((tag) => (
              <li key={tag}>{tag}</li>
            ))}
            {store.club && (
              <li>{store.clubSlug ? <Link to={paths.club(store.clubSlug)}>{store.club}</Link> : store.club}</li>
            )}
          </ul>
        </div>
        <div className={style.offer}>
          <YouReceive store={store} />
          <div className="action-row">
            {store.isPaused ? (
              <p className="notice">
                <FormattedMessage id="reason.storePaused" />
              </p>
            ) : (
              <button
                type="button"
                className="button button-signal"
                onClick={() => startTransition(() => setBuying({ link: null }))}
              >
                <FormattedMessage id="store.buy" />
              </button>
            )}
            <FavouriteMark store={store} />
            <LinkButton className="button button-quiet" to={paths.stores}>
              <FormattedMessage id="home.featured.all" />
            </LinkButton>
          </div>
        </div>
      </div>
      <BoostBadge store={store} />
      {description && <p className="lead">{description}</p>}
      <Suspense>
        <StoreOffers storeId={store.id} onBuy={({ url }) => startTransition(() => setBuying({ link: url }))} />
      </Suspense>
      <div className={style.facts}>
        <Rates store={store} />
        <WhenItCounts store={store} />
        <Excluded store={store} />
      </div>
      {buying && !store.isPaused && (
        <BuyDialog store={store} {...(buying.link && { link: buying.link })} onClose={() => setBuying(undefined)} />
      )}
    </section>
  );
}

/** The open buy dialog, with the page of the shop that it leads to: open at once after a login from it. Its address then becomes the page's own. */
function useBuying() {
  const [parameters, setParameters] = useSearchParams();
  const isWanted = parameters.has("buy");
  const buying = useState<{ link: string | null } | undefined>(isWanted ? { link: null } : undefined);
  useEffect(() => {
    if (isWanted) setParameters({}, { replace: true, preventScrollReset: true });
  }, [isWanted, setParameters]);
  return buying;
}

function Rates({ store }: { store: Store }) {
  const t = useText();
  const { percent } = useFormat();
  const { nameOf } = useStoreTexts(store);
  return (
    <Card title={t("storePage.rates")}>
      <dl className={style.rates}>
        {store.cashbacks.map((one) => (
          <div key={one.id || one.category}>
            <dt>{nameOf(one)}</dt>
            <dd className="figures">
              <PlainPercent category={one} />
              {percent(one.percent)}
            </dd>
          </div>
        ))}
      </dl>
    </Card>
  );
}

/** Cashback exclusions: the store's own, then the shop-wide ones. */
function Excluded({ store }: { store: Store }) {
  const t = useText();
  const { terms } = useStoreTexts(store);
  return (
    <Card title={t("storePage.excluded")}>
      <ul className="plain-list">
        {terms && <li className={style.terms}>{terms}</li>}
        <li>{t("storePage.excluded.all")}</li>
      </ul>
    </Card>
  );
}

/** The steps to the cashback, with the days that they usually take at this store. docs/product.md#sales-pace */
function WhenItCounts({ store }: { store: Store }) {
  const t = useText();
  const { simulated } = useQuery(configQuery).data;
  const { report, confirm, pay } = useQuery({ ...storePaceQuery(store.id), enabled: !simulated }).data ?? UNKNOWN_PACE;
  const usual = (step: "report" | "confirm" | "pay", count: number | null) =>
    count !== null && ` ${t(`storePage.usual.${step}`, { count })}`;
  return (
    <Card title={t("storePage.counts")}>
      {report !== null && confirm !== null && pay !== null && (
        <p className="small-title">{t("storePage.usual", { count: report + confirm + pay })}</p>
      )}
      <ol className={`plain-list ${style.numbered}`}>
        <li>
          {t("storePage.counts.link")}
          {usual("report", report)}
        </li>
        <li>
          {t("storePage.counts.confirmed")}
          {usual("confirm", confirm)}
        </li>
        <li>
          {t("storePage.counts.paid")}
          {usual("pay", pay) || (store.holdDays > 0 && ` ${t("storePage.counts.hold", { count: store.holdDays })}`)}
        </li>
      </ol>
      <p>
        <Link className="link" to={paths.help("when-cashback-comes")}>
          {t("storePage.counts.more")}
        </Link>
      </p>
    </Card>
  );
}

const UNKNOWN_PACE: StorePace = { report: null, confirm: null, pay: null };

/** "You receive R$ 10,00 · 10 CHZ on R$ 100", with the best of the user's tokens. */
function YouReceive({ store }: { store: Store }) {
  const t = useText();
  const { brl, chz, percent } = useFormat();
  const config = useQuery(configQuery).data;
  const { totalBps, bonusBps, isRange, token } = usePromise()(store);
  const cents = (EXAMPLE_CENTS * totalBps) / 10_000n;
  return (
    <p className={`${promiseStyle.receive} ${style.receive}`}>
      <span>
        {t(isRange ? "receive.upTo" : "receive.on", {
          value: brl(Number(EXAMPLE_CENTS) / 100),
        })}
      </span>
      <strong className="figures">{brl(formatDecimal(cents, 2))}</strong>
      <span className="figures">
        {chz(formatDecimal(cents * BigInt(config.wei_per_cent), CHZ_DECIMALS))}
        {"\u00a0· "}
        <span data-promise>{percent(percentText(totalBps))}</span>
      </span>
      {token && (
        <span>{t("receive.with", { token: token.symbol, percent: `+${percent(percentText(bonusBps))}` })}</span>
      )}
    </p>
  );
}
