/**
 * Random sale histories from a seed on a whole system, then a verdict to the gwei: `npm run histories -- [--seed N]
 * [--runs M] [--histories 40] [--database sqlite|postgres]`. Each run has the next seed.
 */

import { parseArgs } from "node:util";
import { messageOf } from "../domain/unknown-error.ts";
import { runHistories } from "../test/faults/support/sale-histories.ts";
import { startPostgres } from "../test/testing/postgres.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    runs: { type: "string", default: "1" },
    histories: { type: "string", default: "40" },
    database: { type: "string" },
  },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const [runs, histories] = [Number(values.runs), Number(values.histories)];
const engines = ["sqlite", "postgres"].filter((one) => values.database === undefined || values.database === one);
if (![seed, runs, histories].every(Number.isInteger) || engines.length === 0) {
  console.error("npm run histories -- [--seed N] [--runs M] [--histories 40] [--database sqlite|postgres]");
  process.exit(2);
}
let failures = 0;
for (let run = 0; run < runs; run++) for (const engine of engines) failures += (await tell(engine, seed + run)) ? 0 : 1;
console.log(failures === 0 ? "Every wallet holds what its networks reported" : `${failures} FAILED`);
process.exit(failures === 0 ? 0 : 1);

/** Returns whether the final state is correct. */
async function tell(engine: string, ofSeed: number): Promise<boolean> {
  const postgres = engine === "postgres" ? await startPostgres() : undefined;
  try {
    const databaseUrl = await postgres?.createDatabase();
    const { differences, ...counts } = await runHistories({
      seed: ofSeed,
      histories,
      ...(databaseUrl && { databaseUrl }),
    });
    console.log(`${engine}, seed ${ofSeed}: ${JSON.stringify(counts)}`);
    for (const difference of differences) console.error(`${engine}, seed ${ofSeed}: ${difference}`);
    return differences.length === 0;
  } catch (error) {
    console.error(`${engine}, seed ${ofSeed}: ${messageOf(error)}`);
    return false;
  } finally {
    await postgres?.stop();
  }
}
