import {
  decidePercent,
  listPercentApprovals,
  type PercentApprovalRow,
  readPercentApprovals,
} from "../../catalogue/percent-approvals.ts";
import { type PercentApproval, percentApprovalSchema, percentApprovalsQuerySchema } from "../../domain/api/boosts.ts";
import { doneSchema, noBodyOrReasonSchema } from "../../domain/api/common.ts";
import { isoTime, isoTimeIfAny } from "../../domain/iso-time.ts";
import { percentText } from "../../domain/money.ts";
import { permissionsOf } from "../../domain/roles.ts";
import type { CatalogueWriter } from "../catalogue/catalogue-writer.ts";
import { conflict, forbidden, notFound } from "../http/api-error.ts";
import { listRoute } from "../http/list-route.ts";
import { readId } from "../http/read-id.ts";
import { actorOf, type Route, route } from "../http/route.ts";
import type { Services } from "../services.ts";

/** Percents that wait for a second person, and their decisions. docs/product.md#percent-approvals */
export function percentApprovalRoutes(services: Services, write: CatalogueWriter): Route[] {
  const { database } = services;
  return [
    listRoute({
      path: "/api/admin/percent-approvals",
      summary: "Boosts and percents of categories that need a second person's approval, newest first",
      row: percentApprovalSchema,
      query: percentApprovalsQuerySchema,
      async list(query) {
        const { rows, ...page } = await listPercentApprovals(database.reader, query);
        return { ...page, rows: rows.map(toWireApproval) };
      },
    }),
    decisionRoute(services, write, "approve", "Approves a percent that another admin set; it applies at once"),
    decisionRoute(services, write, "refuse", "Refuses a percent that another admin set"),
  ];
}

function decisionRoute(services: Services, write: CatalogueWriter, verb: "approve" | "refuse", summary: string): Route {
  return route({
    method: "post",
    path: `/api/admin/percent-approvals/:id/${verb}` as const,
    access: "fresh_admin",
    permission: "catalogue",
    summary,
    limit: { perMinute: 60, by: "wallet" },
    body: noBodyOrReasonSchema,
    failures: { 409: "It is decided or has lapsed already" },
    responses: { 200: doneSchema },
    async handle(call) {
      const id = readId(call.params.id, "Approval");
      const actor = actorOf(call.identity);
      const reason = call.body.reason || null;
      const outcome = await write(call, { action: `percent.${verb}`, detail: { reason } }, async (queries) => {
        const [asked] = await readPercentApprovals(queries, [id]);
        if (!asked) throw notFound("Approval");
        if (asked.asked_by === actor) throw forbidden("Another administrator must decide on this", "OWN_REQUEST");
        if (asked.state === "lapsed") throw LAPSED();
        if (asked.state !== "open") throw DECIDED();
        const role = services.adminWallets.get(asked.asked_by as `0x${string}`);
        const isAskerAdmin = role !== undefined && permissionsOf(role).includes("catalogue");
        const result = await decidePercent(queries, asked, {
          isApproved: verb === "approve",
          actor,
          reason,
          isAskerAdmin,
        });
        if (result === undefined) throw DECIDED();
        const { store, category, asked_by } = asked;
        const words = {
          store,
          ...(category === null ? {} : { category }),
          cashback_percent: percentText(asked.bps),
          asked_by,
          ...(result === "lapsed" ? { lapsed: true } : {}),
        };
        return { result, subject: `store:${asked.store_id}/percent_approval:${id}`, words };
      });
      if (outcome === "lapsed") throw LAPSED();
      return { body: { success: true, message: verb === "approve" ? "Percent approved" : "Percent refused" } };
    },
  });
}

const DECIDED = () => conflict("This request is already decided", "DECIDED");
const LAPSED = () => conflict("The boost, the category or its percent has changed since: ask for it again", "LAPSED");

function toWireApproval(row: PercentApprovalRow): PercentApproval {
  return {
    id: Number(row.id),
    kind: row.boost_id === null ? "category" : "boost",
    store_id: Number(row.store_id),
    store: row.store,
    boost_id: row.boost_id === null ? null : Number(row.boost_id),
    category: row.category,
    percent: percentText(row.bps),
    from_percent: row.from_bps === null ? null : percentText(row.from_bps),
    starts_at: isoTimeIfAny(row.starts_at),
    ends_at: isoTimeIfAny(row.ends_at),
    state: row.state,
    asked_by: row.asked_by,
    decided_by: row.decided_by,
    decision_reason: row.decision_reason,
    created_at: isoTime(row.created_at),
    decided_at: isoTimeIfAny(row.decided_at),
  };
}
