import type { Queries } from "../database/transaction.ts";
import { type Moment, type Obstacle, obstacleTo } from "../domain/purchase/life.ts";
import type { Step } from "../domain/purchase/step.ts";
import type { SaleRules } from "../domain/sale/rules.ts";
import type { Operation } from "../sender/queue.ts";
import { enqueue, expedite, findOperation, lockOperations, UNSENT } from "../sender/queue.ts";
import { type ApprovalRules, requestApprovals } from "./approvals.ts";
import { lockWithBuyers } from "./due.ts";
import { freezeRates, keepOffset, setMetadataUri, settlePurchases } from "./lifecycle.ts";
import { readLives, salesOf } from "./queries.ts";
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
 * Writes decided steps, in the transaction that read their purchases: the only way in which a confirmation, a
 * cancellation or a payout of a purchase is queued. docs/product.md#purchase-steps
 */
export async function saveSteps(
  queries: Queries,
  steps: readonly Step[],
  { weiPerCent, stepDelayMs, approvals, rules }: StepOptions,
): Promise<PlannedPayouts> {
  const idsOf = (some: readonly Step[]) => some.map(({ id }) => id);
  await freezeRates(queries, idsOf(steps.filter(({ isRateNew }) => isRateNew)), weiPerCent);
  for (const { id, keptGwei } of steps) if (keptGwei > 0n) await keepOffset(queries, id, keptGwei);
  const settled = await settlePurchases(queries, idsOf(steps.filter(({ isOver }) => isOver)));
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
  return { queued, waiting, changed: await decideSales(queries, settled, rules) };
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
  await lockWithBuyers(queries, [id]);
  await decideSales(queries, await salesOf(queries, [id]), rules);
  const [purchase] = await readLives(queries, [id]);
  const obstacle = purchase && obstacleTo("confirm", purchase.life, moment, "staff");
  if (obstacle && obstacle.kind !== "queued") return obstacle;
  await freezeRates(queries, [id], requireRate());
  await enqueue(queries, [{ kind: "confirm", subjectId: id }]);
  await expedite(queries, "confirm", [id]);
  return undefined;
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
