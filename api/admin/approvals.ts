import { type Selectable, type SqlBool, sql } from "kysely";
import { appendAudit, inAuditedTransaction } from "../../database/audit-log.ts";
import { type ListPage, readPage } from "../../database/lists/page.ts";
import { byId, byWallet, ofKeys, walletPrefixOf, walletStartsWith } from "../../database/lists/search.ts";
import type { ListSource, PageQuery } from "../../database/lists/source.ts";
import type { Schema } from "../../database/schema.ts";
import type { Queries } from "../../database/transaction.ts";
import {
  type Approval,
  approvalSchema,
  approvalsQuerySchema,
  approveAllRequestSchema,
  approveAllResponseSchema,
} from "../../domain/api/admin-approvals.ts";
import type { ErrorCode } from "../../domain/api/error-codes.ts";
import { chzTextFromGwei } from "../../domain/money.ts";
import type { Role } from "../../domain/roles.ts";
import type { ApprovalRules } from "../../purchases/approvals.ts";
import { decideApproval } from "../../purchases/lifecycle.ts";
import type { ApiEnvironment } from "../environment.ts";
import { ApiError, forbidden } from "../http/api-error.ts";
import { listRoute } from "../http/list-route.ts";
import { actorOf, type Route, route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { alreadyDecided, type Decision, decisionRoutes, requireOpen, toWireDecision } from "./second-person.ts";

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
    approveAllRoute(services),
    ...decisionRoutes({
      path: "/api/admin/approvals",
      permission: "payments",
      what: "Payment",
      summaries: {
        approve: "Approves a payout that another person's decision leads to; it is then queued",
        refuse: "Refuses a payout that another person's decision leads to",
      },
      decide: (decision) => decide(services, decision),
    }),
  ];
}

const GWEI_PER_CHZ = 1_000_000_000n;

/** Which payouts take a second person, and who may be one. docs/product.md#panel-approvals */
export function approvalRules(
  environment: Pick<ApiEnvironment, "APPROVAL_ABOVE_CHZ">,
  adminWallets: ReadonlyMap<string, Role>,
): ApprovalRules {
  return {
    get aboveGwei() {
      const { APPROVAL_ABOVE_CHZ: limit } = environment;
      return limit === undefined ? undefined : BigInt(limit) * GWEI_PER_CHZ;
    },
    roleOf: (wallet) => adminWallets.get(wallet),
  };
}

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

export async function listApprovals(queries: Queries, page: PageQuery): Promise<ListPage<ApprovalRow>> {
  return readPage(queries, APPROVALS, page, readApprovals, (row) => row.id);
}

async function readApprovals(queries: Queries, ids: readonly bigint[]): Promise<ApprovalRow[]> {
  return queries.selectFrom("approvals").selectAll().where("id", "in", ids).execute();
}

function toWireApproval(row: ApprovalRow): Approval {
  const { purchase_id, wallet, amount_gwei } = row;
  return { ...toWireDecision(row), purchase_id: Number(purchase_id), wallet, amount: chzTextFromGwei(amount_gwei) };
}

async function decide(services: Services, { id, verb, actor, reason }: Decision): Promise<void> {
  const about = await inAuditedTransaction(services.database.kysely, async (queries) => {
    const { purchase_id, asked_by, wallet, amount_gwei } = await decideOne(queries, { id, verb, actor, reason });
    const amount = chzTextFromGwei(amount_gwei);
    const detail = { purchase_id, asked_by, wallet, amount, reason };
    await appendAudit(queries, { actor, action: `approval.${verb}`, subject: `approval:${id}`, detail });
    return { purchase: Number(purchase_id), chz: amount };
  });
  services.log.info({ action: `approval.${verb}`, ...about }, "Decided by an admin");
  services.senders.wake();
}

/** @throws ApiError, before anything is written, if the request cannot be decided by this person */
async function decideOne(
  queries: Queries,
  { id, verb, actor, reason }: Omit<Decision, "identity">,
): Promise<ApprovalRow> {
  const row = await queries.selectFrom("approvals").selectAll().where("id", "=", id).executeTakeFirst();
  const asked = requireOpen(row, actor, "The amount or the buyer has changed since: it is asked again");
  if (asked.wallet === actor)
    throw forbidden("This would pay your own wallet: another administrator decides", "OWN_REQUEST");
  const isDecided = await decideApproval(queries, id, { isApproved: verb === "approve", actor, reason });
  if (!isDecided) throw alreadyDecided();
  return asked;
}

/** Approves several requests by one decision: one transaction, one entry of the log. Those refused are named. */
function approveAllRoute(services: Services): Route {
  return route({
    method: "post",
    path: "/api/admin/approvals/approve",
    access: "fresh_admin",
    permission: "payments",
    summary: "Approves several payouts by one decision; those that cannot be approved are named, the others go through",
    limit: { perMinute: 60, by: "wallet" },
    body: approveAllRequestSchema,
    responses: { 200: approveAllResponseSchema },
    async handle({ body, identity }) {
      const actor = actorOf(identity);
      // In one order, so that two people who decide at once do not wait for each other for ever.
      const ids = [...new Set(body.ids)].sort((one, other) => Number(one - other));
      const { approved, refused } = await inAuditedTransaction(services.database.kysely, (queries) =>
        approveAll(queries, ids, { actor, reason: body.reason || null }),
      );
      const amount = sumOf(approved);
      services.log.info(
        { action: "approval.approve_all", requests: approved.length, chz: amount },
        "Decided by an admin",
      );
      services.senders.wake();
      const message = `${approved.length} of ${ids.length} payments approved`;
      return { body: { success: true, message, approved: approved.length, amount, refused } };
    },
  });
}

type By = Pick<Decision, "actor" | "reason">;

async function approveAll(queries: Queries, ids: readonly bigint[], { actor, reason }: By) {
  const approved: ApprovalRow[] = [];
  const refused: { id: number; code: ErrorCode; message: string }[] = [];
  for (const id of ids) {
    try {
      approved.push(await decideOne(queries, { id, verb: "approve", actor, reason }));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refused.push({ id: Number(id), code: error.code, message: error.message });
    }
  }
  if (approved.length > 0) {
    const requests = approved.map((row) => ({ id: row.id, purchase_id: row.purchase_id, wallet: row.wallet }));
    const detail = { count: approved.length, amount: sumOf(approved), requests, reason };
    const subject = `approvals:${approved[0]?.id}`;
    await appendAudit(queries, { actor, action: "approval.approve_all", subject, detail });
  }
  return { approved, refused };
}

const sumOf = (rows: readonly ApprovalRow[]): string =>
  chzTextFromGwei(rows.reduce((sum, { amount_gwei }) => sum + amount_gwei, 0n));
