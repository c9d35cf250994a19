import { setTimeout as delay } from "node:timers/promises";
import { connect } from "../../core/database/connect.ts";
import { type FaultSystem, startFaultSystem } from "../faults/support/fault-system.ts";
import { between, pick, type Random, seededRandom } from "../faults/support/random.ts";
import { type Supervised, supervise } from "../faults/support/supervised.ts";
import { freePorts } from "../testing/free-port.ts";
import { type PostgresPair, startPostgresPair } from "../testing/postgres-pair.ts";
import { Shopper } from "../testing/shopper.ts";
import { until } from "../testing/until.ts";
import { startLoadBalancer } from "./load-balancer.ts";
import type { LongRun, Scenario } from "./main.ts";

const BUYERS = 4;
const READERS = 8;
const SETTLE_MS = 120_000;
/** How long the simulated failover manager takes to be sure that the primary is gone. */
const PROMOTE_AFTER_MS = { least: 500, most: 3_000 };
const RESPITE_MS = 3_000;
/** Reads within this time of a kill are excluded from the percentile. */
const KILL_WINDOW_MS = 2_000;

/** Public reads, with a word that a correct response contains. */
const READS = [
  { path: "/api/stores", word: '"affiliate_link"' },
  { path: "/api/fan-tokens", word: '"slug"' },
  { path: "/api/stores/1", word: '"affiliate_link"' },
  { path: "/api/config", word: '"chain_id"' },
];

type Tally = {
  reads: number[];
  /** Reads with a 503 while the database was unavailable. */
  refusedReads: number;
  writes: Write[];
  wrong: string[];
  repeated: number;
};

/** An acknowledged purchase, with the times of its request and response. */
type Write = { id: number; askedAt: number; acknowledgedAt: number };

/** When parts were killed, and between which moments the database was away. */
type Faults = { kills: number[]; databaseGoneAt?: number; databaseBackAt?: number };

/**
 * The system as several processes: two api processes behind a load balancer, an indexer and its standby. Kills parts
 * of it while a mixed load runs. With `--database-failover` the database fails: a primary with a synchronous standby
 * is killed under load, the standby is promoted, and no acknowledged purchase may be missing.
 */
export const cluster: Scenario = {
  options: { seconds: { type: "string", default: "60" }, "database-failover": { type: "boolean" } },
  numbers: ["seconds"],
  usage: "[--seconds NUMBER] [--database-failover]",
  engines: ["postgres"],
  verdict: { right: "nothing lost, nothing duplicated, no wrong response", wrong: "FAILED" },
  run: runCluster,
};

async function runCluster(run: LongRun): Promise<boolean> {
  const pair = run.options["database-failover"] ? await startPostgresPair() : undefined;
  if (pair) run.stopLater(pair);
  const databaseName = pair ? "a PostgreSQL primary and its synchronous standby" : run.engine;
  console.log(`… ${databaseName}, chain, contracts, indexer and standby, two api processes, load balancer`);
  const environment = { RATE_LIMIT_SCALE: "10000", LOG_LEVEL: "warn" };
  const databaseUrl = pair?.databaseUrl ?? run.databaseUrl;
  const system = await startFaultSystem({ databaseUrl, environment, seed: run.seed });
  run.stopLater(system);
  const second = await system.anotherApi();
  const standby = await startStandby(system);
  run.stopLater({ stop: () => standby.stop("SIGKILL") });
  const ports = [system.url, second.url].map((url) => Number(new URL(url).port));
  const balancer = await startLoadBalancer(ports);
  run.stopLater(balancer);
  const isRight = await loadAndKill(run, system, balancer.url, [system.api, second, system.indexer, standby], pair);
  console.log(`${balancer.retried()} requests were passed to another process`);
  return isRight;
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

async function loadAndKill(
  { seed, number }: LongRun,
  system: FaultSystem,
  url: string,
  parts: readonly Supervised[],
  pair: PostgresPair | undefined,
): Promise<boolean> {
  const random = seededRandom(seed);
  const seconds = number("seconds");
  const tally: Tally = { reads: [], refusedReads: 0, writes: [], wrong: [], repeated: 0 };
  const deadline = performance.now() + seconds * 1_000;
  const faults: Faults = { kills: [] };
  const load = [
    ...Array.from({ length: BUYERS }, (_, index) => keepBuying(url, seededRandom(seed + index), deadline, tally)),
    ...Array.from({ length: READERS }, (_, index) => keepReading(url, index, deadline, faults, tally)),
  ];
  if (pair) await failOver(pair, seconds, random, faults, tally);
  else await killParts(parts, random, deadline, faults);
  await Promise.all(load);
  tellReads(tally);
  await Promise.all(parts.map((part) => part.ready("/healthz")));
  return isWhole(system, tally);
}

async function killParts(
  parts: readonly Supervised[],
  random: Random,
  deadline: number,
  { kills }: Faults,
): Promise<void> {
  const killed: Record<string, number> = {};
  while (performance.now() + RESPITE_MS < deadline) {
    await delay(between(random, 1_000, 2 * RESPITE_MS));
    const part = pick(random, parts);
    kills.push(performance.now());
    await part.kill();
    killed[part.name] = (killed[part.name] ?? 0) + 1;
  }
  console.log(`killed: ${JSON.stringify(killed)}`);
}

/** Kills the primary, promotes the standby a while later, and waits for the first purchase after it. */
async function failOver(
  pair: PostgresPair,
  seconds: number,
  random: Random,
  faults: Faults,
  tally: Tally,
): Promise<void> {
  await delay(between(random, seconds * 200, seconds * 500));
  const before = tally.writes.length;
  const goneAt = performance.now();
  faults.databaseGoneAt = goneAt;
  await pair.killPrimary();
  await delay(between(random, PROMOTE_AFTER_MS.least, PROMOTE_AFTER_MS.most));
  const promotedAt = performance.now();
  await pair.promoteStandby();
  const isAfter = (write: Write) => write.askedAt > goneAt;
  const first = await until("a purchase is acknowledged by the new primary", () => tally.writes.find(isAfter), 60_000);
  faults.databaseBackAt = first.acknowledgedAt;
  const inSeconds = (ms: number) => (ms / 1_000).toFixed(1);
  console.log(
    `The primary was killed after ${before} purchases and the standby promoted ${inSeconds(promotedAt - goneAt)} s later`,
  );
  console.log(
    `Outage: ${inSeconds(first.acknowledgedAt - goneAt)} s without a write, ${inSeconds(first.acknowledgedAt - promotedAt)} s of them after the promotion`,
  );
}

function tellReads({ reads, refusedReads, writes, repeated }: Tally): void {
  reads.sort((one, other) => one - other);
  const p99 = reads[Math.floor(reads.length * 0.99)] ?? 0;
  const refused = refusedReads > 0 ? `, ${refusedReads} answered 503 while the database was away` : "";
  console.log(
    `${reads.length} reads (p99 ${p99.toFixed(1)} ms outside kills)${refused}, ${writes.length} writes, ${repeated} repeated by the client`,
  );
}

/** Whether every acknowledged purchase exists, was minted once and paid once, and the database matches the chain. */
async function isWhole(system: FaultSystem, { writes, wrong }: Tally): Promise<boolean> {
  const { purchases } = await system.settled(SETTLE_MS);
  const reconciled = await system.run("scripts/reconcile.ts");
  const stored = await storedIds(system);
  const lost = writes.filter((write) => !stored.has(BigInt(write.id)));
  console.log(
    `${purchases} purchases: each minted once and paid once, ${writes.length} were acknowledged, ${lost.length} lost`,
  );
  for (const sentence of new Set(wrong)) console.log(`✗ wrong answer: ${sentence}`);
  console.log(reconciled.output.trim());
  return lost.length === 0 && writes.length > 0 && wrong.length === 0 && reconciled.code === 0;
}

async function storedIds({ databaseUrl }: FaultSystem): Promise<Set<bigint>> {
  const database = await connect(databaseUrl);
  try {
    const rows = await database.kysely.selectFrom("purchases").select("id").execute();
    return new Set(rows.map((row) => row.id));
  } finally {
    await database.close();
  }
}

async function keepBuying(url: string, random: Random, deadline: number, tally: Tally): Promise<void> {
  const shopper = new Shopper(url);
  await patiently(() => shopper.signUp(), tally);
  while (performance.now() < deadline) {
    const askedAt = performance.now();
    const id = await patiently(() => shopper.buy(between(random, 1, 8), between(random, 1, 500)), tally);
    if (id !== undefined) tally.writes.push({ id, askedAt, acknowledgedAt: performance.now() });
    await delay(between(random, 50, 300));
  }
}

/** A client that retries broken requests; a response that is neither correct nor 503 counts as wrong. */
async function patiently<T>(work: () => Promise<T>, tally: Tally): Promise<T | undefined> {
  for (let attempt = 0; attempt < 200; attempt++) {
    try {
      return await work();
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
  return undefined;
}

/** Reads public resources and its own profile in turns; any incorrect response counts as wrong. */
async function keepReading(url: string, from: number, deadline: number, faults: Faults, tally: Tally) {
  const shopper = new Shopper(url);
  await patiently(() => shopper.signUp(), tally);
  for (let turn = from; performance.now() < deadline; turn++) {
    const { path, word } = READS[turn % (READS.length + 1)] ?? { path: "/api/me", word: shopper.address };
    const asked = performance.now();
    try {
      const { status, body } = await shopper.call("GET", path);
      if (status === 503 && isDatabaseAway(faults)) tally.refusedReads++;
      else if (status !== 200 || !JSON.stringify(body).includes(word)) tally.wrong.push(`GET ${path}: ${status}`);
    } catch (error) {
      tally.wrong.push(`GET ${path}: ${error}`);
    }
    const now = performance.now();
    const isNearKill = faults.kills.some((at) => asked < at + KILL_WINDOW_MS && now > at);
    if (!isNearKill && !isDatabaseAway(faults)) tally.reads.push(now - asked);
    await delay(20);
  }
}

function isDatabaseAway({ databaseGoneAt, databaseBackAt }: Faults): boolean {
  if (databaseGoneAt === undefined) return false;
  return databaseBackAt === undefined || performance.now() < databaseBackAt + KILL_WINDOW_MS;
}
