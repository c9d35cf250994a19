import {
  decidePercent,
  listPercentApprovals,
  type PercentApprovalRow,
  readChange,
  readPercentApprovals,
} from "../../catalogue/percent-approvals.ts";
import { type PercentApproval, percentApprovalSchema, percentApprovalsQuerySchema } from "../../domain/api/boosts.ts";
import { isoTimeIfAny } from "../../domain/iso-time.ts";
import { percentText } from "../../domain/money.ts";
import { permissionsOf } from "../../domain/roles.ts";
import type { CatalogueWriter } from "../catalogue/catalogue-writer.ts";
import { listRoute, pageOf } from "../http/list-route.ts";
import type { Route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { alreadyDecided, type Decision, decisionRoutes, lapsed, requireOpen, toWireDecision } from "./second-person.ts";

/** Percents that wait for a second person, and their decisions. docs/product.md#percent-approvals */
export function percentApprovalRoutes(services: Services, write: CatalogueWriter): Route[] {
  const { database } = services;
  return [
    listRoute("/api/admin/percent-approvals", {
      summary: "Boosts and percents of categories that need a second person's approval, newest first",
      row: percentApprovalSchema,
      query: percentApprovalsQuerySchema,
      list: (query) => pageOf(listPercentApprovals(database.reader, query), toWireApproval),
    }),
    ...decisionRoutes({
      path: "/api/admin/percent-approvals",
      permission: "catalogue",
      what: "Percent",
      summaries: {
        approve: "Approves a percent that another admin set; it applies at once",
        refuse: "Refuses a percent that another admin set",
      },
      decide: (decision) => decide(services, write, decision),
    }),
  ];
}

const CHANGED = "The boost, the category or its percent has changed since: ask for it again";

async function decide(services: Services, write: CatalogueWriter, decision: Decision): Promise<void> {
  const { id, verb, actor, reason } = decision;
  const outcome = await write(decision, { action: `percent.${verb}`, detail: { reason } }, async (queries) => {
    const asked = requireOpen((await readPercentApprovals(queries, [id]))[0], actor, CHANGED);
    const { store, category, asked_by } = asked;
    const role = services.adminWallets.get(asked_by as `0x${string}`);
    const isAskerAdmin = role !== undefined && permissionsOf(role).includes("catalogue");
    const isApproved = verb === "approve";
    const result = await decidePercent(queries, asked, { isApproved, actor, reason, isAskerAdmin });
    if (result === undefined) throw alreadyDecided();
    const words = {
      store,
      ...(category === null ? {} : { category }),
      cashback_percent: percentText(asked.bps),
      asked_by,
      ...(result === "lapsed" ? { lapsed: true } : {}),
    };
    return { result, subject: `store:${asked.store_id}/percent_approval:${id}`, words };
  });
  if (outcome === "lapsed") throw lapsed(CHANGED);
}

function toWireChange(row: PercentApprovalRow): PercentApproval["change"] {
  const { groupCode, isDefault, deleted } = readChange(row);
  const change = {
    ...(groupCode === undefined ? {} : { group_code: groupCode }),
    ...(isDefault === undefined ? {} : { is_default: isDefault }),
    ...(deleted ? { is_deleted: true as const } : {}),
  };
  return Object.keys(change).length > 0 ? change : null;
}

function toWireApproval(row: PercentApprovalRow): PercentApproval {
  return {
    ...toWireDecision(row),
    kind: row.boost_id === null ? "category" : "boost",
    store_id: Number(row.store_id),
    store: row.store,
    boost_id: row.boost_id === null ? null : Number(row.boost_id),
    category: row.category,
    percent: percentText(row.bps),
    from_percent: row.from_bps === null ? null : percentText(row.from_bps),
    change: row.category_id === null ? null : toWireChange(row),
    starts_at: isoTimeIfAny(row.starts_at),
    ends_at: isoTimeIfAny(row.ends_at),
  };
}
