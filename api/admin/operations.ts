import { appendAudit } from "../../database/audit-log.ts";
import type { Queries } from "../../database/transaction.ts";
import { noBodyOrReasonSchema } from "../../domain/api/common.ts";
import { operationResponseSchema, operationSchema, operationsQuerySchema } from "../../domain/api/operations.ts";
import { chzTextFromGwei } from "../../domain/money.ts";
import { listOperationPage } from "../../purchases/payout-list.ts";
import { findPurchase } from "../../purchases/queries.ts";
import { subjectOf } from "../../sender/log-lines.ts";
import { toOperationRecord } from "../../sender/operation-record.ts";
import { findOperationById, release } from "../../sender/queue.ts";
import { conflict, notFound } from "../http/api-error.ts";
import { listRoute } from "../http/list-route.ts";
import { readId } from "../http/read-id.ts";
import { actorOf, type Route, route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { type Approve, inApprovedTransaction } from "./payout-approval.ts";

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
    responses: { 200: operationResponseSchema },
    async handle({ params, body, identity }) {
      const id = readId(params.id, "Operation");
      const decision = { actor: actorOf(identity), reason: body.reason || null };
      const operation = await inApprovedTransaction(services, identity, async (queries, approve) => {
        await retry(queries, id, decision, approve);
        return findOperationById(queries, id);
      });
      if (!operation) throw notFound("Operation");
      services.log.info({ action: "operation.retry", ...subjectOf(operation) }, "Decided by an admin");
      services.senders.wake();
      const message = "The operation is retried now";
      return { body: { success: true, message, operation: toOperationRecord(operation) } };
    },
  });
}

async function retry(
  queries: Queries,
  id: bigint,
  { actor, reason }: { actor: string; reason: string | null },
  approve: Approve,
): Promise<void> {
  const action = "operation.retry";
  const subject = `operation ${id}`;
  const known = await findOperationById(queries, id);
  if (!known) throw notFound("Operation");
  if ((await release(queries, { id })) === 0n) {
    throw conflict(`Operation ${id} is ${known.status}: only a waiting or failed one can be retried`, "NOT_STUCK");
  }
  if (known.kind === "pay") {
    const wallet = (await findPurchase(queries, known.subject_id))?.wallet ?? null;
    await approve({
      action,
      subject,
      purchaseId: known.subject_id,
      wallet,
      amountGwei: known.amount_gwei ?? 0n,
      reason,
    });
  }
  const detail = {
    kind: known.kind,
    subject_id: Number(known.subject_id),
    reason: known.reason,
    ...(reason && { given_reason: reason }),
    amount: known.amount_gwei === null ? null : chzTextFromGwei(known.amount_gwei),
  };
  await appendAudit(queries, { actor, action, subject, detail });
}
