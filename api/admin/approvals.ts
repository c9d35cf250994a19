import { type SqlBool, sql } from "kysely";
import { appendAudit, inAuditedTransaction } from "../../database/audit-log.ts";
import { inOrderOf, type ListSource, readKeyPage } from "../../database/list-page.ts";
import { approvalSchema, approvalsQuerySchema } from "../../domain/api/admin-approvals.ts";
import { doneSchema, noBodyOrReasonSchema } from "../../domain/api/common.ts";
import { chzTextFromGwei } from "../../domain/money.ts";
import { ApiError, conflict, forbidden, notFound } from "../http/api-error.ts";
import { listRoute } from "../http/list-route.ts";
import { readId } from "../http/read-id.ts";
import { actorOf, type Identity, type Route, route } from "../http/route.ts";
import { isoTime, isoTimeIfAny } from "../sales/list-answer.ts";
import type { Services } from "../services.ts";

const GWEI_PER_CHZ = 1_000_000_000n;
/** An approval that nobody uses lapses. */
const VALID_MS = 24 * 3_600_000;

type Payment = {
  action: "operation.retry" | "purchase.release" | "cashback.distribute";
  subject: string;
  amountGwei: bigint;
};

/**
 * Lets a payment pass if it is below `APPROVAL_ABOVE_CHZ`, or if another admin approved this one of this amount; an approval
 * is good once. Otherwise writes down that it is asked for. Services are machines and are not asked.
 * docs/product.md#panel-approvals @throws ApiError 403 APPROVAL_NEEDED
 */
export async function requireApproval(services: Services, identity: Identity, payment: Payment): Promise<void> {
  const { APPROVAL_ABOVE_CHZ: limit } = services.environment;
  if (limit === undefined || identity.kind === "service") return;
  if (payment.amountGwei <= BigInt(limit) * GWEI_PER_CHZ) return;
  const asked = { asked_by: actorOf(identity), action: payment.action, subject: payment.subject };
  const id = await inAuditedTransaction(services.database.kysely, async (queries) => {
    const known = await queries
      .selectFrom("approvals")
      .select(["id", "state"])
      .where("subject", "=", asked.subject)
      .where("action", "=", asked.action)
      .where("asked_by", "=", asked.asked_by)
      .where("amount_gwei", "=", payment.amountGwei)
      .where("created_at", ">", BigInt(Date.now() - VALID_MS))
      .where("state", "in", ["open", "approved"])
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst();
    if (known?.state === "approved") {
      const { numUpdatedRows } = await queries
        .updateTable("approvals")
        .set({ state: "used" })
        .where("id", "=", known.id)
        .where("state", "=", "approved")
        .executeTakeFirst();
      if (numUpdatedRows === 1n) return undefined;
    }
    if (known?.state === "open") return known.id;
    const { id } = await queries
      .insertInto("approvals")
      .values({ ...asked, amount_gwei: payment.amountGwei, state: "open", created_at: BigInt(Date.now()) })
      .returning("id")
      .executeTakeFirstOrThrow();
    const detail = { ...asked, amount: chzTextFromGwei(payment.amountGwei) };
    await appendAudit(queries, { actor: asked.asked_by, action: "approval.ask", subject: `approval:${id}`, detail });
    return id;
  });
  if (id === undefined) return;
  throw new ApiError(
    403,
    "APPROVAL_NEEDED",
    `More than ${limit} CHZ takes two people: another administrator approves request ${id}, then ask again`,
    { extra: { approval_id: Number(id) } },
  );
}

/** What waits for a second person, and that person's decision. */
export function approvalRoutes(services: Services): Route[] {
  const { database } = services;
  return [
    listRoute({
      path: "/api/admin/approvals",
      summary: "Payments that take a second person, newest first",
      row: approvalSchema,
      query: approvalsQuerySchema,
      async list(query) {
        const { keys, ...page } = await readKeyPage<bigint>(database.reader, APPROVALS, query);
        const rows =
          keys.length === 0
            ? []
            : await database.reader.selectFrom("approvals").selectAll().where("id", "in", keys).execute();
        const wire = inOrderOf(keys, rows, (row) => row.id).map((row) => ({
          ...{ id: Number(row.id), action: row.action, subject: row.subject, amount: chzTextFromGwei(row.amount_gwei) },
          ...{ state: row.state, asked_by: row.asked_by, decided_by: row.decided_by },
          created_at: isoTime(row.created_at),
          decided_at: isoTimeIfAny(row.decided_at),
        }));
        return { ...page, rows: wire };
      },
    }),
    decisionRoute(services, "approve", "Approves another administrator's payment, which may then be asked for again"),
    decisionRoute(services, "refuse", "Refuses a payment that another administrator asked for"),
  ];
}

const APPROVALS: ListSource = {
  table: "approvals",
  key: "id",
  keyType: "number",
  sorts: { id: { column: "id", type: "number", followsState: true } },
  state: (state) => sql<SqlBool>`approvals.state = ${state}`,
  matches: (term) => {
    const test = sql<SqlBool>`approvals.subject = ${term}`;
    return [{ keys: sql`select id as key from approvals where ${test}`, test }];
  },
};

function decisionRoute(services: Services, verb: "approve" | "refuse", summary: string): Route {
  return route({
    method: "post",
    path: `/api/admin/approvals/:id/${verb}` as const,
    access: "fresh_admin",
    permission: "payments",
    summary,
    limit: { perMinute: 60, by: "wallet" },
    body: noBodyOrReasonSchema,
    failures: { 409: "It is decided already" },
    responses: { 200: doneSchema },
    async handle({ params, body, identity }) {
      const id = readId(params.id, "Approval");
      const actor = actorOf(identity);
      await inAuditedTransaction(services.database.kysely, async (queries) => {
        const asked = await queries.selectFrom("approvals").selectAll().where("id", "=", id).executeTakeFirst();
        if (!asked) throw notFound("Approval");
        if (asked.asked_by === actor) throw forbidden("Another administrator must decide on this", "OWN_REQUEST");
        const { numUpdatedRows } = await queries
          .updateTable("approvals")
          .set({
            state: verb === "approve" ? "approved" : "refused",
            decided_by: actor,
            decided_at: BigInt(Date.now()),
          })
          .where("id", "=", id)
          .where("state", "=", "open")
          .executeTakeFirst();
        if (numUpdatedRows !== 1n) throw conflict("This request is decided already", "DECIDED");
        const { action, subject, asked_by } = asked;
        const detail = { asked: action, of: subject, asked_by, amount: chzTextFromGwei(asked.amount_gwei) };
        await appendAudit(queries, {
          ...{ actor, action: `approval.${verb}`, subject: `approval:${id}` },
          detail: { ...detail, reason: body.reason || null },
        });
      });
      return { body: { success: true, message: verb === "approve" ? "Payment approved" : "Payment refused" } };
    },
  });
}
