import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { runToEnd } from "./run-to-end.ts";

const SOURCES = ["frontend/**/*", "core/rules/**/*", "core/chain/**/*", "vite.config.ts", "package-lock.json"];

/** `development` includes the demo wallets, for the local chain; `production` is the output of `npm run build`. */
export type FrontendMode = "development" | "production";

/** Builds the web app into a folder, unless its content was built from the same files and variables. */
export async function buildFrontend({
  root,
  mode,
  folder,
  logFile,
}: {
  root: string;
  mode: FrontendMode;
  folder: string;
  logFile: string;
}): Promise<"built" | "up to date"> {
  const wanted = stampOf(root, mode);
  const stampFile = join(folder, ".stamp");
  const present = existsSync(join(folder, "index.html")) && existsSync(stampFile) && readFileSync(stampFile, "utf8");
  if (present === wanted) return "up to date";
  const vite = [join(root, "node_modules/vite/bin/vite.js"), "build", "--config", join(root, "vite.config.ts")];
  const options = ["--mode", mode, "--outDir", resolve(folder), "--emptyOutDir", "--logLevel", "warn"];
  await runToEnd(process.execPath, [...vite, ...options], logFile, { NODE_ENV: "production" });
  writeFileSync(stampFile, wanted);
  return "built";
}

function stampOf(root: string, mode: FrontendMode): string {
  const configured = Object.entries(process.env).filter(([name]) => name.startsWith("VITE_"));
  const hash = createHash("sha256").update(mode).update(JSON.stringify(configured.sort()));
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root })).sort();
  for (const file of files) {
    const path = join(root, file);
    if (statSync(path).isFile()) hash.update(file).update(readFileSync(path));
  }
  return hash.digest("hex");
}
