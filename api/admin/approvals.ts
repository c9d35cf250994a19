import { type Selectable, type SqlBool, sql } from "kysely";
import { appendAudit, inAuditedTransaction } from "../../database/audit-log.ts";
import { type ListPage, readPage } from "../../database/lists/page.ts";
import { byId, byWallet, ofKeys, walletPrefixOf, walletStartsWith } from "../../database/lists/search.ts";
import type { ListSource, PageQuery } from "../../database/lists/source.ts";
import type { Schema } from "../../database/schema.ts";
import type { Queries } from "../../database/transaction.ts";
import { type Approval, approvalSchema, approvalsQuerySchema } from "../../domain/api/admin-approvals.ts";
import { chzTextFromGwei } from "../../domain/money.ts";
import type { Role } from "../../domain/roles.ts";
import type { ApprovalRules } from "../../purchases/approvals.ts";
import { decideApproval } from "../../purchases/lifecycle.ts";
import type { ApiEnvironment } from "../environment.ts";
import { forbidden } from "../http/api-error.ts";
import { listRoute } from "../http/list-route.ts";
import type { Route } from "../http/route.ts";
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
    const row = await queries.selectFrom("approvals").selectAll().where("id", "=", id).executeTakeFirst();
    const asked = requireOpen(row, actor, "The amount or the buyer has changed since: it is asked again");
    const { purchase_id, asked_by, wallet } = asked;
    if (wallet === actor)
      throw forbidden("This would pay your own wallet: another administrator decides", "OWN_REQUEST");
    const isDecided = await decideApproval(queries, id, { isApproved: verb === "approve", actor, reason });
    if (!isDecided) throw alreadyDecided();
    const amount = chzTextFromGwei(asked.amount_gwei);
    const detail = { purchase_id, asked_by, wallet, amount, reason };
    await appendAudit(queries, { actor, action: `approval.${verb}`, subject: `approval:${id}`, detail });
    return { purchase: Number(purchase_id), chz: amount };
  });
  services.log.info({ action: `approval.${verb}`, ...about }, "Decided by an admin");
  services.senders.wake();
}
