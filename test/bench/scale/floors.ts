import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { sql } from "kysely";
import type { Database } from "../../../core/database/connect.ts";
import { round } from "./http.ts";
import { type Call, load, medianMs, startBare } from "./load.ts";

const ROWS = 2_000;
const SYNCS = 100;
const CALLERS = 64;
const PAGE = Buffer.alloc(4_096, 1);

/** What this machine does at best: one page and its fsync, one durable row, and rows in one transaction. */
export async function measureFloors(database: Database, directory: string): Promise<Record<string, number>> {
  const { kysely } = database;
  await sql`create table bench_floor (id bigint primary key, text text)`.execute(kysely);
  try {
    let id = 0;
    const insert = (queries = kysely) =>
      sql`insert into bench_floor (id, text) values (${++id}, 'a row of an ordinary length, as an operation has')`.execute(
        queries,
      );
    const durableRowMs = await medianMs(SYNCS, () => insert());
    const started = performance.now();
    await kysely.transaction().execute(async (transaction) => {
      for (let count = 0; count < ROWS; count++) await insert(transaction);
    });
    const seconds = (performance.now() - started) / 1_000;
    return {
      fsyncMs: await measureSync(directory),
      durableRowMs: round(durableRowMs),
      rowsPerSecondInOneTransaction: Math.round(ROWS / seconds),
      bareExpressPerSecond: await measureBareExpress(),
    };
  } finally {
    await sql`drop table bench_floor`.execute(kysely);
  }
}

/** The throughput of Express and this benchmark's callers, without the product. */
async function measureBareExpress(): Promise<number> {
  const bare = await startBare(JSON.stringify({ success: true, message: "x".repeat(300) }));
  const next = (): Call => ({
    method: "POST",
    path: "/api/register-purchase",
    body: { store_id: 1, amount: "100.00" },
  });
  try {
    await load(bare.url, { connections: CALLERS, seconds: 1, next });
    return Math.round((await load(bare.url, { connections: CALLERS, seconds: 3, next })).perSecond);
  } finally {
    bare.stop();
  }
}

async function measureSync(directory: string): Promise<number> {
  const file = join(directory, "floor");
  const handle = openSync(file, "w");
  try {
    const median = await medianMs(SYNCS, async () => {
      writeSync(handle, PAGE);
      fsyncSync(handle);
    });
    return round(median);
  } finally {
    closeSync(handle);
    rmSync(file);
  }
}
