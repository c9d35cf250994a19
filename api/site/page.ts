import type { AppConfig } from "../../core/rules/api/config.ts";
import { DEFAULT_LANGUAGE, LANGUAGE_NAMES, LANGUAGES, type Language } from "../../core/rules/languages.ts";
import { fill, type Template } from "../../core/rules/template.ts";
import { escapeHtml, jsonForHtml } from "../../core/rules/text.ts";
import type { Head } from "./heads.ts";

/** The size of every picture for shared links. */
const SIZE = '<meta property="og:image:width" content="1200" /><meta property="og:image:height" content="630" />';

/**
 * A page as the build made it (`frontend/prerender.tsx`), with its own title, description, addresses and picture, and the
 * configuration that `frontend/app/deployment.ts` reads before the first render.
 */
export function pageOf(
  template: Template,
  head: Head,
  { origin, path, language, config }: { origin: string; path: string; language: Language; config: AppConfig },
): string {
  const images = [head.image, "/og.png"].filter((one) => one !== undefined);
  return fill(template, {
    language: LANGUAGES[language].locale,
    openGraphLocale: LANGUAGES[language].openGraph,
    title: head.title,
    description: head.description,
    heading: head.heading ?? "",
    picture: head.picture ?? "",
    figure: head.figure ?? "",
    links: {
      html:
        head.isMissing || head.isPrivate
          ? '<meta name="robots" content="noindex" />'
          : linksTo(`${origin}${escapeHtml(path)}`, language),
    },
    images: {
      html: images.map((image) => `<meta property="og:image" content="${origin}${image}" />${SIZE}`).join(""),
    },
    deployment: { html: jsonForHtml(config) },
  });
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
