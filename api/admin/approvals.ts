import { type Selectable, type SqlBool, sql } from "kysely";
import { appendAudit, inAuditedTransaction } from "../../core/database/audit-log.ts";
import type { Database } from "../../core/database/connect.ts";
import type { Schema } from "../../core/database/generated/schema.ts";
import { type ListPage, readPage } from "../../core/database/lists/page.ts";
import { byId, byWallet, ofKeys, walletPrefixOf, walletStartsWith } from "../../core/database/lists/search.ts";
import type { ListSource, PageQuery } from "../../core/database/lists/source.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import type { Logger } from "../../core/process/log.ts";
import { type ApprovalRules, announceApprovals } from "../../core/purchases/approvals.ts";
import { decideApprovals } from "../../core/purchases/staff.ts";
import {
  type Approval,
  type ApprovalGroup,
  approvalGroupsResponseSchema,
  approvalSchema,
  approvalsQuerySchema,
  DECIDED_TOGETHER,
  decideTogetherRequestSchema,
} from "../../core/rules/api/admin-approvals.ts";
import { doneSchema } from "../../core/rules/api/common.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { chzTextFromGwei } from "../../core/rules/money.ts";
import { idsOf } from "../../core/rules/records.ts";
import type { Role } from "../../core/rules/roles.ts";
import type { ApiEnvironment } from "../environment.ts";
import { conflict, forbidden } from "../http/api-error.ts";
import { listRoute, pageOf } from "../http/list-route.ts";
import { actorOf, type Route, route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { decisionRoutes, toWireDecision } from "./second-person.ts";

type ApprovalRow = Selectable<Schema["approvals"]>;

/** Requests that wait for a second person, and their decisions. docs/product.md#panel-approvals */
export function approvalRoutes(services: Services): Route[] {
  const { database } = services;
  return [
    listRoute("/api/admin/approvals", {
      summary: "Payouts that need a second person's approval, newest first",
      row: approvalSchema,
      query: approvalsQuerySchema,
      list: (query) => pageOf(listApprovals(database.reader, query), toWireApproval),
    }),
    /** What one person's decisions led to, as one request to another person. */
    route.get("/api/admin/approvals/together", {
      access: "admin",
      cost: { thread: 3, node: 0, stored: 0, mail: 0 },
      summary: "The open payouts that need the caller's approval or another's, one row for each person who decided",
      responses: { 200: approvalGroupsResponseSchema },
      async handle({ identity }) {
        const groups = await readGroups(database.reader, actorOf(identity));
        return { body: { success: true, groups } };
      },
    }),
    togetherRoute(services, "approve"),
    togetherRoute(services, "refuse"),
    ...decisionRoutes(services, {
      path: "/api/admin/approvals",
      permission: "payments",
      what: "Payment",
      action: "approval",
      verbs: {
        approve: "Approves a payout that another person's decision leads to; it is then queued",
        refuse: "Refuses a payout that another person's decision leads to",
      },
      whyLapsed: "The amount or the buyer has changed since: it is asked again",
      find: async (queries, id) => (await readApprovals(queries, [id]))[0],
      requireOther({ wallet }, { actor }) {
        if (wallet !== actor) return;
        throw forbidden("This would pay your own wallet: another administrator decides", "OWN_REQUEST");
      },
      async decide(queries, { id }, { verb, actor, reason }) {
        const decided = await decideApprovals(queries, [id], { isApproved: verb === "approve", actor, reason });
        return decided.length > 0 ? "done" : undefined;
      },
      personOf: ({ wallet }) => wallet,
      logged: ({ id, purchase_id, wallet, amount_gwei }) => ({
        subject: `approval:${id}`,
        words: { purchase_id, wallet, amount: chzTextFromGwei(amount_gwei) },
      }),
    }),
  ];
}

const GWEI_PER_CHZ = 1_000_000_000n;

/** Which payouts take a second person, and who may be one. docs/product.md#panel-approvals */
export function approvalRules(
  { APPROVAL_ABOVE_CHZ: limit }: Pick<ApiEnvironment, "APPROVAL_ABOVE_CHZ">,
  adminWallets: ReadonlyMap<string, Role>,
): ApprovalRules {
  return {
    aboveGwei: limit === undefined ? undefined : BigInt(limit) * GWEI_PER_CHZ,
    roleOf: (wallet) => adminWallets.get(wallet),
  };
}

/** Says by which rules this api judges payouts; and once, whenever another one that runs has others. */
export function approvalsAnnouncer(
  environment: Pick<ApiEnvironment, "APPROVAL_ABOVE_CHZ" | "ADMIN_WALLETS">,
  { kysely }: Database,
  log: Logger,
): () => Promise<void> {
  const roles = new Map(environment.ADMIN_WALLETS.map(({ wallet, role }) => [wallet, role]));
  const { aboveGwei } = approvalRules(environment, roles);
  let isLogged = false;
  return async () => {
    const inForce = await inTransaction(kysely, (queries) => announceApprovals(queries, { aboveGwei, roles }));
    if (inForce.isDisputed && !isLogged) {
      const chz = inForce.aboveGwei === undefined ? "no limit" : chzTextFromGwei(inForce.aboveGwei);
      log.warn(
        { own: environment.APPROVAL_ABOVE_CHZ ?? "no limit", in_force: chz },
        "Another api runs with another APPROVAL_ABOVE_CHZ or ADMIN_WALLETS: until it has ended, the lower sum counts, and only the wallets of both",
      );
    }
    isLogged = inForce.isDisputed;
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

/** Open requests that pay another than this reader, the oldest of each decider. */
const decidable = (reader: string) => sql`select id, asked_by, wallet, amount_gwei, created_at,
    row_number() over (partition by asked_by order by id) as place
  from approvals where state = 'open' and wallet <> ${reader}`;

async function readGroups(queries: Queries, reader: string): Promise<ApprovalGroup[]> {
  const gwei = (sum: "sum" | "max") => sql`cast(${sql.raw(sum)}(amount_gwei) as bigint)`;
  const { rows } = await sql<GroupRow>`select asked_by, count(*) as count, count(distinct wallet) as buyers,
      ${gwei("sum")} as gwei, ${gwei("max")} as largest_gwei,
      min(created_at) as oldest, max(created_at) as newest, max(id) as until
    from (${decidable(reader)}) as open_requests where place <= ${sql.lit(DECIDED_TOGETHER)}
    group by asked_by order by min(created_at)`.execute(queries);
  return rows.map((row) => ({
    asked_by: row.asked_by,
    count: Number(row.count),
    amount: chzTextFromGwei(row.gwei),
    largest: chzTextFromGwei(row.largest_gwei),
    buyers: Number(row.buyers),
    oldest: isoTime(row.oldest),
    newest: isoTime(row.newest),
    until: Number(row.until),
  }));
}

type GroupRow = { asked_by: string } & Record<
  "count" | "buyers" | "gwei" | "largest_gwei" | "oldest" | "newest" | "until",
  bigint
>;

type Read = { asked_by: string; until: bigint; count: number; amount: string; reason?: string | undefined };

type GroupVerb = "approve" | "refuse";

/** All of a person's requests by one decision: one transaction, one entry of the log. */
function togetherRoute(services: Services, verb: GroupVerb): Route {
  return route.post(`/api/admin/approvals/${verb}` as const, {
    access: "fresh_admin",
    permission: "payments",
    cost: { thread: 10, node: 0, stored: 4000, mail: 0 },
    summary: `${verb === "approve" ? "Approves" : "Refuses"} all payouts that wait for one person's decisions, as read`,
    body: decideTogetherRequestSchema,
    failures: { 409: "Not what is open now" },
    responses: { 200: doneSchema },
    async handle({ body, identity }) {
      const actor = actorOf(identity);
      if (body.asked_by === actor) throw forbidden("Another administrator must decide on these", "OWN_REQUEST");
      await inAuditedTransaction(services.database.kysely, actor, (queries) =>
        decideTogether(queries, verb, actor, body),
      );
      const { count, amount } = body;
      services.log.info({ action: `approval.${verb}_all`, requests: count, chz: amount }, "Decided by an admin");
      services.senders.wake();
      return { body: { success: true, message: `${count} payments ${verb}d` } };
    },
  });
}

/** @throws ApiError 409 if what is open is not what was read; nothing is decided then */
async function decideTogether(queries: Queries, verb: GroupVerb, actor: string, read: Read): Promise<void> {
  const { rows } = await sql<{ id: bigint }>`select id from (${decidable(actor)}) as open_requests
    where asked_by = ${read.asked_by} and id <= ${read.until} and place <= ${sql.lit(DECIDED_TOGETHER)}`.execute(
    queries,
  );
  const reason = read.reason || null;
  const ids = idsOf(rows);
  const decided = await decideApprovals(queries, ids, { isApproved: verb === "approve", actor, reason });
  const amount = chzTextFromGwei(decided.reduce((sum, { amount_gwei }) => sum + amount_gwei, 0n));
  if (decided.length === 0 || decided.length !== read.count || amount !== read.amount)
    throw conflict("The requests have changed: read them again", "REQUESTS_CHANGED");
  const requests = decided.map(({ id, purchase_id }) => ({ id, purchase_id }));
  const detail = { count: decided.length, amount, asked_by: read.asked_by, requests };
  const entry = { actor, action: `approval.${verb}_all`, subject: `approvals:${read.until}`, detail };
  await appendAudit(queries, { ...entry, note: { words: { reason } } });
}
