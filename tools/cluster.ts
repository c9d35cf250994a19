/**
 * The system as several processes on this machine: PostgreSQL, two api processes behind a load balancer, an indexer and its
 * standby. Kills parts of it while a mixed load runs:
 * `npm run cluster -- [--seconds N] [--seed N] [--database postgres|sqlite]`.
 */
import { setTimeout as delay } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type FaultSystem, startFaultSystem } from "../test/faults/support/fault-system.ts";
import { between, pick, type Random, seededRandom } from "../test/faults/support/random.ts";
import { type Supervised, supervise } from "../test/faults/support/supervised.ts";
import { freePorts } from "../test/testing/free-port.ts";
import { startPostgres } from "../test/testing/postgres.ts";
import { Shopper } from "../test/testing/shopper.ts";
import { startLoadBalancer } from "./cluster/load-balancer.ts";

const BUYERS = 4;
const READERS = 8;
const SETTLE_MS = 120_000;
const RESPITE_MS = 3_000;
/** Reads within this time of a kill are excluded from the percentile. */
const KILL_WINDOW_MS = 2_000;

/** Public reads, and a word that a correct response contains. */
const READS = [
  { path: "/api/stores", word: '"affiliate_link"' },
  { path: "/api/fan-tokens", word: '"slug"' },
  { path: "/api/stores/1", word: '"affiliate_link"' },
  { path: "/api/config", word: '"chain_id"' },
];

type Tally = { reads: number[]; writes: number; wrong: string[]; repeated: number; bought: number };

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: "1" },
    database: { type: "string", default: "postgres" },
  },
});
const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
if (!(seconds > 0) || !Number.isInteger(seed) || !["postgres", "sqlite"].includes(values.database)) {
  console.error("npm run cluster -- [--seconds NUMBER] [--seed WHOLE_NUMBER] [--database postgres|sqlite]");
  process.exit(2);
}
process.exit((await main()) ? 0 : 1);

async function main(): Promise<boolean> {
  console.log(`… ${values.database}, chain, contracts, indexer and standby, two api processes, load balancer`);
  const postgres = values.database === "postgres" ? await startPostgres() : undefined;
  let system: FaultSystem | undefined;
  let standby: Supervised | undefined;
  try {
    const environment = { RATE_LIMIT_SCALE: "10000", LOG_LEVEL: "warn" };
    system = await startFaultSystem({ databaseUrl: await postgres?.createDatabase(), environment, seed });
    const second = await system.anotherApi();
    standby = await startStandby(system);
    const ports = [system.url, second.url].map((url) => Number(new URL(url).port));
    const balancer = await startLoadBalancer(ports);
    try {
      return await loadAndKill(system, balancer.url, [system.api, second, system.indexer, standby]);
    } finally {
      console.log(`${balancer.retried()} requests were passed to another process`);
      await balancer.stop();
    }
  } finally {
    await standby?.stop("SIGKILL");
    await system?.stop();
    await postgres?.stop();
  }
}

async function startStandby({ environment }: FaultSystem): Promise<Supervised> {
  const [port = 0] = await freePorts(1);
  const standby = supervise({
    name: "standby",
    script: "indexer/main.ts",
    url: `http://127.0.0.1:${port}`,
    environment: { ...environment, INDEXER_PORT: String(port) },
  });
  standby.start();
  await standby.ready("/healthz");
  return standby;
}

async function loadAndKill(system: FaultSystem, url: string, parts: readonly Supervised[]): Promise<boolean> {
  const random = seededRandom(seed);
  const tally: Tally = { reads: [], writes: 0, wrong: [], repeated: 0, bought: 0 };
  const deadline = performance.now() + seconds * 1_000;
  const kills: number[] = [];
  const load = [
    ...Array.from({ length: BUYERS }, (_, index) => keepBuying(url, seededRandom(seed + index), deadline, tally)),
    ...Array.from({ length: READERS }, (_, index) => keepReading(url, index, deadline, kills, tally)),
  ];
  const killed: Record<string, number> = {};
  while (performance.now() + RESPITE_MS < deadline) {
    await delay(between(random, 1_000, 2 * RESPITE_MS));
    const part = pick(random, parts);
    kills.push(performance.now());
    await part.kill();
    killed[part.name] = (killed[part.name] ?? 0) + 1;
  }
  await Promise.all(load);
  tally.reads.sort((one, other) => one - other);
  const p99 = tally.reads[Math.floor(tally.reads.length * 0.99)] ?? 0;
  console.log(`killed: ${JSON.stringify(killed)}`);
  console.log(
    `${tally.reads.length} reads (p99 ${p99.toFixed(1)} ms outside kills), ${tally.writes} writes, ${tally.repeated} repeated by the client`,
  );
  await Promise.all(parts.map((part) => part.ready("/healthz")));
  const { purchases } = await system.settled(SETTLE_MS);
  const reconciled = await system.run("scripts/reconcile.ts");
  const lost = Math.max(0, tally.bought - purchases);
  console.log(
    `${purchases} purchases: each minted once and paid once, ${tally.bought} were acknowledged, ${lost} lost`,
  );
  for (const sentence of new Set(tally.wrong)) console.log(`✗ wrong answer: ${sentence}`);
  console.log(reconciled.output.trim());
  const isRight = lost === 0 && tally.wrong.length === 0 && reconciled.code === 0;
  console.log(isRight ? "Nothing lost, nothing twice, no wrong answer" : "FAILED");
  return isRight;
}

async function keepBuying(url: string, random: Random, deadline: number, tally: Tally): Promise<void> {
  const shopper = new Shopper(url);
  await patiently(() => shopper.signUp(), tally);
  while (performance.now() < deadline) {
    await patiently(() => shopper.buy(between(random, 1, 8), between(random, 1, 500)), tally);
    tally.bought++;
    tally.writes++;
    await delay(between(random, 50, 300));
  }
}

/** A client that retries broken requests; a response that is neither correct nor 503 counts as wrong. */
async function patiently(work: () => Promise<unknown>, tally: Tally): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      await work();
      return;
    } catch (error) {
      const message = String(error);
      const isRegistered = message.includes("already registered");
      if (!(error instanceof TypeError) && !/\b50[23]\b|BAD_GATEWAY|_UNAVAILABLE/.test(message) && !isRegistered)
        tally.wrong.push(message);
      tally.repeated++;
      await delay(50);
    }
  }
  tally.wrong.push("a write was refused 200 times");
}

/** Reads public resources and its own profile in turns; any incorrect response counts as wrong. */
async function keepReading(url: string, from: number, deadline: number, kills: readonly number[], tally: Tally) {
  const shopper = new Shopper(url);
  await patiently(() => shopper.signUp(), tally);
  for (let turn = from; performance.now() < deadline; turn++) {
    const { path, word } = READS[turn % (READS.length + 1)] ?? { path: "/api/me", word: shopper.address };
    const asked = performance.now();
    try {
      const { status, body } = await shopper.call("GET", path);
      if (status !== 200 || !JSON.stringify(body).includes(word)) tally.wrong.push(`GET ${path}: ${status}`);
    } catch (error) {
      tally.wrong.push(`GET ${path}: ${error}`);
    }
    const now = performance.now();
    if (!kills.some((at) => asked < at + KILL_WINDOW_MS && now > at)) tally.reads.push(now - asked);
    await delay(20);
  }
}
