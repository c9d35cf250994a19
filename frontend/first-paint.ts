import type { Language } from "../domain/languages.ts";
import type { Page } from "./app/pages.ts";
import en from "./i18n/en.json" with { type: "json" };
import type { MessageId } from "./i18n/language.tsx";
import pt from "./i18n/pt.json" with { type: "json" };

/** The content of `index.html` until the app has started: the header, and room for the page's own first paint. */
export function firstPaint(): string {
  const nav = (["home", "stores", "dashboard"] as const)
    .map((name) => `<a href="${name === "home" ? "/" : `/${name}`}"><svg></svg>${both(`nav.${name}`)}</a>`)
    .join("");
  return [
    '<header class="site-header"><div class="site-header-inner">',
    `<a class="logo" href="/">${LOGO}<span>Torcida</span></a>`,
    `<nav class="site-nav">${nav}</nav>`,
    '<div class="site-actions first-paint-space" aria-hidden="true">',
    `<span class="button button-small"><svg></svg>${both("wallet.connect")}</span><span class="icon-button"></span><span class="icon-button">EN</span>`,
    "</div></div></header><main><!--page--></main>",
  ].join("");
}

/** Heading and skeletons of a page in the app's markup; the api puts it into the page (`api/site/page.ts`). */
export function firstPaintOf({ path, title, description, about }: Page): string {
  const heading = `<p class="page-title"${about ? " data-heading>" : `>${both(title)}`}</p>`;
  const lead = `<p class="lead"${about ? " data-description>" : `>${both(description)}`}</p>`;
  return PAINTS[path]?.(heading, lead) ?? "";
}

const page = (content: string): string => `<section class="page first-paint">${content}</section>`;

const PAINTS: Record<string, (heading: string, lead: string) => string> = {
  "/": () =>
    [
      '<section class="hero first-paint"><div class="hero-inner"><div>',
      `<p class="hero-title">${both("home.hero.title")}</p><p class="hero-text">${both("home.hero.text")}</p>`,
      `<div class="flex flex-wrap gap-3 first-paint-space" aria-hidden="true"><span class="button">${both("home.viewStores")}</span><span class="button">${both("home.viewDashboard")}</span></div>`,
      "</div></div></section>",
    ].join(""),
  "/stores": (heading, lead) => page(heading + lead + skeletons(6, "h-64", "store-grid")),
  "/stores/:storeId": (heading, lead) => page(heading + skeletons(1, "h-24") + lead + skeletons(1, "h-64")),
  "/ticket/:tokenId": (heading, lead) => page(heading + lead + skeletons(1, "h-64")),
  "/auth": (heading, lead) => page(heading + lead + skeletons(1, "h-64")),
  "/dashboard": (heading) => page(heading + skeletons(3, "h-32", "stat-grid") + skeletons(1, "h-64")),
};

/** A message in both languages; `public/theme.js` selects one. */
export function texts(id: MessageId): Record<Language, string> {
  return { pt: pt[id], en: en[id] };
}

const LOGO =
  '<svg aria-hidden="true" width="30" height="30" viewBox="0 0 32 32"><path fill="currentColor" d="M4 5h24a2 2 0 0 1 2 2v5.200a3.800 3.800 0 0 0 0 7.600V25a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2v-5.200a3.800 3.800 0 0 0 0-7.600V7a2 2 0 0 1 2-2z"/><path class="logo-letter" d="M9 9h14v4h-4.700v11h-4.600V13H9z"/></svg>';

/** What the app shows while it loads, available before any of its code. */
function skeletons(count: number, height: string, grid = "grid"): string {
  return `<div class="${grid}" aria-hidden="true">${`<div class="skeleton ${height}"></div>`.repeat(count)}</div>`;
}

function both(id: MessageId): string {
  return `<span class="first-paint-pt">${pt[id]}</span><span class="first-paint-en" lang="en">${en[id]}</span>`;
}
