import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef } from "react";
import { FormattedMessage } from "react-intl";
import { Link, useNavigate } from "react-router";
import { STORE_BONUS_BPS } from "../../core/rules/bonus.ts";
import { SAMPLE_STORES } from "../../core/rules/catalogue-samples.ts";
import { percentText } from "../../core/rules/money.ts";
import { FEATURED_STORES_MAX } from "../../core/rules/product.ts";
import { configQuery, featuredStoresQuery } from "../api/queries.ts";
import type { Store, StoreCashback } from "../api/shapes.ts";
import { PageHeading } from "../app/page.tsx";
import { paths } from "../app/paths.ts";
import { useClub } from "../club/club.ts";
import { useText, withLaterTexts } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { useSession } from "../session/session.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { PromisePercent, usePromise } from "../ui/promise.tsx";
import { SampleTicket } from "../ui/sample-ticket.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { Steps } from "../ui/steps.tsx";
import { StoreMark } from "../ui/store-mark.tsx";
import { useSeen } from "../ui/use-seen.ts";
import { useConnectWallet } from "../wallet/use-connect-wallet.ts";
import { useWallet } from "../wallet/use-wallet.ts";
import { FirstSteps } from "./first-steps.tsx";
import style from "./home-page.module.css";

const Placar = lazy(() => withLaterTexts(() => import("./placar.tsx"), "fans"));

const STEPS = ["connect", "buy", "receive"] as const;
const TIERS = ["basic", "silver", "gold"] as const;

export default function Home() {
  return (
    <>
      <Hero />
      <FirstSteps />
      <ClubQuestion />
      <HowItWorks />
      <Featured />
      <FansTable />
      <Tiers />
      <CallToAction />
    </>
  );
}

/** Also painted by the build (`prerender.tsx`). */
export function Hero() {
  return (
    <section className={style.hero}>
      <PitchLines />
      <div className={style.inner}>
        <div>
          <PageHeading className="hero-title">
            <FormattedMessage id="home.hero.title" />
          </PageHeading>
          <p className={style.text}>
            <FormattedMessage id="home.hero.text" />
          </p>
          <div className="flex flex-wrap gap-3">
            <ViewStoresButton />
            <LinkButton className="button button-chalk" to={paths.dashboard}>
              <FormattedMessage id="home.viewDashboard" />
            </LinkButton>
          </div>
        </div>
        <HeroTicket />
      </div>
      <Stands />
    </section>
  );
}

/** Fetched once the reader comes to it. */
function FansTable() {
  const ref = useRef<HTMLDivElement>(null);
  const isSeen = useSeen(ref);
  return (
    <div ref={ref}>
      <Suspense>{isSeen && <Placar />}</Suspense>
    </div>
  );
}

function HowItWorks() {
  const t = useText();
  return (
    <section className="page" aria-labelledby="how">
      <div className="section-head">
        <h2 id="how" className="section-title">
          {t("home.how.title")}
        </h2>
        <Link className="link" to={paths.help("how-it-works")}>
          {t("home.how.more")}
        </Link>
      </div>
      <Steps steps={STEPS.map((step) => ({ title: t(`home.how.${step}.title`) }))} />
    </section>
  );
}

/** Marketing copy, which the operator may make the active program. docs/product.md#bonus-tiers */
function Tiers() {
  const t = useText();
  const areTheRule = useQuery(configQuery).data.bonus_program === "tiers";
  return (
    <section className="page" aria-labelledby="tiers">
      <h2 id="tiers" className="section-title">
        {t("home.tiers.title")}
      </h2>
      {!areTheRule && <TiersNow />}
      <ul className={style.tiers}>
        {TIERS.map((tier) => (
          <li key={tier} className={style.tier} data-tier={tier}>
            {!areTheRule && <p className={style.sample}>{t("home.tiers.sample")}</p>}
            <h3>{t(`tier.${tier}`)}</h3>
            <p className={style.tierPercent}>{t(`home.tiers.${tier}.percent`)}</p>
            <p>{t(`home.tiers.${tier}.text`)}</p>
          </li>
        ))}
      </ul>
      <p className="example">
        {t("home.tiers.example")} <strong>{t("home.tiers.paidInChz")}</strong>
      </p>
      <p className="muted mt-3">
        {t(areTheRule ? "home.tiers.inForce" : "home.tiers.note")}{" "}
        <Link className="link" to={paths.help("bonus")}>
          {t("home.tiers.rule")}
        </Link>
      </p>
    </section>
  );
}

/** What the tiers pay today, by the same names. docs/product.md#bonus-club */
function TiersNow() {
  const t = useText();
  const { percent } = useFormat();
  return (
    <div className={style.tiersNow}>
      <h3>{t("home.tiers.now")}</h3>
      <p>{t("dashboard.bonus.text", { percent: percent(percentText(STORE_BONUS_BPS)) })}</p>
      <ul>
        {TIERS.map((tier) => (
          <li key={tier}>
            <span className="badge" data-tier={tier}>
              {t(`tier.${tier}`)}
            </span>{" "}
            {t(`dashboard.bonus.${tier}`)}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** To the login; a user goes on to the stores. */
function CallToAction() {
  const t = useText();
  const { profile } = useSession();
  return (
    <section className={style.cta}>
      <PitchLines />
      <div className={style.ctaInner}>
        <h2 className="section-title">{t("home.cta.title")}</h2>
        <LinkButton className="button button-signal" to={profile ? paths.stores : paths.auth()}>
          {t(profile ? "dashboard.explore" : "home.cta.button")}
        </LinkButton>
      </div>
    </section>
  );
}

/** Goes to the stores, after connecting a wallet if none is connected. docs/product.md#home. */
function ViewStoresButton() {
  const navigate = useNavigate();
  const wallet = useWallet();
  const { connect } = useConnectWallet();
  const isWanted = useRef(false);
  useEffect(() => {
    if (wallet.address && isWanted.current) navigate(paths.stores);
  }, [wallet.address, navigate]);
  const view = () => {
    if (wallet.address) return navigate(paths.stores);
    isWanted.current = true;
    return connect();
  };
  return (
    <button type="button" className="button button-signal" aria-busy={wallet.isConnecting} onClick={view}>
      <FormattedMessage id="home.viewStores" />
    </button>
  );
}

/** Of the first featured store, with its true percent, so that the page promises nothing that a store does not pay. */
function HeroTicket() {
  const [store] = useFeatured().shown;
  if (!store) return null;
  return (
    <figure className={style.ticket}>
      <SampleTicket status="confirmed" name={store.name} store={store} value={100} />
    </figure>
  );
}

/** The centre circle and halfway line of a pitch. */
function PitchLines() {
  return (
    <svg className={style.pitchLines} aria-hidden="true" preserveAspectRatio="xMidYMid slice" viewBox="0 0 1200 600">
      <g fill="none" stroke="currentColor" strokeWidth="3">
        <path d="M600-40v680M-20 150h190v300H-20M-20 220h90v160h-90M1220 150h-190v300h190M1220 220h-90v160h90" />
        <circle cx="600" cy="300" r="170" />
      </g>
    </svg>
  );
}

function Stands() {
  return (
    <svg className={style.stands} aria-hidden="true" preserveAspectRatio="xMidYMax slice" viewBox="0 0 1200 90">
      <defs>
        <pattern id="seats" width="60" height="30" patternUnits="userSpaceOnUse">
          <path
            fill="currentColor"
            d="M3 6h9v11H3zM18 6h9v11h-9zM48 6h9v11h-9zM3 21h9v9H3zM33 21h9v9h-9zM48 21h9v9h-9z"
            opacity=".32"
          />
          <path fill="currentColor" d="M33 6h9v11h-9zM18 21h9v9h-9z" opacity=".8" />
        </pattern>
      </defs>
      <rect width="1200" height="90" fill="url(#seats)" />
    </svg>
  );
}

type FeaturedStore = Pick<Store, "id" | "name" | "logo" | "club" | "clubToken"> & {
  cashbacks: Pick<StoreCashback, "category" | "percent">[];
};

const SAMPLES: FeaturedStore[] = SAMPLE_STORES.filter((store) => store.featured)
  .slice(0, FEATURED_STORES_MAX)
  .map(({ id, name, club, cashbacks }) => ({
    ...{ id, name, logo: "", club: club ?? "", clubToken: null },
    cashbacks: cashbacks.map((one) => ({ category: one.category, percent: percentText(one.cashbackBps) })),
  }));

/** The featured stores; the samples until they arrive, or if there are none. */
function useFeatured() {
  const stores = useQuery(featuredStoresQuery);
  const returned: FeaturedStore[] = stores.data?.stores ?? [];
  const areSamples = !stores.isPending && returned.length === 0;
  return { stores, shown: returned.length > 0 ? returned : SAMPLES, areSamples };
}

function Featured() {
  const t = useText();
  const promise = usePromise();
  const { stores, shown, areSamples } = useFeatured();
  return (
    <section className="page" aria-labelledby="featured">
      <div className="section-head">
        <h2 id="featured" className="section-title">
          {t("home.featured.title")}
        </h2>
        <Link className="link" to={paths.stores}>
          {t("home.featured.all")}
        </Link>
      </div>
      {areSamples && (
        <p className="muted mb-3">
          {t("home.featured.samples")}{" "}
          {stores.isError && (
            <button type="button" className="link" onClick={() => stores.refetch()}>
              {t("common.retry")}
            </button>
          )}
        </p>
      )}
      {stores.isPending ? (
        <div className={style.featured} aria-busy="true">
          <Skeletons count={FEATURED_STORES_MAX} className="h-48" />
        </div>
      ) : (
        <ul className={style.featured}>
          {shown.map((store) => (
            <li key={store.id}>
              <Link to={areSamples ? paths.stores : paths.store(store.id)} className={style.store}>
                <StoreMark store={store} />
                <span className={style.storeName}>{store.name}</span>
                <span className="perforation" aria-hidden="true" />
                <PromisePercent promise={promise(store)} store={store} />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

const ClubPicker = lazy(() => import("../club/club-picker.tsx"));

/** Asked once, on the first visit. */
function ClubQuestion() {
  const club = useClub();
  if (club !== undefined) return null;
  return (
    <section className={`page ${style.clubQuestion}`} aria-labelledby="club-question">
      <h2 id="club-question" className="section-title">
        <FormattedMessage id="club.question" />
      </h2>
      <p className="muted">
        <FormattedMessage id="club.why" />
      </p>
      <Suspense fallback={<div className={style.clubSpace} data-skeleton />}>
        <ClubPicker />
      </Suspense>
    </section>
  );
}
