/**
 * Makes one small change of the contracts after another and checks that a test fails: `npm run mutate`. Works on a copy.
 * `--only TEXT` selects files by name, `--from LINE` and `--to LINE` lines, `--kind TEXT` changes by their
 * description. Prints the survivors; docs/contracts.md explains them.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Mutant, mutantsOf } from "./mutate/mutants.ts";

const ROOT = join(import.meta.dirname, "..");
const PROJECT = ["hardhat.config.ts", "package.json", "tsconfig.json"];
const COPIED = ["contracts", "test/contracts", "test/vectors", "domain", "chain", ...PROJECT];
/** Tests of gas and of the committed bytecode: every mutant would fail them. */
const NOT_ASKED = /\/(gas|generated|verify-source)\.test\.ts$/;
const TIMEOUT_MS = 180_000;

const text = { type: "string" } as const;
const { values } = parseArgs({ options: { only: text, from: text, to: text, kind: text } });
const [firstLine, lastLine] = [Number(values.from ?? 1), Number(values.to ?? Number.POSITIVE_INFINITY)];
const isWanted = ({ line, what }: Mutant) => line >= firstLine && line <= lastLine && what.includes(values.kind ?? "");

const folder = mkdtempSync(join(tmpdir(), "torcida-mutants-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
const copy = makeCopy("whole", COPIED);

const tests = globSync("test/contracts/*.test.ts", { cwd: copy }).filter((file) => !NOT_ASKED.test(file));
const files = [...globSync("contracts/*.sol", { cwd: copy }), ...globSync("contracts/libraries/*.sol", { cwd: copy })]
  .filter((file) => !file.endsWith(".t.sol") && file.includes(values.only ?? ""))
  .sort();
let count = 0;
let isBaselineKnown = false;
const survivors: Mutant[] = [];
for (const file of files) {
  const original = readFileSync(join(copy, file), "utf8");
  const alone = copyAlone(file);
  if (alone && !run(alone, "solidity")) throw new Error(`The properties of ${file} fail without any change`);
  for (const mutant of mutantsOf(file, original).filter(isWanted)) {
    const isSeen = (alone && isNoticed(mutant, alone, ["solidity"])) || isNoticedByAll(mutant);
    console.log(`${isSeen ? "seen    " : "SURVIVED"} ${file}:${mutant.line} ${mutant.what}`);
    if (!isSeen) survivors.push(mutant);
    count++;
  }
  writeFileSync(join(copy, file), original);
}
console.log(`\n${count} mutants, ${count - survivors.length} noticed, ${survivors.length} survived`);

function makeCopy(name: string, paths: readonly string[]): string {
  const path = join(folder, name);
  for (const one of paths) cpSync(join(ROOT, one), join(path, one), { recursive: true });
  symlinkSync(join(ROOT, "node_modules"), join(path, "node_modules"));
  return path;
}

/** A library with its own property tests, and its dependencies: compiled and tested in a fraction of the time. */
function copyAlone(file: string): string | undefined {
  const properties = file.replace(/\.sol$/, ".t.sol");
  if (!file.includes("libraries/") || !existsSync(join(copy, properties))) return undefined;
  const all = ["contracts/interfaces", "contracts/libraries/PackedPurchase.sol", file, properties, ...PROJECT];
  return makeCopy(`alone-${files.indexOf(file)}`, all);
}

function isNoticed({ file, source }: Mutant, where: string, ...runs: string[][]): boolean {
  writeFileSync(join(where, file), source);
  return runs.some((args) => !run(where, ...args));
}

function isNoticedByAll(mutant: Mutant): boolean {
  if (!isBaselineKnown && !run(copy, "mocha", ...tests))
    throw new Error("The tests fail without any change; nothing can be learnt");
  isBaselineKnown = true;
  return isNoticed(mutant, copy, ["mocha", ...tests], ["solidity"]);
}

function run(where: string, ...args: string[]): boolean {
  const hardhat = join(ROOT, "node_modules/hardhat/dist/src/cli.js");
  const env = { ...process.env, QUICK_COMPILE: "1" };
  return spawnSync(process.execPath, [hardhat, "test", ...args], { cwd: where, env, timeout: TIMEOUT_MS }).status === 0;
}
