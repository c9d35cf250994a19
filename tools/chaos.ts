/** Random faults by a seed, on both databases, then a verdict: `npm run chaos -- [--seed N] [--minutes M] [--database sqlite|postgres] [--lies]`. */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type FaultRates, lying } from "../test/faults/support/chaos-proxy.ts";
import { type FaultSystem, startFaultSystem } from "../test/faults/support/fault-system.ts";
import { patiently } from "../test/faults/support/patiently.ts";
import { between, pick, type Random, seededRandom } from "../test/faults/support/random.ts";
import type { Supervised } from "../test/faults/support/supervised.ts";
import { type Postgres, startPostgres } from "../test/testing/postgres.ts";
import type { Shopper } from "../test/testing/shopper.ts";
import { type Witness, watch } from "./chaos/witness.ts";

const A_THIRD = 1 / 3;
const SHOPPERS = 4;
const SAID_CHARACTERS = 3_000;
const SETTLE_MS = 180_000;
const PATIENCE_MS = 120_000;
/** Few enough that the reorgs below undo final blocks repeatedly. */
const CONFIRMATIONS = "2";
const ENVIRONMENT = {
  ...{ CONFIRMATIONS, PAYOUT_CONFIRMATIONS: CONFIRMATIONS, RATE_LIMIT_SCALE: "1000" },
  ...{ RECONCILE_INTERVAL_SECONDS: "5", LOG_LEVEL: "warn" },
};
const GREATEST_REORG = 12;

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    minutes: { type: "string" },
    database: { type: "string" },
    lies: { type: "boolean" },
  },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const minutes = Number(values.minutes ?? 2);
const withLies = values.lies ?? false;
const engines = (["sqlite", "postgres"] as const).filter(
  (one) => values.database === undefined || values.database === one,
);
if (!Number.isInteger(seed) || !(minutes > 0) || engines.length === 0) {
  console.error("npm run chaos -- [--seed WHOLE_NUMBER] [--minutes NUMBER] [--database sqlite|postgres] [--lies]");
  process.exit(2);
}
let failures = 0;
for (const engine of engines) failures += (await unleash(engine, minutes / engines.length)) ? 0 : 1;
console.log(failures === 0 ? `Seed ${seed}: nothing lost, nothing twice` : `Seed ${seed}: ${failures} FAILED`);
process.exit(failures === 0 ? 0 : 1);

/** Returns whether the final state is correct. */
async function unleash(engine: (typeof engines)[number], forMinutes: number): Promise<boolean> {
  let postgres: Postgres | undefined;
  let system: FaultSystem | undefined;
  try {
    if (engine === "postgres") postgres = await startPostgres();
    const databaseUrl = await postgres?.createDatabase();
    system = await startFaultSystem({ seed, environment: ENVIRONMENT, databaseUrl, withFallback: withLies });
    system.fallback?.set(lying(A_THIRD));
    const witness = await watch(system, lying(A_THIRD));
    const harm = await runFor(system, witness, forMinutes * 60_000);
    system.proxy.set({});
    system.fallback?.set({});
    await Promise.all([system.api.ready(), system.indexer.ready()]);
    const { purchases } = await system.settled(SETTLE_MS);
    const reconciled = await system.run("scripts/reconcile.ts");
    const crashes = unexplainedEnds(system.api) + unexplainedEnds(system.indexer);
    const observed = await witness.end();
    console.log(
      `${engine}: ${purchases} purchases, each minted once and paid once; ${JSON.stringify({ ...harm, ...system.proxy.counts })}`,
    );
    console.log(`${engine}: ${reconciled.output.trim()}; unexpected exits: ${crashes}`);
    if (crashes > 0)
      for (const { name, output } of [system.api, system.indexer]) console.error(name, plainLines(output()));
    for (const sentence of observed) console.error(`${engine}: ${sentence}`);
    return reconciled.code === 0 && crashes === 0 && observed.length === 0;
  } catch (error) {
    console.error(`${engine}: ${error instanceof Error ? error.message : String(error)}`);
    for (const { name, output } of system ? [system.api, system.indexer] : []) {
      console.error(`${engine}: the end of what the ${name} said:\n${output().slice(-SAID_CHARACTERS)}`);
    }
    return false;
  } finally {
    await system?.stop();
    await postgres?.stop();
  }
}

/** Counts unexpected exits; a start refused because of the wrong chain is expected. */
function unexplainedEnds(process: Supervised): number {
  return process.crashes() - (process.output().match(/^[^{].* is of (?:another )?chain/gm)?.length ?? 0);
}

/** What a process says outside its log is why it ended. */
function plainLines(output: string): string[] {
  return output.split("\n").filter((line) => line !== "" && !line.startsWith("{"));
}

async function runFor(system: FaultSystem, witness: Witness, durationMs: number) {
  const random = seededRandom(seed);
  const deadline = performance.now() + durationMs;
  // The first blocks contain the contracts and the catalogue.
  const firm = { blocks: 40 };
  const harm = { kills: 0, reorgs: 0, weathers: 0, chainRestarts: 0, blackouts: 0 };
  const shoppers = await Promise.all(Array.from({ length: SHOPPERS }, () => system.shopper()));
  const buying = shoppers.map((shopper, index) => keepBuying(shopper, seededRandom(seed + index + 1), deadline));
  while (performance.now() < deadline) {
    await delay(between(random, 200, 2_500));
    const [name, act] = pick(random, acts(system, witness, random, firm));
    await act();
    harm[name]++;
  }
  await Promise.all(buying);
  return harm;
}

type Act = ["kills" | "reorgs" | "weathers" | "chainRestarts" | "blackouts", () => Promise<unknown>];

/** Blocks up to `firm` cannot be reorganised. */
function acts(system: FaultSystem, witness: Witness, random: Random, firm: { blocks: number }): Act[] {
  const { api, indexer, anvil, proxy } = system;
  const height = async () => Number(await anvil.request<string>("eth_blockNumber"));
  const reorg = async () => {
    const depth = Math.min(between(random, 1, GREATEST_REORG), (await height()) - firm.blocks);
    if (depth > 0) await anvil.request("anvil_reorg", depth, []);
  };
  const restart = async () => {
    await system.restartChain();
    // A restarted node has no earlier state, so it cannot go back further.
    firm.blocks = Number(await system.anvil.request<string>("eth_blockNumber")) + 1;
  };
  const weather = async () => proxy.set(drawWeather(random));
  const blackout = () => witness.blackout(drawBlackout(random));
  return [
    ["kills", () => api.kill()],
    ["kills", () => indexer.kill()],
    ["weathers", weather],
    ["weathers", weather],
    ["reorgs", reorg],
    ["chainRestarts", restart],
    ["blackouts", blackout],
  ];
}

function drawBlackout(random: Random): FaultRates {
  return pick<FaultRates>(random, [{ drop: 1 }, { hang: 1 }, { "wrong-chain": 1 }, { unavailable: 1 }]);
}

/** A healthy node, a faulty one, or none. */
function drawWeather(random: Random): FaultRates {
  const rough: FaultRates = {
    drop: 0.1,
    "lose-answer": 0.1,
    delay: 0.1,
    unavailable: 0.05,
    "no-receipt": 0.05,
    stale: 0.05,
  };
  return pick<FaultRates>(random, [
    {},
    rough,
    rough,
    { drop: 1 },
    { hang: 0.3 },
    { "lose-answer": 0.5 },
    { "wrong-chain": 1 },
  ]);
}

/** Buys until the time is up; retries broken connections and 503, fails on any other refusal. */
async function keepBuying(shopper: Shopper, random: Random, deadline: number): Promise<void> {
  while (performance.now() < deadline) {
    await patiently(() => shopper.buy(between(random, 1, 8), between(random, 1, 500)), PATIENCE_MS);
    await delay(between(random, 100, 1_500));
  }
}
