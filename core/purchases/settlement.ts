import { among } from "../database/among.ts";
import { databaseNow, readClock } from "../database/clock.ts";
import { touchUser } from "../database/touch-user.ts";
import type { Queries } from "../database/transaction.ts";
import { LIST_LIMIT } from "../rules/product.ts";
import { type Moment, nextMove, nextSteps } from "../rules/purchase/life.ts";
import type { SaleRules } from "../rules/sale/rules.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { expedite } from "../sender/queue.ts";
import { passAccounts } from "./account-gate.ts";
import { type ApprovalRules, attribute } from "./approvals.ts";
import { readKeepable } from "./debt.ts";
import { decideSales } from "./decide-sales.ts";
import { lockSales } from "./locks.ts";
import { type PlannedPayouts, type QueuedPayout, saveSteps } from "./next-step.ts";
import { listUnpaid, type PurchaseWithLife } from "./queries.ts";

/** Either everything payable to a buyer was decided, or nothing, because `payable` differs from the requested amount. */
export type BuyerPayout =
  | ({ kind: "decided"; payableGwei: bigint } & PlannedPayouts)
  | { kind: "refused"; payableGwei: bigint };

/**
 * Queues everything a buyer is owed for confirmed purchases, if it equals the requested amount, as the actor's decision.
 * A payout scheduled for later becomes due now. `requireRate` is called for a purchase confirmed outside this system,
 * which has no frozen rate.
 */
export async function payBuyer(
  queries: Queries,
  {
    wallet,
    amountGwei,
    deepestBlock,
    requireRate,
    rules,
    approvals,
    actor,
  }: {
    wallet: WalletAddress;
    amountGwei: bigint;
    deepestBlock: bigint;
    requireRate: () => bigint;
    rules: SaleRules;
    approvals: ApprovalRules;
    actor: string;
  },
): Promise<BuyerPayout> {
  const moment = { now: BigInt(await readClock(queries)), deepestBlock, hasRate: true, isLive: rules.isLive };
  const salesOf = ({ purchases }: { purchases: PurchaseWithLife[] }) =>
    new Set(purchases.flatMap(({ row }) => row.sale_id ?? []));
  // Two settlements of one wallet run one after the other.
  await lockSales(queries, { sales: salesOf(await listPayable(queries, wallet, moment)), wallets: [wallet] });
  await touchUser(queries, wallet);
  const listed = await listPayable(queries, wallet, moment);
  const sales = salesOf(listed);
  const { changed } = await decideSales(queries, sales, rules);
  const { purchases: payable, waiting } = changed.size > 0 ? await listPayable(queries, wallet, moment) : listed;
  const passed = await passAccounts(queries, payable, moment, "staff");
  const purchases = payable.filter(({ row }) => !passed.waiting.has(row.id));
  const weiPerCent = purchases.some(({ row }) => row.wei_per_cent === null) ? requireRate() : 0n;
  const debts = await readKeepable(queries, new Set([wallet]));
  const steps = nextSteps(purchases, { debts, weiPerCent, moment, by: "staff" });
  const payableGwei = [...steps, ...waiting].reduce((sum, { amountGwei }) => sum + amountGwei, 0n);
  if (payableGwei === 0n || payableGwei !== amountGwei) return { kind: "refused", payableGwei };
  await expedite(
    queries,
    "pay",
    waiting.map((payout) => payout.purchaseId),
  );
  await attribute(
    queries,
    purchases.map(({ row }) => row.id),
    actor,
  );
  const as = { weiPerCent, stepDelayMs: 0n, approvals, rules, moment, by: "staff" as const, passed };
  const planned = await saveSteps(queries, purchases, as);
  return { ...planned, kind: "decided", payableGwei, queued: [...waiting, ...planned.queued] };
}

/** The size of a page of a wallet's unpaid purchases, and how many pages one manual payout reads. */
const PAGE = 500;
const PAGES = 10;

/**
 * Among a wallet's oldest unpaid purchases: those that staff can pay now, and the payouts that are queued for later.
 */
async function listPayable(
  queries: Queries,
  wallet: WalletAddress,
  moment: Moment,
): Promise<{ purchases: PurchaseWithLife[]; waiting: QueuedPayout[] }> {
  const purchases: PurchaseWithLife[] = [];
  const waiting: QueuedPayout[] = [];
  for (let after = 0n, page = 0; page < PAGES && purchases.length + waiting.length < LIST_LIMIT; page++) {
    const unpaid = await listUnpaid(queries, wallet, { after, limit: PAGE });
    purchases.push(...unpaid.filter(({ life }) => nextMove(life, moment, "staff") === "pay"));
    const queued = unpaid.filter(({ life }) => life.queued.has("pay")).map(({ row }) => row.id);
    waiting.push(...(await listPayoutsForLater(queries, queued)));
    const last = unpaid.at(-1);
    if (!last || unpaid.length < PAGE) break;
    after = last.row.id;
  }
  return { purchases: purchases.slice(0, LIST_LIMIT), waiting: waiting.slice(0, LIST_LIMIT) };
}

/** The payouts of some purchases that are queued for later, oldest first; a request makes them due now. */
async function listPayoutsForLater(queries: Queries, purchaseIds: readonly bigint[]): Promise<QueuedPayout[]> {
  if (purchaseIds.length === 0) return [];
  const rows = await queries
    .selectFrom("operations")
    .select(["subject_id", "amount_gwei"])
    .where("kind", "=", "pay")
    .where(among(queries, "subject_id", purchaseIds))
    .where("status", "=", "queued")
    .where("not_before", ">", databaseNow(queries))
    // A payout with an error waits for its own reason.
    .where("error", "is", null)
    .orderBy("subject_id")
    .execute();
  return rows.map((row) => ({ purchaseId: row.subject_id, amountGwei: row.amount_gwei ?? 0n }));
}
