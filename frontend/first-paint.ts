import en from "./i18n/en.json" with { type: "json" };
import pt from "./i18n/pt.json" with { type: "json" };

/**
 * The content of `index.html` until the app has started: the header and, on the main pages, heading and skeletons, in the
 * app's markup. `public/theme.js` selects page and language.
 */
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
    "</div></div></header><main>",
    '<section class="hero first-paint" data-page="/"><div class="hero-inner"><div>',
    `<p class="hero-title">${both("home.hero.title")}</p><p class="hero-text">${both("home.hero.text")}</p>`,
    `<div class="flex flex-wrap gap-3 first-paint-space" aria-hidden="true"><span class="button">${both("home.viewStores")}</span><span class="button">${both("home.viewDashboard")}</span></div>`,
    "</div></div></section>",
    '<section class="page first-paint" data-page="/stores">',
    `<p class="page-title">${both("stores.title")}</p><p class="lead">${both("stores.description")}</p>${skeletons(6, "h-64", "store-grid")}</section>`,
    `<section class="page first-paint" data-page="/stores/">${fromServer(skeletons(1, "h-24"))}${skeletons(1, "h-64")}</section>`,
    `<section class="page first-paint" data-page="/ticket/">${fromServer("")}${skeletons(1, "h-64")}</section>`,
    '<section class="page first-paint" data-page="/auth">',
    `<p class="page-title">${both("auth.title")}</p><p class="lead">${both("auth.description")}</p>${skeletons(1, "h-64")}</section>`,
    '<section class="page first-paint" data-page="/dashboard">',
    `<p class="page-title">${both("dashboard.title")}</p>${skeletons(3, "h-32", "stat-grid")}${skeletons(1, "h-64")}</section></main>`,
  ].join("");
}

const LOGO =
  '<svg aria-hidden="true" width="30" height="30" viewBox="0 0 32 32"><path fill="currentColor" d="M4 5h24a2 2 0 0 1 2 2v5.200a3.800 3.800 0 0 0 0 7.600V25a2 2 0 0 1-2 2H4a2 2 0 0 1-2-2v-5.200a3.800 3.800 0 0 0 0-7.600V7a2 2 0 0 1 2-2z"/><path class="logo-letter" d="M9 9h14v4h-4.700v11h-4.600V13H9z"/></svg>';

/** The api inserts the name and description of the store or ticket: `api/site/page.ts`. */
function fromServer(between: string): string {
  return `<p class="page-title" data-heading></p>${between}<p class="lead" data-description></p>`;
}

/** What the app shows while it loads, available before any of its code. */
function skeletons(count: number, height: string, grid = "grid"): string {
  return `<div class="${grid}" aria-hidden="true">${`<div class="skeleton ${height}"></div>`.repeat(count)}</div>`;
}

function both(id: keyof typeof pt): string {
  return `<span class="first-paint-pt">${pt[id]}</span><span class="first-paint-en" lang="en">${en[id]}</span>`;
}
