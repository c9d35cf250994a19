import { cpSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { buildFrontend } from "../../scripts/start/frontend-build.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The folder of the tests' build of the web app: the development entry, as with `npm start`. */
export const WEB_APP = join(ROOT, "data/web");

/** Builds once for all tests of a run, and again only if a source has changed. */
export async function buildWebApp(): Promise<"built" | "up to date"> {
  mkdirSync(join(ROOT, "data"), { recursive: true });
  const logFile = join(ROOT, "data/frontend-build.log");
  return buildFrontend({ root: ROOT, mode: "development", folder: WEB_APP, logFile });
}

/** Lets a system with a separate folder reuse the tests' build if it is of the same sources. */
export function copyWebApp(dataDirectory: string): void {
  const folder = join(dataDirectory, "web");
  if (existsSync(WEB_APP) && !existsSync(folder)) cpSync(WEB_APP, folder, { recursive: true });
}
