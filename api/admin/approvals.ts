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
import { conflict, forbidden, notFound } from "../http/api-error.ts";
import { listRoute } from "../http/list-route.ts";
import { readId } from "../http/read-id.ts";
import { actorOf, type Route, route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { lapsedBefore, lapsesAt } from "./payout-approval.ts";

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
    decisionRoute(services, "approve", "Approves another administrator's payout, which may then be asked for again"),
    decisionRoute(services, "refuse", "Refuses a payout that another administrator asked for"),
  ];
}

/** Requests that can still be decided. */
export const isOpenApproval = () =>
  sql<SqlBool>`(approvals.state = 'open' and approvals.created_at > ${lapsedBefore()})`;
/** Approvals that can still be used. */
const isUsableApproval = () =>
  sql<SqlBool>`(approvals.state = 'approved' and approvals.decided_at > ${lapsedBefore()})`;

const APPROVALS: ListSource = {
  table: "approvals",
  key: "id",
  keyType: "number",
  sorts: { id: { column: "id", type: "number" }, amount: { column: "amount_gwei", type: "number" } },
  state(state) {
    if (state === "open") return isOpenApproval();
    if (state === "approved") return isUsableApproval();
    if (state !== "lapsed") return sql<SqlBool>`approvals.state = ${state}`;
    const moment = lapsedBefore();
    return sql<SqlBool>`((approvals.state = 'open' and approvals.created_at <= ${moment})
      or (approvals.state = 'approved' and approvals.decided_at <= ${moment}))`;
  },
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
  const since = row.state === "open" ? row.created_at : row.state === "approved" ? row.decided_at : null;
  const isLapsed = since !== null && since <= lapsedBefore();
  return {
    id: Number(row.id),
    action: row.action,
    subject: row.subject,
    purchase_id: row.purchase_id === null ? null : Number(row.purchase_id),
    wallet: row.wallet,
    amount: chzTextFromGwei(row.amount_gwei),
    state: isLapsed ? "lapsed" : row.state,
    asked_by: row.asked_by,
    reason: row.reason,
    decided_by: row.decided_by,
    decision_reason: row.decision_reason,
    created_at: isoTime(row.created_at),
    decided_at: isoTimeIfAny(row.decided_at),
    expires_at: since === null || isLapsed ? null : isoTime(lapsesAt(since)),
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
  const { action, subject, asked_by, wallet } = asked;
  if (asked_by === actor) throw forbidden("Another administrator must decide on this", "OWN_REQUEST");
  if (wallet === actor) throw forbidden("This would pay your own wallet: another administrator decides", "OWN_REQUEST");
  if (asked.state === "open" && asked.created_at <= lapsedBefore())
    throw conflict("This request has expired: request the payout again", "LAPSED");
  const { numUpdatedRows } = await queries
    .updateTable("approvals")
    .set({
      state: verb === "approve" ? "approved" : "refused",
      decided_by: actor,
      decision_reason: reason,
      decided_at: BigInt(Date.now()),
    })
    .where("id", "=", id)
    .where("state", "=", "open")
    .executeTakeFirst();
  if (numUpdatedRows !== 1n) throw conflict("This request is already decided", "DECIDED");
  const amount = chzTextFromGwei(asked.amount_gwei);
  const detail = { asked: action, of: subject, asked_by, wallet, amount, reason };
  await appendAudit(queries, { actor, action: `approval.${verb}`, subject: `approval:${id}`, detail });
  return {
    asked: action,
    ...(asked.purchase_id === null ? {} : { purchase: Number(asked.purchase_id) }),
    chz: amount,
  };
}
