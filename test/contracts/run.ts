/**
 * The tests of the contracts: the generated files, the gas figures and the behaviour of the contracts as they are
 * deployed. `--deep`: the behaviour under coverage, which must be complete for our own contracts, every history of four
 * calls, names and drawings in full on the deployed bytecode, fuzz and invariants in Solidity.
 */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");
const HARDHAT = join(ROOT, "node_modules/hardhat/dist/src/cli.js");
/** Coverage instrumentation costs gas and changes the bytecode, so these run only as deployed. */
const AS_DEPLOYED = [
  "event-replay",
  "every-history",
  "gas",
  "gas-limits",
  "generated",
  "hostile-receivers",
  "verify-source",
].map(fileOf);
/** Slow as deployed, with all the names and tickets, and all the histories. */
const IN_FULL = ["every-history", "token-metadata"].map(fileOf);

const files = globSync("test/contracts/*.test.ts", { cwd: ROOT }).sort();
process.exit((process.argv.includes("--deep") ? runDeep() : runQuick()) ? 0 : 1);

function runQuick(): boolean {
  return hardhat("test", "mocha", ...files.filter((file) => !IN_FULL.includes(file)));
}

function runDeep(): boolean {
  rmSync(join(ROOT, "coverage"), { recursive: true, force: true });
  const isGood = hardhat("test", "mocha", "--coverage", ...files.filter((file) => !AS_DEPLOYED.includes(file)));
  const isComplete = isCovered();
  const isFull = hardhat("test", "mocha", ...IN_FULL);
  const isSafe = hardhat("test", "solidity");
  return isGood && isComplete && isFull && isSafe;
}

function fileOf(name: string): string {
  return `test/contracts/${name}.test.ts`;
}

function hardhat(...args: string[]): boolean {
  return spawnSync(process.execPath, [HARDHAT, ...args], { cwd: ROOT, stdio: "inherit" }).status === 0;
}

/** Whether every line and statement of our own contracts ran; prints what did not, as mocha would. */
function isCovered(): boolean {
  const report = readFileSync(join(ROOT, "coverage/lcov.info"), "utf8");
  const missing: string[] = [];
  let count = 0;
  for (const record of report.split("end_of_record")) {
    const file = /^SF:(.+)$/m.exec(record)?.[1];
    if (!file?.startsWith("contracts/") || file.includes("/testing/")) continue;
    count++;
    for (const [, line] of record.matchAll(/^DA:(\d+),0$/gm)) missing.push(`${file}:${line}`);
    // Hardhat reports each statement as a branch: a condition's two outcomes are two statements.
    for (const [, line] of record.matchAll(/^BRDA:(\d+),.*,(?:0|-)$/gm)) missing.push(`${file}:${line} (a statement)`);
  }
  const isComplete = missing.length === 0 && count >= 7;
  console.log("\n  Coverage of our own contracts");
  console.log(
    isComplete ? `    ✔ is 100 % of ${count} files\n\n  1 passing` : `    ${missing.join("\n    ")}\n\n  1 failing`,
  );
  return isComplete;
}
