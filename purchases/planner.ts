import { indexedBlock } from "../database/chain-cursor.ts";
import type { Database } from "../database/connect.ts";
import type { OperationKind } from "../database/schema.ts";
import { touchUser } from "../database/touch-user.ts";
import { inTransaction, type Queries } from "../database/transaction.ts";
import { cashbackOfCentBps } from "../domain/cashback.ts";
import { CHAIN_STATUS } from "../domain/purchase/life.ts";
import type { RateSource } from "../rates/rate-source.ts";
import { enqueue } from "../sender/queue.ts";
import { insertAdjustment, takeOffset } from "./adjustments.ts";
import { freezeRates, isDue, listPaidReversals, type Purchase, selectPurchases } from "./queries.ts";
import { markSettled } from "./sale-purchases.ts";

export type PlanOptions = {
  rates: RateSource;
  /** Between the steps of a simulated purchase, so that people see them. */
  stepDelayMs: number;
  /** From its confirmation until a live purchase is paid. */
  holdMs: number;
  /** How deep a confirmation must be before what it leads to, a payment, is sent. */
  payoutConfirmations: number;
  /** Refuses the write where another process has become the sender. */
  assertLease: (queries: Queries) => Promise<void>;
};

/**
 * Gives every open purchase its next step. The step is derived from what the indexer saw, never from memory, so that a
 * process that dies anywhere loses nothing. Simulated purchases and those that a network approved go on by themselves.
 * Answers whether something was planned. docs/product.md#purchase-steps.
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
  await settlePurchases(database, deepestBlock);
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
    // Takes their buyers' rows, in order: a return or a settlement that is being written now is waited for, then seen.
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

/** What was taken back before it was confirmed is cancelled on chain. */
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

/** What was taken back after it was paid is owed back. */
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
 * Puts the payments of confirmed purchases into the outbox, less what their buyers owe for purchases that were returned
 * after their payment; what is wholly offset is settled without one. Answers what is paid.
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
      await markSettled(queries, [purchase.id]);
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

/** A purchase's cashback in gwei at its frozen rate, or at the present one before there is one. */
export function cashbackOf(
  purchase: Pick<Purchase, "cashback_cent_bps" | "wei_per_cent">,
  currentWeiPerCent: bigint,
): bigint {
  return cashbackOfCentBps(purchase.cashback_cent_bps, purchase.wei_per_cent ?? currentWeiPerCent);
}

const PLAN_LIMIT = 1_000;

/** Open purchases whose token stands at a status, and for which the next operation was never put into the outbox. */
async function listOpenPurchases(
  queries: Queries,
  wanted: {
    chainStatus: bigint;
    without: OperationKind;
    /** Those that go on by themselves, or those that were taken back. */
    which: "automatic" | "reversed";
    deepestBlock?: bigint;
    /** Unpaid, and the hold is over. */
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
                // Only one move away from Pending can succeed: one that is under way is waited for.
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
    query = query.where("payouts.token_id", "is", null).where(isDue(queries));
  }
  return query.orderBy("purchases.id").limit(PLAN_LIMIT).execute();
}

/** Marks purchases for which nothing is left to do: paid or cancelled, deep enough; or confirmed after its sale was gone. */
async function settlePurchases(database: Database, deepestBlock: bigint): Promise<void> {
  const settled = await database.kysely
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
        where.and([
          where("nfts.status", "=", 2n),
          where("nfts.status_block", "<=", deepestBlock),
          where("purchases.reversed_at", "is not", null),
          where("purchases.sale_id", "is not", null),
        ]),
      ]),
    )
    .limit(PLAN_LIMIT)
    .execute();
  if (settled.length === 0) return;
  await inTransaction(database.kysely, (transaction) =>
    markSettled(
      transaction,
      settled.map((row) => row.id),
    ),
  );
}
