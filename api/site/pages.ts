import { hash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { EnvironmentError } from "../../core/process/environment.ts";
import { LANGUAGE_NAMES } from "../../core/rules/languages.ts";
import { codeOf } from "../../core/rules/unknown-error.ts";

/** HTML, in which the api fills named places: `core/rules/template.ts`. */
const template = z.array(z.string());
const texts = z.record(z.enum(LANGUAGE_NAMES), z.string());

/** A page of the web app, as its build writes it from `frontend/app/pages.ts`. */
const sitePage = z.object({
  path: z.string(),
  about: z.enum(["store", "ticket", "transaction", "club"]).optional(),
  who: z.enum(["anyone", "user", "admin"]),
  title: texts,
  description: texts,
  html: template,
});
export type SitePage = z.infer<typeof sitePage>;

/** `missing` is shown at paths that lead nowhere. */
const webApp = z.object({ pages: z.array(sitePage), missing: template });
/** `build`: what names it, the same wherever the same was built. */
type WebApp = z.infer<typeof webApp> & { build: string };

/**
 * The built web app in a folder: its pages; undefined if nothing was built there.
 * @throws EnvironmentError if another version built it
 */
export function readWebApp(directory: string): WebApp | undefined {
  try {
    const text = readFileSync(join(directory, ".vite/pages.json"), "utf8");
    // It names every file by the hash of its content.
    return { ...webApp.parse(JSON.parse(text)), build: hash("sha256", text).slice(0, 16) };
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(String(codeOf(error)))) return undefined;
    if (!(error instanceof z.ZodError || error instanceof SyntaxError)) throw error;
    throw new EnvironmentError(`WEB_DIR, ${directory}: another version built this web app; run npm run build`);
  }
}

/** The pages that search engines list, besides one for each store and club. */
export const listedPaths = (pages: SitePage[]): string[] =>
  pages.filter(({ path, who }) => who === "anyone" && !path.includes(":")).map(({ path }) => path);
