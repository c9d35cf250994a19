import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { type CSSProperties, lazy, Suspense, startTransition, useState } from "react";
import { useParams } from "react-router";
import type { ClubGround } from "../../core/rules/clubs/club-colours.ts";
import { percentText } from "../../core/rules/money.ts";
import { SLUG_PATTERN } from "../../core/rules/text.ts";
import { clubQuery } from "../api/fan-queries.ts";
import { ApiError } from "../api/http.ts";
import { storeQuery, storesQuery } from "../api/queries.ts";
import { reasonOf } from "../api/reason-of.ts";
import type { Store } from "../api/shapes.ts";
import { PageHeading, usePageMeta } from "../app/page.tsx";
import { paths } from "../app/paths.ts";
import { chooseClub, useClub } from "../club/club.ts";
import { drawnClub } from "../club/clubs.ts";
import { initialsOf, Shirt } from "../club/shirt.tsx";
import { ClubStands } from "../club/stands.tsx";
import { useText, withLaterTexts } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { fetchedDialog } from "../ui/fetched-dialog.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { usePromise } from "../ui/promise.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../ui/state-panel.tsx";
import { ClubBoard, type ClubFigures } from "./club-board.tsx";
import style from "./club-page.module.css";
import { ClubTokens } from "./club-tokens.tsx";
import type { Offer } from "./offers-query.ts";
import { ShareClub } from "./share-club.tsx";
import { StoreCard } from "./store-card.tsx";

/** Few ask for what is not there. */
const NotFound = lazy(() => import("../app/not-found-page.tsx"));

const ClubOffers = lazy(() => withLaterTexts(() => import("./club-offers.tsx")));
const BuyDialog = fetchedDialog(() => import("./buy-dialog.tsx"));

type Club = Parameters<typeof drawnClub>[0];

/** A club's page: its fans in the stands, its stores, and what they bring. docs/product.md#club-page */
export default function ClubPage() {
  const t = useText();
  const { slug = "" } = useParams();
  const found = useQuery({ ...clubQuery(slug), enabled: SLUG_PATTERN.test(slug) });
  const { club, figures } = found.data ?? {};
  usePageMeta(club?.name ?? t("clubs.title"), t("clubs.description"));
  const isUnknown = found.error instanceof ApiError && found.error.status === 404;
  if (!SLUG_PATTERN.test(slug) || isUnknown) return <NotFound what="club" />;
  if (club) return <Contents key={slug} club={club} figures={figures ?? null} />;
  return (
    <div className="page page-loading" aria-busy={!found.isError}>
      {found.isError ? (
        <RetryPanel title={t("clubPage.failed")} query={found} />
      ) : (
        <Skeletons count={2} className="h-64" />
      )}
    </div>
  );
}

/** Before its data: the build paints it with the club's name (`prerender.tsx`). */
export function ClubOnTheWay({ name, description }: { name: string; description: string }) {
  return (
    <div className="page page-loading" aria-busy="true">
      <PageHeading>{name}</PageHeading>
      <p className="lead">{description}</p>
      <Skeletons count={1} className="h-64" />
    </div>
  );
}

/** The stores of a club as far as they are loaded: those that a boost raises first, then by their percent. */
function useStores(club: Club) {
  const found = useInfiniteQuery(storesQuery({ club: club.slug, sort: "cashback" }));
  const stores = found.data?.pages.flatMap((page) => page.stores);
  const [first] = found.data?.pages ?? [];
  return { found, total: first?.total, stores: stores?.toSorted((one, other) => +!one.boost - +!other.boost) };
}

/** What is being bought: at a store of the list, or by an offer whose store is fetched. */
type Buying = { store: Store } | { offer: Offer };

function Contents({ club, figures }: { club: Club; figures: ClubFigures }) {
  const t = useText();
  const { found, stores, total } = useStores(club);
  const [buying, setBuying] = useState<Buying>();
  const offer = buying && "offer" in buying ? buying.offer : undefined;
  const ofOffer = useQuery({ ...storeQuery(String(offer?.store_id)), enabled: offer !== undefined });
  const store = buying && "store" in buying ? buying.store : ofOffer.data;
  return (
    <div className={style.whole}>
      <Hero club={club} stores={stores} total={total} />
      <ClubBoard slug={club.slug} figures={figures} />
      <section className="page" aria-labelledby="club-stores">
        <h2 id="club-stores" className="section-title">
          {t("clubPage.list")}
        </h2>
        {!stores ? (
          found.isError ? (
            <RetryPanel title={t("errorFetchingStores")} query={found} />
          ) : (
            <div className="store-grid" aria-busy="true">
              <Skeletons count={3} className="h-64" />
            </div>
          )
        ) : stores.length === 0 ? (
          <EmptyPanel title={t("clubPage.none")} hint={t("clubPage.none.hint")}>
            <LinkButton to={paths.stores}>{t("clubPage.none.all")}</LinkButton>
          </EmptyPanel>
        ) : (
          <ul className="store-grid">
            {stores.map((one) => (
              <li key={one.id}>
                <StoreCard store={one} onBuy={(chosen) => startTransition(() => setBuying({ store: chosen }))} />
              </li>
            ))}
          </ul>
        )}
        {found.hasNextPage && (
          <button type="button" className="button button-quiet" onClick={() => found.fetchNextPage()}>
            {t("stores.more")}
          </button>
        )}
      </section>
      <Suspense>
        <ClubOffers
          slug={club.slug}
          busy={ofOffer.data ? undefined : offer}
          onBuy={(chosen) => startTransition(() => setBuying({ offer: chosen }))}
        />
      </Suspense>
      {offer && ofOffer.isError && (
        <p className="page problem" role="alert">
          {reasonOf(ofOffer.error, t)}
        </p>
      )}
      <ClubTokens club={club} stores={stores ?? []} />
      {store && (
        <BuyDialog
          key={offer?.id ?? store.id}
          store={store}
          {...(offer?.url && { link: offer.url })}
          onClose={() => setBuying(undefined)}
        />
      )}
    </div>
  );
}

const groundOf = ({ ground, ink, mark }: ClubGround) =>
  ({ background: ground, color: ink, "--accent-mark": mark }) as CSSProperties;

type HeroProps = { club: Club; stores: readonly Store[] | undefined; total: number | undefined };

/** The stands, the shirt, and the most that a reader can earn at a store of the club. */
function Hero({ club, stores, total }: HeroProps) {
  const t = useText();
  const { percent } = useFormat();
  const promise = usePromise();
  const own = useClub();
  const look = drawnClub(club);
  const [best] = (stores ?? [])
    .map((store) => promise(store))
    .toSorted((one, other) => Number(other.totalBps - one.totalBps));
  const isRange = best?.isRange || (stores?.length ?? 0) > 1;
  const most = best && percent(percentText(best.totalBps));
  return (
    <section className={style.hero} style={look && groundOf(look)}>
      {look && <ClubStands look={look} />}
      <div className={style.inner}>
        <Shirt look={look} initials={initialsOf(club.name)} size={200} />
        <div className={style.words}>
          <p className={style.kicker}>{t("clubPage.kicker")}</p>
          <PageHeading className="hero-title">{club.name}</PageHeading>
          {(most || !stores) && (
            <p className={style.most} aria-busy={!stores}>
              {most && (
                <>
                  <strong className="figures">{isRange ? t("clubPage.upTo", { percent: most }) : most}</strong>{" "}
                  {t("clubPage.cashback")}
                </>
              )}
            </p>
          )}
          {stores && stores.length > 0 && (
            <p>{total === undefined ? t("clubPage.stores.many") : t("clubPage.stores", { count: total })}</p>
          )}
          <div className={style.actions}>
            <ShareClub slug={club.slug} name={club.name} />
            <button
              type="button"
              className="button button-chalk"
              aria-pressed={own === club.name}
              onClick={() => chooseClub(own === club.name ? "" : club.name)}
            >
              {t(own === club.name ? "clubPage.worn" : "clubPage.wear")}
            </button>
          </div>
        </div>
      </div>
    </section>
  );
}
