/**
 * Prints a spine as one reads it: `npm run walk -- decide`; without a name, the doors of each. `-- --names` lists the
 * functions that have not earned their names, `-- --change` says how many files a fix and a feature touch, `-- --write`
 * writes what `docs/architecture.md` says of the spines. docs/architecture.md#spines
 */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { LOOK_UPS } from "../../test/repository/look-ups.ts";
import { filesTouched } from "./walk/changes.ts";
import { openFunctions } from "./walk/functions.ts";
import { unearnedNames } from "./walk/names.ts";
import { doorsOf, SPINES, tell, walk, withSpines } from "./walk/spines.ts";

const DOCUMENT = "docs/architecture.md";

const [asked] = process.argv.slice(2);
if (asked === "--change") {
  for (const { kind, changes, files, source } of filesTouched(process.cwd())) {
    console.log(
      `${kind}: ${files} files, ${source} of them without tests and documents (median of ${changes} changes)`,
    );
  }
  process.exit();
}
using functions = openFunctions(process.cwd());
if (asked === "--write") {
  writeFileSync(DOCUMENT, withSpines(readFileSync(DOCUMENT, "utf8"), functions, LOOK_UPS));
} else if (asked === "--names") {
  const elsewhere = globSync("{test,frontend}/**/*.{ts,tsx}").map((path) => readFileSync(path, "utf8"));
  for (const { file, from, name } of Object.values(unearnedNames(functions, elsewhere.join("\n"))).flat()) {
    console.log(`${file}:${from} ${name}`);
  }
} else {
  for (const spine of asked ? [asked] : Object.keys(SPINES)) {
    const stops = walk(functions, spine, LOOK_UPS);
    if (asked) for (const stop of stops) console.log(tell(stop));
    console.log(`${spine}: ${doorsOf(stops).length} doors, ${stops.length} functions`);
  }
}
