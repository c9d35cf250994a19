/**
 * Lists the licence of every package in the lock file and rejects incompatible ones; with `--sbom` also writes a
 * CycloneDX bill of materials: `npm run licences -- [--sbom FILE]`.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readOptions } from "./read-options.ts";
import { writeBillOfMaterials } from "./release/bill-of-materials.ts";

/** Licences that allow use and distribution with MIT code if their notices are kept. */
const COMPATIBLE = new Set([
  "MIT",
  "MIT-0",
  "ISC",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "0BSD",
  "Apache-2.0",
  "Unlicense",
  "CC0-1.0",
  "BlueOak-1.0.0",
  "Python-2.0",
  "Zlib",
  "WTFPL",
  "CC-BY-3.0",
  "CC-BY-4.0",
  "PostgreSQL",
  "Artistic-2.0",
  "X11",
  "OFL-1.1",
]);
/** Weak copyleft: used unchanged, as separate files; a change to the package itself would have to be published. */
const UNCHANGED_ONLY = new Set(["MPL-2.0", "LGPL-3.0", "LGPL-3.0-only", "LGPL-3.0-or-later", "LGPL-2.1"]);
/** Packages reviewed by hand, with the reason why they may stay. */
const DECIDED: Readonly<Record<string, string>> = {
  "parse-cache-control":
    "says BSD without the number of clauses, each of which is compatible; used in development only",
};

type LockEntry = {
  version?: string;
  license?: string;
  dev?: boolean;
  optional?: boolean;
  link?: boolean;
};
type Package = { name: string; version: string; licence: string; isShipped: boolean };

const { values } = readOptions({ options: { sbom: { type: "string" } } });
const root = join(import.meta.dirname, "../..");
const packages = readPackages();
const refused = packages.filter((one) => !isCompatible(one.licence) && !(one.name in DECIDED));
const counts = Map.groupBy(packages, (one) => one.licence);
for (const [licence, of] of [...counts].sort((one, other) => other[1].length - one[1].length)) {
  console.log(
    `${String(of.length).padStart(5)}  ${licence}${isCompatible(licence) ? "" : `: ${of.map((one) => one.name).join(", ")}`}`,
  );
}
for (const { name, version, licence, isShipped } of refused) {
  console.error(
    `✗ ${name} ${version} is ${licence}${isShipped ? " and is shipped" : ""}: replace it, or decide and write down why it may stay`,
  );
}
console.log(
  `${packages.length} packages, ${packages.filter((one) => one.isShipped).length} of them shipped, ${refused.length} refused`,
);
process.exitCode = refused.length === 0 ? 0 : 1;
if (values.sbom) writeBill(values.sbom);

function writeBill(file: string): void {
  try {
    writeBillOfMaterials(root, file);
    console.log(`The bill of materials is ${file}`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}

function readPackages(): Package[] {
  const lock: { packages: Record<string, LockEntry> } = JSON.parse(
    readFileSync(join(root, "package-lock.json"), "utf8"),
  );
  return Object.entries(lock.packages)
    .filter(([path, entry]) => path !== "" && !entry.link)
    .map(([path, entry]) => ({
      name: path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length),
      version: entry.version ?? "",
      licence: entry.license ?? licenceOf(path),
      isShipped: !entry.dev && !entry.optional,
    }));
}

type Manifest = { license?: string | { type: string }; licenses?: { type: string }[] };

/** Older packages name their licence only in the package itself, or contain only its text. */
function licenceOf(path: string): string {
  const manifest = join(root, path, "package.json");
  if (!existsSync(manifest)) return "unknown";
  const { license, licenses }: Manifest = JSON.parse(readFileSync(manifest, "utf8"));
  const named =
    typeof license === "string" ? license : (license?.type ?? licenses?.map((one) => one.type).join(" OR "));
  if (named) return named;
  const text = ["LICENSE", "LICENSE.md", "license", "LICENSE.txt"]
    .map((name) => join(root, path, name))
    .find(existsSync);
  return text && /Permission is hereby granted, free of charge/.test(readFileSync(text, "utf8")) ? "MIT" : "unknown";
}

/** `A OR B` requires one compatible licence, `A AND B` all of them. */
function isCompatible(expression: string): boolean {
  const text = expression.replace(/^\((.*)\)$/, "$1");
  if (text.includes(" OR ")) return text.split(" OR ").some(isCompatible);
  if (text.includes(" AND ")) return text.split(" AND ").every(isCompatible);
  return COMPATIBLE.has(text) || UNCHANGED_ONLY.has(text);
}
