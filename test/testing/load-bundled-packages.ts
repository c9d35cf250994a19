/**
 * Preloaded (`--import`) by the processes of a test run: loads a package that `bundle-packages.ts` has put into one file
 * from there. A process starts in half the processor time.
 */
import { existsSync, readdirSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { fileOf, PACKAGES } from "./package-files.ts";

const files = new Set(existsSync(PACKAGES) ? readdirSync(PACKAGES) : []);

registerHooks({
  resolve(name, context, next) {
    const file = fileOf(name);
    const isOurs = files.has(file) && !context.parentURL?.includes("/node_modules/");
    if (!isOurs || context.conditions.includes("require")) return next(name, context);
    return { url: pathToFileURL(join(PACKAGES, file)).href, format: "module", shortCircuit: true };
  },
});
