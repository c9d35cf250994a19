/**
 * Makes one small change to the contracts at a time and checks that a test fails: `npm run mutate`. Works on copies.
 * `--only TEXT` selects files by name, `--from LINE` and `--to LINE` lines, `--kind TEXT` changes by their description.
 * Prints the survivors; docs/contracts.md explains them.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";
import { type Mutant, mutantsOf } from "./mutate/mutants.ts";
import { Recompiler } from "./mutate/recompile.ts";

const ROOT = join(import.meta.dirname, "..");
const HARDHAT = join(ROOT, "node_modules/hardhat/dist/src/cli.js");
const PROJECT = ["hardhat.config.ts", "package.json", "tsconfig.json"];
const COPIED = ["contracts", "test/contracts", "test/vectors", "domain", "chain", ...PROJECT];
/**
 * Tests of gas, documents and the committed bytecode are not run: their failure does not mean that a mutant misbehaves.
 */
const NOT_ASKED = /\/(documents|gas|generated|verify-source)\.test\.ts$/;
/** Only a guard against hanging tests: on a busy machine a run takes minutes. */
const TIMEOUT_MS = 1_800_000;

const text = { type: "string" } as const;
const { values } = parseArgs({ options: { only: text, from: text, to: text, kind: text } });
const [firstLine, lastLine] = [Number(values.from ?? 1), Number(values.to ?? Number.POSITIVE_INFINITY)];
const isWanted = ({ line, what }: Mutant) => line >= firstLine && line <= lastLine && what.includes(values.kind ?? "");

const folder = mkdtempSync(join(tmpdir(), "torcida-mutants-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
/** The behaviour runs in one copy, on recompiled artifacts; fuzz and invariants, asked only of what survives, in another. */
const behaviour = makeCopy("behaviour", COPIED);
const properties = makeCopy("properties", COPIED);
const tests = globSync("test/contracts/*.test.ts", { cwd: behaviour }).filter((file) => !NOT_ASKED.test(file));
assertPasses(behaviour, "mocha", ...tests);
const recompiler = new Recompiler(behaviour);

const files = [...globSync("contracts/*.sol", { cwd: ROOT }), ...globSync("contracts/libraries/*.sol", { cwd: ROOT })]
  .filter((file) => !file.endsWith(".t.sol") && file.includes(values.only ?? ""))
  .sort();
const count = { tried: 0, invalid: 0, survived: 0 };
for (const file of files) {
  const original = readFileSync(join(behaviour, file), "utf8");
  const alone = copyAlone(file);
  if (alone) assertPasses(alone, "solidity");
  for (const mutant of mutantsOf(file, original).filter(isWanted)) examine(mutant, alone);
  recompiler.write(file, original);
  writeFileSync(join(properties, file), original);
}
const noticed = count.tried - count.survived;
console.log(
  `\n${count.tried} mutants, ${noticed} noticed, ${count.survived} survived (${count.invalid} do not compile)`,
);

function makeCopy(name: string, paths: readonly string[]): string {
  const path = join(folder, name);
  for (const one of paths) cpSync(join(ROOT, one), join(path, one), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(path, "node_modules"));
  return path;
}

/** A library with its own property tests, and its dependencies: compiled and tested in a fraction of the time. */
function copyAlone(file: string): string | undefined {
  const own = file.replace(/\.sol$/, ".t.sol");
  if (!file.includes("libraries/") || !existsSync(join(ROOT, own))) return undefined;
  const all = ["contracts/interfaces", "contracts/libraries/PackedPurchase.sol", file, own, ...PROJECT];
  return makeCopy(`alone-${basename(file, ".sol")}`, all);
}

function examine(mutant: Mutant, alone: string | undefined): void {
  const { file, line, what, source } = mutant;
  if (!recompiler.write(file, source)) {
    count.invalid++;
    return;
  }
  count.tried++;
  const isSeen =
    !run(behaviour, "mocha", "--no-compile", "--bail", ...nearestFirst(file)) ||
    (alone !== undefined && failsIn(alone, mutant)) ||
    failsIn(properties, mutant);
  if (!isSeen) count.survived++;
  console.log(`${isSeen ? "seen    " : "SURVIVED"} ${file}:${line} ${what}`);
}

/** The tests named after the file, then those of what it draws, then the others. */
function nearestFirst(file: string): string[] {
  const name = basename(file, ".sol");
  const distance = (test: string) => (basename(test).startsWith(name) ? 0 : test.includes("token-metadata") ? 1 : 2);
  const isDrawing = /Svg|TextFit|Ticket(Art|Metadata|Text)/.test(name);
  return isDrawing ? tests.toSorted((a, b) => distance(a) - distance(b)) : tests.toSorted((a, b) => rank(a) - rank(b));
  function rank(test: string): number {
    return distance(test) === 0 ? 0 : distance(test) === 2 ? 1 : 2;
  }
}

function failsIn(where: string, { file, source }: Mutant): boolean {
  writeFileSync(join(where, file), source);
  return !run(where, "solidity");
}

/** Tests that fail without any change would make the result meaningless. */
function assertPasses(where: string, ...args: string[]): void {
  const { status, stdout, stderr } = hardhatTest(where, args);
  if (status !== 0) throw new Error(`hardhat test ${args[0]} fails without any change:\n${stdout}${stderr}`);
}

function run(where: string, ...args: string[]): boolean {
  return hardhatTest(where, args).status === 0;
}

function hardhatTest(where: string, args: readonly string[]) {
  const env = { ...process.env, QUICK_COMPILE: "1" };
  const options = { cwd: where, env, timeout: TIMEOUT_MS, encoding: "utf8" } as const;
  return spawnSync(process.execPath, [HARDHAT, "test", ...args], options);
}
