import { sql } from "kysely";
import { among } from "../database/among.ts";
import { indexedBlock } from "../database/chain-cursor.ts";
import { databaseNow, readClock } from "../database/clock.ts";
import type { Database } from "../database/connect.ts";
import { touchUsers } from "../database/touch-user.ts";
import { databaseErrorCode, inTransaction, isDatabaseAway, type Queries } from "../database/transaction.ts";
import { LeaseLostError } from "../process/lease.ts";
import type { RateSource } from "../rates/rate-source.ts";
import { cashbackOf } from "../rules/cashback.ts";
import {
  type Moment,
  type Mover,
  nextMove,
  nextSteps,
  type Obstacle,
  obstacleTo,
  type Step,
  type StepFacts,
} from "../rules/purchase/life.ts";
import { idsOf } from "../rules/records.ts";
import type { SaleRules } from "../rules/sale/rules.ts";
import { explanationOf } from "../rules/unknown-error.ts";
import { enqueue, expedite, findOperation, lockOperations, type Operation, UNSENT } from "../sender/queue.ts";
import type { RoundPlanner } from "../sender/sender-context.ts";
import { draw, recover, wakeAccounts } from "./account-books.ts";
import { type Passed, passAccounts } from "./account-gate.ts";
import { type ApprovalRules, attribute, requestApprovals } from "./approvals.ts";
import { decideNextChanged, noteRules } from "./changed-facts.ts";
import { readKeepable } from "./debt.ts";
import { decideSales } from "./decide-sales.ts";
import { postpone, setNextCheck, takeDue } from "./due.ts";
import { reviewSales } from "./held-reviews.ts";
import { HELD_ELSEWHERE, type LockedPurchase, lockPurchasesWithSales } from "./locks.ts";
import { countLate, recountPurchases, withdrawMove } from "./purchase-rows.ts";
import { type CountedLife, type PurchaseWithLife, readLives, salesOf } from "./queries.ts";

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

/** How often purchases that wait for their accounts are looked at, besides what tells at once. */
const WAKE_EVERY_MS = 10_000;

/** Plans while this process is the operator's sender. */
export class Planner implements RoundPlanner {
  readonly #database: Database;
  readonly #options: Omit<PlanOptions, "assertLease">;
  #notedFor: bigint | undefined;
  #wokenAt = Number.NEGATIVE_INFINITY;

  constructor(database: Database, options: Omit<PlanOptions, "assertLease">) {
    this.#database = database;
    this.#options = options;
  }

  /** One round under the lease with this fencing token. Returns whether any purchase was due. */
  async plan(assertLease: PlanOptions["assertLease"], fencingToken: bigint): Promise<boolean> {
    // Another process may have decided by others since this one planned last.
    if (this.#notedFor !== fencingToken) {
      await inTransaction(this.#database.kysely, async (queries) => {
        await assertLease(queries);
        await noteRules(queries, this.#options.rules);
      });
      this.#notedFor = fencingToken;
    }
    if (performance.now() - this.#wokenAt >= WAKE_EVERY_MS) {
      this.#wokenAt = performance.now();
      await wakeAccounts(this.#database, assertLease);
    }
    return planNextSteps(this.#database, { ...this.#options, assertLease });
  }
}

/**
 * Queues the next step of every due purchase. The step is derived from the index, never from memory, so a process that
 * dies at any point loses nothing. Simulated purchases and those approved by a network proceed automatically. Returns
 * whether any purchase was due. docs/product.md#purchase-steps.
 */
export async function planNextSteps(database: Database, options: PlanOptions): Promise<boolean> {
  const cursor = await indexedBlock(database.kysely);
  if (cursor === undefined) return false;
  const { isDue, hasChangedFact } = await isAnyDue(database.kysely, cursor);
  if (hasChangedFact) await decideNextChanged(database, options);
  const due = isDue ? await takeDue(database.kysely, cursor, PLAN_LIMIT) : [];
  await planDue(database, cursor, options, due);
  // Last, so that nobody's payment waits for it.
  const hasReviewed = await reviewSales(database, options);
  return due.length > 0 || hasChangedFact || hasReviewed;
}

/**
 * Index lookups only. Selects the smallest value instead of `exists`: PostgreSQL always uses the index for it, but for
 * `exists` it may expect a due row on the first page and scan the whole table.
 */
export async function isAnyDue(queries: Queries, cursor: bigint): Promise<{ isDue: boolean; hasChangedFact: boolean }> {
  const { rows } = await sql<{ is_due: unknown; fact: string | null }>`select
      (select min(due_at) from due_purchases where due_at is not null) <= ${databaseNow(queries)}
        or (select min(due_block) from due_purchases where due_block is not null) <= ${cursor} as is_due,
      (select min(fact) from changed_facts) as fact`.execute(queries);
  return { isDue: Boolean(rows[0]?.is_due), hasChangedFact: Boolean(rows[0]?.fact) };
}

/**
 * Plans what is due. What somebody else holds, such as the sales of a shop that reports one order of two buyers again and
 * again, is planned after all others, so that these wait for nobody.
 */
async function planDue(
  database: Database,
  cursor: bigint,
  options: PlanOptions,
  due: readonly bigint[],
): Promise<void> {
  const held = await planSome(database, cursor, options, { due, waiting: "at once" });
  await planSome(database, cursor, options, { due: held, waiting: "waits" });
}

/** Returns those that somebody else holds. One that cannot be planned is found by halving, and put off alone. */
async function planSome(
  database: Database,
  cursor: bigint,
  options: PlanOptions,
  { due, waiting }: { due: readonly bigint[]; waiting: "waits" | "at once" },
): Promise<readonly bigint[]> {
  const [only, ...others] = due;
  if (only === undefined) return [];
  try {
    await inTransaction(database.kysely, async (queries) => {
      await options.assertLease(queries);
      await plan(queries, await lockPurchasesWithSales(queries, due, waiting), cursor, options);
    });
    return [];
  } catch (error) {
    if (isDatabaseAway(error) || error instanceof LeaseLostError) throw error;
    if (others.length === 0) {
      if (databaseErrorCode(error) === HELD_ELSEWHERE) return due;
      await inTransaction(database.kysely, async (queries) => {
        await options.assertLease(queries);
        await postpone(queries, only, explanationOf(error));
      });
      return [];
    }
    const middle = Math.ceil(due.length / 2);
    const [first, second] = [due.slice(0, middle), due.slice(middle)];
    const held = await planSome(database, cursor, options, { due: first, waiting });
    return [...held, ...(await planSome(database, cursor, options, { due: second, waiting }))];
  }
}

/** What is due is decided anew, and then makes its next step. */
async function plan(
  queries: Queries,
  due: readonly LockedPurchase[],
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
  const passed = await passAccounts(queries, purchases, moment);
  const { approvals, rules } = options;
  const stepDelayMs = BigInt(options.stepDelayMs);
  const saved = await saveSteps(queries, purchases, { weiPerCent, stepDelayMs, approvals, rules, moment, passed });
  const { steps } = saved;
  await countLate(queries, purchases);
  const requested = new Set(saved.waiting.map(({ purchaseId }) => purchaseId));
  const isShown = ({ row }: PurchaseWithLife, index: number) =>
    isShownOtherwise(steps[index], requested) || passed.changed.has(row.id);
  await touchUsers(queries, walletsOf(purchases.filter(isShown)));
  const isSame = (_: Step, index: number) => !saved.changed.has(purchases[index]?.row.sale_id ?? 0n);
  await setNextCheck(queries, steps.filter(isSame), depth);
}

const PLAN_LIMIT = 1_000;

/** Whether the buyer's pages show a purchase differently after its step; a payout of the promised amount is not shown. */
function isShownOtherwise(step: Step | undefined, requested: ReadonlySet<bigint>): boolean {
  if (step === undefined || (step.move === undefined && !step.isOver)) return false;
  if (step.move !== "pay" || requested.has(step.id)) return true;
  return step.wei_per_cent === null || step.amountGwei !== cashbackOf(step, step.wei_per_cent);
}

function walletsOf(purchases: readonly Pick<StepFacts, "row">[]) {
  return new Set(purchases.map(({ row }) => row.wallet));
}

// Decided steps ----------------------------------------------------------------------------------------------------------

export type QueuedPayout = { purchaseId: bigint; amountGwei: bigint };

/** Payouts that are queued, and those that wait for a second person, with their requests. */
export type PlannedPayouts = {
  queued: readonly QueuedPayout[];
  waiting: readonly (QueuedPayout & { approvalId: bigint })[];
  /** What happens to each of the purchases, in their order. */
  steps: readonly Step[];
  /** The sales whose purchases were decided otherwise once some of them were settled. */
  changed: ReadonlySet<bigint>;
};

export type StepOptions = {
  /** The current rate, for purchases whose rate is frozen now. */
  weiPerCent: bigint;
  /** Between the steps of a simulated purchase, so that users can see them. */
  stepDelayMs: bigint;
  approvals: ApprovalRules;
  rules: SaleRules;
};

export type SavedSteps = StepOptions & { moment: Moment; by?: Mover; passed: Passed };

/**
 * Decides the sales of locked purchases anew. Returns the purchases, oldest first, without those of sales that changed
 * by it: these are due again.
 */
export async function decideLocked(
  queries: Queries,
  locked: readonly LockedPurchase[],
  rules: SaleRules,
): Promise<CountedLife[]> {
  const [simulated, ofSales] = [locked.filter(isSimulated), locked.filter((one) => !isSimulated(one))];
  const lives = await readLives(queries, idsOf(simulated));
  if (ofSales.length === 0) return lives;
  const wanted = new Set(idsOf(ofSales));
  const { unchanged } = await decideSales(queries, new Set(ofSales.flatMap(({ sale_id }) => sale_id ?? [])), rules);
  return [...lives, ...unchanged.filter(({ row }) => wanted.has(row.id))].toSorted((one, other) =>
    one.row.id < other.row.id ? -1 : 1,
  );
}

/** The same for one that staff move: as it is once everything about it is decided. */
async function decideForStaff(queries: Queries, id: bigint, rules: SaleRules): Promise<CountedLife | undefined> {
  const [decided] = await decideLocked(queries, await lockPurchasesWithSales(queries, [id]), rules);
  return decided ?? (await readLives(queries, [id]))[0];
}

const isSimulated = ({ sale_id }: LockedPurchase): boolean => sale_id === null;

/**
 * Decides the next steps of purchases and writes them, in the transaction that read the purchases: the only way in which
 * a confirmation, a cancellation or a payout of a purchase is queued, or something kept of it. What is paid and what is
 * kept are judged alike, before any of it is kept. docs/product.md#purchase-steps
 */
export async function saveSteps(
  queries: Queries,
  purchases: readonly StepFacts[],
  { weiPerCent, stepDelayMs, approvals, rules, moment, by, passed }: SavedSteps,
): Promise<PlannedPayouts> {
  const { waiting: ofAccounts } = passed;
  const isPaidNow = ({ row, life }: StepFacts) => nextMove(life, moment, by) === "pay" && !ofAccounts.has(row.id);
  const debts = await readKeepable(queries, walletsOf(purchases.filter(isPaidNow)));
  const stepsWith = (requested: ReadonlySet<bigint>) =>
    nextSteps(purchases, { debts, weiPerCent, moment, by, waiting: ofAccounts, requested });
  const alone = stepsWith(new Set());
  const given = alone.filter(({ grossGwei }) => grossGwei > 0n);
  const requests = await requestApprovals(
    queries,
    given.map(({ id: purchaseId, wallet, grossGwei }) => ({ purchaseId, wallet, amountGwei: grossGwei })),
    approvals,
  );
  const steps = requests.size === 0 ? alone : stepsWith(new Set(requests.keys()));
  const held = steps.filter(({ withdrawn }) => withdrawn !== undefined);
  for (const { id, withdrawn } of held) if (withdrawn) await withdrawMove(queries, id, withdrawn);
  const [frozen, over] = [steps.filter(({ isRateNew }) => isRateNew), steps.filter(({ isOver }) => isOver)];
  await freezeRates(queries, idsOf(frozen), weiPerCent);
  await draw(queries, passed.drawn, passed.day);
  for (const { id, wallet, keptGwei } of steps) {
    if (keptGwei === 0n) continue;
    // It offsets the buyer's debt. docs/product.md#debt
    await queries.updateTable("purchases").set({ offset_gwei: keptGwei }).where("id", "=", id).execute();
    await recover(queries, { purchaseId: id, wallet, keptGwei });
  }
  const settled = await settlePurchases(queries, idsOf(over));
  // What was kept of it is owed again.
  const freed = await salesOf(queries, idsOf(held.filter(({ offset_gwei }) => offset_gwei > 0n)));
  await recountPurchases(queries, [...new Set(idsOf([...held, ...frozen, ...over]))]);
  await enqueue(
    queries,
    steps.flatMap(({ id: subjectId, source, move, amountGwei }) => {
      if (move === undefined || requests.has(subjectId)) return [];
      const afterMs = source === "simulated" && move !== "cancel" ? stepDelayMs : 0n;
      const payout = { amountGwei, shareId: passed.accounts.get(subjectId) };
      return [{ kind: move, subjectId, afterMs, ...(move === "pay" && payout) }];
    }),
  );
  const waiting: (QueuedPayout & { approvalId: bigint })[] = [];
  const queued: QueuedPayout[] = [];
  for (const { id: purchaseId, move, amountGwei } of steps) {
    if (move !== "pay") continue;
    const approvalId = requests.get(purchaseId);
    if (approvalId === undefined) queued.push({ purchaseId, amountGwei });
    else waiting.push({ purchaseId, amountGwei, approvalId });
  }
  return {
    queued,
    waiting,
    steps,
    changed: (await decideSales(queries, new Set([...settled, ...freed]), rules)).changed,
  };
}

/**
 * Queues the confirmation of a purchase by staff, due now: it is decided anew first, in the same transaction. Returns why
 * it cannot be confirmed. `requireRate` is called once it can.
 */
export async function confirmNow(
  queries: Queries,
  id: bigint,
  { moment, rules, requireRate }: { moment: Moment; rules: SaleRules; requireRate: () => bigint },
): Promise<Obstacle | undefined> {
  const purchase = await decideForStaff(queries, id, rules);
  const obstacle = purchase && obstacleTo("confirm", purchase.life, moment, "staff");
  if (obstacle && obstacle.kind !== "queued") return obstacle;
  await freezeRates(queries, [id], requireRate());
  await recountPurchases(queries, [id]);
  await enqueue(queries, [{ kind: "confirm", subjectId: id }]);
  await expedite(queries, "confirm", [id]);
  return undefined;
}

export type StepNow = StepOptions & { moment: Moment };

/**
 * Decides a purchase anew and saves its step now, after staff said something about it. Returns the request that its
 * payout waits for, if it takes two people.
 */
export async function stepNow(
  queries: Queries,
  id: bigint,
  { moment, ...options }: StepNow,
): Promise<bigint | undefined> {
  const purchase = await decideForStaff(queries, id, options.rules);
  if (!purchase) return undefined;
  const passed = await passAccounts(queries, [purchase], moment);
  return (await saveSteps(queries, [purchase], { ...options, moment, passed })).waiting[0]?.approvalId;
}

/**
 * A payout that is tried again by the actor's decision: whether it is paid, and how much, is decided anew. Returns the
 * request that it waits for, if it takes two people.
 */
export async function payAgain(
  queries: Queries,
  id: bigint,
  actor: string,
  options: StepNow,
): Promise<bigint | undefined> {
  await lockPurchasesWithSales(queries, [id]);
  await withdrawMove(queries, id, "pay");
  await attribute(queries, [id], actor);
  return stepNow(queries, id, options);
}

/**
 * Sets what a ticket shows instead of the drawn picture, if that is asked for and its mint is not sent, and makes the
 * mint of a simulated purchase due now. Returns its mint, if there is one.
 */
export async function mintNow(
  queries: Queries,
  { id, source }: { id: bigint; source: "simulated" | "live" },
  metadataUri: string,
): Promise<Operation | undefined> {
  if (metadataUri !== "") {
    // Locked, so that the mint is not sent meanwhile.
    const [known] = await lockOperations(queries, [id], ["mint"]);
    const isUnsent = known === undefined || UNSENT.some((status) => status === known.status);
    if (isUnsent) {
      // It replaces the drawn ticket. docs/product.md#mint
      await queries.updateTable("purchases").set({ metadata_uri: metadataUri }).where("id", "=", id).execute();
    }
    if (known && isUnsent && known.status !== "queued") await expedite(queries, "mint", [id]);
  }
  if (source === "simulated") {
    await enqueue(queries, [{ kind: "mint", subjectId: id }]);
    await expedite(queries, "mint", [id]);
  }
  return findOperation(queries, "mint", id);
}

/** Freezes the rate; the first call for a purchase counts. The caller recounts them. */
async function freezeRates(queries: Queries, ids: readonly bigint[], weiPerCent: bigint): Promise<void> {
  if (ids.length === 0) return;
  await queries
    .updateTable("purchases")
    .set({ wei_per_cent: weiPerCent })
    .where(among(queries, "id", ids))
    .where("wei_per_cent", "is", null)
    .execute();
}

/** Settles these purchases. Returns their sales, which are to be decided anew. The caller recounts them. */
async function settlePurchases(queries: Queries, ids: readonly bigint[]): Promise<ReadonlySet<bigint>> {
  if (ids.length === 0) return new Set();
  const settled = await queries
    .updateTable("purchases")
    .set({ settled_at: databaseNow(queries) })
    .where(among(queries, "id", ids))
    .where("settled_at", "is", null)
    .returning("sale_id")
    .execute();
  return new Set(settled.flatMap(({ sale_id }) => sale_id ?? []));
}
