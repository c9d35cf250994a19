import { indexedBlock } from "../database/chain-cursor.ts";
import type { Database } from "../database/connect.ts";
import type { OperationKind } from "../database/schema.ts";
import { inTransaction, type Queries } from "../database/transaction.ts";
import { CHAIN_STATUS } from "../domain/purchase/life.ts";
import type { RateSource } from "../rates/rate-source.ts";
import { enqueue } from "../sender/queue.ts";
import { insertAdjustment } from "./debt.ts";
import { isAnyDue, setNextLook, takeDue } from "./due.ts";
import { freezeRates, settlePurchases } from "./lifecycle.ts";
import { isDue, listPaidReversals, type Purchase, selectPurchases } from "./queries.ts";
import { enqueuePayments } from "./settlement.ts";
import { recountPurchases } from "./totals.ts";

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
 * Gives every purchase that is due its next step. The step is derived from what the indexer saw, never from memory, so that
 * a process that dies anywhere loses nothing. Simulated purchases and those that a network approved go on by themselves.
 * Answers whether there was something to look at. docs/product.md#purchase-steps.
 */
export async function planNextSteps(database: Database, options: PlanOptions): Promise<boolean> {
  const cursor = await indexedBlock(database.kysely);
  if (cursor === undefined || !(await isAnyDue(database.kysely, cursor))) return false;
  return inTransaction(database.kysely, async (queries) => {
    await options.assertLease(queries);
    const due = await takeDue(queries, cursor, PLAN_LIMIT);
    const round = { ids: due, deepestBlock: cursor - BigInt(options.payoutConfirmations) + 1n, options };
    await planCancellations(queries, round);
    await planConfirmations(queries, round);
    await planPayments(queries, round);
    await planAdjustments(queries, round);
    await settleDone(queries, round);
    await recountPurchases(queries, due);
    await setNextLook(queries, round);
    return due.length > 0;
  });
}

/** The purchases that one round looks at, in one transaction. */
type Round = { ids: readonly bigint[]; deepestBlock: bigint; options: PlanOptions };

async function planConfirmations(queries: Queries, { ids, options }: Round): Promise<void> {
  const rate = options.rates.current();
  if (rate.kind === "unavailable") return;
  const rows = await listOpenPurchases(queries, {
    ids,
    chainStatus: BigInt(CHAIN_STATUS.pending),
    without: "confirm",
    which: "automatic",
  });
  for (const source of ["simulated", "live"] as const) {
    const confirmed = rows.filter((row) => row.source === source).map((row) => row.id);
    const holdMs = source === "simulated" ? 0n : BigInt(options.holdMs);
    await freezeRates(queries, confirmed, { weiPerCent: rate.weiPerCent, holdMs });
  }
  await enqueue(
    queries,
    rows.map((row) => ({ kind: "confirm" as const, subjectId: row.id, afterMs: stepDelay(row, options) })),
  );
}

async function planPayments(queries: Queries, { ids, deepestBlock, options }: Round): Promise<void> {
  const rate = options.rates.current();
  const rows = await listOpenPurchases(queries, {
    ids,
    chainStatus: BigInt(CHAIN_STATUS.confirmed),
    without: "pay",
    which: "automatic",
    deepestBlock,
    payable: true,
  });
  await enqueuePayments(
    queries,
    rows.filter((row) => row.wei_per_cent !== null || rate.kind === "rate"),
    {
      weiPerCent: rate.kind === "rate" ? rate.weiPerCent : 0n,
      delayMs: (purchase) => stepDelay(purchase, options),
    },
  );
}

/** Cancels purchases on the chain that were returned before their confirmation. */
async function planCancellations(queries: Queries, { ids }: Round): Promise<void> {
  const rows = await listOpenPurchases(queries, {
    ids,
    chainStatus: BigInt(CHAIN_STATUS.pending),
    without: "cancel",
    which: "reversed",
  });
  await enqueue(
    queries,
    rows.map((row) => ({ kind: "cancel" as const, subjectId: row.id })),
  );
}

/** Records the debt for purchases that were returned after their payout. */
async function planAdjustments(queries: Queries, { ids }: Round): Promise<void> {
  for (const row of await listPaidReversals(queries, ids))
    await insertAdjustment(queries, row, (row.paid_gwei ?? 0n) + row.offset_gwei);
}

function stepDelay(purchase: Pick<Purchase, "source">, options: PlanOptions): bigint {
  return purchase.source === "simulated" ? BigInt(options.stepDelayMs) : 0n;
}

const PLAN_LIMIT = 1_000;

/** Open ones of some purchases, whose token stands at a status, and for which the next operation was never put into the outbox. */
async function listOpenPurchases(
  queries: Queries,
  wanted: {
    /** Of these purchases. */
    ids: readonly bigint[];
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
    .where("purchases.id", "in", wanted.ids)
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
    query = query.where("payouts.token_id", "is", null).where(isDue(queries));
  }
  return query.orderBy("purchases.id").execute();
}

/** Marks purchases for which nothing is left to do: paid or cancelled, and final. */
async function settleDone(queries: Queries, { ids, deepestBlock }: Round): Promise<void> {
  const settled = await queries
    .selectFrom("purchases")
    .innerJoin("nfts", (join) =>
      join.onRef("nfts.token_id", "=", "purchases.id").onRef("nfts.owner", "=", "purchases.wallet"),
    )
    .leftJoin("payouts", (join) =>
      join.onRef("payouts.token_id", "=", "purchases.id").onRef("payouts.recipient", "=", "purchases.wallet"),
    )
    .select("purchases.id")
    .where("purchases.id", "in", ids)
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
    .execute();
  await settlePurchases(
    queries,
    settled.map((row) => row.id),
  );
}
