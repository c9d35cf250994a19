import { useQuery } from "@tanstack/react-query";
import { Fragment, lazy, type ReactNode, Suspense, useDeferredValue, useEffect, useState } from "react";
import { FormattedMessage } from "react-intl";
import { Link, useNavigate, useSearchParams } from "react-router";
import { HOLDING_TIERS, STORE_BONUS_BPS } from "../../core/rules/bonus.ts";
import { worthCents } from "../../core/rules/cashback.ts";
import { chzTextFromGwei, formatDecimal, gweiFromChzText, percentText, reaisText } from "../../core/rules/money.ts";
import { DEFAULT_WEI_PER_CENT, PROFILE_WAIT_MS } from "../../core/rules/product.ts";
import { shortenAddress } from "../../core/rules/wallet-address.ts";
import { factsGwei, type NftFacts, nftFacts } from "../api/nft-facts.ts";
import { configQuery } from "../api/queries.ts";
import { reasonOf } from "../api/reason-of.ts";
import type { Profile } from "../api/shapes.ts";
import { ErrorBoundary } from "../app/error-boundary.tsx";
import { PageHeading } from "../app/page.tsx";
import { paths } from "../app/paths.ts";
import { readStored, STORAGE_KEYS, store } from "../app/storage.ts";
import { useText, withLaterTexts } from "../i18n/language.tsx";
import { useFormat } from "../i18n/use-format.ts";
import { SAMPLE_HOLDINGS } from "../session/balances.ts";
import { useLiveProfile, useSession } from "../session/session.tsx";
import { Card } from "../ui/card.tsx";
import { Icon } from "../ui/icon.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { RetryPanel } from "../ui/state-panel.tsx";
import { BlankTicket } from "../ui/ticket.tsx";
import { toast } from "../ui/toast.ts";
import { AddressTools } from "../wallet/address-tools.tsx";
import { useConnectWallet } from "../wallet/use-connect-wallet.ts";
import { useWallet } from "../wallet/use-wallet.ts";
import { AsOf } from "./as-of.tsx";
import { type BestToken, useBestToken } from "./best-token.ts";
import style from "./dashboard-page.module.css";
import { FanTokens } from "./fan-tokens.tsx";
import { equationOf, Figures } from "./figures.tsx";
import { newlyPaid } from "./newly-paid.ts";
import { ProcessingStrip, pollIntervalMs } from "./processing-strip.tsx";
import { Season } from "./season.tsx";

const PaidMoment = lazy(() => import("./paid-moment.tsx"));
/** For visitors, who are on their way to the login. */
const SampleTickets = lazy(async () => ({ default: (await import("../ui/sample-tickets.tsx")).SampleTickets }));
const WordsOffer = lazy(() => withLaterTexts(() => import("./words-offer.tsx")));

type CashbackSums = {
  totalChz: string;
  pendingChz: string;
  count: number;
  confirmedCount: number;
  pendingCount: number;
};

export default function Dashboard() {
  const t = useText();
  const session = useSession();
  // The first time in a transition, which renders in slices: on a slow phone the page stays responsive.
  const isReady = useDeferredValue(session.profile !== undefined);
  if (session.profile && isReady) return <ProfileView profile={session.profile} />;
  if (session.profile || session.status === "restoring") return <DashboardSkeleton />;
  if (session.status === "unreachable")
    return (
      <div className="page">
        <RetryPanel title={t("session.unreachable")} query={session.retry} />
      </div>
    );
  return <LoginRequired />;
}

/** Waits 500 ms for a profile, counted from when the session is restored. docs/product.md#dashboard. */
function LoginRequired() {
  const navigate = useNavigate();
  const { decimal } = useFormat();
  useEffect(() => {
    const timer = setTimeout(() => navigate(paths.auth(), { replace: true }), PROFILE_WAIT_MS);
    return () => clearTimeout(timer);
  }, [navigate]);
  return (
    <section className="page state-panel">
      <BlankTicket />
      <PageHeading>
        <FormattedMessage id="dashboard.loginRequired" />
      </PageHeading>
      <p className="muted">
        <FormattedMessage id="dashboard.loginRequired.text" />
      </p>
      <LinkButton to={paths.auth()}>
        <FormattedMessage id="dashboard.goToLogin" />
      </LinkButton>
      <Suspense>
        <SampleTickets>
          <p className="figures">
            {SAMPLE_HOLDINGS.map(([token, amount]) => `${decimal(amount)} ${token.toUpperCase()}`).join(" · ")}
          </p>
        </SampleTickets>
      </Suspense>
    </section>
  );
}

/** The page's frame, also painted by the build (`prerender.tsx`): nothing moves when the figures arrive. */
export function DashboardSkeleton() {
  return (
    <div className={`page ${style.page}`} aria-busy="true">
      <div className="section-head">
        <Heading>
          <Skeletons count={1} className="h-6 max-w-xs" />
        </Heading>
        <div className={style.refresh}>
          <button type="button" className="button button-small button-quiet" disabled>
            <Icon name="refresh" />
            <FormattedMessage id="dashboard.refresh" />
          </button>
        </div>
      </div>
      <Stats />
      <div aria-hidden="true" className="skeleton h-64" />
    </div>
  );
}

/** Title, welcome, and the sentence that is the largest text until the figures are here. */
function Heading({ children }: { children: ReactNode }) {
  return (
    <div>
      <PageHeading>
        <FormattedMessage id="dashboard.title" />
      </PageHeading>
      <div className={style.welcome}>{children}</div>
      <p className="lead">
        <FormattedMessage id="dashboard.description" />
      </p>
    </div>
  );
}

function ProfileView({ profile }: { profile: Profile }) {
  const t = useText();
  const { isRefreshing, refreshWalletData } = useRefresh();
  useLiveProfile(pollIntervalMs);
  const isNew = hasNothing(profile);
  return (
    <div className={`page ${style.page}`}>
      <div className="section-head">
        <Heading>
          <p>{profile.fullName ? t("dashboard.welcome", { name: profile.fullName }) : t("dashboard.welcome.plain")}</p>
        </Heading>
        <div className={style.refresh}>
          <button
            type="button"
            className="button button-small button-quiet"
            disabled={isRefreshing}
            onClick={refreshWalletData}
          >
            <Icon name="refresh" />
            {t(isRefreshing ? "dashboard.refreshing" : "dashboard.refresh")}
          </button>
          <AsOf />
        </div>
      </div>

      {readStored(STORAGE_KEYS.passkeyWallet) !== null && (
        <Suspense>
          <WordsOffer profile={profile} />
        </Suspense>
      )}

      {isNew && <Season profile={profile} isRefreshing={isRefreshing} />}
      <Stats profile={profile} />
      <Celebration profile={profile} />

      <ProcessingStrip profile={profile} />

      {!isNew && <Season profile={profile} isRefreshing={isRefreshing} />}

      <div className="two-columns">
        <WalletCard profile={profile} />
        <BonusSystem profile={profile} />
      </div>
      <FanTokens profile={profile} />
    </div>
  );
}

/** A new account: what comes first on its dashboard is the first step, not what it does not have. */
const hasNothing = ({ purchases, nfts, reviews, debts }: Profile) =>
  [purchases, nfts, reviews, debts].every((list) => list.length === 0);

/** Once for each browser, for the last payment since it looked. docs/product.md#paid-moment */
function Celebration({ profile }: { profile: Profile }) {
  const [celebrated, setCelebrated] = useState(() => readStored(STORAGE_KEYS.celebrated));
  const ticket = newlyPaid(profile, celebrated, Date.now());
  if (!ticket) return null;
  const end = () => {
    store(STORAGE_KEYS.celebrated, String(ticket.paidAt));
    setCelebrated(String(ticket.paidAt));
  };
  return (
    <ErrorBoundary part="moment" resetKey={ticket.tokenId} onNotFetched={() => setCelebrated(String(ticket.paidAt))}>
      <Suspense fallback={null}>
        <PaidMoment key={ticket.tokenId} ticket={ticket} onClose={end} />
      </Suspense>
    </ErrorBoundary>
  );
}

function useRefresh() {
  const t = useText();
  const { refresh } = useSession();
  const [isRefreshing, setRefreshing] = useState(false);
  async function refreshWalletData() {
    setRefreshing(true);
    try {
      // Without a profile the session has ended, which was already reported.
      if (await refresh()) toast.success(t("dashboard.refreshed"), { id: "refresh" });
    } catch (error) {
      toast.error(t("dashboard.refreshFailed"), { id: "refresh", description: reasonOf(error, t) });
    } finally {
      setRefreshing(false);
    }
  }
  return { isRefreshing, refreshWalletData };
}

/** Cashback in total, purchases, and cashback that is pending; dashes while they are not known. */
function Stats({ profile }: { profile?: Profile }) {
  const t = useText();
  const { chz, brl, integer } = useFormat();
  const config = useQuery(configQuery).data;
  const chosen = useSearchParams()[0].get("figure");
  const sums = profile && sumsOf(profile, BigInt(config.wei_per_cent));
  return (
    <div className={style.stats} data-new={profile && hasNothing(profile) ? "" : undefined}>
      <section className={`stat ${style.main}`}>
        <h2>{t("dashboard.total")}</h2>
        <div>
          <StatNumber>{sums && chz(sums.totalChz)}</StatNumber>
          <p className={`figures ${style.reais}`}>
            {sums &&
              sums.count > 0 &&
              t("dashboard.total.reais", {
                amount: brl(reaisText(worthCents(gweiFromChzText(sums.totalChz), BigInt(config.wei_per_cent)))),
              })}
          </p>
        </div>
        <div className="stat-note">
          {!(profile && hasNothing(profile)) && <Figures statement={profile?.statement} chosen={chosen} />}
          {(profile?.debts ?? []).length > 0 && <p>{t("dashboard.total.returned")}</p>}
        </div>
      </section>
      <section className="stat">
        <h2>{t("dashboard.transactions")}</h2>
        <StatNumber>{sums && integer(sums.count)}</StatNumber>
        <p className="stat-note">
          {sums && t("dashboard.transactions.note", { confirmed: sums.confirmedCount, pending: sums.pendingCount })}
        </p>
      </section>
      <section className="stat">
        <h2>{t("dashboard.pending")}</h2>
        <StatNumber>{sums && chz(sums.pendingChz)}</StatNumber>
        <p className="stat-note">{t("dashboard.pending.note")}</p>
      </section>
    </div>
  );
}

declare module "react" {
  interface CSSProperties {
    "--length"?: number;
  }
}

/** A figure on one line, as large as its length allows. */
function StatNumber({ children }: { children: string | undefined }) {
  return (
    <div className={style.line}>
      <p className="stat-number" style={children === undefined ? {} : { "--length": children.length }}>
        {children ?? "—"}
      </p>
    </div>
  );
}

function WalletCard({ profile }: { profile: Profile }) {
  const t = useText();
  const { chz } = useFormat();
  const wallet = useWallet();
  const { connect } = useConnectWallet();
  return (
    <Card title={t("dashboard.wallet")}>
      {wallet.address ? (
        <dl className={`grid gap-3 ${style.wallet}`}>
          <div>
            <dt>{t("dashboard.wallet.address")}</dt>
            <dd className="figures">
              {shortenAddress(wallet.address)} <AddressTools address={wallet.address} />
            </dd>
          </div>
          <div>
            <dt>{t("dashboard.wallet.balance")}</dt>
            {profile.nativeBalance === null ? (
              <dd>
                <span className={`figures ${style.balance}`}>—</span> {t("dashboard.wallet.unknown")}
              </dd>
            ) : (
              <dd className={`figures ${style.balance}`}>{chz(profile.nativeBalance)}</dd>
            )}
          </div>
        </dl>
      ) : (
        <>
          <p className="muted mb-4">{t("dashboard.wallet.none")}</p>
          <button type="button" className="button" aria-busy={wallet.isConnecting} onClick={connect}>
            <Icon name="wallet" />
            {t("wallet.connect")}
          </button>
        </>
      )}
      <p className="mt-3">
        <Link className="link" to={paths.profile}>
          {t("profile.title")}
        </Link>
      </p>
    </Card>
  );
}

/** Highest first, as in a league table. */
function BonusSystem({ profile }: { profile: Profile }) {
  const t = useText();
  const { percent } = useFormat();
  const program = useQuery(configQuery).data.bonus_program;
  const own = useBestToken(profile);
  return (
    <Card title={t("dashboard.bonus")}>
      {program !== "tiers" && (
        <p className="muted mb-3">{t("dashboard.bonus.text", { percent: percent(percentText(STORE_BONUS_BPS)) })}</p>
      )}
      <ol className={style.tiers}>
        {HOLDING_TIERS.map(({ name }, index) => (
          <Fragment key={name}>
            {own?.tiersAbove === index && <OwnPosition own={own} />}
            <li>
              <span className="badge" data-tier={name}>
                {t(`tier.${name}`)}
              </span>
              <span>{program === "tiers" ? t(`home.tiers.${name}.text`) : t(`dashboard.bonus.${name}`)}</span>
            </li>
          </Fragment>
        ))}
        {own?.tiersAbove === HOLDING_TIERS.length && <OwnPosition own={own} />}
      </ol>
    </Card>
  );
}

function OwnPosition({ own }: { own: BestToken }) {
  const t = useText();
  const { number, percent } = useFormat();
  return (
    <li className={style.own}>
      <span className="badge">{t("league.you")}</span>
      <span>
        <strong className="figures">
          {number(formatDecimal(own.held.units, own.held.decimals))} {own.symbol}
        </strong>
        {"\u00a0· "}
        {own.missing === undefined
          ? t("tokens.top")
          : t("tokens.missing", {
              amount: number(own.missing),
              count: Number(own.missing),
              percent: percent(own.nextPercent),
            })}
      </span>
    </li>
  );
}

/** The server's words, or the sums of the tickets' attributes if it sends none. docs/product.md#cashback-totals. */
function sumsOf(profile: Profile, weiPerCent = DEFAULT_WEI_PER_CENT): CashbackSums {
  const { totals } = profile;
  if (totals) {
    return {
      totalChz: equationOf(profile.statement)?.total ?? totals.total,
      pendingChz: totals.pending,
      count: totals.count,
      confirmedCount: totals.confirmed_count,
      pendingCount: totals.pending_count,
    };
  }
  const facts = profile.nfts.map(nftFacts).filter((one) => one.status !== "cancelled");
  const pending = facts.filter((one) => one.status === "pending");
  const sum = (rows: NftFacts[]) =>
    chzTextFromGwei(rows.reduce((total, one) => total + factsGwei(one, weiPerCent), 0n));
  return {
    totalChz: sum(facts),
    pendingChz: sum(pending),
    count: facts.length,
    confirmedCount: facts.length - pending.length,
    pendingCount: pending.length,
  };
}
