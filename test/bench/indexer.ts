/**
 * The speed of the indexer from process start on an empty database to a complete index, on a local node.
 *   npm run bench -- indexer [--shapes dense,sparse,shop,large,latency] [--database sqlite|postgres] [--runs 3]
 * With each run, in the same order: the floor (fetch and decode, no database) and the ceiling (a bare
 * `eth_getLogs` loop with prepared inserts into one table).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { connect } from "../../core/database/connect.ts";
import { decodeLog, type RpcLog } from "../../indexer/events.ts";
import { numberOption, readOptions } from "../../scripts/developer/read-options.ts";
import { CASHBACK_DISTRIBUTOR, PURCHASE_NFT } from "../testing/event-chain.ts";
import { type Postgres, startPostgres } from "../testing/postgres.ts";
import { startIndexer } from "./indexer-support/indexer-process.ts";
import { measureLatency } from "./indexer-support/latency.ts";
import { type ChainShape, type MadeUpChain, makeUpChain } from "./indexer-support/made-up-chain.ts";

const SHAPES: readonly ChainShape[] = [
  { name: "small", events: 10_000, eventsPerBlock: 100, blocksPerBlockWithEvents: 1 },
  { name: "dense", events: 100_000, eventsPerBlock: 100, blocksPerBlockWithEvents: 1 },
  { name: "sparse", events: 10_000, eventsPerBlock: 1, blocksPerBlockWithEvents: 1 },
  { name: "shop", events: 1_000, eventsPerBlock: 1, blocksPerBlockWithEvents: 100 },
  { name: "large", events: 1_000_000, eventsPerBlock: 400, blocksPerBlockWithEvents: 1 },
];

const BLOCKS_PER_REQUEST = 500;
/** Chains with few events are read in larger ranges, so that the loop is not easy to beat. */
const REQUESTS_AT_MOST = 50;

const { values: flags } = readOptions({
  options: {
    shapes: { type: "string", default: "small,dense,sparse,shop,latency" },
    database: { type: "string", default: "sqlite" },
    runs: { type: "string", default: "1" },
  },
});
const wanted = flags.shapes.split(",");
const runs = numberOption(flags, "runs", 1);
const directory = mkdtempSync(join(tmpdir(), "torcida-bench-"));
const postgres: Postgres | undefined = flags.database === "postgres" ? await startPostgres() : undefined;
let databaseCount = 0;
const newDatabase = async () => (await postgres?.createDatabase()) ?? join(directory, `${++databaseCount}.db`);
const results: Record<string, Record<string, number>> = {};

try {
  for (const shape of SHAPES.filter(({ name }) => wanted.includes(name))) {
    console.log(`… a chain with ${shape.events} events (${shape.name})`);
    const chain = await makeUpChain(shape);
    try {
      for (let run = 0; run < runs; run++) keepBest(shape.name, await measure(chain));
    } finally {
      await chain.anvil.stop("SIGKILL");
    }
    console.table({ [shape.name]: results[shape.name] });
  }
  if (wanted.includes("latency")) {
    results.latency = await measureLatency(newDatabase);
    console.table({ latency: results.latency });
  }
} finally {
  await postgres?.stop();
  rmSync(directory, { recursive: true, force: true });
}
console.table(results);
console.log(JSON.stringify({ bench: "indexer", database: flags.database, runs, ...results }));

async function measure({ anvil, head, keptEvents }: MadeUpChain): Promise<Record<string, number>> {
  const floorMs = await timed(() => fetchAndDecode(anvil.rpcUrl, head));
  const ceilingMs = await timed(() => bareLoop(anvil.rpcUrl, head, join(directory, `bare-${++databaseCount}.db`)));

  const databaseUrl = await newDatabase();
  const started = performance.now();
  const indexer = await startIndexer({ rpcUrl: anvil.rpcUrl, databaseUrl });
  try {
    await indexer.untilIndexed(head);
    const totalMs = performance.now() - started;
    const rpcRequests = await indexer.metric("torcida_indexer_rpc_requests_total");
    const rpcCalls = await indexer.metric("torcida_indexer_rpc_calls_total");
    const rpcBytes = await indexer.metric("torcida_indexer_rpc_received_bytes_total");
    const peakMemoryMb = indexer.peakMemoryMb();
    await expectEvents(databaseUrl, keptEvents);
    return {
      events: keptEvents,
      totalMs: Math.round(totalMs),
      eventsPerSecond: Math.round((keptEvents / totalMs) * 1_000),
      peakMemoryMb: Math.round(peakMemoryMb),
      rpcRequests,
      rpcCalls,
      rpcMegabytes: Math.round(rpcBytes / 1e5) / 10,
      floorMs: Math.round(floorMs),
      ceilingMs: Math.round(ceilingMs),
      timesCeiling: Math.round((totalMs / ceilingMs) * 100) / 100,
    };
  } finally {
    await indexer.stop();
  }
}

async function expectEvents(databaseUrl: string, expected: number): Promise<void> {
  const database = await connect(databaseUrl);
  const { count } = await database.kysely
    .selectFrom("chain_events")
    .select((select) => select.fn.countAll<bigint>().as("count"))
    .executeTakeFirstOrThrow();
  await database.close();
  if (Number(count) !== expected) throw new Error(`${count} events are in the index, not ${expected}`);
}

function keepBest(name: string, measured: Record<string, number>): void {
  const best = results[name];
  if (!best || (measured.totalMs ?? 0) < (best.totalMs ?? 0)) results[name] = measured;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** The floor: fetches and decodes every log, keeps nothing. Returns the number of logs. */
async function fetchAndDecode(rpcUrl: string, head: number): Promise<number> {
  let decoded = 0;
  for await (const logs of ranges(rpcUrl, head)) {
    for (const log of logs) if (decodeLog(log)) decoded += 1;
  }
  return decoded;
}

/** The ceiling: all logs of the two contracts in one table, one transaction per range; no folding, no checks. */
async function bareLoop(rpcUrl: string, head: number, file: string): Promise<void> {
  const sqlite = new Sqlite(file);
  sqlite.pragma("journal_mode = WAL");
  sqlite.exec(
    "create table logs (block integer, log_index integer, tx text, address text, topics text, data text, primary key (block, log_index)) without rowid",
  );
  const insert = sqlite.prepare("insert into logs values (?, ?, ?, ?, ?, ?)");
  const write = sqlite.transaction((logs: RpcLog[]) => {
    for (const log of logs) {
      const { transactionHash, address, topics, data } = log;
      insert.run(Number(log.blockNumber), Number(log.logIndex), transactionHash, address, topics.join(","), data);
    }
  });
  for await (const logs of ranges(rpcUrl, head)) write(logs);
  sqlite.close();
}

async function* ranges(rpcUrl: string, head: number): AsyncGenerator<RpcLog[]> {
  const step = Math.max(BLOCKS_PER_REQUEST, Math.ceil(head / REQUESTS_AT_MOST));
  for (let from = 0; from <= head; from += step) {
    const filter = {
      address: [PURCHASE_NFT, CASHBACK_DISTRIBUTOR],
      fromBlock: `0x${from.toString(16)}`,
      toBlock: `0x${Math.min(head, from + step - 1).toString(16)}`,
    };
    const response = await fetch(rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params: [filter] }),
    });
    const { result }: { result: RpcLog[] } = await response.json();
    yield result;
  }
}
