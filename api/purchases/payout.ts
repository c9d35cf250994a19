import type { z } from "zod";
import { appendAudit, inAuditedTransaction } from "../../core/database/audit-log.ts";
import { indexedBlock } from "../../core/database/chain-cursor.ts";
import { isUniqueViolation } from "../../core/database/transaction.ts";
import type { QueuedPayout } from "../../core/purchases/next-step.ts";
import { findPurchase } from "../../core/purchases/queries.ts";
import { type BuyerPayout, payBuyer } from "../../core/purchases/settlement.ts";
import type {
  distributeCashbackRequestSchema,
  distributeCashbackResponseSchema,
} from "../../core/rules/api/purchases.ts";
import { chzTextFromGwei } from "../../core/rules/money.ts";
import { findOperation, findOperationHash } from "../../core/sender/queue.ts";
import { ApiError, conflict, forbidden, unavailable } from "../http/api-error.ts";
import { actorOf, type Call, type Reply } from "../http/route.ts";
import { deepestBlock, requireRate, type Services } from "../services.ts";
import { findStoredAnswer, insertStoredAnswer, type KeyedRequest, readKey } from "./idempotency-keys.ts";

type DistributeResponses = Record<200 | 202, typeof distributeCashbackResponseSchema>;
type DistributeCall = Call<z.output<typeof distributeCashbackRequestSchema>>;

/**
 * Pays a buyer what is payable; with an Idempotency-Key at most once. docs/product.md#payout-by-hand
 * @throws ApiError 503 if payouts are paused or there is no rate, 409 for another amount, 403 for one's own wallet
 */
export async function distributeCashback(
  services: Services,
  call: DistributeCall,
): Promise<Reply<DistributeResponses>> {
  if (call.body.user === actorOf(call.identity)) {
    throw forbidden("Somebody else must decide: this would pay your own wallet", "OWN_SALE");
  }
  const keyed = readKey(call.request, actorOf(call.identity), [call.body.user, call.body.amount.toString()]);
  const repeat = keyed && (await repeatedAnswer(services, keyed));
  if (repeat) return repeat;
  const paused = await services.payouts.reason();
  if (paused) throw unavailable("PAYOUTS_PAUSED", `Payouts are paused: ${paused}`);
  try {
    const answer = await queueCashback(services, call, keyed);
    services.senders.wake();
    return { status: 202, body: answer };
  } catch (error) {
    // The same key arrived twice concurrently: respond like the other request, not with "nothing payable".
    const isRace = error instanceof ApiError || isUniqueViolation(error);
    const other = keyed && isRace && (await repeatedAnswer(services, keyed));
    if (other) return other;
    throw error;
  }
}

async function repeatedAnswer(
  services: Services,
  keyed: KeyedRequest,
): Promise<Reply<DistributeResponses> | undefined> {
  const known = await findStoredAnswer(services.database.kysely, keyed);
  if (!known) return undefined;
  return {
    status: known.status === 200 ? 200 : 202,
    body: await refreshPayouts(services, JSON.parse(known.response)),
  };
}

type DistributeAnswer = z.output<typeof distributeCashbackResponseSchema>;

/** A repeat returns the current state. */
async function refreshPayouts(services: Services, answer: DistributeAnswer): Promise<DistributeAnswer> {
  const { kysely } = services.database;
  const payments = await Promise.all(
    answer.payments.map(async (payout) => {
      const purchase = await findPurchase(kysely, BigInt(payout.purchase_id));
      if (purchase?.payout_state) {
        return { ...payout, status: purchase.payout_state, tx_hash: purchase.payout_transaction };
      }
      const operation = await findOperation(kysely, "pay", BigInt(payout.purchase_id));
      return { ...payout, tx_hash: operation ? await findOperationHash(kysely, operation) : null };
    }),
  );
  return { ...answer, payments };
}

async function queueCashback(
  services: Services,
  { body, identity }: DistributeCall,
  keyed: KeyedRequest | undefined,
): Promise<DistributeAnswer> {
  const actor = actorOf(identity);
  const subject = `user:${body.user}`;
  const reason = body.reason || null;
  return inAuditedTransaction(services.database.kysely, actor, async (queries) => {
    const payout = await payBuyer(queries, {
      wallet: body.user,
      amountGwei: body.amount,
      deepestBlock: deepestBlock(services, await indexedBlock(queries)),
      requireRate: () => requireRate(services),
      rules: services.saleRules,
      approvals: services.approvals,
      actor,
    });
    if (payout.kind === "refused") throw refused(payout.payableGwei);
    const answer = answerOf(body.user, payout);
    const detail = { amount: answer.amount, purchases: answer.payments.map(({ purchase_id }) => purchase_id) };
    const note = { about: body.user, words: { reason } };
    if (identity.kind === "user")
      await appendAudit(queries, { actor, action: "cashback_distribution.create", subject, detail, note });
    if (keyed) await insertStoredAnswer(queries, keyed, { status: 202, response: JSON.stringify(answer) });
    return answer;
  });
}

function answerOf(user: string, planned: BuyerPayout & { kind: "decided" }): DistributeAnswer {
  const as = (status: "queued" | "waiting") => (payout: QueuedPayout) => ({
    purchase_id: Number(payout.purchaseId),
    amount: chzTextFromGwei(payout.amountGwei),
    status,
    tx_hash: null,
  });
  const approvalId = planned.waiting[0]?.approvalId;
  return {
    success: true,
    message: approvalId === undefined ? "Payment queued" : "Some of it waits for a second person",
    user,
    amount: chzTextFromGwei(planned.payableGwei),
    payments: [...planned.queued.map(as("queued")), ...planned.waiting.map(as("waiting"))],
    ...(approvalId !== undefined && { approval_id: Number(approvalId) }),
  };
}

function refused(payableGwei: bigint): ApiError {
  if (payableGwei === 0n) return conflict("Nothing is payable to this wallet now", "NOTHING_PAYABLE", { payable: "0" });
  const payable = chzTextFromGwei(payableGwei);
  const message = `amount must be ${payable} CHZ, what this wallet's confirmed purchases are owed`;
  return conflict(message, "WRONG_AMOUNT", { payable, field: "amount" });
}
