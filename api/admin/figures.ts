import { IS_DRAFT } from "../../core/catalogue/store-list.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { type DayTotals, dayOf, dayText, noTotals, readDays } from "../../core/database/day-totals.ts";
import { readSetting } from "../../core/database/settings.ts";
import { atMostEvery } from "../../core/process/at-most-every.ts";
import { countAttention } from "../../core/purchases/attention.ts";
import { IS_HELD } from "../../core/purchases/purchase-list.ts";
import {
  type Attention,
  attentionResponseSchema,
  configurationResponseSchema,
  figuresResponseSchema,
} from "../../core/rules/api/admin-figures.ts";
import { chzTextFromGwei, chzTextFromWei, formatDecimal, reaisText } from "../../core/rules/money.ts";
import { kindOf } from "../../core/rules/system-faults.ts";
import { polledAccounts } from "../../core/sales/accounts.ts";
import { listFailing } from "../../core/sales/read-progress.ts";
import { listForeign } from "../../core/sender/foreign-transactions.ts";
import { type Route, route } from "../http/route.ts";
import { listFaults } from "../operations/system-faults.ts";
import { overdueSince, type Services } from "../services.ts";
import { listSettings } from "../settings-in-force.ts";
import { isOpenApproval } from "./approvals.ts";

const DAYS = 30;
const WEEK = 7;
const WEI_PER_CHZ = 10n ** 18n;
const BALANCE_KEPT_MS = 5_000;
const balances = new WeakMap<Services, () => Promise<bigint | undefined>>();

/** Figures, open tasks and the effective configuration. docs/product.md#panel-figures */
export function figureRoutes(services: Services): Route[] {
  return [
    route.get("/api/admin/figures", {
      access: "admin",
      cost: { thread: 5, node: 0, stored: 0, mail: 0 },
      summary: "Figures of today, 7 and 30 days, and open tasks",
      responses: { 200: figuresResponseSchema },
      async handle() {
        const today = dayOf(BigInt(Date.now()));
        const [known, attention] = await Promise.all([
          readDays(services.database.reader, today - BigInt(DAYS - 1)),
          readAttention(services),
        ]);
        const days = Array.from({ length: DAYS }, (_, index) => today - BigInt(DAYS - 1 - index));
        const totals = days.map((day) => known.get(day) ?? noTotals());
        return {
          body: {
            success: true,
            data: {
              today: toWirePeriod(totals.slice(-1)),
              last_7_days: toWirePeriod(totals.slice(-WEEK)),
              last_30_days: toWirePeriod(totals),
              days: days.map((day, index) => ({ day: dayText(day), ...toWirePeriod(totals.slice(index, index + 1)) })),
              attention,
            },
          },
        };
      },
    }),
    route.get("/api/admin/attention", {
      access: "admin",
      cost: { thread: 10, node: 0, stored: 0, mail: 0 },
      summary: "Counts of open tasks",
      responses: { 200: attentionResponseSchema },
      handle: async () => ({ body: { success: true, attention: await readAttention(services) } }),
    }),
    route.get("/api/admin/configuration", {
      access: "admin",
      cost: { thread: 2, node: 0, stored: 0, mail: 0 },
      summary: "The effective configuration, without secrets",
      responses: { 200: configurationResponseSchema },
      handle: () => ({ body: { success: true, settings: listSettings(services.environment) } }),
    }),
  ];
}

function toWirePeriod(days: readonly DayTotals[]) {
  const sum = (name: keyof DayTotals) => days.reduce((total, day) => total + day[name], 0n);
  return {
    users: Number(sum("users")),
    clicks: Number(sum("clicks")),
    purchases: Number(sum("purchases")),
    amount: reaisText(sum("amount_cents")),
    // Exact: cents × basis points have six places.
    cashback: formatDecimal(sum("cashback_cent_bps"), 6, 2),
    payouts: Number(sum("payouts")),
    paid: chzTextFromGwei(sum("paid_gwei")),
  };
}

/**
 * Counts the open tasks and reads why payouts are paused. `low_balances` leaves out the distributor while no node
 * responds. docs/product.md#panel-figures
 */
export async function readAttention(services: Services): Promise<Attention> {
  const { reader } = services.database;
  const [counts, paused, cause, foreign, differences, differenceList, balances, failing, faults] = await Promise.all([
    countAttention(reader, {
      isHeld: IS_HELD,
      isDraft: IS_DRAFT,
      isOpenApproval: isOpenApproval(),
      overdueSince: overdueSince(services.environment),
    }),
    services.payouts.reason(),
    services.payouts.cause(),
    listForeign(reader, services.senders.keys),
    readSetting(reader, "differences"),
    readSetting(reader, "difference_list"),
    listLowBalances(services),
    listFailing(reader, polledAccounts(services.accounts)),
    listFaults(services),
  ]);
  const found = {
    ...counts,
    low_balances: balances,
    payouts_paused: paused ?? null,
    pause_cause: (paused !== undefined && cause) || null,
    foreign_transactions: foreign.length,
    failing_accounts: failing.length,
    faults: faults.filter(({ name }) => !kindOf(name).isTask),
    differences: Number(differences ?? 0),
    difference_list: Number(differences ?? 0) > 0 ? JSON.parse(differenceList ?? "[]") : [],
  };
  // Drafts are work in progress and waiting operations resume by themselves; everything else needs a person.
  const urgent = [
    found.held_sales,
    found.unmatched_sales,
    found.overdue_sales,
    found.waiting_accounts,
    found.unset_credits,
    found.open_claims,
    found.unread_rows,
    found.doubtful_rates,
    found.held_purchases,
    found.undecided_purchases,
    found.failed_payments,
    found.failed_operations,
    found.foreign_transactions,
    found.differences,
    found.faults.length,
    balances.length,
    paused ? 1 : 0,
    found.open_approvals,
    found.refused_payouts,
    found.open_percents,
    found.open_proposals,
    found.withheld_rounds,
    found.large_lists,
    found.uncovered_percents,
  ];
  return { ...found, total: urgent.reduce((total, n) => total + n, 0) };
}

/** Wallet balances come from their senders; the distributor's balance is read from the chain. */
async function listLowBalances(services: Services): Promise<Attention["low_balances"]> {
  const threshold = BigInt(services.environment.LOW_BALANCE_CHZ) * WEI_PER_CHZ;
  const distributor = services.nodes.isReady ? await readDistributorBalance(services) : undefined;
  return [
    ...services.senders.all.map(({ key, status }) => ({ wallet: key, wei: status.balanceWei })),
    { wallet: "distributor" as const, wei: distributor },
  ].flatMap(({ wallet, wei }) =>
    wei !== undefined && wei < threshold ? [{ wallet, balance: chzTextFromWei(wei) }] : [],
  );
}

/** Wei available for payouts; undefined if the chain does not respond. Read at most every five seconds. */
export function readDistributorBalance(services: Services): Promise<bigint | undefined> {
  const { client, contracts } = services;
  const address = contracts.cashbackDistributor;
  const available = () =>
    client.readContract({ address, abi: cashbackDistributorAbi, functionName: "available" }).catch(() => undefined);
  const read = balances.get(services) ?? atMostEvery(BALANCE_KEPT_MS, available);
  balances.set(services, read);
  return read();
}
