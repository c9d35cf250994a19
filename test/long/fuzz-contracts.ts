/**
 * Runs the contracts' properties and invariants repeatedly, with a new seed each time: `npm run fuzz -- --minutes N`
 * (default 10). Stops at the first failure and prints its seed; `--seed 0x…` repeats that run.
 */

import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { MINUTE_MS } from "../../core/rules/iso-time.ts";
import { numberOption, readOptions, refuseOptions } from "../../scripts/developer/read-options.ts";

const ROOT = join(import.meta.dirname, "../..");
const HARDHAT = join(ROOT, "node_modules/hardhat/dist/src/cli.js");

const text = { type: "string" } as const;
const { values } = readOptions({ options: { minutes: text, seed: text } });
const minutes = numberOption(values, "minutes", 10, { least: 0, isWhole: false });
if (values.seed !== undefined && !/^0x[\da-f]{1,64}$/i.test(values.seed))
  refuseOptions(`--seed must be hexadecimal, 0x…, not "${values.seed}"`);

const started = Date.now();
let rounds = 0;
do {
  const seed = values.seed ?? `0x${randomBytes(8).toString("hex")}`;
  console.log(`Round ${rounds + 1}, seed ${seed}, after ${Math.floor((Date.now() - started) / 1_000)} s`);
  const env = { ...process.env, FUZZ_SEED: seed };
  const { status } = spawnSync(process.execPath, [HARDHAT, "test", "solidity"], { cwd: ROOT, env, stdio: "inherit" });
  rounds += 1;
  if (status !== 0) {
    console.error(`Failed with seed ${seed}: \`npm run fuzz -- --minutes 1 --seed ${seed}\` repeats it`);
    process.exit(1);
  }
} while (values.seed === undefined && Date.now() - started < minutes * MINUTE_MS);
console.log(`${rounds} rounds in ${Math.round((Date.now() - started) / 1_000)} s, no failure`);
