import { indexedBlock } from "../database/chain-cursor.ts";
import { databaseNow } from "../database/clock.ts";
import type { Database } from "../database/connect.ts";
import type { OperationKind } from "../database/schema.ts";
import { touchUser } from "../database/touch-user.ts";
import { inTransaction, type Queries } from "../database/transaction.ts";
import { cashbackOfCentBps } from "../domain/cashback.ts";
import { CHAIN_STATUS } from "../domain/purchase/life.ts";
import type { RateSource } from "../rates/rate-source.ts";
import { enqueue } from "../sender/queue.ts";
import { insertAdjustment, takeOffset } from "./adjustments.ts";
import { freezeRates, listPaidReversals, type Purchase, selectPurchases } from "./queries.ts";

export type PlanOptions = {
  rates: RateSource;
  /** The delay between the steps of a simulated purchase, so that people see them. */
  stepDelayMs: number;
  /** The hold of a live purchase, from confirmation to payout. */
  holdMs: number;
  /** How deep a confirmation must be before its payout is sent. */
  payoutConfirmations: number;
  /** Refuses the write if another process has become the sender. */
  assertLease: (queries: Queries) => Promise<void>;
};

/**
 * Queues the next step of every open purchase. It is derived from the index, never from memory, so that a
 * process that dies anywhere loses nothing. Simulated and approved purchases proceed automatically.
 * Returns whether anything was planned. docs/product.md#purchase-steps.
 */
export async function planNextSteps(database: Database, options: PlanOptions): Promise<boolean> {
  const cursor = await indexedBlock(database.kysely);
  if (cursor === undefined) return false;
  const deepestBlock = cursor - BigInt(options.payoutConfirmations) + 1n;
  const planned = [
    await planCancellations(database, options),
    await planConfirmations(database, options),
    await planPayments(database, deepestBlock, options),
    await planAdjustments(database, options),
  ];
  await settlePurchases(database.kysely, deepestBlock);
  return planned.includes(true);
}

async function planConfirmations(database: Database, options: PlanOptions): Promise<boolean> {
  const rows = await listOpenPurchases(database.kysely, {
    chainStatus: BigInt(CHAIN_STATUS.pending),
    without: "confirm",
    which: "automatic",
  });
  const rate = options.rates.current();
  if (rows.length === 0 || rate.kind === "unavailable") return false;
  await inTransaction(database.kysely, async (queries) => {
    await options.assertLease(queries);
    for (const source of ["simulated", "live"] as const) {
      const ids = rows.filter((row) => row.source === source).map((row) => row.id);
      const holdMs = source === "simulated" ? 0n : BigInt(options.holdMs);
      await freezeRates(queries, ids, { weiPerCent: rate.weiPerCent, holdMs });
    }
    await enqueue(
      queries,
      rows.map((row) => ({ kind: "confirm" as const, subjectId: row.id, afterMs: stepDelay(row, options) })),
    );
  });
  return true;
}

async function planPayments(database: Database, deepestBlock: bigint, options: PlanOptions): Promise<boolean> {
  const rate = options.rates.current();
  const listPayable = async (queries: Queries) => {
    const rows = await listOpenPurchases(queries, {
      chainStatus: BigInt(CHAIN_STATUS.confirmed),
      without: "pay",
      which: "automatic",
      deepestBlock,
      payable: true,
    });
    return rows.filter((row) => row.wei_per_cent !== null || rate.kind === "rate");
  };
  const candidates = await listPayable(database.kysely);
  if (candidates.length === 0) return false;
  await inTransaction(database.kysely, async (queries) => {
    await options.assertLease(queries);
    // Locks the buyers' rows in order: waits for a concurrent return or settlement, then sees it.
    const wallets = new Set(candidates.map((row) => row.wallet));
    for (const wallet of [...wallets].sort()) await touchUser(queries, wallet);
    const payable = (await listPayable(queries)).filter((row) => wallets.has(row.wallet));
    await enqueuePayments(queries, payable, {
      weiPerCent: rate.kind === "rate" ? rate.weiPerCent : 0n,
      delayMs: (purchase) => stepDelay(purchase, options),
    });
  });
  return true;
}

/** Cancels purchases on the chain that were returned before their confirmation. */
async function planCancellations(database: Database, options: PlanOptions): Promise<boolean> {
  const rows = await listOpenPurchases(database.kysely, {
    chainStatus: BigInt(CHAIN_STATUS.pending),
    without: "cancel",
    which: "reversed",
  });
  if (rows.length === 0) return false;
  await inTransaction(database.kysely, async (queries) => {
    await options.assertLease(queries);
    await enqueue(
      queries,
      rows.map((row) => ({ kind: "cancel" as const, subjectId: row.id })),
    );
  });
  return true;
}

/** Records the debt for purchases that were returned after their payout. */
async function planAdjustments(database: Database, options: PlanOptions): Promise<boolean> {
  const rows = await listPaidReversals(database.kysely);
  if (rows.length === 0) return false;
  await inTransaction(database.kysely, async (queries) => {
    await options.assertLease(queries);
    for (const row of rows) {
      await insertAdjustment(queries, row, (row.paid_gwei ?? 0n) + row.offset_gwei);
      await touchUser(queries, row.wallet);
    }
  });
  return true;
}

function stepDelay(purchase: Pick<Purchase, "source">, options: PlanOptions): bigint {
  return purchase.source === "simulated" ? BigInt(options.stepDelayMs) : 0n;
}

export type Payment = { purchaseId: bigint; amountGwei: bigint };

/**
 * Queues the payouts of confirmed purchases, less their buyers' debt for purchases that were returned
 * after their payout; a purchase that is offset in full is settled without one. Returns the queued payouts.
 */
export async function enqueuePayments(
  queries: Queries,
  purchases: readonly Purchase[],
  { weiPerCent, delayMs }: { weiPerCent: bigint; delayMs: (purchase: Purchase) => bigint },
): Promise<Payment[]> {
  const payments: (Payment & { afterMs: bigint })[] = [];
  for (const purchase of purchases) {
    const afterMs = delayMs(purchase);
    if (purchase.wei_per_cent === null) await freezeRates(queries, [purchase.id], { weiPerCent, holdMs: afterMs });
    const gross = cashbackOf(purchase, weiPerCent);
    const offset = await takeOffset(queries, purchase, gross);
    if (gross > offset) payments.push({ purchaseId: purchase.id, amountGwei: gross - offset, afterMs });
    else {
      await queries
        .updateTable("purchases")
        .set({ settled_at: databaseNow(queries) })
        .where("id", "=", purchase.id)
        .execute();
      await touchUser(queries, purchase.wallet);
    }
  }
  await enqueue(
    queries,
    payments.map((payment) => ({
      kind: "pay" as const,
      subjectId: payment.purchaseId,
      amountGwei: payment.amountGwei,
      afterMs: payment.afterMs,
    })),
  );
  return payments.map(({ purchaseId, amountGwei }) => ({ purchaseId, amountGwei }));
}

/** A purchase's cashback in gwei at its frozen rate, or at the current one before that. */
export function cashbackOf(
  purchase: Pick<Purchase, "cashback_cent_bps" | "wei_per_cent">,
  currentWeiPerCent: bigint,
): bigint {
  return cashbackOfCentBps(purchase.cashback_cent_bps, purchase.wei_per_cent ?? currentWeiPerCent);
}

const PLAN_LIMIT = 1_000;

/** Open purchases whose ticket has a status, and whose next operation was never queued. */
async function listOpenPurchases(
  queries: Queries,
  wanted: {
    chainStatus: bigint;
    without: OperationKind;
    /** Automatic purchases, or returned ones. */
    which: "automatic" | "reversed";
    deepestBlock?: bigint;
    /** Unpaid, with the hold over. */
    payable?: true;
  },
) {
  let query = selectPurchases(queries)
    .where("purchases.settled_at", "is", null)
    .where("nfts.status", "=", wanted.chainStatus)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("operations")
            .select("operations.id")
            .whereRef("operations.subject_id", "=", "purchases.id")
            .where((where) =>
              where.or([
                where.and([
                  where("operations.kind", "=", wanted.without),
                  where("operations.status", "!=", "withdrawn"),
                ]),
                // Only one move away from Pending can succeed: wait for a pending one.
                where.and([
                  where("operations.kind", "=", wanted.without === "cancel" ? "confirm" : wanted.without),
                  where("operations.status", "=", "assigned"),
                ]),
              ]),
            ),
        ),
      ),
    );
  query =
    wanted.which === "reversed"
      ? query.where("purchases.reversed_at", "is not", null)
      : query
          .where("purchases.reversed_at", "is", null)
          .where((where) =>
            where.or([where("purchases.source", "=", "simulated"), where("purchases.approved_at", "is not", null)]),
          );
  if (wanted.deepestBlock !== undefined) query = query.where("nfts.status_block", "<=", wanted.deepestBlock);
  if (wanted.payable) {
    query = query
      .where("payouts.token_id", "is", null)
      .where((where) =>
        where.or([
          where("purchases.payable_at", "is", null),
          where("purchases.payable_at", "<=", databaseNow(queries)),
        ]),
      );
  }
  return query.orderBy("purchases.id").limit(PLAN_LIMIT).execute();
}

/** Marks purchases for which nothing is left to do: paid or cancelled, and final. */
async function settlePurchases(queries: Queries, deepestBlock: bigint): Promise<void> {
  const settled = await queries
    .selectFrom("purchases")
    .innerJoin("nfts", (join) =>
      join.onRef("nfts.token_id", "=", "purchases.id").onRef("nfts.owner", "=", "purchases.wallet"),
    )
    .leftJoin("payouts", (join) =>
      join.onRef("payouts.token_id", "=", "purchases.id").onRef("payouts.recipient", "=", "purchases.wallet"),
    )
    .select("purchases.id")
    .where("purchases.settled_at", "is", null)
    .where((where) =>
      where.or([
        where("payouts.block_number", "<=", deepestBlock),
        where.and([where("nfts.status", "=", 3n), where("nfts.status_block", "<=", deepestBlock)]),
      ]),
    )
    .limit(PLAN_LIMIT)
    .execute();
  if (settled.length === 0) return;
  await queries
    .updateTable("purchases")
    .set({ settled_at: BigInt(Date.now()) })
    .where(
      "id",
      "in",
      settled.map((row) => row.id),
    )
    .execute();
}
