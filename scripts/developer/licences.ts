/**
 * Lists the licences of all packages of the lock file and rejects incompatible ones, by npm's own bill of materials
 * (CycloneDX), which `--sbom` also writes: `npm run licences -- [--sbom FILE]`. Needs npm 10.
 */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { readOptions } from "./read-options.ts";

/** Licences that allow use and distribution with MIT code if their notices are kept. */
const PERMISSIVE =
  "MIT MIT-0 ISC BSD-2-Clause BSD-3-Clause 0BSD Apache-2.0 Unlicense CC0-1.0 BlueOak-1.0.0 Python-2.0 Zlib";
/** Of pictures, texts and fonts; weak copyleft, used unchanged, as separate files: a change would have to be published. */
const UNCHANGED = "OFL-1.1 CC-BY-3.0 CC-BY-4.0 MPL-2.0 LGPL-3.0-only LGPL-3.0-or-later";
const COMPATIBLE = new Set(`${PERMISSIVE} ${UNCHANGED}`.split(" "));
/** Packages reviewed by hand, with the reason why they may stay. */
const DECIDED: Readonly<Record<string, string>> = {
  "@nomicfoundation/ignition-ui": "names no licence, and brings the text of MIT; used in development only",
  memorystream: "names no licence, and brings the text of MIT; used in development only",
};

type License = { license?: { id?: string; name?: string }; expression?: string };
type Component = { name: string; version: string; scope: "required" | "optional"; licenses?: License[] };
type Bill = { metadata: { component: { name: string } }; components: Component[] };

const { values } = readOptions({ options: { sbom: { type: "string" } } });
const [major = "0"] = execFileSync("npm", ["--version"], { encoding: "utf8" }).split(".");
if (Number(major) < 10) {
  console.error(`A bill of materials needs npm 10 or later, and this is npm ${major}: npm install --global npm@11`);
  process.exit(1);
}
const call = ["sbom", "--package-lock-only", "--sbom-format=cyclonedx", "--sbom-type=application"];
const bill: Bill = JSON.parse(
  execFileSync("npm", call, { cwd: resolve(import.meta.dirname, "../.."), encoding: "utf8", maxBuffer: 2 ** 26 }),
);
// npm calls it by its folder.
bill.metadata.component.name = "torcida";

const counts = Object.entries(Object.groupBy(bill.components, licenceOf)).map(([licence, of = []]) => ({
  licence,
  of,
}));
for (const { licence, of } of counts.sort((one, other) => other.of.length - one.of.length))
  console.log(`${String(of.length).padStart(5)}  ${licence}`);
const refused = bill.components.filter((one) => !isCompatible(licenceOf(one)) && !(one.name in DECIDED));
for (const one of refused) {
  const shipped = one.scope === "required" ? " and is shipped" : "";
  console.error(
    `✗ ${one.name} ${one.version} is ${licenceOf(one)}${shipped}: replace it, or decide and write down why it may stay`,
  );
}
const shipped = bill.components.filter(({ scope }) => scope === "required").length;
console.log(`${bill.components.length} packages, ${shipped} of them shipped, ${refused.length} refused`);
process.exitCode = refused.length === 0 ? 0 : 1;
if (values.sbom) {
  writeFileSync(values.sbom, `${JSON.stringify(bill, undefined, 2)}\n`);
  console.log(`The bill of materials is ${values.sbom}`);
}

function licenceOf({ licenses = [] }: Component): string {
  const named = licenses.map(({ license, expression }) => expression ?? license?.id ?? license?.name ?? "unknown");
  return named.join(" AND ") || "unknown";
}

/** `A OR B` requires one compatible licence, `A AND B` all of them. */
function isCompatible(expression: string): boolean {
  const text = expression.replace(/^\((.*)\)$/, "$1");
  if (text.includes(" OR ")) return text.split(" OR ").some(isCompatible);
  if (text.includes(" AND ")) return text.split(" AND ").every(isCompatible);
  return COMPATIBLE.has(text);
}
