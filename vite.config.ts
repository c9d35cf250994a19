import { type MessageFormatElement, parse } from "@formatjs/icu-messageformat-parser";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { PAGES } from "./frontend/app/pages.ts";
import { firstPaint, firstPaintOf, texts } from "./frontend/first-paint.ts";

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

/** sonner injects its styles by script, which the Content Security Policy forbids; `app.css` imports them instead. */
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

/** Parses the messages while building, so that the browser needs no message parser (7 kB less). */
function compiledMessages(): Plugin {
  return {
    name: "torcida-compiled-messages",
    enforce: "pre",
    transform(source, id) {
      if (!/\/i18n\/\w+\.json$/.test(id)) return;
      const messages = JSON.parse(source) as Record<string, string>;
      const compiled = Object.entries(messages).map(([key, text]): [string, string | MessageFormatElement[]] => [
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
            .replaceAll('<link rel="modulepreload"', '<link rel="modulepreload" fetchpriority="low"')
            .replaceAll('<script type="module"', '<script type="module" fetchpriority="low"')
            .replace('<div id="root"></div>', `<div id="root">${firstPaint()}</div>`)
        );
      },
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
          const title = texts(page.title);
          const description = texts(page.description);
          return {
            path,
            about,
            who,
            title,
            description,
            scripts: files.map((file) => `/${file}`),
            paint: firstPaintOf(page),
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
    compiledMessages(),
    paintedEarly(),
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
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "app", tags: ["$initial"] }] } } },
  },
}));
