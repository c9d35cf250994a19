import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { FormattedMessage } from "react-intl";
import { Link, NavLink, useLocation, useNavigate } from "react-router";
import { useConnection, useDisconnect } from "wagmi";
import { LANGUAGES, languageAfter } from "../../core/rules/languages.ts";
import { PRODUCT_NAME } from "../../core/rules/product.ts";
import { shortenAddress } from "../../core/rules/wallet-address.ts";
import { attentionQuery } from "../api/queries.ts";
import { ClubButton } from "../club/club-button.tsx";
import { Bell } from "../events/bell.tsx";
import { useLanguage, useText } from "../i18n/language.tsx";
import { useAdminStatus } from "../session/admin-status.ts";
import { useSession } from "../session/session.tsx";
import { Icon } from "../ui/icon.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { toast } from "../ui/toast.ts";
import { AddressTools } from "../wallet/address-tools.tsx";
import { Declined } from "../wallet/declined.tsx";
import { useConnectWallet } from "../wallet/use-connect-wallet.ts";
import { useSwitchToTarget } from "../wallet/use-switch-to-target.ts";
import { useWallet } from "../wallet/use-wallet.ts";
import { AccountMenu } from "./account-menu.tsx";
import { endInstall, install, useInstallable } from "./install.ts";
import { paths } from "./paths.ts";
import { readStored, STORAGE_KEYS, store } from "./storage.ts";
import { ThemeSwitch } from "./theme-switch.tsx";

const ErasureNotice = lazy(() => import("../session/erasure-notice.tsx"));

const SCRIPT = import.meta.env.VITE_ANALYTICS_URL;

export function Layout({ children }: { children: ReactNode }) {
  return (
    <>
      <a className="skip-link" href="#main">
        <FormattedMessage id="nav.skip" />
      </a>
      <Header />
      <NetworkNotice />
      <Erasure />
      <Declined className="notice" />
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      <Footer />
      <Analytics />
      <Install />
    </>
  );
}

/** On every page of whoever is signed in and will be erased. docs/product.md#erase */
function Erasure() {
  const { profile } = useSession();
  return (
    profile?.erasure && (
      <Suspense>
        <ErasureNotice />
      </Suspense>
    )
  );
}

/** Also part of what the build paints (`prerender.tsx`). */
export function Header() {
  const t = useText();
  const session = useSession();
  const isAdmin = useAdminStatus() === "admin";
  return (
    <header className="site-header">
      <div className="site-header-inner">
        <Link to={paths.home} className="logo" aria-label={PRODUCT_NAME}>
          <LogoMark />
          <span>{PRODUCT_NAME}</span>
        </Link>
        <nav aria-label={t("nav.main")} className="site-nav">
          {/* Icons only in the bar at the bottom of a phone. */}
          {NAVIGATION.map(([name, to]) => (
            <NavLink key={name} to={to} end={to === paths.home}>
              <Icon name={NAVIGATION_ICONS[name]} />
              {t(`nav.${name}`)}
            </NavLink>
          ))}
          <ClubButton />
        </nav>
        <div className="site-actions">
          {isAdmin && <AdminLinks />}
          <WalletControl />
          {session.status !== "anonymous" && (
            <button type="button" className="button button-small button-quiet" onClick={session.signOut}>
              {t("session.signOut")}
            </button>
          )}
          <Bell />
          {session.status === "anonymous" && <ThemeSwitch />}
          <LanguageSwitch />
          <AccountMenu />
        </div>
      </div>
    </header>
  );
}

function WalletControl() {
  const t = useText();
  const session = useSession();
  const wallet = useWallet();
  const { connect } = useConnectWallet();
  const { mutate: disconnect } = useDisconnect();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  if (wallet.address) {
    return (
      <>
        <button
          type="button"
          className="button button-small button-quiet figures"
          title={t("wallet.disconnect")}
          onClick={() => disconnect()}
        >
          <ShortAddress of={wallet.address} />
        </button>
        <AddressTools address={wallet.address} />
      </>
    );
  }
  if (wallet.isRestoring && session.status !== "anonymous") {
    // As it is about to look, so that the header does not move.
    const earlier = readStored(STORAGE_KEYS.currentWallet);
    if (earlier) {
      return (
        <button type="button" className="button button-small button-quiet figures" disabled aria-busy="true">
          <ShortAddress of={earlier} />
        </button>
      );
    }
  }
  const hasSession = session.status !== "anonymous";
  return (
    <button
      type="button"
      className="button button-small"
      aria-busy={wallet.isConnecting}
      onClick={() => (hasSession || pathname === paths.auth() ? connect() : navigate(paths.auth()))}
    >
      <Icon name="wallet" />
      {hasSession ? (
        <span>
          {t("wallet.reconnect")}
          <span className="wide-only"> {t("wallet.reconnect.what")}</span>
        </span>
      ) : (
        t("wallet.connect")
      )}
    </button>
  );
}

/** Only its end on a phone; screen readers read all of it. */
function ShortAddress({ of }: { of: string }) {
  const [head, tail] = shortenAddress(of).split("...");
  return (
    <span>
      <span className="address-head">{head}</span>...{tail}
    </span>
  );
}

function LanguageSwitch() {
  const t = useText();
  const { language, choose } = useLanguage();
  const next = languageAfter(language);
  const { short, name, locale } = LANGUAGES[next];
  // Another language is loaded when it is first chosen.
  const switchLanguage = () =>
    choose(next).catch(() => {
      const description = t(navigator.onLine ? "state.serverAway" : "state.offline");
      toast.error(t("state.languageAway"), { id: "language", description });
    });
  return (
    <button type="button" className="icon-button" lang={locale} onClick={switchLanguage}>
      {short}
      <span className="sr-only"> {name}</span>
    </button>
  );
}

const NAVIGATION = [
  ["home", paths.home],
  ["stores", paths.stores],
  ["dashboard", paths.dashboard],
] as const;
const NAVIGATION_ICONS = { home: "home", stores: "store", dashboard: "ticket" } as const;

export function LogoMark() {
  return (
    <svg aria-hidden="true" width="30" height="30" viewBox="0 0 32 32">
      <path
        fill="currentColor"
        d="M4 5h24a2 2 0 0 1 2 2v5.200a3.800 3.800 0 0 0 0 7.600V25a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2v-5.200a3.800 3.800 0 0 0 0-7.600V7a2 2 0 0 1 2-2z"
      />
      <path className="logo-letter" d="M9 9h14v4h-4.700v11h-4.600V13H9z" />
    </svg>
  );
}

/** Stays visible while the wallet is on another chain; a toast would disappear. */
function NetworkNotice() {
  const { isWrongNetwork } = useWallet();
  const { connector } = useConnection();
  const switchToTarget = useSwitchToTarget();
  if (!isWrongNetwork || !connector) return null;
  return (
    <div className="notice" role="status">
      <p>
        <FormattedMessage id="wallet.otherNetwork" />
      </p>
      <button type="button" className="button button-small" onClick={() => switchToTarget(connector)}>
        <FormattedMessage id="wallet.switch" />
      </button>
    </div>
  );
}

function Footer() {
  const t = useText();
  return (
    <footer className="site-footer">
      <div className="site-footer-inner">
        <nav aria-label={t("nav.footer")}>
          <ul>
            {FOOTER.map(([name, topic]) => (
              <li key={name}>
                <Link to={paths.help(topic)}>{t(`footer.${name}`)}</Link>
              </li>
            ))}
            <li>
              <Link to={paths.offers}>{t("offers.title")}</Link>
            </li>
            <li>
              <Link to={paths.proof}>{t("proofPage.title")}</Link>
            </li>
          </ul>
        </nav>
        <p>{t("footer.copyright", { year: String(new Date().getFullYear()), product: PRODUCT_NAME })}</p>
      </div>
    </footer>
  );
}

const FOOTER = [
  ["about", "how-it-works"],
  ["faq", undefined],
  ["contact", "contact"],
  ["terms", "terms"],
  ["privacy", "privacy"],
] as const;

function AdminLinks() {
  const t = useText();
  const { data } = useQuery(attentionQuery);
  const count = data?.total ?? 0;
  return (
    <span className="admin-links">
      <LinkButton to={paths.admin} className="button button-small button-quiet admin-link" lang="pt-BR">
        Painel de Admin
      </LinkButton>
      {count > 0 && (
        <Link to={paths.admin} className="notice-count figures" aria-label={t("nav.notices", { count })}>
          {count > 99 ? "99+" : count}
        </Link>
      )}
    </span>
  );
}

/** Offers to install the app, once. docs/product.md#install */
function Install() {
  const t = useText();
  const how = useInstallable();
  if (!how || (SCRIPT && !readStored(STORAGE_KEYS.consent))) return null;
  return (
    <section className="consent" aria-label={t("install.title")}>
      <p>{t(how === "ios" ? "install.ios" : "install.text")}</p>
      <button type="button" className="button button-small button-quiet" onClick={endInstall}>
        {t(how === "ios" ? "install.close" : "install.no")}
      </button>
      {how === "browser" && (
        <button type="button" className="button button-small" onClick={install}>
          {t("install.yes")}
        </button>
      )}
    </section>
  );
}

/** Asks once if web analytics is configured, and loads the script only after consent. */
function Analytics() {
  const t = useText();
  const [consent, setConsent] = useState(() => readStored(STORAGE_KEYS.consent));
  useEffect(() => {
    if (!SCRIPT || consent !== "yes" || document.querySelector("script[data-analytics]")) return;
    const script = document.createElement("script");
    script.src = SCRIPT;
    script.async = true;
    script.dataset.analytics = "";
    document.head.append(script);
  }, [consent]);
  if (!SCRIPT || consent) return null;
  const answer = (value: "yes" | "no") => {
    store(STORAGE_KEYS.consent, value);
    setConsent(value);
  };
  return (
    <section className="consent" aria-label={t("consent.title")}>
      <p>{t("consent.text")}</p>
      <button type="button" className="button button-small button-quiet" onClick={() => answer("no")}>
        {t("consent.no")}
      </button>
      <button type="button" className="button button-small" onClick={() => answer("yes")}>
        {t("consent.yes")}
      </button>
    </section>
  );
}
