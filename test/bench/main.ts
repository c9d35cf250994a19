/** `npm run bench -- NAME [flags]` runs `bench/NAME.ts`, which prints a table and then one line of JSON. */
import { existsSync } from "node:fs";
import { refuseOptions } from "../../scripts/developer/read-options.ts";

/** The packages that a benchmark needs in addition to the product's; they are in `test/bench/package.json`. */
const TOOLS: Record<string, string> = { api: "autocannon", web: "lighthouse" };

const [name = "", ...flags] = process.argv.slice(2);
const file = new URL(`./${name}.ts`, import.meta.url);
if (!/^[a-z-]+$/.test(name) || name === "main" || !existsSync(file)) {
  refuseOptions(
    `There is no benchmark "${name}"; say one of gas, indexer, api, web, scale, sales, programmes, strangers: npm run bench -- indexer`,
  );
}
const tool = TOOLS[name];
if (tool && !existsSync(new URL(`./node_modules/${tool}/package.json`, import.meta.url))) {
  console.error(`The benchmark "${name}" needs ${tool}; install it once with: npm ci --prefix test/bench`);
  process.exit(1);
}
process.argv = [process.argv[0] ?? "", file.pathname, ...flags];
await import(file.href);
