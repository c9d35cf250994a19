import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { sql } from "kysely";
import { budgetProblem, listBudgets } from "../../affiliates/budget.ts";
import type { PolledAccount } from "../../affiliates/network.ts";
import { failingText, listFailing } from "../../affiliates/read-progress.ts";
import { findBrokenAudit } from "../../database/audit-log.ts";
import type { Database } from "../../database/connect.ts";
import { OtherSchemaError } from "../../database/migrate.ts";
import { readSetting } from "../../database/settings.ts";
import { clockProblem, oldBackups, readClockOffset } from "../../database/upkeep.ts";
import { shortMessageOf } from "../../domain/unknown-error.ts";
import { summarizeQueue } from "../../sender/due.ts";
import { foreignText, listForeign, type WatchedKey } from "../../sender/foreign-transactions.ts";
import { warningsOf } from "../../sender/queue-summary.ts";
import { leaseOf } from "../../sender/sender-context.ts";
import type { OperatorEnvironment } from "../operator/environment.ts";
import { openDatabase } from "../operator/open-database.ts";
import { type Finding, failure, healthy, warning } from "./finding.ts";

const LEAST_FREE_BYTES = 2 ** 30;
const GREATEST_WAIT_MS = 10 * 60_000;

/** Opens the database read-only and checks for problems that would stop the system. */
export async function examineDatabase(
  environment: OperatorEnvironment,
  keys: readonly WatchedKey[],
  accounts: readonly PolledAccount[],
): Promise<Finding[]> {
  let database: Database;
  try {
    database = await openDatabase(environment, { print: false });
  } catch (error) {
    const page = error instanceof OtherSchemaError ? error.docs : "docs/operations.md#configuration";
    return [failure("database", shortMessageOf(error), page)];
  }
  try {
    return [
      healthy("database", `${database.location} answers`),
      ...(database.engine === "sqlite" ? await examineFile(database) : [await examineClock(database)]),
      ...(await examineBackups(database)),
      ...(await examineOutbox(database)),
      ...(await examineLeases(database, keys)),
      await examinePause(database),
      ...(await examineReading(database, accounts)),
      ...(await examineBudgets(database, accounts)),
      await examineForeign(database, keys),
      await examineAuditLog(database),
    ];
  } catch (error) {
    return [
      failure("database", shortMessageOf(error), "Check the database log; restore a backup if the database is damaged"),
    ];
  } finally {
    await database.close();
  }
}

async function examineFile({ kysely, location }: Database): Promise<Finding[]> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(kysely);
  const isSound = rows[0]?.quick_check === "ok";
  const { bavail, bsize } = await statfs(dirname(location));
  const freeBytes = bavail * bsize;
  const free = `${(freeBytes / 2 ** 30).toFixed(1)} GiB free on the disk of ${location}`;
  return [
    isSound
      ? healthy("database file", "passes SQLite's check")
      : failure(
          "database file",
          `is damaged: ${rows[0]?.quick_check}`,
          "Stop everything, then restore the newest backup (docs/runbook/database-lost.md)",
        ),
    freeBytes >= LEAST_FREE_BYTES
      ? healthy("disk", free)
      : failure("disk", free, "Free up space now: writes fail when the disk is full (docs/runbook/disk-full.md)"),
  ];
}

async function examineClock({ kysely }: Database): Promise<Finding> {
  const offset = await readClockOffset(kysely);
  const problem = clockProblem(offset);
  if (!problem) return healthy("clock", `${Math.abs(offset).toFixed(1)} s between this host's and the database's`);
  return warning(
    "clock",
    problem,
    "Set both clocks by NTP: sign-in and hook windows depend on them (docs/runbook/clock-off.md)",
  );
}

async function examineBackups({ kysely }: Database): Promise<Finding[]> {
  const old = await oldBackups(kysely);
  return old.map((problem) => warning("backup", problem, "docs/runbook/database-lost.md"));
}

async function examineOutbox({ kysely }: Database): Promise<Finding[]> {
  const stuck = warningsOf(await summarizeQueue(kysely));
  const oldest = await kysely
    .selectFrom("transactions")
    .select(["nonce", "created_at"])
    .where("status", "=", "signed")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  const waitedMs = oldest ? Date.now() - Number(oldest.created_at) : 0;
  return [
    ...(stuck.length === 0 ? [healthy("outbox", "no operation waits for a limit or has failed")] : []),
    ...stuck.map((text) => warning("outbox", text, "docs/runbook/operations-wait.md")),
    waitedMs <= GREATEST_WAIT_MS
      ? healthy("transactions", oldest ? `nonce ${oldest.nonce} waits for its receipt` : "none waits for its receipt")
      : warning(
          "transactions",
          `nonce ${oldest?.nonce} has no receipt after ${Math.round(waitedMs / 60_000)} minutes`,
          "docs/runbook/transaction-stuck.md",
        ),
  ];
}

async function examineLeases({ kysely }: Database, keys: readonly WatchedKey[]): Promise<Finding[]> {
  const leases = await kysely.selectFrom("leases").selectAll().execute();
  const held = leases.filter((lease) => Number(lease.expires_at) > Date.now());
  return [...keys.map(leaseOf), "indexer"].map((name) => {
    const lease = held.find((one) => one.name === name);
    if (lease) return healthy(name, `is ${lease.holder}, term ${lease.fencing_token}`);
    const what = name === "indexer" ? "the indexer: npm run indexer" : "an api process with that key: npm run api";
    return warning(name, "nobody holds the lease", `Start ${what}`);
  });
}

async function examineReading({ kysely }: Database, accounts: readonly PolledAccount[]): Promise<Finding[]> {
  const failing = await listFailing(kysely, accounts);
  return failing.map((one) => failure("network", failingText(one), "docs/runbook/network-away.md"));
}

async function examineBudgets({ kysely }: Database, accounts: readonly PolledAccount[]): Promise<Finding[]> {
  const budgets = await listBudgets(kysely, accounts);
  return budgets.map((one) => {
    const problem = budgetProblem(one);
    const name = `${one.network}/${one.account}`;
    if (!problem) return healthy(name, `needs ${one.needed} of ${one.budget} calls a minute`);
    return warning("network", problem, "Raise calls_per_minute as far as the network allows (docs/sales.md)");
  });
}

async function examinePause({ kysely }: Database): Promise<Finding> {
  const reason = await readSetting(kysely, "payouts_paused");
  if (!reason) return healthy("payouts", "not paused");
  return warning("payouts", `are paused: ${reason}`, "docs/runbook/payouts-paused.md");
}

async function examineForeign({ kysely }: Database, keys: readonly WatchedKey[]): Promise<Finding> {
  const foreign = await listForeign(kysely, keys);
  const [first] = foreign;
  if (!first) return healthy("nonces", "every nonce of our keys is accounted for");
  const detail = `${foreign.length} transactions with our keys are not in the outbox. ${foreignText(first)}`;
  return warning("nonces", detail, "docs/runbook/foreign-transaction.md");
}

async function examineAuditLog({ kysely }: Database): Promise<Finding> {
  const broken = await findBrokenAudit(kysely);
  if (broken === undefined) return healthy("audit log", "is an unbroken chain");
  return failure(
    "audit log",
    `row ${broken} was changed after it was written`,
    "Treat it as a break-in: preserve the database, and compare it with a backup",
  );
}
