import { among } from "../database/among.ts";
import { databaseNow, readClock } from "../database/clock.ts";
import { touchUser } from "../database/touch-user.ts";
import type { Queries } from "../database/transaction.ts";
import { LIST_LIMIT } from "../domain/product.ts";
import { type Moment, obstacleTo } from "../domain/purchase/life.ts";
import { amountPayable, cashbackOf, offsetOf } from "../domain/purchase/settlement.ts";
import type { SaleRules } from "../domain/sale/rules.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import { enqueue, expedite, forgetOperations } from "../sender/queue.ts";
import { type ApprovalRules, attribute, requestApprovals } from "./approvals.ts";
import { listDebtors, outstandingDebt } from "./debt.ts";
import { freezeRates, keepOffset, settlePurchases } from "./lifecycle.ts";
import { listUnpaid, type StandingRow } from "./queries.ts";
import { decideSales } from "./save.ts";

export type QueuedPayout = { purchaseId: bigint; amountGwei: bigint };

/** Payouts that are queued, and those that wait for a second person, with their requests. */
export type PlannedPayouts = {
  queued: readonly QueuedPayout[];
  waiting: readonly (QueuedPayout & { approvalId: bigint })[];
};

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
  // Locks the buyer's row, so that two settlements of one wallet run one after the other.
  await touchUser(queries, wallet);
  const listed = await listPayable(queries, wallet, { deepestBlock, isLive: rules.isLive });
  const sales = new Set(listed.purchases.flatMap((purchase) => purchase.sale_id ?? []));
  const changed = await decideSales(queries, sales, rules);
  const { purchases, waiting } =
    changed.size > 0 ? await listPayable(queries, wallet, { deepestBlock, isLive: rules.isLive }) : listed;
  const weiPerCent = purchases.some((purchase) => purchase.wei_per_cent === null) ? requireRate() : 0n;
  const payableGwei = amountPayable({
    grossGwei: purchases.reduce((sum, purchase) => sum + cashbackOf(purchase, weiPerCent), 0n),
    debtGwei: await outstandingDebt(queries, wallet),
    waitingGwei: waiting.reduce((sum, payout) => sum + payout.amountGwei, 0n),
  });
  if (payableGwei === 0n || payableGwei !== amountGwei) return { kind: "refused", payableGwei };
  await expedite(
    queries,
    "pay",
    waiting.map((payout) => payout.purchaseId),
  );
  await attribute(
    queries,
    purchases.map(({ id }) => id),
    actor,
  );
  const planned = await enqueuePayouts(queries, purchases, { weiPerCent, delayMs: () => 0n, approvals });
  return { kind: "decided", payableGwei, queued: [...waiting, ...planned.queued], waiting: planned.waiting };
}

/**
 * Queues the payouts of confirmed purchases, less their buyers' debt for returned purchases; a fully offset purchase is
 * settled without a payout, and one that takes a second person waits.
 */
export async function enqueuePayouts(
  queries: Queries,
  purchases: readonly StandingRow[],
  {
    weiPerCent,
    delayMs,
    approvals,
  }: { weiPerCent: bigint; delayMs: (purchase: StandingRow) => bigint; approvals: ApprovalRules },
): Promise<PlannedPayouts> {
  const payouts: (QueuedPayout & { wallet: WalletAddress; afterMs: bigint })[] = [];
  const debts = await readDebts(queries, new Set(purchases.map((purchase) => purchase.wallet)));
  const offsetInFull: bigint[] = [];
  for (const purchase of purchases) {
    const { id: purchaseId, wallet } = purchase;
    const afterMs = delayMs(purchase);
    if (purchase.wei_per_cent === null) await freezeRates(queries, [purchaseId], { weiPerCent, holdMs: afterMs });
    const gross = cashbackOf(purchase, weiPerCent);
    const offset = await takeOffset(queries, purchase, gross, debts);
    if (gross > offset) payouts.push({ purchaseId, wallet, amountGwei: gross - offset, afterMs });
    else offsetInFull.push(purchaseId);
  }
  await settlePurchases(queries, offsetInFull);
  const requests = await requestApprovals(queries, payouts, approvals);
  const queued = payouts.filter(({ purchaseId }) => !requests.has(purchaseId));
  await enqueue(
    queries,
    queued.map(({ purchaseId: subjectId, amountGwei, afterMs }) => ({
      kind: "pay" as const,
      ...{ subjectId, amountGwei, afterMs },
    })),
  );
  return {
    queued: queued.map(({ purchaseId, amountGwei }) => ({ purchaseId, amountGwei })),
    waiting: payouts.flatMap(({ purchaseId, amountGwei }) => {
      const approvalId = requests.get(purchaseId);
      return approvalId === undefined ? [] : [{ purchaseId, amountGwei, approvalId }];
    }),
  };
}

/**
 * A payout that is tried again by the actor's decision, in the same amount. If that takes a second person, it leaves the
 * queue until then. Returns the request that it waits for.
 */
export async function retryPayout(
  queries: Queries,
  {
    purchaseId,
    amountGwei,
    actor,
    approvals,
  }: { purchaseId: bigint; amountGwei: bigint; actor: string; approvals: ApprovalRules },
): Promise<bigint | undefined> {
  await attribute(queries, [purchaseId], actor);
  const { wallet } = await queries
    .selectFrom("purchases")
    .select("wallet")
    .where("id", "=", purchaseId)
    .executeTakeFirstOrThrow();
  const requests = await requestApprovals(queries, [{ purchaseId, wallet, amountGwei }], approvals);
  const approvalId = requests.get(purchaseId);
  if (approvalId !== undefined) await forgetOperations(queries, ["pay"], purchaseId);
  return approvalId;
}

/** The debts of those wallets that may have one, each read once. */
async function readDebts(queries: Queries, wallets: ReadonlySet<WalletAddress>): Promise<Map<WalletAddress, bigint>> {
  const debts = new Map<WalletAddress, bigint>();
  for (const wallet of await listDebtors(queries, wallets)) debts.set(wallet, await outstandingDebt(queries, wallet));
  return debts;
}

/** Keeps up to the buyer's debt from a purchase's cashback, once per purchase. Returns the amount kept. */
async function takeOffset(
  queries: Queries,
  purchase: Pick<StandingRow, "id" | "wallet" | "offset_gwei">,
  cashbackGwei: bigint,
  debts: Map<WalletAddress, bigint>,
): Promise<bigint> {
  const debt = debts.get(purchase.wallet);
  if (purchase.offset_gwei > 0n || debt === undefined) return purchase.offset_gwei;
  const offset = offsetOf(cashbackGwei, debt);
  if (offset === 0n) return 0n;
  await keepOffset(queries, purchase.id, offset);
  debts.set(purchase.wallet, debt - offset);
  return offset;
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
  known: Pick<Moment, "deepestBlock" | "isLive">,
): Promise<{ purchases: StandingRow[]; waiting: QueuedPayout[] }> {
  const moment = { ...known, now: BigInt(await readClock(queries)), hasRate: true };
  const purchases: StandingRow[] = [];
  const waiting: QueuedPayout[] = [];
  for (let after = 0n, page = 0; page < PAGES && purchases.length + waiting.length < LIST_LIMIT; page++) {
    const unpaid = await listUnpaid(queries, wallet, { after, limit: PAGE });
    for (const { row, life } of unpaid) if (!obstacleTo("pay", life, moment, "staff")) purchases.push(row);
    const asked = unpaid.filter(({ life }) => life.asked.has("pay")).map(({ row }) => row.id);
    waiting.push(...(await listPayoutsForLater(queries, asked)));
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
