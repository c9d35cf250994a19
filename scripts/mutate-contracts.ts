/**
 * Changes the contracts in one small way after another and looks whether a test notices: `npm run mutate`. Works on a copy.
 * `--only TEXT` takes the files whose name has it, `--from LINE` and `--to LINE` those lines, `--kind TEXT` the changes whose
 * description has it. Prints the survivors; their reasons stand in docs/contracts.md.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Mutant, mutantsOf } from "./mutate/mutants.ts";

const ROOT = join(import.meta.dirname, "..");
const COPIED = [
  "contracts",
  "test/contracts",
  "test/vectors",
  "domain",
  "chain",
  "hardhat.config.ts",
  "package.json",
  "tsconfig.json",
];
/** These say what the compiled code costs and that it is the committed one: every mutant would fail them. */
const NOT_ASKED = /\/(gas|generated|verify-source)\.test\.ts$/;
const TIMEOUT_MS = 180_000;

const text = { type: "string" } as const;
const { values } = parseArgs({ options: { only: text, from: text, to: text, kind: text } });
const [firstLine, lastLine] = [Number(values.from ?? 1), Number(values.to ?? Number.POSITIVE_INFINITY)];
const isWanted = ({ line, what }: Mutant) => line >= firstLine && line <= lastLine && what.includes(values.kind ?? "");
const copy = mkdtempSync(join(tmpdir(), "torcida-mutants-"));
for (const path of COPIED) cpSync(join(ROOT, path), join(copy, path), { recursive: true });
symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
process.on("exit", () => rmSync(copy, { recursive: true, force: true }));

const tests = globSync("test/contracts/*.test.ts", { cwd: copy }).filter((file) => !NOT_ASKED.test(file));
if (!run("mocha", ...tests)) throw new Error("The tests fail without any change; nothing can be learnt");

const files = [...globSync("contracts/*.sol", { cwd: copy }), ...globSync("contracts/libraries/*.sol", { cwd: copy })]
  .filter((file) => !file.endsWith(".t.sol") && file.includes(values.only ?? ""))
  .sort();
let count = 0;
const survivors: Mutant[] = [];
for (const file of files) {
  const original = readFileSync(join(copy, file), "utf8");
  // They compile and run in a fraction of the time that all take.
  const ownTests = file.replace(/\.sol$/, ".t.sol");
  const hasOwnTests = existsSync(join(copy, ownTests));
  for (const mutant of mutantsOf(file, original).filter(isWanted)) {
    writeFileSync(join(copy, file), mutant.source);
    const isSeen = (hasOwnTests && !run("solidity", ownTests)) || !run("mocha", ...tests) || !run("solidity");
    console.log(`${isSeen ? "seen    " : "SURVIVED"} ${file}:${mutant.line} ${mutant.what}`);
    if (!isSeen) survivors.push(mutant);
    count++;
  }
  writeFileSync(join(copy, file), original);
}
console.log(`\n${count} mutants, ${count - survivors.length} noticed, ${survivors.length} survived`);

function run(...args: string[]): boolean {
  const hardhat = join(ROOT, "node_modules/hardhat/dist/src/cli.js");
  const env = { ...process.env, QUICK_COMPILE: "1" };
  return spawnSync(process.execPath, [hardhat, "test", ...args], { cwd: copy, env, timeout: TIMEOUT_MS }).status === 0;
}
