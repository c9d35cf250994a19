import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { sql } from "kysely";
import { storedFaults } from "../../api/operations/system-faults.ts";
import { auditProblem } from "../../core/database/audit-log.ts";
import { readBackupRuns } from "../../core/database/backup-runs.ts";
import { readClock } from "../../core/database/clock.ts";
import type { Database } from "../../core/database/connect.ts";
import { dayOf, readDays } from "../../core/database/day-totals.ts";
import { MIGRATIONS, migrationsOf, OtherSchemaError, unappliedOf } from "../../core/database/migrate.ts";
import { readSetting } from "../../core/database/settings.ts";
import { listNodeCalls, nodeCallsProblem, nodeCallsText } from "../../core/process/rpc/told-calls.ts";
import { areRulesDisputed } from "../../core/purchases/approvals.ts";
import { listOldFacts } from "../../core/purchases/old-facts.ts";
import { FORECAST_DAYS, forecastBackup } from "../../core/rules/backups.ts";
import { yearAt } from "../../core/rules/capacity.ts";
import { keysOf } from "../../core/rules/records.ts";
import type { AccountKey, SaleRules } from "../../core/rules/sale/rules.ts";
import { messageOf, shortMessageOf } from "../../core/rules/unknown-error.ts";
import { type AffiliateAccount, polledAccounts } from "../../core/sales/accounts.ts";
import { tryAccount } from "../../core/sales/http-calls.ts";
import { listGoneAccounts } from "../../core/sales/known-accounts.ts";
import type { PolledAccount } from "../../core/sales/network.ts";
import { findNetwork } from "../../core/sales/networks.ts";
import type { WatchedKey } from "../../core/sender/foreign-transactions.ts";
import { summarizeQueue } from "../../core/sender/queue.ts";
import { leaseOf } from "../../core/sender/sender-context.ts";
import type { OperatorEnvironment } from "../operator/environment.ts";
import { openDatabase } from "../operator/open-database.ts";
import { examineRestoreCommand } from "./examine-installed.ts";
import { type Finding, failure, findingOf, healthy, SUBJECTS, warning } from "./finding.ts";

const LEAST_FREE_BYTES = 2 ** 30;
const CAPACITY_DAYS = 30;
const GREATEST_WAIT_MS = 10 * 60_000;

/** What is wrong in the database, as `/readyz` tells it, and what only a longer look finds. It writes nothing but a probe. */
export async function examineDatabase(
  environment: OperatorEnvironment,
  keys: readonly WatchedKey[],
  { accounts: all, closed }: { accounts: readonly AffiliateAccount[]; closed: readonly AccountKey[] },
  saleRefs: SaleRules["saleRefs"],
): Promise<Finding[]> {
  const accounts = polledAccounts(all);
  let database: Database;
  try {
    database = await openDatabase(environment, { print: false, mayBeOlder: true });
  } catch (error) {
    const page = error instanceof OtherSchemaError ? error.docs : "docs/operations.md#configuration";
    return [failure("database", shortMessageOf(error), page)];
  }
  try {
    const first = [
      healthy("database", `${database.location} answers`),
      ...(await examineSchema(database)),
      ...(database.engine === "sqlite" ? await examineFile(database) : []),
      ...(await examineRestoreCommand(database)),
    ];
    // The rest reads what the upgrade adds.
    if (unappliedOf(await migrationsOf(database.kysely)).length > 0)
      return [...first, ...(await examineGone(database, all, closed)), ...(await examineOldFacts(database))];
    return [
      ...first,
      ...(await examineFaults(database, keys, accounts)),
      ...(await examineBackups(database)),
      ...(await examineCapacity(database)),
      ...(await examineNodeCalls(database)),
      ...(await examineUnread(database, accounts)),
      ...(await examineGone(database, all, closed)),
      ...(await examineSaleRefs(database, saleRefs)),
      ...(await examineOldFacts(database)),
      await examineTransactions(database),
      ...(await examineLeases(database, keys)),
      await examinePause(database),
      ...(await examineRules(database)),
      await examineAuditLog(database, environment.saleRefKeys),
    ];
  } catch (error) {
    return [
      failure("database", shortMessageOf(error), "Check the database log; restore a backup if the database is damaged"),
    ];
  } finally {
    await database.close();
  }
}

/** What this version will add; what a newer one has: this one works with it, and the way forward is that one. */
async function examineSchema({ kysely }: Database): Promise<Finding[]> {
  const applied = await migrationsOf(kysely);
  const missing = unappliedOf(applied);
  if (missing.length > 0) {
    const detail = `is that of an earlier version; the first api or indexer of this one that starts upgrades it (${missing.length} steps). Until then only what an upgrade needs is examined`;
    return [
      warning(
        "schema",
        detail,
        "Read CHANGELOG.md, then restart the processes (docs/upgrading.md), and run the doctor again",
      ),
    ];
  }
  const newer = applied.filter((name) => !MIGRATIONS.some((one) => one.name === name));
  if (newer.length === 0) return [];
  const detail = `was upgraded by a newer version (${newer.join(", ")}); this one works with it, and its backups keep all of it`;
  return [warning("schema", detail, "Start the newer version again when you can (docs/upgrading.md#going-back)")];
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

const FINE = {
  "database writes": "it can write",
  outbox: "no operation waits for a limit or has failed",
  purchases: "the next step of each can be decided",
  nonces: "every nonce of our keys is accounted for",
  network: "every account is read, and within its budget",
  backup: "none is too old, and they fit",
  drill: "none is due",
  clock: "this host's agrees with the database's",
} as const;

/** How long they take, and will as the shop grows. */
async function examineBackups({ kysely }: Database): Promise<Finding[]> {
  const runs = await readBackupRuns(kysely);
  const [last, forecast] = [runs.at(-1), forecastBackup(runs)];
  if (!last || !forecast) return [];
  const text = (seconds: number, bytes: number) => `${seconds.toFixed(0)} s and ${(bytes / 2 ** 20).toFixed(1)} MiB`;
  const detail = `the last took ${text(last.seconds, last.bytes)} for ${last.rows} rows; in ${FORECAST_DAYS} days ${text(forecast.seconds, forecast.bytes)}`;
  return [healthy("backup", detail)];
}

/** What a year like the last thirty days costs. docs/capacity.md */
async function examineCapacity({ kysely, engine }: Database): Promise<Finding[]> {
  const days = await readDays(kysely, dayOf(BigInt(Date.now())) - BigInt(CAPACITY_DAYS));
  const purchases = [...days.values()].reduce((sum, one) => sum + Number(one.purchases), 0);
  if (purchases === 0) return [];
  const year = yearAt(purchases / CAPACITY_DAYS, engine);
  const whole = (value: number) => Math.round(value).toLocaleString("en");
  const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(1);
  const detail = `${purchases} purchases in ${CAPACITY_DAYS} days: a year like this takes ${whole(year.chzInBatches)} CHZ of gas in full batches, ${whole(year.chzAlone)} one at a time, ${gigabytes(year.databaseBytes)} GB of database and ${gigabytes(year.logBytes)} GB of logs`;
  return [healthy("capacity", detail)];
}

/** Of the nodes that take what is needed; the others are faults. */
async function examineNodeCalls({ kysely }: Database): Promise<Finding[]> {
  const enough = (await listNodeCalls(kysely)).filter((calls) => nodeCallsProblem(calls) === undefined);
  return enough.map((calls) => healthy(SUBJECTS.node_budget, nodeCallsText(calls)));
}

async function examineFaults(
  { kysely }: Database,
  keys: readonly WatchedKey[],
  accounts: readonly PolledAccount[],
): Promise<Finding[]> {
  const watched = { kysely, keys, accounts, readQueue: () => summarizeQueue(kysely) };
  const faults = await storedFaults(watched, (error) => {
    throw error;
  });
  return [
    ...keysOf(FINE)
      .filter((subject) => !faults.some(({ name }) => SUBJECTS[name] === subject))
      .map((subject) => healthy(subject, FINE[subject])),
    ...faults.map(findingOf),
  ];
}

/** The network reader tells of the accounts that it reads; one that it has never read is tried. */
async function examineUnread({ kysely }: Database, accounts: readonly PolledAccount[]): Promise<Finding[]> {
  const rows = await kysely.selectFrom("affiliate_status").selectAll().where("read_at", "is not", null).execute();
  const isRead = (one: PolledAccount) =>
    rows.some(({ network, account }) => network === one.network && account === one.account);
  const findings = accounts
    .filter((one) => !isRead(one))
    .map(async (one) => {
      const name = `${one.network}/${one.account}`;
      try {
        const network = findNetwork(one.network);
        if (!network) throw new Error("there is no such network");
        await tryAccount(network, one);
        return healthy("network account", `${name} lets us in`);
      } catch (error) {
        const detail = `${name} does not let us in: ${messageOf(error)}`;
        return failure("network account", detail, "Correct it in AFFILIATE_ACCOUNTS (docs/sales.md#accounts)");
      }
    });
  return Promise.all(findings);
}

/** What 1.0.0 decided otherwise than today's rules would: nobody but a person puts it right. */
async function examineOldFacts({ kysely }: Database): Promise<Finding[]> {
  const { paidTwice, paidDeclined, halfHeld } = await listOldFacts(kysely);
  const found = [
    ...paidTwice.map(({ order, sales }) => `order ${order} was paid more than once (sales ${sales.join(", ")})`),
    ...(paidDeclined.length > 0 ? [`declined, and paid without a debt: sales ${paidDeclined.join(", ")}`] : []),
    ...(halfHeld.length > 0 ? [`one purchase is held and another was not: sales ${halfHeld.join(", ")}`] : []),
  ];
  if (found.length === 0) return [healthy("earlier sales", "none was decided otherwise than today's rules would")];
  return found.map((text) => warning("earlier sales", text, "docs/upgrading.md#what-1-0-0-left"));
}

/** Nobody reads their sales any more. */
async function examineGone(
  { kysely }: Database,
  accounts: readonly AffiliateAccount[],
  closed: readonly AccountKey[],
): Promise<Finding[]> {
  const gone = await listGoneAccounts(kysely, accounts);
  return gone.map(({ network, account }) => {
    const isClosed = closed.some((one) => one.network === network && one.account === account);
    const detail = `${network}:${account} has open sales and is not configured, so they are held`;
    const toDo =
      "Put it back into AFFILIATE_ACCOUNTS, or name it in AFFILIATE_CLOSED_ACCOUNTS (docs/sales.md#accounts)";
    return isClosed
      ? warning("closed account", detail, "Decide them in the panel")
      : failure("network account", detail, toDo);
  });
}

/** With another key nothing fails until a database is restored: then its sales do not find their tickets. */
async function examineSaleRefs({ kysely }: Database, saleRefs: SaleRules["saleRefs"]): Promise<Finding[]> {
  const newest = await kysely
    .selectFrom("purchases")
    .innerJoin("sales", "sales.id", "purchases.sale_id")
    .select(["sales.id", "sales.network", "sales.account", "sales.sale_key", "purchases.sale_ref"])
    .where("purchases.sale_ref", "<>", 0n)
    .orderBy("purchases.id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (!newest) return [];
  const refs = saleRefs({ ...newest, saleKey: newest.sale_key });
  if (refs.includes(newest.sale_ref)) return [healthy("sale references", "SALE_REF_KEY explains the newest one")];
  const detail = `no key explains the one of sale ${newest.id}, so SALE_REF_KEY was replaced`;
  return [failure("sale references", detail, "Add the former key to SALE_REF_KEYS (docs/product.md#sale-ref)")];
}

async function examineTransactions({ kysely }: Database): Promise<Finding> {
  const oldest = await kysely
    .selectFrom("transactions")
    .select(["nonce", "created_at"])
    .where("status", "=", "signed")
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
  const waitedMs = oldest ? Date.now() - Number(oldest.created_at) : 0;
  if (waitedMs <= GREATEST_WAIT_MS) {
    return healthy(
      "transactions",
      oldest ? `nonce ${oldest.nonce} waits for its receipt` : "none waits for its receipt",
    );
  }
  const detail = `nonce ${oldest?.nonce} has no receipt after ${Math.round(waitedMs / 60_000)} minutes`;
  return warning("transactions", detail, "docs/runbook/transaction-stuck.md");
}

async function examineLeases({ kysely }: Database, keys: readonly WatchedKey[]): Promise<Finding[]> {
  const leases = await kysely.selectFrom("leases").selectAll().execute();
  // By the database's clock, like the leases: this host's may be off.
  const now = await readClock(kysely);
  const held = leases.filter((lease) => Number(lease.expires_at) > now);
  return [...keys.map(leaseOf), "indexer"].map((name) => {
    const lease = held.find((one) => one.name === name);
    if (lease) return healthy(name, `is ${lease.holder}, term ${lease.fencing_token}`);
    const what = name === "indexer" ? "the indexer: npm run indexer" : "an api process with that key: npm run api";
    return warning(name, "nobody holds the lease", `Start ${what}`);
  });
}

async function examinePause({ kysely }: Database): Promise<Finding> {
  const reason = await readSetting(kysely, "payouts_paused");
  if (!reason) return healthy("payouts", "not paused");
  return warning("payouts", `are paused: ${reason}`, "docs/runbook/payouts-paused.md");
}

/** docs/product.md#sales-decision */
async function examineRules({ kysely }: Database): Promise<Finding[]> {
  if (!(await areRulesDisputed(kysely))) return [];
  const detail = "apis run with different APPROVAL_ABOVE_CHZ or ADMIN_WALLETS: the strictest of each counts";
  return [warning("approvals", detail, "Set both alike on every host, and restart its api")];
}

async function examineAuditLog({ kysely }: Database, saleRefKeys: readonly string[]): Promise<Finding> {
  const problem = await auditProblem(kysely, saleRefKeys);
  if (problem === undefined) return healthy("audit log", "is an unbroken chain");
  return failure("audit log", problem, "Treat it as a break-in: preserve the database, and compare it with a backup");
}
