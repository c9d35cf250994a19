/** `npm run bench -- NAME [flags]` runs `bench/NAME.ts`, which prints a table and then one line of JSON. */
import { existsSync } from "node:fs";

const [name = "", ...flags] = process.argv.slice(2);
const file = new URL(`./${name}.ts`, import.meta.url);
if (!/^[a-z-]+$/.test(name) || name === "main" || !existsSync(file)) {
  console.error(`There is no benchmark "${name}"; choose one of gas, indexer, api, web: npm run bench -- indexer`);
  process.exit(1);
}
process.argv = [process.argv[0] ?? "", file.pathname, ...flags];
await import(file.href);
