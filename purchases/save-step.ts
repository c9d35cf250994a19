import type { Queries } from "../database/transaction.ts";
import { type Moment, type Obstacle, obstacleTo } from "../domain/purchase/life.ts";
import { nextSteps, type Step } from "../domain/purchase/step.ts";
import type { SaleRules } from "../domain/sale/rules.ts";
import type { Operation } from "../sender/queue.ts";
import { enqueue, expedite, findOperation, lockOperations, UNSENT } from "../sender/queue.ts";
import { type ApprovalRules, attribute, requestApprovals } from "./approvals.ts";
import { recountPurchases } from "./counting.ts";
import { readDebts } from "./debt.ts";
import { type DuePurchase, lockWithBuyers } from "./due.ts";
import { freezeRates, keepOffset, setMetadataUri, settlePurchases, withdrawMove } from "./lifecycle.ts";
import { type CountedLife, readLives } from "./queries.ts";
import { decideSales } from "./save.ts";

export type QueuedPayout = { purchaseId: bigint; amountGwei: bigint };

/** Payouts that are queued, and those that wait for a second person, with their requests. */
export type PlannedPayouts = {
  queued: readonly QueuedPayout[];
  waiting: readonly (QueuedPayout & { approvalId: bigint })[];
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

/**
 * Decides the sales of locked purchases anew. Returns the purchases, oldest first, without those of sales that changed
 * by it: these are due again.
 */
export async function decideLocked(
  queries: Queries,
  locked: readonly DuePurchase[],
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
  const [decided] = await decideLocked(queries, await lockWithBuyers(queries, [id]), rules);
  return decided ?? (await readLives(queries, [id]))[0];
}

const isSimulated = ({ sale_id }: DuePurchase): boolean => sale_id === null;
const idsOf = (some: readonly { id: bigint }[]): bigint[] => some.map(({ id }) => id);

/**
 * Writes decided steps, in the transaction that read their purchases: the only way in which a confirmation, a
 * cancellation or a payout of a purchase is queued. docs/product.md#purchase-steps
 */
export async function saveSteps(
  queries: Queries,
  steps: readonly Step[],
  { weiPerCent, stepDelayMs, approvals, rules }: StepOptions,
): Promise<PlannedPayouts> {
  const held = steps.filter(({ withdrawn }) => withdrawn !== undefined);
  for (const { id, withdrawn } of held) if (withdrawn) await withdrawMove(queries, id, withdrawn);
  const [frozen, over] = [steps.filter(({ isRateNew }) => isRateNew), steps.filter(({ isOver }) => isOver)];
  await freezeRates(queries, idsOf(frozen), weiPerCent);
  for (const { id, keptGwei } of steps) if (keptGwei > 0n) await keepOffset(queries, id, keptGwei);
  const settled = await settlePurchases(queries, idsOf(over));
  await recountPurchases(queries, [...new Set(idsOf([...held, ...frozen, ...over]))]);
  const payouts = steps
    .filter(({ move }) => move === "pay")
    .map(({ id: purchaseId, wallet, amountGwei }) => ({ purchaseId, wallet, amountGwei }));
  const requests = await requestApprovals(queries, payouts, approvals);
  await enqueue(
    queries,
    steps.flatMap(({ id: subjectId, source, move, amountGwei }) => {
      if (move === undefined || requests.has(subjectId)) return [];
      const afterMs = source === "simulated" && move !== "cancel" ? stepDelayMs : 0n;
      return [{ kind: move, subjectId, afterMs, ...(move === "pay" && { amountGwei }) }];
    }),
  );
  const waiting: (QueuedPayout & { approvalId: bigint })[] = [];
  const queued: QueuedPayout[] = [];
  for (const { purchaseId, amountGwei } of payouts) {
    const approvalId = requests.get(purchaseId);
    if (approvalId === undefined) queued.push({ purchaseId, amountGwei });
    else waiting.push({ purchaseId, amountGwei, approvalId });
  }
  return { queued, waiting, changed: (await decideSales(queries, settled, rules)).changed };
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
  const debts = await readDebts(queries, new Set([purchase.row.wallet]));
  const steps = nextSteps([purchase], { debts, weiPerCent: options.weiPerCent, moment });
  return (await saveSteps(queries, steps, options)).waiting[0]?.approvalId;
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
  await lockWithBuyers(queries, [id]);
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
    if (isUnsent) await setMetadataUri(queries, id, metadataUri);
    if (known && isUnsent && known.status !== "queued") await expedite(queries, "mint", [id]);
  }
  if (source === "simulated") {
    await enqueue(queries, [{ kind: "mint", subjectId: id }]);
    await expedite(queries, "mint", [id]);
  }
  return findOperation(queries, "mint", id);
}
