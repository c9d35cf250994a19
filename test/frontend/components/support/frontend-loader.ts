import { globSync, readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parse } from "@formatjs/icu-messageformat-parser";
import { transformSync } from "rolldown/utils";

const ROOT = join(import.meta.dirname, "../../../..");
const ROOT_URL = pathToFileURL(ROOT + sep).href;
const SELF = JSON.stringify(import.meta.url);
/** Sonner keeps the toasts of all pages otherwise. */
const OF_A_PAGE = ["frontend/", "core/", "node_modules/sonner/"];
/** In the address of a module: of which page it is a part. */
const PAGE = "page";

/** The code of each file, which is the same for every page. */
const compiled = new Map<string, string>();
let pages = 0;

/**
 * Loads modules of the web app into Node, each page its own: what a module remembers is gone with the page, as in a browser.
 * The parser of Vite 8 takes types and JSX away; what else Vite adds (`import.meta.glob`, styles, texts) is added here.
 */
export function newPageModules(): <Module>(file: string) => Promise<Module> {
  const page = String(++pages);
  return (file) => import(marked(pathToFileURL(join(ROOT, file)).href, page));
}

registerHooks({
  resolve(specifier, { parentURL, importAttributes, ...context }, next) {
    const resolved = next(specifier, { parentURL, importAttributes, ...context });
    const page = parentURL?.startsWith(ROOT_URL) ? new URL(parentURL).searchParams.get(PAGE) : null;
    const isOfPage = page && OF_A_PAGE.some((folder) => resolved.url.startsWith(ROOT_URL + folder));
    // What says itself that it is JSON, Node reads.
    return isOfPage && !importAttributes?.type ? { ...resolved, url: marked(resolved.url, page) } : resolved;
  },
  load(url, context, next) {
    const path = new URL(url).pathname;
    if (path.endsWith(".css")) return asModule(path.endsWith(".module.css") ? CLASSES : "");
    if (path.endsWith("/sonner/dist/index.mjs"))
      return asModule(withoutStyles(readFileSync(fileURLToPath(url), "utf8")));
    if (!url.startsWith(ROOT_URL) || !new URL(url).searchParams.has(PAGE)) return next(url, context);
    const file = fileURLToPath(`file://${path}`);
    const source = compiled.get(file) ?? compile(file);
    compiled.set(file, source);
    return asModule(source);
  },
});

/** The build leaves out what inserts them: `vite.config.ts`. */
const withoutStyles = (source: string) => source.replaceAll(/^__insertCSS\(/gm, "void (");

/** A class is called by its own name. */
const CLASSES = "export default new Proxy({}, { get: (_, name) => String(name) })";

const asModule = (source: string) => ({ source, format: "module", shortCircuit: true });

function marked(url: string, page: string): string {
  const at = new URL(url);
  at.searchParams.set(PAGE, page);
  return at.href;
}

function compile(file: string): string {
  const source = readFileSync(file, "utf8");
  if (file.endsWith(".json")) return `export default ${JSON.stringify(textsOf(JSON.parse(source)))}`;
  const { code, errors } = transformSync(file, source, { jsx: { runtime: "automatic" } });
  if (errors[0]) throw new Error(`${file}: ${errors[0].message}`);
  if (!/import\.meta\.(env|glob)/.test(code)) return code;
  return `import { addVites } from ${SELF}; addVites(import.meta); ${code}`;
}

/** Parsed where they have parts, as by the build. */
const textsOf = (texts: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [
      key,
      typeof text === "string" && /[{<']/.test(text) ? parse(text) : text,
    ]),
  );

/** What Vite has in `import.meta`, of a development build without WalletConnect. */
export function addVites(meta: ImportMeta): void {
  const folder = dirname(fileURLToPath(new URL(meta.url)));
  const glob = (patterns: string | readonly string[], options: { import?: string } = {}) => {
    const [wanted, unwanted] = [[patterns].flat().filter((one) => !one.startsWith("!")), [patterns].flat()];
    const files = globSync(wanted, { cwd: folder }).filter((file) => !unwanted.includes(`!${posix(file)}`));
    const load = (file: string) => async () => {
      const module = await import(
        marked(pathToFileURL(join(folder, file)).href, new URL(meta.url).searchParams.get(PAGE) ?? "")
      );
      return options.import ? module[options.import] : module;
    };
    return Object.fromEntries(files.map((file) => [posix(file), load(file)]));
  };
  const env = { DEV: true, PROD: false, SSR: false, MODE: "development", VITE_WALLETCONNECT_PROJECT_ID: "" };
  Object.assign(meta, { env, glob });
}

/** As the source names it: relative to the module. */
const posix = (file: string) => relative("", file).split(sep).join("/");
