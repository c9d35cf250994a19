import { readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { fileURLToPath } from "node:url";
import { type MessageFormatElement, parse } from "@formatjs/icu-messageformat-parser";
import react from "@vitejs/plugin-react";
import { type ConfigEnv, defineConfig, type InlineConfig, type Plugin, type Rolldown, runnerImport } from "vite";
import { DEFAULT_LANGUAGE, LANGUAGE_NAMES, LANGUAGES, type Language } from "./core/rules/languages.ts";
import { fill, type Template, templateOf } from "./core/rules/template.ts";
import { PAGES } from "./frontend/app/pages.ts";
import type { MessageId } from "./frontend/i18n/language.tsx";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Every text, in each language. */
const CATALOGUES = Object.fromEntries(
  LANGUAGE_NAMES.map((one) => [one, JSON.parse(readFileSync(here(`core/rules/languages/${one}.json`), "utf8"))]),
) as Record<Language, Record<MessageId, string>>;

/** Without a project id, the build contains nothing of WalletConnect. */
const walletConnectProjectId = process.env.VITE_WALLETCONNECT_PROJECT_ID ?? "";

/** Texts that come with what says them: few readers see it, it has a page of its own, or it is read from the chain. */
const LATER = {
  later: ["goPage.", "invitePage.", "inviteCard.", "offersPage.", "passkey.", "push."],
  check: ["check."],
  fans: ["fanClub.", "fansTable."],
  club: ["clubPage."],
};

/** What the panel's overview says, and the place that it has in it; the panel's other texts come with its other views. */
const PANEL_FIRST = new Set([
  ...[
    "gate",
    "error",
    "panel",
    "tab",
    "view",
    "dashboard",
    "overview",
    "attention",
    "fault",
    "faultUnknown",
    "figures",
  ],
  ...["sample", "log", "logPart", "chain", "chainAct", "chainRole", "permission", "role", "pause", "field", "theField"],
  ...["person", "operation", "newWord", "inLanguage", "span", "technical", "waiting", "cashbackPaid"],
]);
const isFirstInPanel = (key: string) => PANEL_FIRST.has(key.split(".")[0] ?? "");

/**
 * Parses the messages while building, so that the browser needs no message parser (7 kB less), and leaves out what others
 * say: the server, and the help and what is loaded later, whose texts are files of their own.
 */
function compiledMessages(mode: string): Plugin {
  const elsewhere = [
    "server.",
    "offline.",
    "extension.",
    "helpText.",
    ...Object.values(LATER).flat(),
    ...(mode === "development" ? [] : ["demo."]),
  ];
  const isElsewhere = (key: string) => elsewhere.some((prefix) => key.startsWith(prefix));
  return {
    name: "torcida-compiled-messages",
    enforce: "pre",
    transform(source, id) {
      const [file, panel, , part] =
        /\/core\/rules\/languages\/(panel\/)?\w+\.json(\?(help|later|check|fans|club|others))?$/.exec(id) ?? [];
      if (file === undefined) return;
      const messages = Object.entries(JSON.parse(source) as Record<string, string>);
      const isPart = (key: string) =>
        panel !== undefined
          ? isFirstInPanel(key) === (part !== "others")
          : part === "later" || part === "check" || part === "fans" || part === "club"
            ? LATER[part].some((one) => key.startsWith(one))
            : !isElsewhere(key);
      const compiled =
        part === "help"
          ? messages.filter(([key]) => key.startsWith("helpText."))
          : messages
              .filter(([key]) => isPart(key))
              .map(([key, text]): [string, string | MessageFormatElement[]] => [
                key,
                /[{<']/.test(text) ? parse(text) : text,
              ]);
      // Parsing a large object from JSON text is faster for the browser than a literal.
      return {
        code: `export default JSON.parse(${JSON.stringify(JSON.stringify(Object.fromEntries(compiled)))})`,
        moduleType: "js",
      };
    },
  };
}

/** What viem needs to call a contract, and reading a page of the shop does not. */
const OF_CALLS =
  /node_modules.(viem._esm.utils.(abi|unit|cursor|regex)|viem._esm.errors.(abi|cursor|transaction)|abitype)/;

/** What a class of `*.module.css` is called by `npm run dev`: its module and its own name. A build's names are short. */
const readableName = (name: string, file: string) => `${basename(file, ".module.css")}-${name}`;
const cssOf = (command: "build" | "serve") => ({
  modules: { generateScopedName: command === "serve" ? readableName : "[hash:base64:5]" },
});

/** What runs first: in mode `development` with the demo wallets, which no production build contains. */
const entryOf = (mode: string) => (mode === "development" ? "development/main.ts" : "main.tsx");

/** The HTML of every page, which the build draws with the app's own components. */
function prerenderedPages({ mode, command }: ConfigEnv): Plugin {
  const texts = (id: MessageId) => Object.fromEntries(LANGUAGE_NAMES.map((one) => [one, CATALOGUES[one][id]]));
  /** The page as a plain file, for a server that fills nothing. */
  const asFile = (html: Template) =>
    fill(html, {
      language: LANGUAGES[DEFAULT_LANGUAGE].locale,
      openGraphLocale: LANGUAGES[DEFAULT_LANGUAGE].openGraph,
      title: CATALOGUES[DEFAULT_LANGUAGE]["home.meta"],
      description: CATALOGUES[DEFAULT_LANGUAGE]["home.hero.text"],
      heading: "",
      picture: "",
      figure: "",
      links: "",
      images: "",
      deployment: "",
    });
  const prerender = async () => {
    const from: InlineConfig = {
      root: here("frontend"),
      mode,
      logLevel: "error",
      plugins: [compiledMessages(mode)],
      css: cssOf(command),
      // Otherwise Vite prepares CSS modules for its own server's pages only.
      server: { perEnvironmentStartEndDuringDev: true },
    };
    return (await runnerImport<typeof import("./frontend/prerender.tsx")>(here("frontend/prerender.tsx"), from)).module;
  };
  return {
    name: "torcida-pages",
    enforce: "post",
    async generateBundle(_options, bundle) {
      const { pageHtml, offlineHtml } = await prerender();
      const filesOf = (source: string) => filesFrom(bundle, here(`frontend/${source}`));
      const entry = filesOf(entryOf(mode));
      const font = Object.keys(bundle).find((file) => file.endsWith(".woff2"));
      const htmlOf = (path?: string, screen?: string) => {
        const own = screen === undefined ? { scripts: [], styles: [] } : filesOf(`${screen}.tsx`);
        return templateOf(
          pageHtml(path, {
            scripts: entry.scripts,
            screenScripts: own.scripts.filter((one) => !entry.scripts.includes(one)),
            styles: [...new Set([...entry.styles, ...own.styles])],
            font: font && `/${font}`,
          }),
        );
      };
      const pages = PAGES.map(({ path, about, who, screen, title, description }) => ({
        path,
        about,
        who,
        title: texts(title),
        description: texts(description),
        html: htmlOf(path, screen),
      }));
      const emit = (fileName: string, source: string) => this.emitFile({ type: "asset", fileName, source });
      emit(".vite/pages.json", JSON.stringify({ pages, missing: htmlOf() }));
      emit("index.html", asFile(htmlOf()));
      emit("offline.html", offlineHtml(CATALOGUES));
    },
    // `npm run dev`
    configureServer: (server) => () => {
      const files = {
        scripts: [`/${entryOf(mode)}`],
        screenScripts: [],
        styles: ["/design/app.css"],
        font: undefined,
      };
      const htmlFor = async (url: string) =>
        server.transformIndexHtml(url, asFile(templateOf((await prerender()).pageHtml(undefined, files))));
      server.middlewares.use((request, response, next) => {
        const url = request.originalUrl ?? "/";
        // A file that does not exist.
        if (extname(url.split("?")[0] ?? "") !== "") return next();
        response.setHeader("content-type", "text/html");
        htmlFor(url).then((html) => response.end(html), next);
      });
    },
  };
}

/** What a module that is loaded by itself needs at once: its file, what that imports, and their styles. */
function filesFrom(bundle: Rolldown.OutputBundle, module: string) {
  const scripts = new Set<string>();
  const styles = new Set<string>();
  const add = (one: Rolldown.OutputBundle[string] | undefined) => {
    if (one?.type !== "chunk" || scripts.has(`/${one.fileName}`)) return;
    scripts.add(`/${one.fileName}`);
    for (const file of one.viteMetadata?.importedCss ?? []) styles.add(`/${file}`);
    for (const file of one.imports) add(bundle[file]);
  };
  const own = Object.values(bundle).find((file) => file.type === "chunk" && file.facadeModuleId === module);
  if (!own) throw new Error(`The build has no file of its own for ${module}`);
  add(own);
  return { scripts: [...scripts], styles: [...styles] };
}

export default defineConfig(({ mode, command }) => ({
  root: "frontend",
  envDir: "..",
  appType: "custom",
  plugins: [compiledMessages(mode), prerenderedPages({ mode, command }), react()],
  define: {
    "import.meta.env.VITE_WALLETCONNECT_PROJECT_ID": JSON.stringify(walletConnectProjectId),
  },
  // Pre-bundled before the first request: dependencies found later reload the page.
  optimizeDeps: { entries: ["main.tsx", "development/**/*.ts"] },
  css: cssOf(command),
  resolve: {
    alias: {
      "@formatjs/icu-messageformat-parser": "@formatjs/icu-messageformat-parser/no-parser.js",
      // WalletConnect's library imports its own modal, which is not installed: the app shows the QR code.
      "@reown/appkit/core": here("frontend/wallet/no-appkit.ts"),
    },
  },
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    target: "es2022",
    manifest: true,
    // A strict content security policy forbids inline data for fonts and scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // One file for what every page needs: forty small ones queue up on a connection that allows six requests at a time.
    // One for what most readers of the chain share of viem, which would be eight of a kilobyte or less, and one for what
    // those share that call a contract: together they are smaller than apart.
    rolldownOptions: {
      input: here(`frontend/${entryOf(mode)}`),
      // sonner's, which inserts its styles by script: the Content Security Policy forbids it, and `ui/toast.ts` imports them.
      treeshake: { manualPureFunctions: ["__insertCSS"] },
      output: {
        codeSplitting: {
          groups: [
            { name: "app", tags: ["$initial"], priority: 1 },
            { name: "viem", test: /node_modules.(viem|@noble)/, minShareCount: 12, priority: 0.5 },
            { name: "viem-calls", test: OF_CALLS, minShareCount: 5 },
          ],
        },
      },
    },
  },
}));
