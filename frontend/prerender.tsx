import { QueryClientProvider } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { StaticRouter } from "react-router";
import { DEFAULT_LANGUAGE, LANGUAGE_NAMES, LANGUAGES, type Language } from "../core/rules/languages.ts";
import { PRODUCT_NAME } from "../core/rules/product.ts";
import { queryClient } from "./api/queries.ts";
import { Header, LogoMark } from "./app/layout.tsx";
import { AuthOnTheWay } from "./auth/auth-page.tsx";
import { DashboardSkeleton } from "./dashboard/dashboard-page.tsx";
import { Hero } from "./home/home-page.tsx";
import { LanguageProvider, loadLanguage } from "./i18n/language.tsx";
import { SessionProvider } from "./session/session.tsx";
import { ClubOnTheWay } from "./stores/club-page.tsx";
import { OnTheWay as StoreOnTheWay } from "./stores/store-page.tsx";
import { StoresOnTheWay } from "./stores/stores-page.tsx";
import { Frame as TicketFrame } from "./ticket/ticket-page.tsx";
import { WalletProvider } from "./wallet/wallet-provider.tsx";

/** The files that a page loads. */
export type PageFiles = {
  /** The first one is the entry. */
  scripts: readonly string[];
  /** Those that its screen needs in addition. */
  screenScripts: readonly string[];
  styles: readonly string[];
  font: string | undefined;
};

/** The places that the api fills in a page: `api/site/page.ts`. */
const PLACES = {
  language: "{{language}}",
  openGraphLocale: "{{openGraphLocale}}",
  title: "{{title}}",
  description: "{{description}}",
  heading: "{{heading}}",
  picture: "{{picture}}",
  figure: "{{figure}}",
  links: "{{links}}",
  images: "{{images}}",
  deployment: "{{deployment}}",
};

/** What of each page shows before any script has run: the screen's own parts, as it waits for its data. */
const PAINTS: Record<string, () => ReactNode> = {
  "/": () => <Hero />,
  "/stores": () => <StoresOnTheWay />,
  "/stores/:storeId": () => (
    <StoreOnTheWay name={PLACES.heading} description={PLACES.description} figure={PLACES.figure} />
  ),
  "/ticket/:tokenId": () => (
    <TicketFrame title={PLACES.heading} description={PLACES.description} picture={PLACES.picture} />
  ),
  "/clubs/:slug": () => <ClubOnTheWay name={PLACES.heading} description={PLACES.description} />,
  "/auth": () => <AuthOnTheWay />,
  "/dashboard": () => <DashboardSkeleton />,
};

await Promise.all(LANGUAGE_NAMES.map(loadLanguage));

/** The HTML of a page of the table, or without a path of what leads nowhere, with the places that the api fills. */
export function pageHtml(path: string | undefined, { scripts, screenScripts, styles, font }: PageFiles): string {
  const [entry, ...imports] = scripts;
  return html(
    <html lang={PLACES.language} data-locales={LOCALES}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content" />
        <script src="/theme.js" />
        <title>{PLACES.title}</title>
        {/* The first paint needs styles and font; scripts may load after them. */}
        {font && <link rel="preload" as="font" type="font/woff2" crossOrigin="" href={font} />}
        {styles.map((href) => (
          <link key={href} rel="stylesheet" crossOrigin="" href={href} />
        ))}
        <meta name="description" content={PLACES.description} />
        <meta name="theme-color" content="#0b3d2e" />
        <meta name="color-scheme" content="light dark" />
        <meta property="og:type" content="website" />
        <meta property="og:site_name" content={PRODUCT_NAME} />
        <meta property="og:title" content={PLACES.title} />
        <meta property="og:description" content={PLACES.description} />
        <meta property="og:locale" content={PLACES.openGraphLocale} />
        <meta name="twitter:card" content="summary_large_image" />
        <link rel="manifest" href="/manifest.webmanifest" />
        <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
        {PLACES.links}
        {PLACES.images}
        <script type="application/json" id="deployment">
          {PLACES.deployment}
        </script>
        {entry && <script type="module" fetchPriority="low" crossOrigin="" src={entry} />}
        {/* The app's own first, the largest file: of few connections, the first ones are its. */}
        {[...imports, ...screenScripts].map((href) => (
          <link key={href} rel="modulepreload" fetchPriority="low" crossOrigin="" href={href} />
        ))}
      </head>
      <body>
        <div id="root">
          <InEachLanguage>{(language) => <FirstPaint path={path} language={language} />}</InEachLanguage>
        </div>
        <noscript>A Torcida precisa de JavaScript para conversar com a sua carteira.</noscript>
      </body>
    </html>,
  );
}

/** The app as it is before it knows who reads, and where nothing can be pressed (`.first-paint` in `design/layout.css`). */
function FirstPaint({ path, language }: { path: string | undefined; language: Language }) {
  return (
    <LanguageProvider initial={language}>
      <QueryClientProvider client={queryClient}>
        <StaticRouter location={path ?? "/404"}>
          <WalletProvider>
            <SessionProvider>
              <Header />
              <main>{path && PAINTS[path]?.()}</main>
            </SessionProvider>
          </WalletProvider>
        </StaticRouter>
      </QueryClientProvider>
    </LanguageProvider>
  );
}

/** The page that the service worker keeps. `offline`: the texts that no part of the app has. */
export function offlineHtml(texts: Readonly<Record<Language, Readonly<Record<string, string>>>>): string {
  return html(
    <html lang={LANGUAGES[DEFAULT_LANGUAGE].locale} data-locales={LOCALES}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="theme-color" content="#0b3d2e" />
        <script src="/theme.js" />
        <title>{`${texts[DEFAULT_LANGUAGE]["offline.title"]} · ${PRODUCT_NAME}`}</title>
        <link rel="icon" href="/favicon.svg" />
        <link rel="stylesheet" href="/offline.css" />
        <script src="/offline.js" defer />
      </head>
      <body>
        <header>
          <LogoMark /> {PRODUCT_NAME}
        </header>
        <main>
          <svg aria-hidden="true" viewBox="0 0 120 64" width="180">
            <path
              d="M6 4h74l6 9-8 9 9 10-9 10 8 9-6 9H6a4 4 0 0 1-4-4V8a4 4 0 0 1 4-4zM94 4h20a4 4 0 0 1 4 4v48a4 4 0 0 1-4 4H94l6-9-8-9 9-10-9-10 8-9z"
              fill="none"
              stroke="currentColor"
              strokeWidth="3"
              strokeDasharray="6 4"
            />
            <path d="M16 20h36M16 32h24M16 44h30" stroke="currentColor" strokeWidth="3" />
          </svg>
          <InEachLanguage>
            {(language) => (
              <>
                <h1>{texts[language]["offline.heading"]}</h1>
                <p>{texts[language]["offline.text"]}</p>
                <button type="button">{texts[language]["offline.retry"]}</button>
              </>
            )}
          </InEachLanguage>
        </main>
      </body>
    </html>,
  );
}

/** What `theme.js` chooses from. */
const LOCALES = JSON.stringify(Object.fromEntries(LANGUAGE_NAMES.map((one) => [one, LANGUAGES[one].locale])));

/** The same in each language, of which `theme.js` shows the reader's: only the default one's is without its locale. */
function InEachLanguage({ children }: { children: (language: Language) => ReactNode }) {
  return LANGUAGE_NAMES.map((language) => (
    <div
      key={language}
      className="first-paint"
      lang={language === DEFAULT_LANGUAGE ? undefined : LANGUAGES[language].locale}
    >
      {children(language)}
    </div>
  ));
}

const html = (document: ReactNode): string => `<!doctype html>${renderToStaticMarkup(document)}`;
