import { type Selectable, type SqlBool, sql } from "kysely";
import { appendAudit, inAuditedTransaction } from "../../database/audit-log.ts";
import { type ListPage, readPage } from "../../database/lists/page.ts";
import { byId, byWallet, ofKeys, walletPrefixOf, walletStartsWith } from "../../database/lists/search.ts";
import type { ListSource, PageQuery } from "../../database/lists/source.ts";
import type { Schema } from "../../database/schema.ts";
import type { Queries } from "../../database/transaction.ts";
import { type Approval, approvalSchema, approvalsQuerySchema } from "../../domain/api/admin-approvals.ts";
import { doneSchema, noBodyOrReasonSchema } from "../../domain/api/common.ts";
import { isoTime, isoTimeIfAny } from "../../domain/iso-time.ts";
import { chzTextFromGwei } from "../../domain/money.ts";
import { decideApproval } from "../../purchases/lifecycle.ts";
import { conflict, forbidden, notFound } from "../http/api-error.ts";
import { listRoute } from "../http/list-route.ts";
import { readId } from "../http/read-id.ts";
import { actorOf, type Route, route } from "../http/route.ts";
import type { Services } from "../services.ts";

type ApprovalRow = Selectable<Schema["approvals"]>;

/** Requests that wait for a second person, and their decisions. docs/product.md#panel-approvals */
export function approvalRoutes(services: Services): Route[] {
  const { database } = services;
  return [
    listRoute({
      path: "/api/admin/approvals",
      summary: "Payouts that need a second person's approval, newest first",
      row: approvalSchema,
      query: approvalsQuerySchema,
      async list(query) {
        const { rows, ...page } = await listApprovals(database.reader, query);
        return { ...page, rows: rows.map(toWireApproval) };
      },
    }),
    decisionRoute(services, "approve", "Approves a payout that another person's decision leads to; it is then queued"),
    decisionRoute(services, "refuse", "Refuses a payout that another person's decision leads to"),
  ];
}

/** Requests that can still be decided. */
export const isOpenApproval = () => sql<SqlBool>`approvals.state = 'open'`;

const APPROVALS: ListSource = {
  table: "approvals",
  key: "id",
  keyType: "number",
  sorts: { id: { column: "id", type: "number" }, amount: { column: "amount_gwei", type: "number" } },
  state: (state) => sql<SqlBool>`approvals.state = ${state}`,
  matches(term) {
    const wallet = walletPrefixOf(term);
    if (wallet !== undefined) {
      const asked = walletStartsWith("approvals.asked_by", wallet);
      return [byWallet("approvals", wallet), ofKeys("approvals", sql`select id as key from approvals where ${asked}`)];
    }
    return byId("approvals", term).concat(
      /^\d{1,15}$/.test(term)
        ? [ofKeys("approvals", sql`select id as key from approvals where purchase_id = ${BigInt(term)}`)]
        : [],
    );
  },
};

/** Matching requests. */
export async function listApprovals(queries: Queries, page: PageQuery): Promise<ListPage<ApprovalRow>> {
  return readPage(queries, APPROVALS, page, readApprovals, (row) => row.id);
}

async function readApprovals(queries: Queries, ids: readonly bigint[]): Promise<ApprovalRow[]> {
  return queries.selectFrom("approvals").selectAll().where("id", "in", ids).execute();
}

function toWireApproval(row: ApprovalRow): Approval {
  return {
    id: Number(row.id),
    purchase_id: Number(row.purchase_id),
    wallet: row.wallet,
    amount: chzTextFromGwei(row.amount_gwei),
    state: row.state,
    asked_by: row.asked_by,
    decided_by: row.decided_by,
    decision_reason: row.decision_reason,
    created_at: isoTime(row.created_at),
    decided_at: isoTimeIfAny(row.decided_at),
  };
}

function decisionRoute(services: Services, verb: "approve" | "refuse", summary: string): Route {
  return route({
    method: "post",
    path: `/api/admin/approvals/:id/${verb}` as const,
    access: "fresh_admin",
    permission: "payments",
    summary,
    limit: { perMinute: 60, by: "wallet" },
    body: noBodyOrReasonSchema,
    failures: { 409: "It is decided or has lapsed already" },
    responses: { 200: doneSchema },
    async handle({ params, body, identity }) {
      const id = readId(params.id, "Approval");
      const actor = actorOf(identity);
      const reason = body.reason || null;
      const about = await inAuditedTransaction(services.database.kysely, (queries) =>
        decide(queries, id, { verb, actor, reason }),
      );
      services.log.info({ action: `approval.${verb}`, ...about }, "Decided by an admin");
      services.senders.wake();
      return { body: { success: true, message: verb === "approve" ? "Payment approved" : "Payment refused" } };
    },
  });
}

/** Returns what was decided, for the log. */
async function decide(
  queries: Queries,
  id: bigint,
  { verb, actor, reason }: { verb: "approve" | "refuse"; actor: string; reason: string | null },
) {
  const asked = await queries.selectFrom("approvals").selectAll().where("id", "=", id).executeTakeFirst();
  if (!asked) throw notFound("Approval");
  const { purchase_id: purchaseId, asked_by, wallet } = asked;
  if (asked_by === actor) throw forbidden("Another administrator must decide on this", "OWN_REQUEST");
  if (wallet === actor) throw forbidden("This would pay your own wallet: another administrator decides", "OWN_REQUEST");
  if (asked.state === "lapsed")
    throw conflict("The amount or the buyer has changed since: it is asked again", "LAPSED");
  const isDecided = await decideApproval(queries, id, { isApproved: verb === "approve", actor, reason });
  if (!isDecided) throw conflict("This request is already decided", "DECIDED");
  const amount = chzTextFromGwei(asked.amount_gwei);
  const detail = { purchase_id: purchaseId, asked_by, wallet, amount, reason };
  await appendAudit(queries, { actor, action: `approval.${verb}`, subject: `approval:${id}`, detail });
  return { purchase: Number(purchaseId), chz: amount };
}
