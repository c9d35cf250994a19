import type { AppConfig } from "../../core/rules/api/config.ts";
import { DEFAULT_LANGUAGE, LANGUAGE_NAMES, LANGUAGES, type Language } from "../../core/rules/languages.ts";
import { escapeHtml } from "../../core/rules/text.ts";
import type { Head } from "./heads.ts";
import type { SitePage } from "./pages.ts";

const EMPTY = '<script type="application/json" id="deployment"></script>';

/** The page with the configuration that `frontend/app/deployment.ts` reads before the first render. */
export function withDeployment(html: string, config: AppConfig): string {
  // Escaped, so that no text in it can close the element.
  const text = JSON.stringify(config).replaceAll("<", "\\u003c");
  return html.replace(EMPTY, () => EMPTY.replace("></", `>${text}</`));
}

/** The size of every picture for shared links. */
const SIZE = '<meta property="og:image:width" content="1200" /><meta property="og:image:height" content="630" />';

/** The page with its own title, description, addresses, picture, first paint and scripts. */
export function withHead(
  html: string,
  head: Head,
  { origin, path, language, page }: { origin: string; path: string; language: Language; page?: SitePage },
): string {
  const title = escapeHtml(head.title);
  const description = escapeHtml(head.description);
  const images = [head.image, "/og.png"].filter((one) => one !== undefined);
  const links =
    head.isMissing || head.isPrivate
      ? '<meta name="robots" content="noindex" />'
      : linksTo(`${origin}${escapeHtml(path)}`, language);
  const scripts = (page?.scripts ?? [])
    .map((href) => `<link rel="modulepreload" fetchpriority="low" crossorigin href="${href}" />`)
    .join("");
  return (
    html
      .replace('<html lang="pt-BR"', () => `<html lang="${LANGUAGES[language].locale}"`)
      .replace(/ lang="pt-BR">/, () => ` lang="${LANGUAGES[language].locale}">`)
      .replace("<!--page-->", () => page?.paint ?? "")
      .replaceAll(" data-heading></p>", () => `>${escapeHtml(head.heading ?? "")}</p>`)
      .replaceAll(" data-description></p>", () => `>${description}</p>`)
      .replace(/<title>[^<]*<\/title>/, () => `<title>${title}</title>${links}`)
      // After the app's own script, the largest file: of few connections, the first ones are its.
      .replace("</head>", () => `${scripts}</head>`)
      .replace(/<meta name="description" content="[^"]*"/, () => `<meta name="description" content="${description}"`)
      .replace(/<meta property="og:title" content="[^"]*"/, () => `<meta property="og:title" content="${title}"`)
      .replace(
        /<meta property="og:description" content="[^"]*"/,
        () => `<meta property="og:description" content="${description}"`,
      )
      .replace(
        /<meta property="og:locale" content="[^"]*"/,
        () => `<meta property="og:locale" content="${LANGUAGES[language].openGraph}"`,
      )
      .replace(/<meta property="og:image" content="[^"]*" \/>/, () =>
        images.map((image) => `<meta property="og:image" content="${origin}${image}" />${SIZE}`).join(""),
      )
  );
}

function linksTo(address: string, language: Language): string {
  const addressIn = (one: Language) => (one === DEFAULT_LANGUAGE ? address : `${address}?lang=${one}`);
  return [
    `<link rel="canonical" href="${addressIn(language)}" />`,
    ...LANGUAGE_NAMES.map(
      (one) => `<link rel="alternate" hreflang="${LANGUAGES[one].locale}" href="${addressIn(one)}" />`,
    ),
    `<link rel="alternate" hreflang="x-default" href="${address}" />`,
    `<meta property="og:url" content="${addressIn(language)}" />`,
  ].join("");
}

/** Larger ones are split; a search engine reads at most 50,000 addresses of a file. */
const SITEMAP_ADDRESSES = 5_000;
const XML = '<?xml version="1.0" encoding="UTF-8"?>';
const SITEMAP_NAMES = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/** The sitemap, or with more addresses an index of its parts; `part` counts from 1, and is undefined if there is none. */
export function sitemapOf(paths: readonly string[], origin: string, part?: number): string | undefined {
  const parts = Math.ceil(paths.length / SITEMAP_ADDRESSES);
  const locations = (all: readonly string[], tag: string) =>
    all.map((path) => `<${tag}><loc>${origin}${path}</loc></${tag}>`).join("");
  if (part === undefined && parts > 1) {
    const files = Array.from({ length: parts }, (_, index) => `/sitemap-${index + 1}.xml`);
    return `${XML}<sitemapindex ${SITEMAP_NAMES}>${locations(files, "sitemap")}</sitemapindex>`;
  }
  const from = ((part ?? 1) - 1) * SITEMAP_ADDRESSES;
  const own = paths.slice(from, from + SITEMAP_ADDRESSES);
  return own.length === 0 && part !== undefined
    ? undefined
    : `${XML}<urlset ${SITEMAP_NAMES}>${locations(own, "url")}</urlset>`;
}
