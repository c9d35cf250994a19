import { type Kysely, sql } from "kysely";
import { backupFaults } from "../../core/database/backup-runs.ts";
import type { Schema } from "../../core/database/generated/schema.ts";
import { OPERATION_KINDS } from "../../core/database/operations.ts";
import { clockProblem, oldBackups, readClockOffset } from "../../core/database/upkeep.ts";
import { writeProblem } from "../../core/database/write-probe.ts";
import { listNodeCalls, nodeCallsProblem } from "../../core/process/rpc/told-calls.ts";
import { oneNodeProblem } from "../../core/process/trusted-nodes.ts";
import { nameOf } from "../../core/purchases/account-books.ts";
import { listAccounts } from "../../core/purchases/account-list.ts";
import { listUndecided } from "../../core/purchases/due.ts";
import { reaisText } from "../../core/rules/money.ts";
import { SYSTEM_FAULTS, type SystemFault } from "../../core/rules/system-faults.ts";
import { polledAccounts } from "../../core/sales/accounts.ts";
import { budgetProblem, listBudgets } from "../../core/sales/budget.ts";
import type { PolledAccount } from "../../core/sales/network.ts";
import { failingText, listFailing } from "../../core/sales/read-progress.ts";
import { foreignText, listForeign, type WatchedKey } from "../../core/sender/foreign-transactions.ts";
import { type QueueSummary, queueFaults, summarizeDue } from "../../core/sender/queue.ts";
import { isHanging } from "../../core/sender/sender-context.ts";
import type { Services } from "../services.ts";

/** How many foreign transactions and failing purchases are listed; the metrics count all. */
const LISTED = 5;
const STANDS_MS = SYSTEM_FAULTS.operations_stand.seconds * 1_000;

/** Everything that is wrong now, as `/readyz` and the panel tell it. docs/product.md#readiness */
export async function listFaults(services: Services): Promise<SystemFault[]> {
  const { database, accounts, senders, queueSummary } = services;
  const watched = {
    kysely: database.kysely,
    keys: senders.keys,
    accounts: polledAccounts(accounts),
    readQueue: queueSummary,
  };
  // A figure that cannot be read now hides no other one.
  const [stored, own] = await Promise.all([storedFaults(watched, () => []), processFaults(services)]);
  return [...stored, ...own];
}

/** Of what the doctor can see too, the database. */
export type Watched = {
  kysely: Kysely<Schema>;
  keys: readonly WatchedKey[];
  accounts: readonly PolledAccount[];
  readQueue: () => Promise<QueueSummary[]>;
};

/** What the database tells, by reading it and by a write. `onError` says what an unreadable part is. */
export async function storedFaults(
  watched: Watched,
  onError: (error: unknown) => SystemFault[],
): Promise<SystemFault[]> {
  const answers = await sql`select 1`.execute(watched.kysely).then(
    () => true,
    () => false,
  );
  if (!answers) return [{ name: "database_away", text: "The database does not answer" }];
  const found = await Promise.all(STORED.map((read) => read(watched).catch(onError)));
  return found.flat();
}

const STORED: readonly ((watched: Watched) => Promise<SystemFault[]>)[] = [
  async ({ kysely }) => faultOf("database_unwritable", await writeProblem(kysely), "The database cannot write: "),
  async ({ readQueue }) => queueFaults(await readQueue()),
  ({ kysely }) => standstillFaults(kysely),
  async ({ kysely, keys }) => {
    const foreign = await listForeign(kysely, keys);
    return foreign.slice(0, LISTED).map((one) => ({ name: "foreign_transaction", text: foreignText(one) }));
  },
  async ({ kysely }) => {
    const undecided = await listUndecided(kysely, LISTED);
    return undecided.map(({ id, problem }) => ({
      name: "purchase_undecided",
      text: `The next step of purchase ${id} fails: ${problem}`,
    }));
  },
  async ({ kysely, accounts }) => {
    const budgets = await listBudgets(kysely, accounts);
    return budgets.flatMap((budget) => faultOf("network_budget", budgetProblem(budget)));
  },
  async ({ kysely }) => {
    const nodes = await listNodeCalls(kysely);
    return nodes.flatMap((calls) => faultOf("node_budget", nodeCallsProblem(calls)));
  },
  async ({ kysely, accounts }) => {
    const failing = await listFailing(kysely, accounts);
    return failing.map((one) => ({ name: "network_unread", text: failingText(one) }));
  },
  async ({ kysely }) => {
    const waiting = (await listAccounts(kysely)).filter((one) => one.waiting > 0n);
    return waiting.slice(0, LISTED).map((one) => ({
      name: "account_credit",
      text: `${nameOf(one)} ${one.stopped_day === null ? "has used what has arrived and its credit" : "asks for ten times its usual day"}: payouts of R$ ${reaisText(one.waiting)} wait`,
    }));
  },
  ({ kysely }) => oldBackups(kysely),
  ({ kysely }) => backupFaults(kysely),
  async ({ kysely }) => faultOf("clock_off", clockProblem(await readClockOffset(kysely))),
];

/** Operations that could be sent, and nobody sends. A payout may wait for a limit. */
async function standstillFaults(kysely: Kysely<Schema>): Promise<SystemFault[]> {
  const due = await summarizeDue(
    kysely,
    OPERATION_KINDS.filter((kind) => kind !== "pay"),
  );
  return due
    .filter(({ waitedMs }) => waitedMs > STANDS_MS)
    .map(({ kind, waitedMs }) => ({
      name: "operations_stand",
      text: `${kind}: nothing is sent, the oldest operation has been due for ${waitedMs / 60_000n} min`,
    }));
}

/** What only this process knows: its nodes, wallets, rate and senders. Requests here cause no node calls. */
async function processFaults(services: Services): Promise<SystemFault[]> {
  const { nodes, senders, rates, ids, database, certificate, load, staffContracts, environment } = services;
  const rate = rates.current();
  const strain = await load.problems(SYSTEM_FAULTS.loop_lag.seconds);
  const hasIds = await ids.isOpen(database.kysely).catch(() => true);
  return [
    ...(nodes.isReady ? [] : faultOf("chain_away", nodes.problem, "The chain does not answer: ")),
    ...faultOf("one_node", oneNodeProblem(environment.nodeSettings)),
    ...faultOf("staff_contract", staffContracts.problem),
    ...(rate.kind === "unavailable" ? faultOf("rate_missing", rate.reason, "There is no exchange rate: ") : []),
    ...senders.all.flatMap(({ key, status }) => [
      ...(status.isWalletEmpty ? faultOf("wallet_empty", `The ${key}'s wallet cannot pay for gas`) : []),
      ...Object.entries(status.held).flatMap(([kind, reason]) => faultOf("operations_paused", reason, `${kind}: `)),
      ...faultOf(
        "sender_waits",
        isHanging(status) ? "its round does not end" : status.problem,
        `The ${key}'s sender waits: `,
      ),
    ]),
    ...(hasIds ? [] : faultOf("index_incomplete", "No purchase is registered until the index is complete")),
    ...faultOf("certificate_ends", certificate.problem()),
    ...faultOf("open_files", strain.files),
    ...faultOf("memory", strain.memory),
    ...faultOf("loop_lag", strain.lag),
  ];
}

function faultOf(name: SystemFault["name"], problem: string | undefined, head = ""): SystemFault[] {
  return problem === undefined ? [] : [{ name, text: head + problem }];
}
