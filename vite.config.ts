import { readFileSync } from "node:fs";
import { type MessageFormatElement, parse } from "@formatjs/icu-messageformat-parser";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { LANGUAGE_NAMES, LANGUAGES } from "./core/rules/languages.ts";
import { PAGES } from "./frontend/app/pages.ts";
import { type Catalogues, firstPaint, firstPaintOf, offlinePage, texts } from "./frontend/first-paint.ts";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const CATALOGUES = Object.fromEntries(
  LANGUAGE_NAMES.map((one) => [one, JSON.parse(read(`core/rules/languages/${one}.json`))]),
) as Catalogues;

/** What `theme.js` chooses from. */
const LOCALES = JSON.stringify(Object.fromEntries(LANGUAGE_NAMES.map((one) => [one, LANGUAGES[one].locale])));
const HTML = `<html data-locales='${LOCALES}' `;

/** Without a project id, the build contains nothing of WalletConnect. */
const walletConnectProjectId = process.env.VITE_WALLETCONNECT_PROJECT_ID ?? "";

/** WalletConnect's library imports its own modal, which is not installed: the app shows the QR code. */
function withoutAppKit(): Plugin {
  const name = "@reown/appkit/core";
  return {
    name: "torcida-without-appkit",
    enforce: "pre",
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load: (id) => (id === `\0${name}` ? "export const createAppKit = undefined" : undefined),
  };
}

/** sonner injects its styles by script, which the Content Security Policy forbids; `ui/toast.ts` imports them instead. */
function withoutInsertedStyle(): Plugin {
  return {
    name: "torcida-without-inserted-style",
    enforce: "pre",
    transform(source, id) {
      if (id.endsWith("/sonner/dist/index.mjs"))
        return { code: source.replace(/^__insertCSS\(".*"\);$/m, ""), map: null };
    },
  };
}

/** Texts that come with what says them: few readers see it, it has a page of its own, or it is read from the chain. */
const LATER = {
  later: ["goPage.", "invitePage.", "inviteCard.", "offersPage.", "passkey.", "push."],
  check: ["check."],
  fans: ["fanClub.", "fansTable."],
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
        /\/core\/rules\/languages\/(panel\/)?\w+\.json(\?(help|later|check|fans|others))?$/.exec(id) ?? [];
      if (file === undefined) return;
      const messages = Object.entries(JSON.parse(source) as Record<string, string>);
      const isPart = (key: string) =>
        panel !== undefined
          ? isFirstInPanel(key) === (part !== "others")
          : part === "later" || part === "check" || part === "fans"
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

/** The page's entry point: in mode `development` the one with the demo wallets, which no production build contains. */
function entryOf(mode: string): Plugin {
  return {
    name: "torcida-entry",
    transformIndexHtml: {
      order: "pre",
      handler: (html) => (mode === "development" ? html.replace("/main.tsx", "/development/main.ts") : html),
    },
  };
}

/** Inserts the first paint into the page, so that it shows before any script has run. */
function paintedEarly(): Plugin {
  return {
    name: "torcida-first-paint",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }) {
        const font = Object.keys(bundle ?? {}).find((file) => file.endsWith(".woff2"));
        const fontLink = font ? `<link rel="preload" as="font" type="font/woff2" crossorigin href="/${font}">` : "";
        return (
          html
            // The first paint needs styles and font; scripts may load after them.
            .replace("</title>", `</title>${fontLink}`)
            .replace("<html ", HTML)
            .replaceAll('<link rel="modulepreload"', '<link rel="modulepreload" fetchpriority="low"')
            .replaceAll('<script type="module"', '<script type="module" fetchpriority="low"')
            .replace('<div id="root"></div>', `<div id="root">${firstPaint(CATALOGUES)}</div>`)
        );
      },
    },
  };
}

/** Writes the page that the service worker keeps. */
function pageForOffline(): Plugin {
  return {
    name: "torcida-offline",
    generateBundle() {
      const source = offlinePage(CATALOGUES, read("frontend/offline.html").replace("<html ", HTML));
      this.emitFile({ type: "asset", fileName: "offline.html", source });
    },
  };
}

/** Writes the table of pages for the api: texts in both languages, first paint, and the files of each page's screen. */
function pagesForTheApi(): Plugin {
  return {
    name: "torcida-pages",
    enforce: "post",
    generateBundle: {
      order: "post",
      handler(_options, bundle) {
        const index = bundle["index.html"];
        const html = index?.type === "asset" ? String(index.source) : "";
        const chunks = Object.values(bundle).filter((file) => file.type === "chunk");
        const pages = PAGES.map((page) => {
          const chunk = chunks.find((one) => one.facadeModuleId?.endsWith(`/frontend/${page.screen}.tsx`));
          const files = chunk ? [chunk.fileName, ...chunk.imports].filter((file) => !html.includes(file)) : [];
          const { path, about, who } = page;
          const title = texts(CATALOGUES, page.title);
          const description = texts(CATALOGUES, page.description);
          return {
            path,
            about,
            who,
            title,
            description,
            scripts: files.map((file) => `/${file}`),
            paint: firstPaintOf(CATALOGUES, page),
          };
        });
        this.emitFile({ type: "asset", fileName: ".vite/pages.json", source: JSON.stringify(pages) });
      },
    },
  };
}

export default defineConfig(({ mode }) => ({
  root: "frontend",
  envDir: "..",
  plugins: [
    entryOf(mode),
    withoutAppKit(),
    withoutInsertedStyle(),
    compiledMessages(mode),
    paintedEarly(),
    pageForOffline(),
    pagesForTheApi(),
    react(),
  ],
  define: {
    "import.meta.env.VITE_WALLETCONNECT_PROJECT_ID": JSON.stringify(walletConnectProjectId),
  },
  // Pre-bundled before the first request: dependencies found later reload the page.
  optimizeDeps: { entries: ["index.html", "development/**/*.ts"] },
  resolve: { alias: { "@formatjs/icu-messageformat-parser": "@formatjs/icu-messageformat-parser/no-parser.js" } },
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
