import { appendAudit, inAuditedTransaction } from "../../core/database/audit-log.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { lockPurchasesWithSales } from "../../core/purchases/locks.ts";
import { payAgain } from "../../core/purchases/next-step.ts";
import { listOperationPage } from "../../core/purchases/payout-list.ts";
import { findPurchase } from "../../core/purchases/queries.ts";
import { approvalNeededSchema, noBodyOrReasonSchema } from "../../core/rules/api/common.ts";
import { operationResponseSchema, operationSchema, operationsQuerySchema } from "../../core/rules/api/operations.ts";
import { chzTextFromGwei } from "../../core/rules/money.ts";
import { isMove } from "../../core/rules/purchase/life.ts";
import {
  findOperation,
  findOperationById,
  type Operation,
  release,
  subjectOf,
  toOperationRecord,
} from "../../core/sender/queue.ts";
import { conflict, forbidden, notFound } from "../http/api-error.ts";
import { listRoute, pageOf } from "../http/list-route.ts";
import { actorOf, type Route, readId, route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { stepOptions } from "./purchases.ts";

export function operationQueueRoutes(services: Services): Route[] {
  const { database } = services;
  return [
    listRoute("/api/admin/operations", {
      summary: "Waiting and failed operations, newest first, or those in a given state",
      row: operationSchema,
      query: operationsQuerySchema,
      list: (query) => pageOf(listOperationPage(database.reader, query), toOperationRecord),
    }),
    route.post("/api/admin/operations/:id/retry", {
      access: "fresh_admin",
      permission: "payments",
      cost: { thread: 2, node: 0, stored: 600, mail: 0 },
      summary: "Retries a waiting or failed operation",
      body: noBodyOrReasonSchema,
      failures: { 404: "No such operation", 409: "It neither waits nor failed" },
      responses: { 200: operationResponseSchema, 202: approvalNeededSchema },
      async handle({ params, body, identity }) {
        const id = readId(params.id, "Operation");
        const decision = { actor: actorOf(identity), reason: body.reason || null };
        const retried = await inAuditedTransaction(services.database.kysely, decision.actor, async (queries) => {
          const known = await findOperationById(queries, id);
          if (!known) throw notFound("Operation");
          const approvalId = await retry(services, queries, known, decision);
          return { known, approvalId, operation: await findOperation(queries, known.kind, known.subject_id) };
        });
        services.senders.wake();
        const { known, approvalId, operation = { ...known, status: "withdrawn" as const } } = retried;
        if (approvalId !== undefined) {
          const message = "The payout waits for a second person";
          return { status: 202, body: { success: true, message, approval_id: Number(approvalId) } };
        }
        services.log.info({ action: "operation.retry", ...subjectOf(operation) }, "Decided by an admin");
        const isOver = operation.status === "withdrawn";
        const message = isOver ? "The payout is withdrawn: it is not due any more" : "The operation is retried now";
        return { status: 200, body: { success: true, message, operation: toOperationRecord(operation) } };
      },
    }),
  ];
}

/** A payout is decided anew. Returns the request that it waits for, if it takes two people. */
async function retry(
  services: Services,
  queries: Queries,
  known: Operation,
  { actor, reason }: { actor: string; reason: string | null },
): Promise<bigint | undefined> {
  const { id } = known;
  // Before its operation, as everywhere: a decision about the same buyer waits for neither, or for both.
  if (isMove(known.kind)) await lockPurchasesWithSales(queries, [known.subject_id]);
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
    amount: known.amount_gwei === null ? null : chzTextFromGwei(known.amount_gwei),
  };
  const note = { about: purchase?.wallet, words: { given_reason: reason } };
  const approvalId = purchase && (await payAgain(queries, purchase.id, actor, await stepOptions(services, queries)));
  await appendAudit(queries, { actor, action: "operation.retry", subject: `operation ${id}`, detail, note });
  return approvalId;
}
