/**
 * Random faults from a seed, on both databases, then a verdict: `npm run chaos -- [--seed N] [--minutes M] [--database
 * sqlite|postgres] [--lies] [--keep FOLDER]`.
 */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { messageOf } from "../domain/unknown-error.ts";
import { CONTRACTS_ADMIN, CONTRACTS_ADMIN_KEY } from "../test/faults/support/contracts-admin.ts";
import { type FaultSystem, startFaultSystem } from "../test/faults/support/fault-system.ts";
import type { Supervised } from "../test/faults/support/supervised.ts";
import { type Postgres, startPostgres } from "../test/testing/postgres.ts";
import { until } from "../test/testing/until.ts";
import { relieve } from "./chaos/scarcity.ts";
import { LIES, Storm } from "./chaos/storm.ts";
import { BACK_MS, readyz, type Witness, watch } from "./chaos/witness.ts";

/** Exit codes of reconcile: agreement, or a surplus that strangers sent. */
const CLEAN = [0, 4];
const SAID_CHARACTERS = 3_000;
const SETTLE_MS = 180_000;
/** Few enough that the reorgs below undo final blocks repeatedly. */
const CONFIRMATIONS = "2";
const ENVIRONMENT = {
  CONFIRMATIONS,
  PAYOUT_CONFIRMATIONS: CONFIRMATIONS,
  RATE_LIMIT_SCALE: "1000",
  RECONCILE_INTERVAL_SECONDS: "5",
  LOG_LEVEL: "info",
  DEPLOYER_PRIVATE_KEY: CONTRACTS_ADMIN_KEY,
  TREASURER_ADDRESS: CONTRACTS_ADMIN,
};

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    minutes: { type: "string" },
    database: { type: "string" },
    lies: { type: "boolean" },
    keep: { type: "string" },
  },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const minutes = Number(values.minutes ?? 2);
const withLies = values.lies ?? false;
const engines = (["sqlite", "postgres"] as const).filter(
  (one) => values.database === undefined || values.database === one,
);
if (!Number.isInteger(seed) || !(minutes > 0) || engines.length === 0) {
  console.error(
    "npm run chaos -- [--seed WHOLE_NUMBER] [--minutes NUMBER] [--database sqlite|postgres] [--lies] [--keep FOLDER]",
  );
  process.exit(2);
}
/** Also stopped when this program is interrupted. */
const running = new Set<{ stop(): Promise<void> }>();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(
    signal,
    () => void Promise.allSettled([...running].map((one) => one.stop())).then(() => process.exit(1)),
  );
}
let failures = 0;
for (const engine of engines) failures += (await unleash(engine, minutes / engines.length)) ? 0 : 1;
console.log(failures === 0 ? `Seed ${seed}: nothing lost, nothing duplicated` : `Seed ${seed}: ${failures} FAILED`);
process.exit(failures === 0 ? 0 : 1);

/** Returns whether the final state is correct. */
async function unleash(engine: (typeof engines)[number], forMinutes: number): Promise<boolean> {
  let postgres: Postgres | undefined;
  let system: FaultSystem | undefined;
  let witness: Witness | undefined;
  const observed: string[] = [];
  const say = (sentence: string) => console.error(`${engine}: ${sentence}`);
  try {
    if (engine === "postgres") postgres = await startPostgres();
    if (postgres) running.add(postgres);
    const databaseUrl = await postgres?.createDatabase();
    system = await startFaultSystem({ seed, environment: ENVIRONMENT, databaseUrl, withFallback: withLies });
    running.add(system);
    if (withLies) system.fallback?.set(LIES);
    witness = await watch(system);
    const storm = new Storm({ system, witness, seed, withLies, observed });
    const harm = await storm.rage(forMinutes * 60_000);
    const { purchases } = await recover(system, witness);
    const reconciled = await system.run("scripts/reconcile.ts");
    const crashes = unexplainedEnds(system.api) + unexplainedEnds(system.indexer);
    observed.push(...(await witness.end()));
    witness = undefined;
    const { counts } = system.proxy;
    const lies = system.fallback && { lies: system.fallback.counts };
    console.log(`${engine}: ${purchases} purchases, each minted once and paid once`);
    console.log(`${engine}: ${JSON.stringify({ ...harm, ...counts, ...lies })}`);
    console.log(`${engine}: ${reconciled.output.trim()}; unexpected exits: ${crashes}`);
    if (crashes > 0)
      for (const { name, output } of [system.api, system.indexer]) say(`${name} ${plainLines(output())}`);
    for (const sentence of observed) say(sentence);
    return CLEAN.includes(reconciled.code) && crashes === 0 && observed.length === 0;
  } catch (error) {
    say(messageOf(error));
    for (const sentence of [...observed, ...((await witness?.end()) ?? [])]) say(sentence);
    if (system) await tellWhy(system, engine, say);
    return false;
  } finally {
    await system?.stop();
    await postgres?.stop();
    running.clear();
  }
}

/**
 * Writes the output of both processes to files if they are kept, and reports whether the index or the fold is wrong.
 */
async function tellWhy(system: FaultSystem, engine: string, say: (sentence: string) => void): Promise<void> {
  for (const { name, output } of [system.api, system.indexer]) {
    say(`the end of what the ${name} said:\n${output().slice(-SAID_CHARACTERS)}`);
    if (values.keep === undefined) continue;
    mkdirSync(values.keep, { recursive: true });
    writeFileSync(join(values.keep, `${engine}-${seed}-${name}.log`), output());
  }
  say(`the index compared with the chain:\n${(await system.run("indexer/main.ts", ["--verify"])).output}`);
}

/** After the faults end and the admin raises every limit, everything must be paid and no warning may remain. */
async function recover(system: FaultSystem, witness: Witness) {
  system.proxy.set({});
  witness.expect("fair");
  await Promise.all([system.api.ready(), system.indexer.ready()]);
  await relieve(system);
  const verdict = await system.settled(SETTLE_MS);
  await until(
    "/readyz warns of nothing",
    async () => {
      const { status, text } = (await readyz(system.api)) ?? { status: 0, text: "" };
      const { warnings }: { warnings: string[] } = JSON.parse(text);
      if (status !== 200 || warnings.length > 0) throw new Error(`${status} ${text}`);
      return true;
    },
    BACK_MS,
  );
  return verdict;
}

/** Counts unexpected exits; a start refused because of the wrong chain is expected. */
function unexplainedEnds(process: Supervised): number {
  return process.crashes() - (process.output().match(/^[^{].* is of (?:another )?chain/gm)?.length ?? 0);
}

/** Output outside the log explains why a process ended. */
function plainLines(output: string): string[] {
  return output.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
}
