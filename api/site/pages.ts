import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { LANGUAGE_NAMES } from "../../core/rules/languages.ts";
import { codeOf } from "../../core/rules/unknown-error.ts";

const texts = z.record(z.enum(LANGUAGE_NAMES), z.string());

/** A page of the web app, as its build writes it from `frontend/app/pages.ts`. */
const sitePage = z.object({
  path: z.string(),
  about: z.enum(["store", "ticket", "transaction"]).optional(),
  who: z.enum(["anyone", "user", "admin"]),
  title: texts,
  description: texts,
  /** What the page's screen needs in addition to what every page loads. */
  scripts: z.array(z.string()),
  /** HTML that shows before any script has run. */
  paint: z.string(),
});
export type SitePage = z.infer<typeof sitePage>;

/** `build`: what names it, the same wherever the same was built. */
type WebApp = { html: string; pages: SitePage[]; build: string };

/** The built web app in a folder: its HTML and its table of pages; undefined if nothing was built there. */
export function readWebApp(directory: string): WebApp | undefined {
  try {
    const html = readFileSync(join(directory, "index.html"), "utf8");
    const pages = readFileSync(join(directory, ".vite/pages.json"), "utf8");
    // They name every file by the hash of its content.
    const build = hash("sha256", `${html}\n${pages}`).slice(0, 16);
    return { html, pages: z.array(sitePage).parse(JSON.parse(pages)), build };
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(String(codeOf(error)))) return undefined;
    throw error;
  }
}

/** The pages that search engines list, besides one for each store. */
export const listedPaths = (pages: SitePage[]): string[] =>
  pages.filter(({ path, who }) => who === "anyone" && !path.includes(":")).map(({ path }) => path);
