/**
 * Makes one small change to the contracts at a time and checks that a test fails: `npm run mutate`. Works on copies.
 * `--only TEXT` selects files by name, `--from LINE` and `--to LINE` lines, `--kind TEXT` changes by their description,
 * `--sample N` as many of what is selected, chosen by `--seed TEXT`, `--by-hand` the mistakes written by people instead;
 * `--behaviour` leaves fuzz and invariants of the whole system out, but not a library's own properties. Prints the
 * survivors; docs/contracts.md explains them.
 */
import { spawnSync } from "node:child_process";
import { hash } from "node:crypto";
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { numberOption, readOptions } from "../../scripts/developer/read-options.ts";
import { mutantsByHand } from "./by-hand.ts";
import { type Mutant, mutantsOf } from "./mutants.ts";
import { Recompiler } from "./recompile.ts";
import { WarmTests } from "./warm-tests.ts";

const ROOT = join(import.meta.dirname, "../..");
const HARDHAT = join(ROOT, "node_modules/hardhat/dist/src/cli.js");
const PROJECT = ["hardhat.config.ts", "package.json", "tsconfig.json"];
const COPIED = ["contracts", "test/contracts", "test/vectors", "core/rules", "core/chain", ...PROJECT];
/**
 * Tests of gas and the committed bytecode are not run: their failure does not mean that a mutant misbehaves. Exploring
 * every history takes too long.
 */
const NOT_ASKED = /\/(every-history|gas|gas-limits|generated|verify-source)\.test\.ts$/;
/** Only a guard against hanging tests: on a busy machine a run takes minutes. */
const TIMEOUT_MS = 1_800_000;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const { values } = readOptions({
  options: { only: text, from: text, to: text, kind: text, sample: text, seed: text, "by-hand": flag, behaviour: flag },
});
const mutantsIn = values["by-hand"] ? mutantsByHand : mutantsOf;
const firstLine = numberOption(values, "from", 1);
const lastLine = numberOption(values, "to", Number.POSITIVE_INFINITY);
const sampleSize = numberOption(values, "sample", Number.POSITIVE_INFINITY);
const isWanted = ({ line, what }: Mutant) => line >= firstLine && line <= lastLine && what.includes(values.kind ?? "");

const folder = mkdtempSync(join(tmpdir(), "torcida-mutants-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
/**
 * Behaviour tests run in one copy, on recompiled artifacts; fuzz and invariants run in another, only for mutants that
 * survive.
 */
const behaviour = makeCopy("behaviour", COPIED);
const properties = makeCopy("properties", COPIED);
const tests = globSync("test/contracts/*.test.ts", { cwd: behaviour }).filter((file) => !NOT_ASKED.test(file));
assertPasses(behaviour, "compile", "--no-tests");
const testTexts = globSync("test/contracts/**/*.ts", { cwd: ROOT }).map((file) =>
  readFileSync(join(ROOT, file), "utf8"),
);
const recompiler = new Recompiler(behaviour, (name) => testTexts.some((one) => one.includes(`"${name}"`)));
const warm = new WarmTests(behaviour, tests);
process.on("exit", () => warm.stop());
const unchanged = await warm.run();
if (unchanged.failed) throw new Error(`Fails without any change: ${unchanged.failed}`);

const files = [...globSync("contracts/*.sol", { cwd: ROOT }), ...globSync("contracts/libraries/*.sol", { cwd: ROOT })]
  .filter((file) => file.includes(values.only ?? ""))
  .sort();
const wanted = sampled(
  files.flatMap((file) => mutantsIn(file, readFileSync(join(behaviour, file), "utf8")).filter(isWanted)),
);
const count = { tried: 0, invalid: 0, survived: 0 };
for (const [file, mutants = []] of Object.entries(Object.groupBy(wanted, (mutant) => mutant.file))) {
  const original = readFileSync(join(behaviour, file), "utf8");
  const alone = copyAlone(file);
  for (const mutant of mutants) await examine(mutant, alone);
  recompiler.write(file, original);
  writeFileSync(join(properties, file), original);
}
const noticed = count.tried - count.survived;
console.log(
  `\n${count.tried} mutants, ${noticed} noticed, ${count.survived} survived (${count.invalid} do not compile)`,
);
process.exit(0);

/** A sample of the requested size, the same one for the same seed. */
function sampled(mutants: Mutant[]): Mutant[] {
  if (sampleSize >= mutants.length) return mutants;
  const draw = ({ source, what }: Mutant) => hash("sha256", `${values.seed}\0${what}\0${source}`);
  const drawn = mutants
    .map((mutant) => ({ mutant, number: draw(mutant) }))
    .sort((a, b) => (a.number < b.number ? -1 : 1));
  const chosen = new Set(drawn.slice(0, sampleSize).map(({ mutant }) => mutant));
  return mutants.filter((mutant) => chosen.has(mutant));
}

function makeCopy(name: string, paths: readonly string[]): string {
  const path = join(folder, name);
  for (const one of paths) cpSync(join(ROOT, one), join(path, one), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(path, "node_modules"));
  return path;
}

/** A library with its own property tests, and what it may import: compiled and tested in a fraction of the time. */
function copyAlone(file: string): string | undefined {
  const own = `test/contracts/fuzz/${basename(file, ".sol")}.t.sol`;
  if (!file.includes("libraries/") || !existsSync(join(ROOT, own))) return undefined;
  const libraries = globSync("contracts/libraries/*.sol", { cwd: ROOT });
  const copy = makeCopy(`alone-${basename(file, ".sol")}`, ["contracts/interfaces", ...libraries, own, ...PROJECT]);
  assertPasses(copy, "test", "solidity");
  return copy;
}

async function examine(mutant: Mutant, alone: string | undefined): Promise<void> {
  const { file, line, what, source } = mutant;
  if (!recompiler.write(file, source)) {
    count.invalid++;
    return;
  }
  count.tried++;
  const isSeen =
    failsIn(alone, mutant) ||
    (await warm.run(nearestFirst(file))).failed !== undefined ||
    (!values.behaviour && failsIn(properties, mutant));
  if (!isSeen) count.survived++;
  console.log(`${isSeen ? "seen    " : "SURVIVED"} ${file}:${line} ${what}`);
}

/**
 * The tests named after the contract first (for a library those of what it is part of), then the others, the slow
 * metadata tests last.
 */
function nearestFirst(file: string): string[] {
  const name = basename(file, ".sol");
  const drawing = /Svg|TextFit|Ticket(Art|Colour|Metadata|Text)/.test(name) ? "token-metadata" : "PurchaseNFT";
  const nearest = file.includes("libraries/") ? drawing : name;
  const distance = (test: string) => (basename(test).startsWith(nearest) ? 0 : test.includes("token-metadata") ? 2 : 1);
  return tests.toSorted((a, b) => distance(a) - distance(b));
}

function failsIn(where: string | undefined, { file, source }: Mutant): boolean {
  if (where === undefined) return false;
  writeFileSync(join(where, file), source);
  return hardhat(where, "test", "solidity").status !== 0;
}

/** A test that fails without any change would make the result meaningless. */
function assertPasses(where: string, ...args: string[]): void {
  const { status, stdout, stderr } = hardhat(where, ...args);
  if (status !== 0) throw new Error(`hardhat ${args.join(" ")} fails without any change:\n${stdout}${stderr}`);
}

function hardhat(where: string, ...args: string[]) {
  const env = { ...process.env, QUICK_COMPILE: "1" };
  const options = { cwd: where, env, timeout: TIMEOUT_MS, encoding: "utf8" } as const;
  return spawnSync(process.execPath, [HARDHAT, ...args], options);
}
