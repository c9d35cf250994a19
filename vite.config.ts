import { type MessageFormatElement, parse } from "@formatjs/icu-messageformat-parser";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig, type Plugin } from "vite";
import { NETWORKS } from "./domain/networks.ts";
import { firstPaint } from "./frontend/first-paint.ts";

/** Which chain the web app is built for. The demo wallet exists in a build for `localhost` alone. */
const network = process.env.VITE_NETWORK || "localhost";
if (!(NETWORKS as readonly string[]).includes(network)) {
  throw new Error(`VITE_NETWORK is "${network}"; it must be one of ${NETWORKS.join(", ")}`);
}

/** Where the operator has none, the build holds nothing of WalletConnect. */
const walletConnectProjectId = process.env.VITE_WALLETCONNECT_PROJECT_ID ?? "";

/** WalletConnect's library names its own window, which is not installed: the code to scan is shown by us. */
function withoutAppKit(): Plugin {
  const name = "@reown/appkit/core";
  return {
    name: "torcida-without-appkit",
    enforce: "pre",
    resolveId: (id) => (id === name ? `\0${name}` : undefined),
    load: (id) => (id === `\0${name}` ? "export const createAppKit = undefined" : undefined),
  };
}

/** sonner puts its style into the page by script, which the content security policy forbids; `app.css` imports it instead. */
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
      if (!/\/i18n\/(pt|en)\.json$/.test(id)) return;
      const messages = JSON.parse(source) as Record<string, string>;
      const compiled = Object.entries(messages).map(([key, text]): [string, string | MessageFormatElement[]] => [
        key,
        /[{<']/.test(text) ? parse(text) : text,
      ]);
      // Parsed from text, a large object costs the browser less than as a literal.
      return {
        code: `export default JSON.parse(${JSON.stringify(JSON.stringify(Object.fromEntries(compiled)))})`,
        moduleType: "js",
      };
    },
  };
}

/**
 * Puts the first paint into the page, so that it shows before any script has run, and says which files each page needs
 * besides the common ones: `public/theme.js` asks for them at once.
 */
function paintedEarly(): Plugin {
  return {
    name: "torcida-first-paint",
    transformIndexHtml: {
      order: "post",
      handler(html, { bundle }) {
        const chunks = Object.values(bundle ?? {}).filter((file) => file.type === "chunk");
        const needs = Object.fromEntries(
          ["stores", "auth", "dashboard"].map((page) => {
            const chunk = chunks.find((one) => one.facadeModuleId?.endsWith(`/frontend/${page}/${page}.tsx`));
            const files = chunk ? [chunk.fileName, ...chunk.imports].filter((file) => !html.includes(file)) : [];
            return [`/${page}`, files.map((file) => `/${file}`)];
          }),
        );
        const font = Object.keys(bundle ?? {}).find((file) => file.endsWith(".woff2"));
        const fontLink = font ? `<link rel="preload" as="font" type="font/woff2" crossorigin href="/${font}">` : "";
        return (
          html
            .replace("<html ", `<html data-needs='${JSON.stringify(needs)}' `)
            // The first paint needs the style and the font; the scripts may come after them.
            .replace("</title>", `</title>${fontLink}`)
            .replaceAll('<link rel="modulepreload"', '<link rel="modulepreload" fetchpriority="low"')
            .replace('<script type="module"', '<script type="module" fetchpriority="low"')
            .replace('<div id="root"></div>', `<div id="root">${firstPaint()}</div>`)
        );
      },
    },
  };
}

export default defineConfig({
  root: "frontend",
  envDir: "..",
  plugins: [withoutAppKit(), withoutInsertedStyle(), compiledMessages(), paintedEarly(), react(), tailwindcss()],
  define: {
    "import.meta.env.VITE_NETWORK": JSON.stringify(network),
    "import.meta.env.VITE_WALLETCONNECT_PROJECT_ID": JSON.stringify(walletConnectProjectId),
  },
  resolve: { alias: { "@formatjs/icu-messageformat-parser": "@formatjs/icu-messageformat-parser/no-parser.js" } },
  build: {
    outDir: "../dist/frontend",
    emptyOutDir: true,
    target: "es2022",
    manifest: true,
    // A strict content security policy forbids inline data for fonts and scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: {
    port: 5173,
    proxy: { "/api": `http://127.0.0.1:${process.env.PORT ?? 3000}` },
  },
});
