/**
 * What a day's round of an account's programmes takes: `npm run bench -- programmes`, on SQLite. 2,000 programmes with four
 * groups each, a store of each with percents that follow, round after round with moved commissions. Each network runs in a
 * process of its own, and its simulator in another one. Memory in use is what is left after a collection: at the end of each
 * round, and the most after each page and each fiftieth programme.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import pino from "pino";
import { insertCategory } from "../../core/catalogue/categories.ts";
import { insertStore } from "../../core/catalogue/store-rows.ts";
import { connect, type Database } from "../../core/database/connect.ts";
import { migrate } from "../../core/database/migrate.ts";
import { DAY_MS } from "../../core/rules/iso-time.ts";
import { HttpCalls } from "../../core/sales/http-calls.ts";
import type { PolledAccount } from "../../core/sales/network.ts";
import { type AnyNetwork, findNetwork } from "../../core/sales/networks.ts";
import { ProgrammeRounds } from "../../core/sales/programme-rounds.ts";
import { NETWORKS } from "../sales/support/programme-shop.ts";

const PROGRAMMES = 2_000;
const GROUPS = 4;
/** Of a page, where a simulator has small ones. */
const ROWS = 100;
const ROUNDS = 4;
const SAMPLED_STEPS = 50;
const LOOK_MS = 1_100;
const MIB = 1024 * 1024;

const [part, name = ""] = process.argv.slice(2);
const file = new URL(import.meta.url);

if (part === "simulator") await simulate(name);
else if (part === "reader") process.send?.(await measure(name));
else {
  const figures: Record<string, Figures> = {};
  for (const network of Object.keys(NETWORKS)) {
    const [measured] = (await once(fork(file, ["reader", network]), "message")) as [Figures];
    figures[network] = measured;
  }
  console.table(figures);
  console.log(JSON.stringify(figures));
}

/** Each round pays other commissions, so that each percent moves down or back up. */
async function simulate(network: string): Promise<void> {
  const { simulator } = made(network);
  const { programmes } = simulator;
  if ("campaignRows" in simulator) simulator.campaignRows = ROWS;
  const groups = (percent: number) =>
    Array.from({ length: GROUPS }, (_, index) => ({
      ...{ code: `G${index}`, name: `Produtos da seção ${index}`, percent: percent + index / 10 },
    }));
  for (let number = 1; number <= PROGRAMMES; number++)
    programmes.join({ id: String(number), name: `Loja ${number}`, groups: groups(8) });
  process.on("message", (round: number) => {
    const moved = groups(round % 2 === 0 ? 8 : 6);
    programmes.all = programmes.all.map((one) => ({ ...one, groups: moved }));
    simulator.calls.length = 0;
    process.send?.("moved");
  });
  process.send?.(await simulator.listen());
}

type Figures = {
  calls: number;
  seconds: number;
  inUseFirstMiB: number;
  inUseLastMiB: number;
  mostInUseMiB: number;
  residentMiB: number;
};

async function measure(network: string): Promise<Figures> {
  const simulator = fork(file, ["simulator", network]);
  const [url] = (await once(simulator, "message")) as [string];
  const directory = mkdtempSync(join(tmpdir(), "torcida-bench-programmes-"));
  const database = await connect(join(directory, "shop.db"));
  try {
    await migrate(database);
    await fill(database, network);
    return await readRounds(database, network, made(network).account(url), async (round) => {
      simulator.send(round);
      await once(simulator, "message");
    });
  } finally {
    simulator.kill();
    await database.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function readRounds(
  database: Database,
  network: string,
  account: PolledAccount,
  move: (round: number) => Promise<void>,
): Promise<Figures> {
  const session = new HttpCalls(database, account, new AbortController().signal);
  await session.load();
  const counted = { calls: 0 };
  const calls = Object.assign(Object.create(session), {
    call: (...args: Parameters<typeof session.call>) => {
      counted.calls++;
      return session.call(...args);
    },
  });
  const rounds = new ProgrammeRounds({
    database,
    network: findNetwork(network) as AnyNetwork,
    account,
    rules: { accounts: [account], sharePercent: 60n },
    calls,
    log: pino({ level: "silent" }),
    assertLease: async () => {},
    isOver: () => false,
  });
  const ends: number[] = [];
  let most = 0;
  let seconds = 0;
  for (let round = 0; round < ROUNDS; round++) {
    counted.calls = 0;
    let steps = 0;
    let began = process.cpuUsage();
    const sample = () => {
      const { user, system } = process.cpuUsage(began);
      seconds += (user + system) / 1_000_000;
      const used = inUse();
      most = Math.max(most, used);
      began = process.cpuUsage();
      return used;
    };
    while (await rounds.step()) if (steps++ < SAMPLED_STEPS || steps % SAMPLED_STEPS === 0) sample();
    ends.push(sample());
    const { problem } = await database.kysely
      .selectFrom("programme_rounds")
      .select("problem")
      .executeTakeFirstOrThrow();
    if (problem !== null) throw new Error(`The round is not whole: ${problem}`);
    await move(round);
    await passDay(database);
    // Nobody looks again for a second.
    await delay(LOOK_MS);
  }
  const { maxRSS } = process.resourceUsage();
  const whole = (bytes: number) => Math.round((bytes / MIB) * 10) / 10;
  return {
    calls: counted.calls,
    seconds: Math.round((seconds / ROUNDS) * 10) / 10,
    inUseFirstMiB: whole(ends[0] ?? 0),
    inUseLastMiB: whole(ends.at(-1) ?? 0),
    mostInUseMiB: whole(most),
    residentMiB: whole(maxRSS * 1024),
  };
}

async function fill({ kysely }: Database, network: string): Promise<void> {
  await kysely.transaction().execute(async (queries) => {
    for (let number = 1; number <= PROGRAMMES; number++) {
      const storeId = await insertStore(queries, {
        ...{ name: `Loja ${number}`, country: "Brasil", network, account: "br", advertiser_id: String(number) },
        store_url: `https://www.${number}.example/`,
      });
      for (let index = 0; index < GROUPS; index++)
        await insertCategory(queries, storeId, {
          ...{
            category: `Seção ${index}`,
            cashbackBps: 475n,
            groupCode: `G${index}`,
            isByHand: false,
            agreedBps: 475n,
          },
        });
    }
  });
}

/** As if a day had passed, and so that the next one finds all rates due. */
async function passDay({ kysely }: Database): Promise<void> {
  await kysely
    .updateTable("programme_rounds")
    .set(({ eb }) => ({ next_at: 0n, began_at: eb("began_at", "-", BigInt(DAY_MS)) }))
    .execute();
  await kysely
    .updateTable("programmes")
    .set(({ eb }) => ({ seen_at: eb("seen_at", "-", BigInt(DAY_MS)), groups_due_at: 0n, created_at: 0n }))
    .execute();
}

/** What the reader still needs, in bytes. */
function inUse(): number {
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function collect(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

function made(network: string) {
  return (NETWORKS[network] as (typeof NETWORKS)[string])();
}
