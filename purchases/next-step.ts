import { indexedBlock } from "../database/chain-cursor.ts";
import { readClock } from "../database/clock.ts";
import type { Database } from "../database/connect.ts";
import { touchUsers } from "../database/touch-user.ts";
import { inTransaction, isDatabaseAway, type Queries } from "../database/transaction.ts";
import { cashbackOf } from "../domain/purchase/settlement.ts";
import { afterStep, nextMove, nextSteps, type Step } from "../domain/purchase/step.ts";
import type { SaleRules } from "../domain/sale/rules.ts";
import { explanationOf } from "../domain/unknown-error.ts";
import { LeaseLostError } from "../platform/lease.ts";
import type { RateSource } from "../rates/rate-source.ts";
import type { ApprovalRules } from "./approvals.ts";
import { decideChanged, skipChanged } from "./changed-facts.ts";
import { countLate } from "./counting.ts";
import { readDebts } from "./debt.ts";
import { type DuePurchase, isAnyDue, lockWithBuyers, postpone, setNextCheck, takeDue } from "./due.ts";
import type { PurchaseWithLife } from "./queries.ts";
import { decideLocked, saveSteps } from "./save-step.ts";

export type PlanOptions = {
  rates: RateSource;
  /** The delay between the steps of a simulated purchase, so that users can see them. */
  stepDelayMs: number;
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
  if (cursor === undefined) return false;
  const { isDue, hasChangedFact } = await isAnyDue(database.kysely, cursor);
  if (hasChangedFact) await decideSome(database, options, CHANGED_LIMIT);
  const isPlanned = isDue && (await planSome(database, cursor, options));
  return isPlanned || hasChangedFact;
}

/** The next sales that a changed fact affects. One that cannot be decided is found by halving, and left out. */
async function decideSome(database: Database, options: PlanOptions, limit: number): Promise<void> {
  const write = (work: (queries: Queries) => Promise<void>) =>
    inTransaction(database.kysely, async (queries) => {
      await options.assertLease(queries);
      await work(queries);
    });
  try {
    await write((queries) => decideChanged(queries, options.rules, limit));
  } catch (error) {
    if (isDatabaseAway(error) || error instanceof LeaseLostError) throw error;
    if (limit === 1) await write(skipChanged);
    else await decideSome(database, options, Math.floor(limit / 2));
  }
}

/** Plans some purchases, or all that are due. One that cannot be planned is found by halving, and put off alone. */
async function planSome(
  database: Database,
  cursor: bigint,
  options: PlanOptions,
  some?: readonly bigint[],
): Promise<boolean> {
  let due: readonly bigint[] = some ?? [];
  try {
    await inTransaction(database.kysely, async (queries) => {
      await options.assertLease(queries);
      const locked = some ? await lockWithBuyers(queries, some) : await takeDue(queries, cursor, PLAN_LIMIT);
      due = locked.map(({ id }) => id);
      await plan(queries, locked, cursor, options);
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

/** What is due is decided anew, and then makes its next step. */
async function plan(
  queries: Queries,
  due: readonly DuePurchase[],
  cursor: bigint,
  options: PlanOptions,
): Promise<void> {
  const depth = BigInt(options.payoutConfirmations) - 1n;
  const rate = options.rates.current();
  const weiPerCent = rate.kind === "rate" ? rate.weiPerCent : 0n;
  const moment = {
    now: BigInt(await readClock(queries)),
    deepestBlock: cursor - depth,
    hasRate: rate.kind === "rate",
    isLive: options.rules.isLive,
  };
  const purchases = await decideLocked(queries, due, options.rules);
  const debts = await readDebts(queries, walletsOf(purchases.filter(({ life }) => nextMove(life, moment) === "pay")));
  const steps = nextSteps(purchases, { debts, weiPerCent, moment });
  const { approvals, rules } = options;
  const stepDelayMs = BigInt(options.stepDelayMs);
  const saved = await saveSteps(queries, steps, { weiPerCent, stepDelayMs, approvals, rules });
  await countLate(queries, purchases);
  const requested = new Set(saved.waiting.map(({ purchaseId }) => purchaseId));
  await touchUsers(queries, walletsOf(purchases.filter((_, index) => isShownOtherwise(steps[index], requested))));
  const after = purchases.map(({ row, life }, index) => {
    const step = steps[index];
    return { row, life: step ? afterStep(life, step, requested.has(row.id)) : life };
  });
  const isSame = ({ row }: PurchaseWithLife) => row.sale_id === null || !saved.changed.has(row.sale_id);
  await setNextCheck(queries, after.filter(isSame), { moment, depth });
}

const PLAN_LIMIT = 1_000;
const CHANGED_LIMIT = 200;

/** Whether the buyer's pages show a purchase differently after its step; a payout of the promised amount is not shown. */
function isShownOtherwise(step: Step | undefined, requested: ReadonlySet<bigint>): boolean {
  if (step === undefined || (step.move === undefined && !step.isOver)) return false;
  if (step.move !== "pay" || requested.has(step.id)) return true;
  return step.wei_per_cent === null || step.amountGwei !== cashbackOf(step, step.wei_per_cent);
}

function walletsOf(purchases: readonly Pick<PurchaseWithLife, "row">[]) {
  return new Set(purchases.map(({ row }) => row.wallet));
}
