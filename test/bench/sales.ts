/**
 * What deciding sales costs: `npm run bench -- sales`, on SQLite. A thousand reports of 50 buyers, the same reports with
 * other amounts, the planner with nothing due, and with a thousand purchases due. Milliseconds of this process's
 * processor time, which other load changes less than the time that passes; the median of three runs.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "../../core/database/connect.ts";
import { migrate } from "../../core/database/migrate.ts";
import type { SaleReport } from "../../core/rules/sale/report.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { reportOf, Shop } from "../sales/support/shop.ts";

const REPORTS = 1_000;
const BUYERS = 50;
const IDLE_ROUNDS = 200;
const RUNS = 3;

const directory = mkdtempSync(join(tmpdir(), "torcida-bench-sales-"));
try {
  const runs: Record<string, number>[] = [];
  // The first one compiles the code.
  for (let run = 0; run <= RUNS; run++) runs.push(await measure(join(directory, `${run}.db`)));
  const measured = runs.slice(1);
  const figures = Object.fromEntries(
    Object.keys(measured[0] ?? {}).map((name) => [name, median(measured.map((one) => one[name] ?? 0))]),
  );
  console.table(figures);
  console.log(JSON.stringify(figures));
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function measure(file: string): Promise<Record<string, number>> {
  const database = await connect(file);
  try {
    await migrate(database);
    const shop = await Shop.open(database);
    const clicks: { token: string }[] = [];
    for (let one = 0; one < BUYERS; one++) {
      const wallet: WalletAddress = `0x${String(one).padStart(40, "0")}`;
      await database.kysely
        .insertInto("users")
        .values({ wallet, email: "a@b.c", first_name: "A", last_name: "B", created_at: 1n })
        .execute();
      clicks.push(await shop.click(wallet));
    }
    const reports = Array.from({ length: REPORTS }, (_, index) =>
      reportOf(clicks[index % BUYERS], { status: "approved", payable: true, orderRef: `order-${index}` }),
    );
    const readAll = async (all: readonly SaleReport[]) => {
      for (const report of all) await shop.read(report);
    };
    const newMs = await cpuMs(() => readAll(reports));
    await shop.run(4);
    const changed = reports.map((report) => ({ ...report, amountMicros: report.amountMicros + 10_000n }));
    const changedMs = await cpuMs(() => readAll(changed));
    const dueMs = await cpuMs(() => shop.plan());
    await shop.run();
    const idleMs = await cpuMs(async () => {
      for (let round = 0; round < IDLE_ROUNDS; round++) await shop.plan();
    });
    return {
      reportsNewMs: newMs,
      reportsChangedMs: changedMs,
      plannerDueMs: dueMs,
      plannerIdleMs: idleMs / IDLE_ROUNDS,
    };
  } finally {
    await database.close();
  }
}

async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function median(some: readonly number[]): number {
  return Math.round((some.toSorted((one, other) => one - other)[Math.floor(some.length / 2)] ?? 0) * 100) / 100;
}
