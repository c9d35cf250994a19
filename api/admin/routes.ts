import { type AuditRow, appendAudit, inAuditedTransaction, listAudit } from "../../core/database/audit-log.ts";
import { readFigures } from "../../core/purchases/overview.ts";
import { selectPurchases } from "../../core/purchases/queries.ts";
import { shownRate } from "../../core/rates/rate-source.ts";
import {
  adminRoleResponseSchema,
  auditLogEntrySchema,
  auditLogQuerySchema,
  type Overview,
  overviewResponseSchema,
  payoutsRequestSchema,
} from "../../core/rules/api/administration.ts";
import { doneSchema } from "../../core/rules/api/common.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { chzTextFromGwei, chzTextFromWei, reaisText } from "../../core/rules/money.ts";
import { lifeOf } from "../../core/rules/purchase/life.ts";
import { shownStatus } from "../../core/rules/purchase/situation.ts";
import { type Permission, panelPermissionsOf, permissionsOf } from "../../core/rules/roles.ts";
import { requireFreshSignIn } from "../http/identity.ts";
import { listRoute, pageOf } from "../http/list-route.ts";
import { actorOf, type Route, roleOf, route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { readDistributorBalance } from "./figures.ts";

const ACTIVITY_ROWS = 10;

/** The figures of the admin panel, and the switch that pauses payouts. */
export function adminRoutes(services: Services): Route[] {
  const { environment, adminWallets, database, payouts } = services;
  return [
    route.get("/api/admin/overview", {
      access: "admin",
      cost: { thread: 5, node: 2, stored: 0, mail: 0 },
      summary: "The shop's figures",
      responses: { 200: overviewResponseSchema },
      handle: async () => ({ body: { success: true, data: await buildOverview(services) } }),
    }),
    route.get("/api/admin/role", {
      access: "admin",
      cost: { thread: 0.3, node: 0, stored: 0, mail: 0 },
      summary: "Role and permissions of the signed-in admin, and what takes a second one",
      responses: { 200: adminRoleResponseSchema },
      handle({ identity }) {
        const role = roleOf(identity);
        const own = actorOf(identity);
        const others = [...adminWallets].filter(([wallet]) => wallet !== own);
        const mayAgree = (permission: Permission) =>
          others.flatMap(([wallet, one]) => (permissionsOf(one).includes(permission) ? [wallet] : []));
        return {
          body: {
            success: true,
            role,
            permissions: panelPermissionsOf(role),
            reads_people: permissionsOf(role).includes("people:read"),
            percent_alone: environment.BOOST_APPROVAL_ABOVE_PERCENT,
            approvers: { catalogue: mayAgree("catalogue"), payments: mayAgree("payments") },
          },
        };
      },
    }),
    listRoute("/api/admin/audit-log", {
      summary: "The audit log of admin changes, newest first",
      row: auditLogEntrySchema,
      query: auditLogQuerySchema,
      list: (query) => pageOf(listAudit(database.reader, query), toWireEntry),
    }),
    route.post("/api/admin/payouts", {
      access: "admin",
      permission: "payments",
      cost: { thread: 2, node: 0, stored: 600, mail: 0 },
      summary: "Pauses or resumes payouts",
      body: payoutsRequestSchema,
      responses: { 200: doneSchema },
      async handle({ body, identity }) {
        // Pausing must work at once; resuming moves money.
        if (!body.paused) requireFreshSignIn(identity);
        const was = (await payouts.reason()) ?? null;
        await inAuditedTransaction(database.kysely, actorOf(identity), async (queries) => {
          if (body.paused) await payouts.pause(body.reason || { code: "unsaid" }, queries);
          else await payouts.resume(queries);
          const action = body.paused ? "payouts.pause" : "payouts.resume";
          const words = { reason: body.reason, ...(body.paused ? {} : { was_paused_for: was }) };
          await appendAudit(queries, {
            actor: actorOf(identity),
            action,
            subject: "payouts",
            detail: {},
            note: { words },
          });
        });
        services.log.info({ action: body.paused ? "payouts.pause" : "payouts.resume" }, "Decided by an admin");
        services.senders.wake();
        return { body: { success: true, message: body.paused ? "Payouts are paused" : "Payouts resumed" } };
      },
    }),
  ];
}

function toWireEntry({ id, at, actor, action, subject, detail: logged, words, hash }: AuditRow) {
  const params: Record<string, unknown> = { ...JSON.parse(logged), ...JSON.parse(words ?? "{}") };
  const detail = words === null ? logged : JSON.stringify(params);
  return { id: Number(id), at: isoTime(at), actor, action, subject, params, detail, hash };
}

async function buildOverview(services: Services): Promise<Overview> {
  const { reader } = services.database;
  const [figures, activity, reason = null, cause, available] = await Promise.all([
    readFigures(reader, shownRate(services.rates, services.environment.WEI_PER_CENT)),
    selectPurchases(reader).orderBy("purchases.id", "desc").limit(ACTIVITY_ROWS).execute(),
    services.payouts.reason(),
    services.payouts.cause(),
    readDistributorBalance(services),
  ]);
  const keys = readKeys(services);
  const { address = "", balance = null } = keys[0] ?? {};
  const { processing, pending, confirmed } = figures.byStatus;
  return {
    stores: figures.stores,
    users: figures.users,
    purchases: processing + pending + confirmed,
    cashback_paid: chzTextFromGwei(figures.paidGwei),
    cashback_open: chzTextFromGwei(figures.openGwei),
    purchases_by_status: figures.byStatus,
    activity: activity.map((row) => {
      const life = lifeOf(row);
      return {
        id: Number(row.id),
        store: row.store_name,
        amount: reaisText(row.amount_cents),
        status: shownStatus(life.status, life),
        created_at: isoTime(row.created_at),
      };
    }),
    payouts: { paused: reason !== null, reason, cause: (reason !== null && cause) || null },
    sender: {
      address,
      balance,
      in_flight: keys.reduce((sum, key) => sum + key.in_flight, 0),
      distributor_balance: available === undefined ? null : chzTextFromWei(available),
      keys,
      queued: figures.queued,
      failed: figures.failed,
    },
  };
}

/** Only the process that sends with a key knows its balance and transactions. */
function readKeys({ senders }: Services): Overview["sender"]["keys"] {
  return senders.keys.map(({ name, parts, address }) => {
    const status = senders.all.find((sender) => sender.key === name)?.status;
    const balance = status?.balanceWei === undefined ? null : chzTextFromWei(status.balanceWei);
    return { key: name, signs_as: [...parts], address, balance, in_flight: status?.inFlight ?? 0 };
  });
}
