import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../core/rules/unknown-error.ts";
import { CONTRACTS_ADMIN, CONTRACTS_ADMIN_KEY } from "../faults/support/contracts-admin.ts";
import { type FaultSystem, startFaultSystem } from "../faults/support/fault-system.ts";
import type { Supervised } from "../faults/support/supervised.ts";
import { until } from "../testing/until.ts";
import type { LongRun, Scenario } from "./main.ts";
import { relieve } from "./scarcity.ts";
import { LIES, Storm } from "./storm.ts";
import { BACK_MS, readyz, type Witness, watch } from "./witness.ts";

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

/** Random faults on both databases; also lies of a second node with `--lies`. */
export const chaos: Scenario = {
  options: {
    minutes: { type: "string", default: "2" },
    lies: { type: "boolean" },
    keep: { type: "string" },
  },
  numbers: ["minutes"],
  usage: "[--minutes NUMBER] [--lies] [--keep FOLDER]",
  engines: ["sqlite", "postgres"],
  verdict: { right: "nothing lost, nothing duplicated", wrong: "FAILED" },
  run: unleash,
};

/** For half of the minutes, unless a database was chosen. */
async function unleash({ engine, seed, databaseUrl, options, number, stopLater, tell }: LongRun): Promise<boolean> {
  const withLies = options.lies === true;
  const minutes = number("minutes") / (options.database === undefined ? 2 : 1);
  const observed: string[] = [];
  const system = await startFaultSystem({ seed, environment: ENVIRONMENT, databaseUrl, withFallback: withLies });
  stopLater(system);
  if (withLies) system.fallback?.set(LIES);
  const witness = await watch(system);
  try {
    const storm = new Storm({ system, witness, seed, withLies, observed });
    const harm = await storm.rage(minutes * 60_000);
    const { purchases } = await recover(system, witness);
    const reconciled = await system.run("scripts/reconcile.ts");
    const crashes = unexplainedEnds(system.api) + unexplainedEnds(system.indexer);
    const { counts } = system.proxy;
    const lies = system.fallback && { lies: system.fallback.counts };
    console.log(`${engine}: ${purchases} purchases, each minted once and paid once`);
    console.log(`${engine}: ${JSON.stringify({ ...harm, ...counts, ...lies })}`);
    console.log(`${engine}: ${reconciled.output.trim()}; unexpected exits: ${crashes}`);
    if (crashes > 0)
      for (const { name, output } of [system.api, system.indexer]) tell(`${name} ${plainLines(output())}`);
    observed.push(...(await witness.end()));
    return CLEAN.includes(reconciled.code) && crashes === 0 && observed.length === 0;
  } catch (error) {
    tell(messageOf(error));
    observed.push(...(await witness.end()));
    await tellWhy(system, `${engine}-${seed}`, options.keep, tell);
    return false;
  } finally {
    for (const sentence of observed) tell(sentence);
  }
}

/**
 * Writes the output of both processes to files if they are kept, and reports whether the index or the fold is wrong.
 */
async function tellWhy(
  system: FaultSystem,
  run: string,
  folder: LongRun["options"][string],
  tell: LongRun["tell"],
): Promise<void> {
  for (const { name, output } of [system.api, system.indexer]) {
    tell(`the end of what the ${name} said:\n${output().slice(-SAID_CHARACTERS)}`);
    if (typeof folder !== "string") continue;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${run}-${name}.log`), output());
  }
  tell(`the index compared with the chain:\n${(await system.run("indexer/main.ts", ["--verify"])).output}`);
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
