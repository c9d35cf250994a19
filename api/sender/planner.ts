import { takeOffset } from "../../database/adjustments.ts";
import type { Database } from "../../database/connect.ts";
import { enqueue, indexedBlock, listOpenPurchases, type NewOperation, settlePurchases } from "../../database/outbox.ts";
import { freezeRate, type Purchase } from "../../database/purchases.ts";
import { inTransaction, type Queries } from "../../database/transaction.ts";
import { touchUser } from "../../database/users.ts";
import { cashbackGwei } from "../../domain/cashback.ts";
import { CHAIN_STATUS } from "../../domain/purchase-status.ts";
import type { RateSource } from "../rate/rate-source.ts";

export type PlanOptions = {
  rates: RateSource;
  stepDelayMs: number;
  /** How deep a confirmation must be before what it leads to, a payment, is sent. */
  payoutConfirmations: number;
  /** Refuses the write where another process has become the sender. */
  assertLease: (queries: Queries) => Promise<void>;
};

/**
 * Gives every open purchase its next step. The step is derived from what the indexer saw, never from memory, so that a
 * process that dies anywhere loses nothing. Only simulated purchases go on by themselves. Design, section 1.
 */
export async function planNextSteps(database: Database, options: PlanOptions): Promise<boolean> {
  const cursor = await indexedBlock(database.kysely);
  if (cursor === undefined) return false;
  const deepestBlock = cursor - BigInt(options.payoutConfirmations) + 1n;
  const confirmed = await planConfirmations(database, options);
  const paid = await planPayments(database, deepestBlock, options);
  await settlePurchases(database.kysely, deepestBlock);
  return confirmed || paid;
}

async function planConfirmations(database: Database, options: PlanOptions): Promise<boolean> {
  const pending = await listOpenPurchases(database.kysely, {
    chainStatus: BigInt(CHAIN_STATUS.pending),
    without: "confirm",
    source: "simulated",
  });
  const rows = pending.filter((row) => row.reversed_at === null);
  if (rows.length === 0) return false;
  const rate = options.rates.current();
  if (rate.kind === "unavailable") return false;
  const now = BigInt(Date.now());
  await inTransaction(database.kysely, async (queries) => {
    await options.assertLease(queries);
    await queries
      .updateTable("purchases")
      .set({ wei_per_cent: rate.weiPerCent, payable_at: now })
      .where("id", "in", ids(rows))
      .where("wei_per_cent", "is", null)
      .execute();
    await enqueue(queries, operationsOf(rows, "confirm", now + BigInt(options.stepDelayMs)));
  });
  return true;
}

async function planPayments(database: Database, deepestBlock: bigint, options: PlanOptions): Promise<boolean> {
  const now = BigInt(Date.now());
  const rows = await listOpenPurchases(database.kysely, {
    chainStatus: BigInt(CHAIN_STATUS.confirmed),
    without: "pay",
    source: "simulated",
    deepestBlock,
    unpaid: true,
  });
  const rate = options.rates.current();
  const payable = rows.filter((row) => row.reversed_at === null && (row.payable_at ?? now) <= now);
  const rated = payable.filter((row) => row.wei_per_cent !== null || rate.kind === "rate");
  if (rated.length === 0) return false;
  await inTransaction(database.kysely, async (queries) => {
    await options.assertLease(queries);
    await enqueuePayments(queries, rated, {
      weiPerCent: rate.kind === "rate" ? rate.weiPerCent : 0n,
      notBefore: now + BigInt(options.stepDelayMs),
    });
  });
  return true;
}

export type Payment = { purchaseId: bigint; amountGwei: bigint };

/**
 * Puts the payments of confirmed purchases into the outbox, less what their buyers owe for purchases that were returned
 * after their payment; what is wholly offset is settled without one. Answers what is paid.
 */
export async function enqueuePayments(
  queries: Queries,
  purchases: readonly Purchase[],
  { weiPerCent, notBefore }: { weiPerCent: bigint; notBefore: bigint },
): Promise<Payment[]> {
  const payments: Payment[] = [];
  const settled: bigint[] = [];
  for (const purchase of purchases) {
    if (purchase.wei_per_cent === null) await freezeRate(queries, purchase.id, { weiPerCent, payableAt: notBefore });
    const gross = cashbackOf(purchase, weiPerCent);
    const offset = await takeOffset(queries, purchase, gross);
    if (gross > offset) payments.push({ purchaseId: purchase.id, amountGwei: gross - offset });
    else settled.push(purchase.id);
  }
  await enqueue(
    queries,
    payments.map((payment) => ({
      kind: "pay" as const,
      subjectId: payment.purchaseId,
      amountGwei: payment.amountGwei,
      notBefore,
    })),
  );
  if (settled.length > 0) {
    await queries.updateTable("purchases").set({ settled_at: notBefore }).where("id", "in", settled).execute();
    for (const wallet of new Set(purchases.map((purchase) => purchase.wallet))) await touchUser(queries, wallet);
  }
  return payments;
}

/** A purchase's cashback in gwei at its frozen rate, or at the present one before there is one. */
export function cashbackOf(
  purchase: Pick<Purchase, "amount_cents" | "cashback_bps" | "bonus_bps" | "wei_per_cent">,
  currentWeiPerCent: bigint,
): bigint {
  return cashbackGwei({
    valueCents: purchase.amount_cents,
    totalBps: purchase.cashback_bps + purchase.bonus_bps,
    weiPerCent: purchase.wei_per_cent ?? currentWeiPerCent,
  });
}

function operationsOf(purchases: readonly Purchase[], kind: "confirm", notBefore: bigint): NewOperation[] {
  return purchases.map((purchase) => ({ kind, subjectId: purchase.id, notBefore }));
}

function ids(purchases: readonly Purchase[]): bigint[] {
  return purchases.map((purchase) => purchase.id);
}
