import { indexedBlock } from "../database/chain-cursor.ts";
import { readClock } from "../database/clock.ts";
import type { Database } from "../database/connect.ts";
import { touchUsers } from "../database/touch-user.ts";
import { inTransaction, isDatabaseAway, type Queries } from "../database/transaction.ts";
import {
  endBlock,
  holdFromConfirmation,
  type Moment,
  type Move,
  moveAhead,
  obstacleTo,
  type PurchaseLife,
} from "../domain/purchase/life.ts";
import { cashbackOf } from "../domain/purchase/settlement.ts";
import type { SaleRules } from "../domain/sale/rules.ts";
import { explanationOf } from "../domain/unknown-error.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import { LeaseLostError } from "../platform/lease.ts";
import type { RateSource } from "../rates/rate-source.ts";
import { enqueue } from "../sender/queue.ts";
import type { ApprovalRules } from "./approvals.ts";
import { countLate } from "./counting.ts";
import { insertAdjustment } from "./debt.ts";
import { isAnyDue, lockWithBuyers, postpone, setNextCheck, takeDue } from "./due.ts";
import { freezeRates, settlePurchases } from "./lifecycle.ts";
import { paidReversals, readStanding, type StandingPurchase, type StandingRow } from "./queries.ts";
import { decideSales } from "./save.ts";
import { enqueuePayouts } from "./settlement.ts";

export type PlanOptions = {
  rates: RateSource;
  /** The delay between the steps of a simulated purchase, so that users can see them. */
  stepDelayMs: number;
  /** The hold of a live purchase, from confirmation to payout. */
  holdMs: number;
  /** How deep a confirmation must be before its payout is sent. */
  payoutConfirmations: number;
  rules: SaleRules;
  approvals: ApprovalRules;
  /** Rejects the write if another process has become the sender. */
  assertLease: (queries: Queries) => Promise<void>;
};

/**
 * Queues the next step of every due purchase. The step is derived from the index, never from memory, so a process that
 * dies at any point loses nothing. Simulated purchases and those approved by a network proceed automatically. Returns
 * whether any purchase was due. docs/product.md#purchase-steps.
 */
export async function planNextSteps(database: Database, options: PlanOptions): Promise<boolean> {
  const cursor = await indexedBlock(database.kysely);
  if (cursor === undefined || !(await isAnyDue(database.kysely, cursor))) return false;
  return planSome(database, cursor, options);
}

/** Plans some purchases, or all that are due. One that cannot be planned is found by halving, and put off alone. */
async function planSome(database: Database, cursor: bigint, options: PlanOptions, some?: bigint[]): Promise<boolean> {
  let due = some ?? [];
  try {
    await inTransaction(database.kysely, async (queries) => {
      await options.assertLease(queries);
      if (some) await lockWithBuyers(queries, some);
      else due = await takeDue(queries, cursor, PLAN_LIMIT);
      await plan(queries, due, cursor, options);
    });
  } catch (error) {
    const [only, ...others] = due;
    if (only === undefined || isDatabaseAway(error) || error instanceof LeaseLostError) throw error;
    if (others.length === 0) {
      await inTransaction(database.kysely, async (queries) => {
        await options.assertLease(queries);
        await postpone(queries, only, explanationOf(error));
      });
    } else {
      const middle = Math.ceil(due.length / 2);
      await planSome(database, cursor, options, due.slice(0, middle));
      await planSome(database, cursor, options, due.slice(middle));
    }
  }
  return due.length > 0;
}

async function plan(queries: Queries, due: readonly bigint[], cursor: bigint, options: PlanOptions): Promise<void> {
  const depth = BigInt(options.payoutConfirmations) - 1n;
  const rate = options.rates.current();
  const moment = {
    now: BigInt(await readClock(queries)),
    deepestBlock: cursor - depth,
    hasRate: rate.kind === "rate",
    isLive: options.rules.isLive,
  };
  const purchases = await decided(queries, await readStanding(queries, due), moment, options.rules);
  const moving = Map.groupBy(purchases, ({ life }) => nextMove(life, moment));
  const weiPerCent = rate.kind === "rate" ? rate.weiPerCent : 0n;
  await cancel(queries, rowsOf(moving.get("cancel")));
  await confirm(queries, rowsOf(moving.get("confirm")), { ...options, weiPerCent });
  const paying = await pay(queries, rowsOf(moving.get("pay")), { ...options, weiPerCent });
  await recordDebts(queries, purchases);
  const ended = purchases.filter(({ life }) => isAtItsEnd(life, moment));
  await settlePurchases(
    queries,
    rowsOf(ended).map((row) => row.id),
  );
  await countLate(queries, purchases);
  const kept = (moving.get(undefined) ?? []).filter(({ life }) => !isAtItsEnd(life, moment));
  const standing = [...kept, ...(moving.get("pay") ?? []).filter(({ row }) => paying.has(row.id)).map(asPaying)];
  const known = new Set(standing.map(({ row }) => row.id));
  const others = await readStanding(
    queries,
    due.filter((id) => !known.has(id)),
  );
  await touchUsers(queries, walletsOf([...others, ...standing.filter((one) => isShownOtherwise(one, paying))]));
  await setNextCheck(queries, [...standing, ...others], { moment, depth });
}

const PLAN_LIMIT = 1_000;

/** What may be confirmed or paid is decided anew at that moment. Returns the purchases that stayed as they were. */
async function decided(
  queries: Queries,
  purchases: Awaited<ReturnType<typeof readStanding>>,
  moment: Moment,
  rules: SaleRules,
) {
  const moving = purchases.filter(({ row, life }) => {
    const move = row.sale_id === null ? undefined : nextMove(life, moment);
    return move === "confirm" || move === "pay";
  });
  const changed = await decideSales(queries, new Set(moving.flatMap(({ row }) => row.sale_id ?? [])), rules);
  return changed.size === 0 ? purchases : purchases.filter(({ row }) => !changed.has(row.sale_id ?? 0n));
}

function nextMove(purchase: PurchaseLife, moment: Moment): Move | undefined {
  const move = moveAhead(purchase);
  return move !== undefined && obstacleTo(move, purchase, moment) === undefined ? move : undefined;
}

/** The state of a purchase once its payout is in the outbox. */
function asPaying({ row, life }: StandingPurchase): StandingPurchase {
  return { row, life: { ...life, asked: new Set([...life.asked, "pay" as const]) } };
}

/** Whether the buyer's pages show a purchase differently now that its payout is in the outbox. */
function isShownOtherwise({ row }: StandingPurchase, paying: ReadonlyMap<bigint, bigint>): boolean {
  const amountGwei = paying.get(row.id);
  if (amountGwei === undefined) return false;
  return row.wei_per_cent === null || amountGwei !== cashbackOf(row, row.wei_per_cent);
}

function walletsOf(purchases: readonly StandingPurchase[]): ReadonlySet<WalletAddress> {
  return new Set(purchases.map(({ row }) => row.wallet));
}

function isAtItsEnd(purchase: PurchaseLife, { deepestBlock }: Moment): boolean {
  const end = endBlock(purchase);
  return !purchase.isSettled && end !== undefined && end <= deepestBlock;
}

function rowsOf(purchases: readonly StandingPurchase[] = []): StandingRow[] {
  return purchases.map(({ row }) => row);
}

/** Cancels purchases on chain that were returned before their confirmation. */
async function cancel(queries: Queries, purchases: readonly StandingRow[]): Promise<void> {
  await enqueue(
    queries,
    purchases.map((row) => ({ kind: "cancel" as const, subjectId: row.id })),
  );
}

async function confirm(
  queries: Queries,
  purchases: readonly StandingRow[],
  { weiPerCent, holdMs, stepDelayMs }: Pick<PlanOptions, "holdMs" | "stepDelayMs"> & { weiPerCent: bigint },
): Promise<void> {
  for (const [source, some] of Map.groupBy(purchases, (row) => row.source)) {
    const terms = { weiPerCent, holdMs: holdFromConfirmation(source, BigInt(holdMs)) };
    await freezeRates(
      queries,
      some.map((row) => row.id),
      terms,
    );
  }
  await enqueue(
    queries,
    purchases.map((row) => ({ kind: "confirm" as const, subjectId: row.id, afterMs: stepDelay(row, stepDelayMs) })),
  );
}

/** Returns the amounts of the payouts that are now in the outbox, by purchase; a fully offset purchase has none. */
async function pay(
  queries: Queries,
  purchases: readonly StandingRow[],
  { weiPerCent, stepDelayMs, approvals }: Pick<PlanOptions, "stepDelayMs" | "approvals"> & { weiPerCent: bigint },
): Promise<ReadonlyMap<bigint, bigint>> {
  const delayMs = (purchase: StandingRow) => stepDelay(purchase, stepDelayMs);
  const { queued } = await enqueuePayouts(queries, purchases, { weiPerCent, delayMs, approvals });
  return new Map(queued.map(({ purchaseId, amountGwei }) => [purchaseId, amountGwei]));
}

/** Records the debt for purchases that were returned after their payout. */
async function recordDebts(queries: Queries, purchases: readonly StandingPurchase[]): Promise<void> {
  for (const row of await paidReversals(queries, purchases))
    await insertAdjustment(queries, row, (row.paid_gwei ?? 0n) + row.offset_gwei);
}

function stepDelay(purchase: Pick<StandingRow, "source">, stepDelayMs: number): bigint {
  return purchase.source === "simulated" ? BigInt(stepDelayMs) : 0n;
}
