import { createHash } from "node:crypto";
import type { z } from "zod";
import { appendAudit } from "../../database/audit-log.ts";
import { indexedBlock } from "../../database/chain-cursor.ts";
import { isUniqueViolation } from "../../database/transaction.ts";
import type { distributeCashbackRequestSchema, distributeCashbackResponseSchema } from "../../domain/api/purchases.ts";
import { chzTextFromGwei } from "../../domain/money.ts";
import { findPurchase } from "../../purchases/queries.ts";
import { payBuyer } from "../../purchases/settlement.ts";
import { findOperation, findOperationHash } from "../../sender/queue.ts";
import { inApprovedTransaction } from "../admin/payout-approval.ts";
import { ApiError, conflict, invalid, unavailable } from "../http/api-error.ts";
import { actorOf, type Call, type Reply } from "../http/route.ts";
import { requireRate, type Services } from "../services.ts";
import { findStoredAnswer, insertStoredAnswer } from "./idempotency-keys.ts";

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;

type DistributeResponses = Record<200 | 202, typeof distributeCashbackResponseSchema>;
type DistributeCall = Call<z.output<typeof distributeCashbackRequestSchema>>;

/** Pays a buyer what is payable; with an Idempotency-Key at most once. docs/product.md#payout-by-hand */
export async function distributeCashback(
  services: Services,
  call: DistributeCall,
): Promise<Reply<DistributeResponses>> {
  const actor = actorOf(call.identity);
  const key = call.request.get("idempotency-key");
  if (key !== undefined && !IDEMPOTENCY_KEY.test(key)) {
    throw invalid("Idempotency-Key must be 1 to 128 printable characters", "Idempotency-Key");
  }
  const requestHash = createHash("sha256")
    .update(JSON.stringify([call.body.user, call.body.amount.toString()]))
    .digest("hex");
  const repeat = key && (await repeatedAnswer(services, actor, key, requestHash));
  if (repeat) return repeat;
  const paused = await services.payouts.reason();
  if (paused) throw unavailable("PAYOUTS_PAUSED", `Payouts are paused: ${paused}`);
  try {
    const answer = await queueCashback(services, call, { actor, key, requestHash });
    services.senders.wake();
    return { status: 202, body: answer };
  } catch (error) {
    // The same key arrived twice concurrently: respond like the other request, not with "nothing payable".
    const isRace = error instanceof ApiError || isUniqueViolation(error);
    const other = key && isRace && (await repeatedAnswer(services, actor, key, requestHash));
    if (other) return other;
    throw error;
  }
}

async function repeatedAnswer(
  services: Services,
  actor: string,
  key: string,
  requestHash: string,
): Promise<Reply<DistributeResponses> | undefined> {
  const known = await findStoredAnswer(services.database.kysely, actor, key);
  if (!known) return undefined;
  if (known.requestHash !== requestHash) {
    throw new ApiError(422, "IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key was used with another body");
  }
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
  { actor, key, requestHash }: { actor: string; key: string | undefined; requestHash: string },
): Promise<DistributeAnswer> {
  const subject = `user:${body.user}`;
  const reason = body.reason || null;
  return inApprovedTransaction(services, identity, async (queries, approve) => {
    await approve({
      action: "cashback.distribute",
      subject,
      amountGwei: body.amount,
      wallet: body.user,
      reason,
    });
    const cursor = (await indexedBlock(queries)) ?? 0n;
    const payout = await payBuyer(queries, {
      wallet: body.user,
      amountGwei: body.amount,
      deepestBlock: cursor - BigInt(services.environment.PAYOUT_CONFIRMATIONS) + 1n,
      requireRate: () => requireRate(services),
    });
    if (payout.kind === "refused") throw refused(payout.payableGwei);
    const answer: DistributeAnswer = {
      success: true,
      message: "Payout queued",
      user: body.user,
      amount: chzTextFromGwei(payout.payableGwei),
      payments: payout.payouts.map(({ purchaseId, amountGwei }) => ({
        purchase_id: Number(purchaseId),
        amount: chzTextFromGwei(amountGwei),
        status: "queued",
        tx_hash: null,
      })),
    };
    const detail = { reason, amount: answer.amount, purchases: answer.payments.map(({ purchase_id }) => purchase_id) };
    if (identity.kind === "user")
      await appendAudit(queries, { actor, action: "cashback_distribution.create", subject, detail });
    if (key !== undefined) {
      await insertStoredAnswer(queries, actor, key, { requestHash, status: 202, response: JSON.stringify(answer) });
    }
    return answer;
  });
}

function refused(payableGwei: bigint): ApiError {
  if (payableGwei === 0n) return conflict("Nothing is payable to this wallet now", "NOTHING_PAYABLE", { payable: "0" });
  const payable = chzTextFromGwei(payableGwei);
  const message = `amount must be ${payable} CHZ, what this wallet's confirmed purchases are owed`;
  return conflict(message, "WRONG_AMOUNT", { payable, field: "amount" });
}
