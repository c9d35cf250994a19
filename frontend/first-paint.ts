import { DEFAULT_LANGUAGE, LANGUAGE_NAMES, LANGUAGES, type Language, languageAfter } from "../core/rules/languages.ts";
import type { Page } from "./app/pages.ts";
import type { MessageId } from "./i18n/language.tsx";

type Texts = Readonly<Record<MessageId, string>>;
/** The texts of every language. */
export type Catalogues = Readonly<Record<Language, Texts>>;
type InEach = (id: MessageId) => string;

/** The content of `index.html` until the app has started: the header, and room for the page's own first paint. */
export function firstPaint(catalogues: Catalogues): string {
  const inEach = spansOf(catalogues);
  const nav = (["home", "stores", "dashboard"] as const)
    .map((name) => `<a href="${name === "home" ? "/" : `/${name}`}"><svg></svg>${inEach(`nav.${name}`)}</a>`)
    .join("");
  return [
    '<header class="site-header"><div class="site-header-inner">',
    `<a class="logo" href="/">${LOGO}<span>Torcida</span></a>`,
    `<nav class="site-nav">${nav}</nav>`,
    '<div class="site-actions first-paint-space" aria-hidden="true">',
    `<span class="button button-small"><svg></svg>${inEach("wallet.connect")}</span><span class="icon-button"></span><span class="icon-button">${LANGUAGES[languageAfter(DEFAULT_LANGUAGE)].short}</span>`,
    "</div></div></header><main><!--page--></main>",
  ].join("");
}

/** Heading and skeletons of a page in the app's markup; the api puts it into the page (`api/site/page.ts`). */
export function firstPaintOf(catalogues: Catalogues, { path, title, description, about }: Page): string {
  const inEach = spansOf(catalogues);
  const heading = `<p class="page-title"${about ? " data-heading>" : `>${inEach(title)}`}</p>`;
  const lead = `<p class="lead"${about ? " data-description>" : `>${inEach(description)}`}</p>`;
  return PAINTS[path]?.(heading, lead, inEach) ?? "";
}

const page = (content: string): string => `<section class="page first-paint">${content}</section>`;

const PAINTS: Record<string, (heading: string, lead: string, inEach: InEach) => string> = {
  "/": (_heading, _lead, inEach) =>
    [
      '<section class="hero first-paint"><div class="hero-inner"><div>',
      `<p class="hero-title">${inEach("home.hero.title")}</p><p class="hero-text">${inEach("home.hero.text")}</p>`,
      `<div class="flex flex-wrap gap-3 first-paint-space" aria-hidden="true"><span class="button">${inEach("home.viewStores")}</span><span class="button">${inEach("home.viewDashboard")}</span></div>`,
      "</div></div></section>",
    ].join(""),
  "/stores": (heading, lead) => page(heading + lead + skeletons(6, "h-64", "store-grid")),
  "/stores/:storeId": (heading, lead) => page(heading + skeletons(1, "h-24") + lead + skeletons(1, "h-64")),
  "/ticket/:tokenId": (heading, lead) => page(heading + lead + skeletons(1, "h-64")),
  "/auth": (heading, lead) => page(heading + lead + skeletons(1, "h-64")),
  // The lead is the largest text of the first screen; figures replace the dashes.
  "/dashboard": (heading, lead, inEach) =>
    page(
      [
        `<div class="dashboard"><div class="section-head"><div>${heading}<div class="welcome"><div class="skeleton h-6 max-w-xs"></div></div>${lead}</div>`,
        `<div class="refresh first-paint-space" aria-hidden="true"><span class="button button-small button-quiet">${inEach("dashboard.refresh")}</span></div></div>`,
        '<div class="stat-grid">',
        stat(inEach("dashboard.total"), "", " stat-main", '<p class="stat-reais"></p>'),
        stat(inEach("dashboard.transactions"), ""),
        stat(inEach("dashboard.pending"), inEach("dashboard.pending.note")),
        `</div>${skeletons(1, "h-64")}</div>`,
      ].join(""),
    ),
};

/** A figure that is not known yet. */
const stat = (title: string, note: string, kind = "", more = ""): string =>
  `<section class="stat${kind}"><h2>${title}</h2><div class="stat-figure"><div class="stat-line"><p class="stat-number">—</p></div>${more}</div><p class="stat-note">${note}</p></section>`;

/** A message in each language. */
export const texts = (catalogues: Catalogues, id: MessageId): Record<Language, string> =>
  Object.fromEntries(LANGUAGE_NAMES.map((one) => [one, catalogues[one][id]])) as Record<Language, string>;

const LOGO =
  '<svg aria-hidden="true" width="30" height="30" viewBox="0 0 32 32"><path fill="currentColor" d="M4 5h24a2 2 0 0 1 2 2v5.200a3.800 3.800 0 0 0 0 7.600V25a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2v-5.200a3.800 3.800 0 0 0 0-7.600V7a2 2 0 0 1 2-2z"/><path class="logo-letter" d="M9 9h14v4h-4.700v11h-4.600V13H9z"/></svg>';

/** What the app shows while it loads, available before any of its code. */
function skeletons(count: number, height: string, grid = "grid"): string {
  return `<div class="${grid}" aria-hidden="true">${`<div class="skeleton ${height}"></div>`.repeat(count)}</div>`;
}

/** Each language but the default, with its locale and texts. */
const othersOf = (catalogues: Catalogues) =>
  LANGUAGE_NAMES.slice(1).map((one) => ({ lang: LANGUAGES[one].locale, texts: catalogues[one] }));

/** A message in each language; `public/theme.js` shows one. */
const spansOf =
  (catalogues: Catalogues): InEach =>
  (id) =>
    [
      `<span class="first-paint-text">${catalogues[DEFAULT_LANGUAGE][id]}</span>`,
      ...othersOf(catalogues).map(
        ({ lang, texts }) => `<span class="first-paint-text" lang="${lang}">${texts[id]}</span>`,
      ),
    ].join("");

/** The page that the service worker keeps: what is said without a connection, in each language. */
export function offlinePage(catalogues: Catalogues, template: string): string {
  const inEach = spansOf(catalogues);
  const said = `<h1>${inEach("offline.heading")}</h1><p>${inEach("offline.text")}</p><button type="button">${inEach("offline.retry")}</button>`;
  return template
    .replace("<!--title-->", () => catalogues[DEFAULT_LANGUAGE]["offline.title"])
    .replace("<!--logo-->", () => LOGO)
    .replace("<!--texts-->", () => said);
}
