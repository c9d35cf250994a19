import { appendAudit, inAuditedTransaction } from "../../database/audit-log.ts";
import {
  operationResponseSchema,
  operationsQuerySchema,
  operationsResponseSchema,
} from "../../domain/api/operations.ts";
import { toOperationRecord } from "../../sender/operation-record.ts";
import { countOperations, findOperationById, listOperations, release } from "../../sender/queue.ts";
import { conflict, notFound } from "../http/api-error.ts";
import { readId } from "../http/read-id.ts";
import { actorOf, type Route, route } from "../http/route.ts";
import type { Services } from "../services.ts";

const STUCK = ["waiting", "failed"] as const;

/** Waiting and failed operations, and their retry. */
export function operationQueueRoutes(services: Services): Route[] {
  const { database } = services;
  return [
    route({
      method: "get",
      path: "/api/admin/operations",
      access: "admin",
      summary: "Operations that wait or failed, newest first",
      query: operationsQuerySchema,
      responses: { 200: operationsResponseSchema },
      async handle({ query }) {
        const status = query.state ?? STUCK;
        const rows = await listOperations(database.kysely, { ...query, status });
        const last = rows.length === query.limit ? rows.at(-1) : undefined;
        return {
          body: {
            success: true,
            rows: rows.map(toOperationRecord),
            next_before: last ? Number(last.id) : null,
            total: await countOperations(database.kysely, status),
          },
          headers: { "cache-control": "no-store" },
        };
      },
    }),
    route({
      method: "post",
      path: "/api/admin/operations/:id/retry",
      access: "admin",
      summary: "Tries an operation again that waits or failed",
      limit: { perMinute: 60, by: "wallet" },
      failures: { 404: "No such operation", 409: "It neither waits nor failed" },
      responses: { 200: operationResponseSchema },
      async handle({ params, identity }) {
        const id = readId(params.id, "Operation");
        const operation = await inAuditedTransaction(database.kysely, async (queries) => {
          const known = await findOperationById(queries, id);
          if (!known) throw notFound("Operation");
          if ((await release(queries, { id })) === 0n) {
            throw conflict(
              `Operation ${id} is ${known.status}: only one that waits or failed is tried again`,
              "NOT_STUCK",
            );
          }
          await appendAudit(queries, {
            ...{ actor: actorOf(identity), action: "operation.retry", subject: `operation ${id}` },
            detail: { kind: known.kind, subject_id: Number(known.subject_id), reason: known.reason },
          });
          return findOperationById(queries, id);
        });
        if (!operation) throw notFound("Operation");
        services.sender.wake();
        const message = "The operation is tried again now";
        return { body: { success: true, message, operation: toOperationRecord(operation) } };
      },
    }),
  ];
}
