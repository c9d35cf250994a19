import { appendAudit, inAuditedTransaction } from "../../database/audit-log.ts";
import type { Queries } from "../../database/transaction.ts";
import { askedSchema, noBodyOrReasonSchema } from "../../domain/api/common.ts";
import { operationResponseSchema, operationSchema, operationsQuerySchema } from "../../domain/api/operations.ts";
import { chzTextFromGwei } from "../../domain/money.ts";
import { listOperationPage } from "../../purchases/payout-list.ts";
import { findPurchase } from "../../purchases/queries.ts";
import { retryPayout } from "../../purchases/settlement.ts";
import { subjectOf } from "../../sender/log-lines.ts";
import { toOperationRecord } from "../../sender/operation-record.ts";
import { findOperationById, release } from "../../sender/queue.ts";
import { conflict, forbidden, notFound } from "../http/api-error.ts";
import { listRoute } from "../http/list-route.ts";
import { actorOf, type Route, readId, route } from "../http/route.ts";
import type { Services } from "../services.ts";

/** Waiting and failed operations, and their retry. */
export function operationQueueRoutes(services: Services): Route[] {
  return [operationsRoute(services), retryRoute(services)];
}

function operationsRoute({ database }: Services): Route {
  return listRoute({
    path: "/api/admin/operations",
    summary: "Waiting and failed operations, newest first, or those in a given state",
    row: operationSchema,
    query: operationsQuerySchema,
    async list(query) {
      const { rows, ...page } = await listOperationPage(database.reader, query);
      return { ...page, rows: rows.map(toOperationRecord) };
    },
  });
}

function retryRoute(services: Services): Route {
  return route({
    method: "post",
    path: "/api/admin/operations/:id/retry",
    access: "fresh_admin",
    permission: "payments",
    summary: "Retries a waiting or failed operation",
    limit: { perMinute: 60, by: "wallet" },
    body: noBodyOrReasonSchema,
    failures: { 404: "No such operation", 409: "It neither waits nor failed" },
    responses: { 200: operationResponseSchema, 202: askedSchema },
    async handle({ params, body, identity }) {
      const id = readId(params.id, "Operation");
      const decision = { actor: actorOf(identity), reason: body.reason || null };
      const retried = await inAuditedTransaction(services.database.kysely, async (queries) => {
        const approvalId = await retry(services, queries, id, decision);
        return { approvalId, operation: await findOperationById(queries, id) };
      });
      services.senders.wake();
      const { approvalId, operation } = retried;
      if (approvalId !== undefined) {
        const message = "The payout waits for a second person";
        return { status: 202, body: { success: true, message, approval_id: Number(approvalId) } };
      }
      if (!operation) throw notFound("Operation");
      services.log.info({ action: "operation.retry", ...subjectOf(operation) }, "Decided by an admin");
      const message = "The operation is retried now";
      return { status: 200, body: { success: true, message, operation: toOperationRecord(operation) } };
    },
  });
}

/** Returns the request that it waits for, if it is a payout that takes two people. */
async function retry(
  { approvals }: Services,
  queries: Queries,
  id: bigint,
  { actor, reason }: { actor: string; reason: string | null },
): Promise<bigint | undefined> {
  const known = await findOperationById(queries, id);
  if (!known) throw notFound("Operation");
  if ((await release(queries, { id })) === 0n) {
    throw conflict(`Operation ${id} is ${known.status}: only a waiting or failed one can be retried`, "NOT_STUCK");
  }
  const purchase = known.kind === "pay" ? await findPurchase(queries, known.subject_id) : undefined;
  if (purchase?.wallet === actor) {
    throw forbidden("Somebody else must decide: this would pay your own wallet", "OWN_SALE");
  }
  const detail = {
    kind: known.kind,
    subject_id: Number(known.subject_id),
    reason: known.reason,
    ...(reason && { given_reason: reason }),
    amount: known.amount_gwei === null ? null : chzTextFromGwei(known.amount_gwei),
  };
  await appendAudit(queries, { actor, action: "operation.retry", subject: `operation ${id}`, detail });
  if (!purchase) return undefined;
  return retryPayout(queries, { purchaseId: purchase.id, amountGwei: known.amount_gwei ?? 0n, actor, approvals });
}
