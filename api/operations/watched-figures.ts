import { statfs } from "node:fs/promises";
import { sql } from "kysely";
import { Gauge, type Registry } from "prom-client";
import { COLD_KEY_EVENTS, CONTRACT_EVENT_TOPICS } from "../../core/chain/contract-events.ts";
import { ticketContractsOf } from "../../core/chain/deployment.ts";
import { backedUpAt, drillAge, readBackupRuns, readDrill, walArchivedAt } from "../../core/database/backup-runs.ts";
import { COUNTED, countRows } from "../../core/database/capped-count.ts";
import { inStretch } from "../../core/database/index-range.ts";
import { OPERATION_KINDS } from "../../core/database/operations.ts";
import { readSetting } from "../../core/database/settings.ts";
import { readClockOffset } from "../../core/database/upkeep.ts";
import { writeProblem } from "../../core/database/write-probe.ts";
import { listNodeCalls } from "../../core/process/rpc/told-calls.ts";
import { oneNodeProblem } from "../../core/process/trusted-nodes.ts";
import { listAccounts } from "../../core/purchases/account-list.ts";
import { overdueSales } from "../../core/purchases/attention.ts";
import { readSituations } from "../../core/purchases/overview.ts";
import { type BackupForecast, forecastBackup } from "../../core/rules/backups.ts";
import { keysOf } from "../../core/rules/records.ts";
import { polledAccounts } from "../../core/sales/accounts.ts";
import { listBudgets } from "../../core/sales/budget.ts";
import { listFailing } from "../../core/sales/read-progress.ts";
import { summarizeDue } from "../../core/sender/queue.ts";
import { oldestWaiting } from "../mail/queue.ts";
import { oldestPush } from "../push/delivery.ts";
import { overdueSince, type Services } from "../services.ts";
import type { Runway } from "./runway.ts";

/** A database that takes longer counts as down. */
const PATIENCE_MS = 3_000;
/** Of a reason in a label. */
const REASON_LENGTH = 100;

type Observed = { labels?: Record<string, string>; value: number };

/**
 * Metrics for alerts beyond this process's own work, read on each scrape: the database, the disk, the clock, sales,
 * polls, backups and comparisons. A figure that cannot be read is omitted.
 */
export function watchFigures(registry: Registry, services: Services, readRunway: () => Runway | undefined): void {
  const gauge = gaugesOf(registry);
  watchHost(gauge, services);
  watchLoad(gauge, services);
  watchRuns(gauge, services);
  watchDue(gauge, services);
  watchPurchases(gauge, services);
  watchSales(gauge, services);
  watchAccounts(gauge, services);
  watchPolls(gauge, services);
  watchFailing(gauge, services);
  watchBudgets(gauge, services);
  watchNodeCalls(gauge, services);
  watchDrift(gauge, services);
  watchContracts(gauge, services);
  gauge(
    "mail_oldest_timestamp_seconds",
    "When the oldest e-mail that waits was written; absent if none waits",
    async () => {
      const oldest = await withinPatience(() => oldestWaiting(services.database.kysely));
      return oldest === undefined ? [] : only(Number(oldest) / 1_000);
    },
  );
  gauge(
    "push_oldest_timestamp_seconds",
    "When the oldest message to a device that waits was written; absent if none waits",
    async () => {
      const oldest = await withinPatience(() => oldestPush(services.database.kysely));
      return oldest === undefined ? [] : only(Number(oldest) / 1_000);
    },
  );
  gauge("one_node", "1 if all nodes are on one host, which nobody accepted", () =>
    only(oneNodeProblem(services.environment.nodeSettings) === undefined ? 0 : 1),
  );
  gauge("staff_contract", "1 if ADMIN_WALLETS names a contract without saying so", () =>
    only(services.staffContracts.problem === undefined ? 0 : 1),
  );
  gauge("sender_days_left", "Days until the wallet is empty", () => walletsOf(readRunway()), ["key"]);
  gauge("pool_chz", "CHZ that can be paid out", () => poolOf(readRunway(), "chz"));
  gauge("pool_days_left", "Days until the distributor is empty", () => poolOf(readRunway(), "daysLeft"));
}

type AddGauge = (
  name: string,
  help: string,
  read: () => Observed[] | Promise<Observed[]>,
  labelNames?: string[],
) => void;

function gaugesOf(registry: Registry): AddGauge {
  return (name, help, read, labelNames = []) =>
    new Gauge({
      name: `torcida_${name}`,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        this.reset();
        const found = await withinPatience(async () => read()).catch(() => []);
        // `reset` sets a gauge without labels to 0.
        if (found.length === 0 && labelNames.length === 0) this.remove();
        for (const { labels, value } of found) labels ? this.set(labels, value) : this.set(value);
      },
    });
}

const only = (value: number): Observed[] => [{ value }];

function watchHost(gauge: AddGauge, { database: { kysely, replica }, environment }: Services): void {
  gauge("database_ready", "Whether the database responds", async () => {
    const isReady = await withinPatience(() => sql`select 1`.execute(kysely)).then(
      () => 1,
      () => 0,
    );
    return only(isReady);
  });
  gauge("database_writable", "Whether the database can write", async () => {
    const problem = await withinPatience(() => writeProblem(kysely));
    return only(problem === undefined ? 1 : 0);
  });
  gauge("replica_used", "Whether the read replica serves reads; absent without one", () =>
    replica ? only(replica.status.isUsed ? 1 : 0) : [],
  );
  gauge("disk_free_bytes", "Free space on the disk of DATA_DIR", async () => {
    const { bavail, bsize } = await statfs(environment.DATA_DIR);
    return only(bavail * bsize);
  });
  gauge("clock_offset_seconds", "How far this host's clock is ahead of the database's", async () =>
    only(await readClockOffset(kysely)),
  );
}

/** How close this process is to its limits. */
function watchLoad(gauge: AddGauge, { load }: Services): void {
  const files = (figure: "used" | "limit") => async () => {
    const open = await load.openFiles();
    return open && Number.isFinite(open[figure]) ? only(open[figure]) : [];
  };
  gauge("open_files", "Files and connections that this process has open", files("used"));
  gauge("open_files_limit", "How many it may have open", files("limit"));
  gauge("memory_bytes", "Memory that this process uses", () => only(load.memory.used));
  gauge("memory_limit_bytes", "What its container, unit or machine has", () => only(load.memory.limit));
  gauge("loop_lag_seconds", "The longest time within the last minute in which it answered nothing", () =>
    only(load.lagSeconds),
  );
}

/** The last backup and comparison, and the oldest transaction that still runs. */
function watchRuns(gauge: AddGauge, { database: { kysely } }: Services): void {
  const backup = (name: "backed_up_at" | "backup_copied_at") => async () =>
    only(((await backedUpAt(kysely, name)) ?? 0) / 1_000);
  gauge(
    "backup_last_timestamp_seconds",
    "When the last backup was finished, or PostgreSQL last archived its log; 0: never",
    backup("backed_up_at"),
  );
  gauge(
    "backup_copy_last_timestamp_seconds",
    "When BACKUP_RECEIVER last confirmed a copy, or PostgreSQL last archived its log; 0: never",
    backup("backup_copied_at"),
  );
  const forecast = async (read: (forecast: BackupForecast) => number) => {
    const found = forecastBackup(await readBackupRuns(kysely));
    return found ? only(read(found)) : [];
  };
  gauge("backup_seconds", "How long the last backup took", async () => {
    const last = (await readBackupRuns(kysely)).at(-1);
    return last ? only(last.seconds) : [];
  });
  gauge("backup_forecast_seconds", "How long one will take in 90 days; absent while the log is archived", async () =>
    (await walArchivedAt(kysely)) === undefined ? forecast(({ seconds }) => seconds) : [],
  );
  gauge("backup_forecast_bytes", "How large one will be in 90 days", () => forecast(({ bytes }) => bytes));
  gauge(
    "backup_forecast_fill",
    "The part of their disk that backups will fill in 90 days; above 1 they do not fit",
    () => forecast(({ fill }) => fill),
  );
  gauge(
    "drill_age_seconds",
    "Since a copy was last restored and agreed with the chain, or since the first backup",
    async () => {
      const age = await drillAge(kysely);
      return age === undefined ? [] : only(age);
    },
  );
  gauge("drill_differences", "What the last copy that was restored had otherwise than the chain", async () => {
    const drill = await readDrill(kysely);
    return drill ? only(drill.last.ok ? 0 : Math.max(1, drill.last.differences)) : [];
  });
  gauge("reconcile_last_timestamp_seconds", "When the last reconciliation completed; 0: never", async () =>
    only(Number((await readSetting(kysely, "reconciled_at")) ?? 0) / 1_000),
  );
  gauge(
    "transaction_oldest_timestamp_seconds",
    "When the oldest one without a receipt was signed; 0: none",
    async () => {
      const signed = kysely.selectFrom("transactions").where("status", "=", "signed");
      const { oldest } = await signed.select(({ fn }) => fn.min("created_at").as("oldest")).executeTakeFirstOrThrow();
      return only(Number(oldest ?? 0) / 1_000);
    },
  );
}

/** The books of accounts, in reais. docs/product.md#accounts */
function watchAccounts(gauge: AddGauge, { database: { kysely } }: Services): void {
  const figure = (name: "promised" | "booked" | "waiting", help: string) =>
    gauge(
      `account_${name}_reais`,
      help,
      async () =>
        (await listAccounts(kysely)).map((one) => ({
          labels: { network: one.network, account: one.account },
          value: Number(one[name]) / 100,
        })),
      ["network", "account"],
    );
  figure("promised", "Cashback of an account's payable sales that has not arrived from it");
  figure("booked", "What has arrived from an account, as it was booked");
  figure("waiting", "Cashback of an account's payable sales that waits for its money");
}

/** An operation that was set aside is not due before its retry, and a parked one has a figure of its own. */
function watchDue(gauge: AddGauge, { database: { kysely } }: Services): void {
  gauge(
    "operations_due_seconds",
    "How long the oldest operation that could be sent has waited",
    async () => {
      const due = await summarizeDue(kysely, OPERATION_KINDS);
      return OPERATION_KINDS.map((kind) => {
        const waitedMs = due.find((one) => one.kind === kind)?.waitedMs ?? 0n;
        return { labels: { kind }, value: Number(waitedMs) / 1_000 };
      });
    },
    ["kind"],
  );
}

function watchPurchases(gauge: AddGauge, { database: { kysely } }: Services): void {
  gauge(
    "purchases",
    "Purchases, by the situation that their last change led to",
    async () => {
      const counts = await readSituations(kysely);
      return keysOf(counts).map((situation) => ({ labels: { situation }, value: counts[situation] }));
    },
    ["situation"],
  );
  gauge("purchases_undecided", "Purchases that stand because their next step fails to be decided", async () =>
    only(await countRows(kysely, sql`select 1 from due_purchases where attempts > 0`)),
  );
}

function watchSales(gauge: AddGauge, { database: { kysely }, environment }: Services): void {
  for (const state of ["held", "unmatched"] as const) {
    gauge(`sales_${state}`, `Sales that are ${state} (counted up to ${COUNTED})`, async () => {
      const ofState = inStretch(kysely, [{ column: sql.ref("state"), value: state }]);
      return only(await countRows(kysely, sql`select 1 from sales ${ofState}`));
    });
  }
  gauge("sales_overdue", `Sales that wait for their network for too long (counted up to ${COUNTED})`, async () =>
    only(await countRows(kysely, overdueSales(overdueSince(environment)))),
  );
  gauge("sales_held_oldest_seconds", "Age of the oldest held sale", async () => {
    const query = kysely.selectFrom("sales").select("created_at").where("state", "=", "held");
    const oldest = await query.orderBy("id").limit(1).executeTakeFirst();
    return only(oldest ? (Date.now() - Number(oldest.created_at)) / 1_000 : 0);
  });
}

/**
 * The time since the last successful poll of each network account, or since the start of this process if there is none.
 */
function watchPolls(gauge: AddGauge, { accounts, database }: Services): void {
  const startedAt = Date.now();
  const polled = polledAccounts(accounts);
  const labelNames = ["network", "account"];
  const labelsOf = ({ network, account }: { network: string; account: string }) => ({ network, account });
  gauge(
    "poll_age_seconds",
    "Seconds since the last successful poll of a network",
    async () => {
      const rows = await database.kysely
        .selectFrom("affiliate_status")
        .select(["network", "account", "read_at"])
        .execute();
      return polled.map((account) => {
        const row = rows.find((one) => one.network === account.network && one.account === account.account);
        return { labels: labelsOf(account), value: (Date.now() - Number(row?.read_at ?? startedAt)) / 1_000 };
      });
    },
    labelNames,
  );
  gauge(
    "poll_interval_seconds",
    "The configured polling interval of the network",
    async () => polled.map((account) => ({ labels: labelsOf(account), value: account.poll_seconds })),
    labelNames,
  );
}

/** Those that cannot be read, with the network's words. docs/product.md#sales-failing */
function watchFailing(gauge: AddGauge, { accounts, database: { kysely } }: Services): void {
  gauge(
    "affiliate_failing_seconds",
    "How long a network account could not be read",
    async () => {
      const failing = await listFailing(kysely, polledAccounts(accounts));
      return failing.map(({ network, account, reason, since }) => ({
        labels: { network, account, reason: reason.slice(0, REASON_LENGTH) },
        value: (Date.now() - Number(since)) / 1_000,
      }));
    },
    ["network", "account", "reason"],
  );
}

/** The calls a minute of each network account, and those that it needs. */
function watchBudgets(gauge: AddGauge, { accounts, database: { kysely } }: Services): void {
  for (const [name, help, figure] of [
    ["affiliate_calls_per_minute", "The account's budget", "budget"],
    ["affiliate_calls_needed", "With which every open sale, programme and offer is read once a day", "needed"],
  ] as const) {
    const read = async () => {
      const budgets = await listBudgets(kysely, polledAccounts(accounts));
      return budgets.map(({ network, account, ...one }) => ({ labels: { network, account }, value: one[figure] }));
    };
    gauge(name, `Calls a minute: ${help}`, read, ["network", "account"]);
  }
}

/** The calls a second that each node takes of all processes, and that they need. docs/operations.md#node-calls */
function watchNodeCalls(gauge: AddGauge, { database: { kysely } }: Services): void {
  for (const [name, help, figure] of [
    ["node_calls_allowed", "The node takes; none while it has refused nothing", "allowed"],
    ["node_calls_needed", "In the busiest minute of the last hour", "needed"],
  ] as const) {
    const read = async () => {
      const nodes = await listNodeCalls(kysely);
      return nodes.flatMap(({ rpc, ...one }) => {
        const value = one[figure];
        return value === undefined ? [] : [{ labels: { rpc }, value }];
      });
    };
    gauge(name, `Calls a second: ${help}`, read, ["rpc"]);
  }
}

/** Network data that was not understood, by account. */
function watchDrift(gauge: AddGauge, { database: { kysely } }: Services): void {
  const labelNames = ["network", "account"];
  gauge(
    "affiliate_drifted_sales",
    `Sales whose report is not understood (counted up to ${COUNTED})`,
    async () => {
      const accounts = await kysely.selectFrom("affiliate_status").select(["network", "account"]).execute();
      return Promise.all(
        accounts.map(async (labels) => {
          const drifted = sql`select 1 from sales where network = ${labels.network} and account = ${labels.account}
            and state in ('held', 'unmatched') and hold_reasons like '%drift%'`;
          return { labels, value: await countRows(kysely, drifted) };
        }),
      );
    },
    labelNames,
  );
  gauge(
    "affiliate_unread_rows",
    "Rows of a network that cannot be read or stored, and are asked for again",
    async () => {
      const open = kysely.selectFrom("unread_rows").select(["network", "account"]);
      const counted = open.select(({ fn }) => fn.countAll<bigint>().as("n")).groupBy(["network", "account"]);
      const rows = await counted.execute();
      return rows.map(({ network, account, n }) => ({ labels: { network, account }, value: Number(n) }));
    },
    labelNames,
  );
  gauge(
    "affiliate_unreadable_rows_total",
    "Rows in a network's responses that could not be read or stored",
    async () => {
      const rows = await kysely.selectFrom("affiliate_status").select(["network", "account", "drift_count"]).execute();
      return rows.map(({ network, account, drift_count }) => ({
        labels: { network, account },
        value: Number(drift_count),
      }));
    },
    labelNames,
  );
}

/** Every act that can ring, so that a figure is there before the first. */
const ACTS = [...CONTRACT_EVENT_TOPICS.values()]
  .filter(({ event }) => COLD_KEY_EVENTS.includes(event))
  .flatMap(({ of, event }) => [
    ...(of === "cashbackDistributor" ? [] : [{ contract: "PurchaseNFT", event }]),
    ...(of === "purchaseNft" ? [] : [{ contract: "CashbackDistributor", event }]),
  ]);

/** What cold keys did since the watchman watches; not what the deployment did. docs/operations.md#watchman */
function watchContracts(gauge: AddGauge, { contracts, database: { kysely } }: Services): void {
  const tickets = ticketContractsOf(contracts);
  const figure = (name: string, help: string, read: (acts: bigint, seenAt: bigint) => number) =>
    gauge(
      name,
      help,
      async () => {
        const rung = kysely.selectFrom("contract_acts").where("standing", "=", "rung").groupBy(["contract", "event"]);
        const rows = await rung
          .select(({ fn }) => ["contract", "event", fn.countAll<bigint>().as("n"), fn.max("seen_at").as("seen_at")])
          .execute();
        return ACTS.map((labels) => {
          const own = rows.filter(
            ({ contract, event }) =>
              event === labels.event && tickets.includes(contract) === (labels.contract === "PurchaseNFT"),
          );
          const acts = own.reduce((sum, { n }) => sum + n, 0n);
          return {
            labels,
            value: read(
              acts,
              own.reduce((last, one) => (one.seen_at > last ? one.seen_at : last), 0n),
            ),
          };
        });
      },
      ["contract", "event"],
    );
  figure("contract_acts_total", "Acts of cold keys on the contracts since they are watched", (acts) => Number(acts));
  figure(
    "contract_act_timestamp_seconds",
    "When the last of them was seen; 0: never",
    (_, seenAt) => Number(seenAt) / 1_000,
  );
}

function walletsOf(runway: Runway | undefined): Observed[] {
  return (runway?.wallets ?? []).map(({ key, daysLeft }) => ({ labels: { key }, value: daysLeft }));
}

function poolOf(runway: Runway | undefined, figure: "chz" | "daysLeft"): Observed[] {
  return runway ? [{ value: runway.pool[figure] }] : [];
}

function withinPatience<T>(work: () => Promise<T>): Promise<T> {
  return Promise.race([
    work(),
    new Promise<T>((_, reject) => setTimeout(() => reject(new Error("It takes too long")), PATIENCE_MS).unref()),
  ]);
}
