import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runToEnd } from "./run-to-end.ts";

const SOURCES = ["frontend/**/*", "domain/**/*", "chain/**/*", "vite.config.ts", "package-lock.json"];
const OUTPUT = "dist/frontend";
const STAMP = "dist/frontend.stamp";

/** Builds the web app for a network, unless what stands in `dist/` was built from the same files and variables. */
export async function buildFrontend(root: string, network: string, logFile: string): Promise<"built" | "up to date"> {
  const wanted = stampOf(root, network);
  const stampFile = join(root, STAMP);
  const present =
    existsSync(stampFile) && existsSync(join(root, OUTPUT, "index.html")) ? readFileSync(stampFile, "utf8") : "";
  if (present === wanted) return "up to date";
  const vite = [join(root, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "warn"];
  await runToEnd(process.execPath, vite, logFile, { VITE_NETWORK: network, NODE_ENV: "production" });
  writeFileSync(stampFile, wanted);
  return "built";
}

function stampOf(root: string, network: string): string {
  const configured = Object.entries(process.env).filter(([name]) => name.startsWith("VITE_"));
  const hash = createHash("sha256").update(network).update(JSON.stringify(configured.sort()));
  const files = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: root })).sort();
  for (const file of files) {
    const path = join(root, file);
    if (statSync(path).isFile()) hash.update(file).update(readFileSync(path));
  }
  return hash.digest("hex");
}
