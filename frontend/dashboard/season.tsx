import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useMemo, useState } from "react";
import { Link, useSearchParams } from "react-router";
import { PROFILE_LIMIT } from "../../core/rules/product.ts";
import { CASHBACK_STATES } from "../../core/rules/purchase/life.ts";
import { getAllPurchases } from "../api/calls.ts";
import { knownOf } from "../api/heard.ts";
import { configQuery } from "../api/queries.ts";
import type { Profile, PurchaseRecord } from "../api/shapes.ts";
import { ErrorBoundary } from "../app/error-boundary.tsx";
import { paths } from "../app/paths.ts";
import { useTickets } from "../chain/use-tickets.ts";
import { useText, withLaterTexts } from "../i18n/language.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { Album, EmptyAlbum } from "./album.tsx";
import { type AlbumOrder, albumOf, entriesIn, firstOf } from "./album-pages.ts";
import { olderPurchasesQuery } from "./queries.ts";
import style from "./season.module.css";
import { drawnFrom, type Entry, entriesOf, STATEMENT_PAGE } from "./statement.ts";

/** Its texts and its code are for few words: a phone reads them after it has drawn the page. */
const ChainCheck = lazy(async () => {
  await drawn();
  return withLaterTexts(() => import("./chain-check.tsx"), "check");
});

/** The page was drawn, and the browser has nothing else to do, as far as it says so. */
const drawn = (): Promise<unknown> =>
  new Promise((resolve) => {
    requestAnimationFrame(() => (window.requestIdleCallback ?? setTimeout)(resolve));
  });

/** A simulated purchase is reported at once, so that no visit waits. */
const OpenVisits = lazy(() => import("./open-visits.tsx"));

/** Whoever opens their album reads no statement. */
const StatementView = lazy(() => import("./statement-view.tsx"));

const NFT_SKELETONS = 3;

/** The album of the seasons' tickets, and beside it the statement. docs/product.md#album */
export function Season({ profile, isRefreshing }: { profile: Profile; isRefreshing: boolean }) {
  const t = useText();
  const { entries: said, ...reading } = useEntries(profile);
  const [search] = useSearchParams();
  const figure = search.get("figure");
  const lines = profile.reviews.length + profile.debts.length;
  // A figure is the sum of lines, sales in review and debts too; where there is no ticket, they are all that there is.
  const isStatement = figure !== null || search.get("view") === "statement" || (said.length === 0 && lines > 0);
  const { simulated } = useQuery(configQuery).data;
  const [shown, setShown] = useState(STATEMENT_PAGE);
  const [order, setOrder] = useState<AlbumOrder>("month");
  const seasons = useMemo(() => firstOf(albumOf(said, order), shown), [said, order, shown]);
  const onScreen = useMemo(
    () => (isStatement ? said.slice(0, shown) : entriesIn(seasons)),
    [isStatement, said, shown, seasons],
  );
  const { drawn, ...chain } = useDrawn(onScreen, profile);
  const entries = useMemo(() => said.map((entry) => drawn.get(entry.id) ?? entry), [said, drawn]);
  const isEmpty = said.length + lines === 0;
  const more = () => {
    setShown(shown + STATEMENT_PAGE);
    if (reading.hasOlder && shown + STATEMENT_PAGE >= said.length) reading.loadOlder();
  };
  return (
    <section aria-labelledby="tickets">
      <div className="section-head">
        <h2 id="tickets" className="section-title">
          {t("dashboard.tickets")}
        </h2>
        <div className="section-actions">
          <Link className="link" to={paths.visits}>
            {t("dashboard.visits")}
          </Link>
          <LinkButton className="button button-quiet" to={paths.stores}>
            {t("dashboard.toStores")}
          </LinkButton>
        </div>
      </div>
      {!simulated && (
        <Suspense>
          <OpenVisits wallet={profile.wallet} />
        </Suspense>
      )}
      {said.length > 0 && <Views isStatement={isStatement} />}
      {chain.shown.length > 0 && (
        <div className={style.checkRoom}>
          <Suspense>
            <ChainCheck wallet={profile.wallet} {...chain} />
          </Suspense>
        </div>
      )}
      {isRefreshing ? (
        <div className={style.waiting} aria-busy="true">
          <Skeletons count={NFT_SKELETONS} className="h-56" />
        </div>
      ) : isEmpty ? (
        <EmptyAlbum />
      ) : isStatement ? (
        <ErrorBoundary part="statement" resetKey="">
          <Suspense fallback={<Skeletons count={NFT_SKELETONS} className="h-14" />}>
            <StatementView
              {...reading}
              profile={profile}
              entries={entries}
              figure={figure}
              shown={shown}
              setShown={setShown}
            />
          </Suspense>
        </ErrorBoundary>
      ) : (
        <Album seasons={seasons} drawn={drawn} order={order} setOrder={setOrder} readAll={reading.readAll}>
          {reading.isOlderAway && (
            <p role="alert" className="problem">
              {t("statement.olderAway")}
            </p>
          )}
          {(said.length > shown || reading.hasOlder) && (
            <button type="button" className="button button-quiet" disabled={reading.isLoadingOlder} onClick={more}>
              {t(reading.isLoadingOlder ? "common.loading" : "statement.more")}
            </button>
          )}
        </Album>
      )}
    </section>
  );
}

/** Two views of the same tickets, each at an address of its own. */
function Views({ isStatement }: { isStatement: boolean }) {
  const t = useText();
  return (
    <nav aria-label={t("album.views")} className={`look-switch ${style.views}`}>
      <Link to={{ search: "", hash: "#tickets" }} aria-current={isStatement ? undefined : "page"}>
        {t("album.title")}
      </Link>
      <Link to={{ search: "?view=statement", hash: "#tickets" }} aria-current={isStatement ? "page" : undefined}>
        {t("statement.title")}
      </Link>
    </nav>
  );
}

/** What the chain says of the tickets on screen, by their entries' ids, and what of it is compared. */
function useDrawn(onScreen: readonly Entry[], profile: Profile) {
  const shown = useMemo(
    () => onScreen.flatMap(({ nft, purchase }) => (nft ? [{ nft, isPaid: isSaidPaid(purchase) }] : [])),
    [onScreen],
  );
  const count = profile.nfts.length < PROFILE_LIMIT ? profile.nfts.length : undefined;
  const learned = useMemo(
    () => JSON.stringify([count, shown.map(({ nft, isPaid }) => [nft.metadata.attributes, isPaid])]),
    [count, shown],
  );
  const tickets = useMemo(() => shown.map(({ nft }) => nft), [shown]);
  const read = useTickets(tickets, { learned });
  const { recordOf, isLate } = read;
  const drawn = useMemo(
    () =>
      new Map(
        onScreen.flatMap((entry) => (entry.nft ? [[entry.id, drawnFrom(entry, recordOf(entry.nft), isLate)]] : [])),
      ),
    [onScreen, recordOf, isLate],
  );
  return { drawn, shown, count, learned, read };
}

/** A credit that its wallet refused is paid, too, as the contract counts; undefined where nothing is said. */
function isSaidPaid(purchase: PurchaseRecord | undefined): boolean | undefined {
  const state = purchase && knownOf(CASHBACK_STATES, purchase.cashback_state);
  return state && state !== "unpaid";
}

/** The profile's purchases, plus the older ones loaded so far. */
function useEntries(profile: Profile) {
  const { wei_per_cent } = useQuery(configQuery).data;
  const last = profile.purchases.at(-1)?.id;
  const [wantsOlder, setWantsOlder] = useState(false);
  const isCut = profile.purchases.length >= PROFILE_LIMIT;
  const older = useInfiniteQuery({ ...olderPurchasesQuery(profile.wallet, last), enabled: wantsOlder && isCut });
  const pages = older.data?.pages;
  const entries = useMemo(
    () => entriesOf(profile, pages?.flatMap((page) => page.purchases) ?? [], BigInt(wei_per_cent)),
    [profile, pages, wei_per_cent],
  );
  return {
    entries,
    hasOlder: isCut && (!pages || older.hasNextPage),
    isLoadingOlder: older.isFetching,
    isOlderAway: older.isError && !older.isFetching,
    loadOlder: () => {
      if (!wantsOlder) setWantsOlder(true);
      else if (pages) older.fetchNextPage();
      else older.refetch();
    },
    readAll: async () =>
      isCut ? entriesOf({ ...profile, purchases: [] }, await getAllPurchases(), BigInt(wei_per_cent)) : entries,
  };
}
