import type { Database } from "../database/connect.ts";
import type { Queries } from "../database/transaction.ts";
import { DAY_SECONDS } from "../rules/iso-time.ts";
import type { PolledAccount } from "./network.ts";

const DAY_MINUTES = 1_440;
/** The polls' share of the budget: the rest rereads sales whose changes the network does not list. */
export const POLL_SHARE = 0.6;

export type Workload = {
  openSales: number;
  salesPerCall: number;
  callsPerPoll: number;
  nightlyCalls: number;
  /** Of a day, for programmes and offers. */
  catalogueCalls: number;
  pollSeconds: number;
};

/**
 * The calls a minute with which every open sale is read by its id once a day, and every programme and offer, beside the polls
 * and the nightly read. docs/product.md#sales-budget
 */
export function callsNeeded(work: Workload): number {
  const { openSales, salesPerCall, callsPerPoll, nightlyCalls, catalogueCalls, pollSeconds } = work;
  const others = Math.ceil(openSales / salesPerCall) + nightlyCalls + catalogueCalls;
  const polls = (DAY_SECONDS / pollSeconds) * callsPerPoll;
  // Polls become rarer before they take more than their share.
  const a_day = Math.min(others + polls, others / (1 - POLL_SHARE));
  return Math.max(1, Math.ceil(a_day / DAY_MINUTES));
}

/** The states of sales that are neither paid nor declined. */
export const UNFINISHED = ["held", "unmatched", "open", "approved", "payable"] as const;

/** Stores what an account needs. Returns it. */
export async function reckonBudget(
  { kysely }: Pick<Database, "kysely">,
  account: PolledAccount,
  work: Omit<Workload, "openSales" | "pollSeconds">,
): Promise<number> {
  const { n } = await kysely
    .selectFrom("sales")
    .select(({ fn }) => fn.countAll<bigint>().as("n"))
    .where("network", "=", account.network)
    .where("account", "=", account.account)
    .where("state", "in", UNFINISHED)
    .executeTakeFirstOrThrow();
  const needed = callsNeeded({ ...work, openSales: Number(n), pollSeconds: account.poll_seconds });
  await kysely
    .updateTable("affiliate_status")
    .set({ calls_needed: BigInt(needed) })
    .where("network", "=", account.network)
    .where("account", "=", account.account)
    .execute();
  return needed;
}

export type Budget = { network: string; account: string; budget: number; needed: number };

/** The budgets of some accounts, and what they need; without those that were not read yet. */
export async function listBudgets(queries: Queries, accounts: readonly PolledAccount[]): Promise<Budget[]> {
  const rows = await queries
    .selectFrom("affiliate_status")
    .select(["network", "account", "calls_needed"])
    .where("calls_needed", "is not", null)
    .execute();
  return accounts.flatMap(({ network, account, calls_per_minute: budget }) => {
    const row = rows.find((one) => one.network === network && one.account === account);
    return row ? [{ network, account, budget, needed: Number(row.calls_needed) }] : [];
  });
}

/** What is wrong with a budget; undefined if it is enough. */
export function budgetProblem({ network, account, budget, needed }: Budget): string | undefined {
  if (needed <= budget) return undefined;
  return `${network}/${account} cannot read its open sales, programmes and offers once a day with ${budget} calls a minute: it needs ${needed}`;
}
