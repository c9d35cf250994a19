/** Makes the browser extension of a site, one archive a kind of browser, from one source. docs/extension.md */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { strToU8, type Zippable, zipSync } from "fflate";
import { build } from "vite";
import { LANGUAGE_NAMES, LANGUAGES } from "../../core/rules/languages.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const SOURCE = join(ROOT, "frontend/extension");
const BROWSERS = ["chromium", "firefox"] as const;
type BrowserKind = (typeof BROWSERS)[number];

/** An archive of the same content has the same bytes, whenever it is made. */
const MADE_AT = new Date(2000, 0, 1);

const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { version: string };

/**
 * What each kind of browser is told. No host, no `tabs`, no history: the address of a page is known only for the click on
 * the icon.
 */
export function manifestFor(browser: BrowserKind, site: string): object {
  const isChromium = browser === "chromium";
  const icons = { 192: "icon-192.png" };
  return {
    manifest_version: 3,
    name: "__MSG_name__",
    description: "__MSG_description__",
    version,
    default_locale: "pt_BR",
    homepage_url: site,
    icons,
    action: { default_popup: "popup.html", default_icon: icons, default_title: "__MSG_name__" },
    permissions: ["activeTab", "alarms", "storage", ...(isChromium ? ["declarativeContent"] : [])],
    background: isChromium
      ? { service_worker: "background.js", type: "module" }
      : { scripts: ["background.js"], type: "module" },
    content_security_policy: { extension_pages: `default-src 'self'; connect-src 'self' ${site}` },
    ...(isChromium
      ? { minimum_chrome_version: "126" }
      : {
          browser_specific_settings: {
            gecko: {
              id: `extension@${new URL(site).hostname}`,
              strict_min_version: "142.0",
              data_collection_permissions: { required: ["none"] },
            },
          },
        }),
  };
}

/** The texts of all languages as browsers want them: `{store}` is the first of what is filled in. */
function locales(): Zippable {
  const files = LANGUAGE_NAMES.map((language) => {
    const texts = JSON.parse(readFileSync(join(ROOT, `core/rules/languages/${language}.json`), "utf8"));
    const own = Object.entries(texts as Record<string, string>).filter(([key]) => key.startsWith("extension."));
    const messages = own.map(([key, text]) => [
      key.slice("extension.".length),
      { message: text.replace(/\{\w+\}/, "$1") },
    ]);
    const folder = LANGUAGES[language].locale.replace("-", "_");
    return [`_locales/${folder}/messages.json`, jsonOf(Object.fromEntries(messages))] as const;
  });
  return Object.fromEntries(files);
}

const jsonOf = (value: object) => strToU8(`${JSON.stringify(value, null, 1)}\n`);

/** The files of an extension for `site`, an origin, by kind of browser. */
export async function extensionFiles(site: string): Promise<Record<BrowserKind, Zippable>> {
  const result = await build({
    root: SOURCE,
    base: "./",
    configFile: false,
    publicDir: false,
    logLevel: "warn",
    define: { SITE: JSON.stringify(site) },
    build: {
      write: false,
      target: "es2022",
      modulePreload: false,
      rolldownOptions: {
        input: { popup: join(SOURCE, "popup.html"), background: join(SOURCE, "background.ts") },
        output: { entryFileNames: "[name].js", chunkFileNames: "[name].js", assetFileNames: "[name][extname]" },
      },
    },
  });
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((one) => ("output" in one ? one.output : []));
  const code = outputs.map(
    (one) => [one.fileName, one.type === "chunk" ? strToU8(one.code) : bytesOf(one.source)] as const,
  );
  const shared: Zippable = {
    ...Object.fromEntries(code),
    ...locales(),
    "icon-192.png": readFileSync(join(ROOT, "frontend/public/icon-192.png")),
  };
  const filesOf = (browser: BrowserKind) => ({ ...shared, "manifest.json": jsonOf(manifestFor(browser, site)) });
  return { chromium: filesOf("chromium"), firefox: filesOf("firefox") };
}

const bytesOf = (source: string | Uint8Array) => (typeof source === "string" ? strToU8(source) : source);

if (import.meta.main) {
  await import("../../core/process/env-file.ts");
  const { PUBLIC_URL } = process.env;
  if (!PUBLIC_URL) {
    console.log("No browser extension was made: it belongs to a site, so set PUBLIC_URL.");
  } else {
    const files = await extensionFiles(new URL(PUBLIC_URL).origin);
    for (const browser of BROWSERS) {
      const path = join(ROOT, `dist/extension/torcida-${browser}.zip`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, zipSync(files[browser], { mtime: MADE_AT, level: 9 }));
      console.log(`dist/extension/torcida-${browser}.zip`);
    }
  }
}
