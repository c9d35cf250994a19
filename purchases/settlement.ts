import { databaseNow, readClock } from "../database/clock.ts";
import { touchUser } from "../database/touch-user.ts";
import type { Queries } from "../database/transaction.ts";
import { LIST_LIMIT } from "../domain/product.ts";
import { obstacleTo } from "../domain/purchase/life.ts";
import { amountPayable, cashbackOf, offsetOf } from "../domain/purchase/settlement.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import { enqueue, hasten } from "../sender/queue.ts";
import { listDebtors, outstandingDebt } from "./debt.ts";
import { freezeRates, keepOffset, settlePurchases } from "./lifecycle.ts";
import { listUnpaid, type StandingRow } from "./queries.ts";
import { markPayable } from "./sale-totals.ts";

export type QueuedPayout = { purchaseId: bigint; amountGwei: bigint };

/** Either everything payable to a buyer was queued, or nothing, because `payable` differs from the requested amount. */
export type BuyerPayout =
  | { kind: "queued"; payableGwei: bigint; payouts: readonly QueuedPayout[] }
  | { kind: "refused"; payableGwei: bigint };

/**
 * Queues everything a buyer is owed for confirmed purchases, if it equals the requested amount. A payout scheduled for
 * later becomes due now. `requireRate` is called for a purchase confirmed outside this system, which has no frozen
 * rate.
 */
export async function payBuyer(
  queries: Queries,
  {
    wallet,
    amountGwei,
    deepestBlock,
    requireRate,
  }: { wallet: WalletAddress; amountGwei: bigint; deepestBlock: bigint; requireRate: () => bigint },
): Promise<BuyerPayout> {
  // Locks the buyer's row, so that two settlements of one wallet run one after the other.
  await touchUser(queries, wallet);
  const purchases = await listPayable(queries, wallet, deepestBlock);
  const weiPerCent = purchases.some((purchase) => purchase.wei_per_cent === null) ? requireRate() : 0n;
  const waiting = await listPayoutsForLater(queries, wallet);
  const payableGwei = amountPayable({
    grossGwei: purchases.reduce((sum, purchase) => sum + cashbackOf(purchase, weiPerCent), 0n),
    debtGwei: await outstandingDebt(queries, wallet),
    waitingGwei: waiting.reduce((sum, payout) => sum + payout.amountGwei, 0n),
  });
  if (payableGwei === 0n || payableGwei !== amountGwei) return { kind: "refused", payableGwei };
  for (const payout of waiting) await hasten(queries, "pay", payout.purchaseId);
  const queued = await enqueuePayouts(queries, purchases, { weiPerCent, delayMs: () => 0n });
  return { kind: "queued", payableGwei, payouts: [...waiting, ...queued] };
}

/**
 * Queues the payouts of confirmed purchases, less their buyers' debt for returned purchases; a fully offset purchase is
 * settled without a payout. Returns the queued payouts.
 */
export async function enqueuePayouts(
  queries: Queries,
  purchases: readonly StandingRow[],
  { weiPerCent, delayMs }: { weiPerCent: bigint; delayMs: (purchase: StandingRow) => bigint },
): Promise<QueuedPayout[]> {
  const payouts: (QueuedPayout & { afterMs: bigint })[] = [];
  const debtors = await listDebtors(queries, new Set(purchases.map((purchase) => purchase.wallet)));
  const offsetInFull: bigint[] = [];
  await markPayable(
    queries,
    purchases.flatMap((purchase) => purchase.sale_id ?? []),
  );
  for (const purchase of purchases) {
    const afterMs = delayMs(purchase);
    if (purchase.wei_per_cent === null) await freezeRates(queries, [purchase.id], { weiPerCent, holdMs: afterMs });
    const gross = cashbackOf(purchase, weiPerCent);
    const offset = debtors.has(purchase.wallet) ? await takeOffset(queries, purchase, gross) : purchase.offset_gwei;
    if (gross > offset) payouts.push({ purchaseId: purchase.id, amountGwei: gross - offset, afterMs });
    else offsetInFull.push(purchase.id);
  }
  await settlePurchases(queries, offsetInFull);
  await enqueue(
    queries,
    payouts.map((payout) => ({
      kind: "pay" as const,
      subjectId: payout.purchaseId,
      amountGwei: payout.amountGwei,
      afterMs: payout.afterMs,
    })),
  );
  return payouts.map(({ purchaseId, amountGwei }) => ({ purchaseId, amountGwei }));
}

/** Keeps up to the buyer's debt from a purchase's cashback, once per purchase. Returns the amount kept. */
async function takeOffset(
  queries: Queries,
  purchase: { id: bigint; wallet: WalletAddress; offset_gwei: bigint },
  cashbackGwei: bigint,
): Promise<bigint> {
  if (purchase.offset_gwei > 0n) return purchase.offset_gwei;
  const offset = offsetOf(cashbackGwei, await outstandingDebt(queries, purchase.wallet));
  if (offset > 0n) await keepOffset(queries, purchase.id, offset);
  return offset;
}

/** The purchases of a wallet that staff can pay now, oldest first. */
async function listPayable(queries: Queries, wallet: WalletAddress, deepestBlock: bigint): Promise<StandingRow[]> {
  const moment = { now: BigInt(await readClock(queries)), deepestBlock, hasRate: true };
  const payable: StandingRow[] = [];
  for (let after = 0n; payable.length < LIST_LIMIT; ) {
    const page = await listUnpaid(queries, wallet, { after, limit: LIST_LIMIT });
    for (const { row, life } of page) if (!obstacleTo("pay", life, moment, "staff")) payable.push(row);
    const last = page.at(-1);
    if (!last || page.length < LIST_LIMIT) break;
    after = last.row.id;
  }
  return payable.slice(0, LIST_LIMIT);
}

/** A wallet's payouts that are queued for later, oldest first; a request makes them due now. */
async function listPayoutsForLater(
  queries: Queries,
  wallet: WalletAddress,
): Promise<{ purchaseId: bigint; amountGwei: bigint }[]> {
  const rows = await queries
    .selectFrom("purchases")
    .innerJoin("operations", (join) =>
      join.onRef("operations.subject_id", "=", "purchases.id").on("operations.kind", "=", "pay"),
    )
    .select(["purchases.id", "operations.amount_gwei"])
    .where("purchases.wallet", "=", wallet)
    .where("purchases.settled_at", "is", null)
    .where("purchases.reversed_at", "is", null)
    .where("operations.status", "=", "queued")
    .where("operations.not_before", ">", databaseNow(queries))
    // One with an error has its own reason to wait.
    .where("operations.error", "is", null)
    .orderBy("purchases.id")
    .execute();
  return rows.map((row) => ({ purchaseId: row.id, amountGwei: row.amount_gwei ?? 0n }));
}
