import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";
import { fileOf, PACKAGES } from "./package-files.ts";

const ROOT = join(import.meta.dirname, "../..");
/** Packages of many small ES modules: 730 of the 1,100 files that the API loads at its start. */
const BUNDLED = ["kysely", "viem", "zod"];
const IMPORTED = new RegExp(`from "((?:${BUNDLED.join("|")})(?:/[^"]+)?)"`, "g");
const SOURCES = "{api,core,indexer,scripts,test}/**/*.ts";

/** Writes every entry of `BUNDLED` that a source imports to a file; what entries share is loaded once, as from the package. */
export async function bundlePackages(): Promise<void> {
  const names = new Set(
    globSync(SOURCES, { cwd: ROOT })
      .flatMap((file) => [...readFileSync(join(ROOT, file), "utf8").matchAll(IMPORTED)])
      .map(([, name = ""]) => name),
  );
  rmSync(PACKAGES, { recursive: true, force: true });
  await build({
    configFile: false,
    logLevel: "warn",
    publicDir: false,
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: PACKAGES,
      minify: false,
      rolldownOptions: {
        input: Object.fromEntries([...names].map((name) => [fileOf(name), name])),
        preserveEntrySignatures: "strict",
        // Errors are told apart by the names of their classes.
        output: { keepNames: true, entryFileNames: "[name]", chunkFileNames: "shared/[name]-[hash].js" },
      },
    },
  });
}
