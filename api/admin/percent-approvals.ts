import {
  decidePercent,
  listPercentApprovals,
  type PercentApprovalRow,
  readChange,
  readPercentApprovals,
  takeUp,
} from "../../core/catalogue/percent-approvals.ts";
import {
  type PercentApproval,
  percentApprovalSchema,
  percentApprovalsQuerySchema,
} from "../../core/rules/api/boosts.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { percentText } from "../../core/rules/money.ts";
import { NETWORK_ACTOR } from "../../core/rules/proposals.ts";
import { permissionsOf } from "../../core/rules/roles.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import type { CatalogueCache } from "../catalogue/catalogue-cache.ts";
import { refuseWrite } from "../catalogue/catalogue-writer.ts";
import { listRoute, pageOf } from "../http/list-route.ts";
import type { Route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { decisionRoutes, toWireDecision } from "./second-person.ts";

/** Percents that wait for a second person, and their decisions. docs/product.md#percent-approvals */
export function percentApprovalRoutes(services: Services, cache: CatalogueCache): Route[] {
  const { database } = services;
  return [
    listRoute("/api/admin/percent-approvals", {
      summary: "Boosts and percents of categories that need a second person's approval, newest first",
      row: percentApprovalSchema,
      query: percentApprovalsQuerySchema,
      list: (query) => pageOf(listPercentApprovals(database.reader, query), toWireApproval),
    }),
    ...decisionRoutes(services, {
      path: "/api/admin/percent-approvals",
      permission: "catalogue",
      what: "Percent",
      action: "percent",
      verbs: {
        approve: "Approves a percent that another admin set; it applies at once",
        refuse: "Refuses a percent that another admin set",
      },
      whyLapsed: "The boost, the category or its percent has changed since: ask for it again",
      find: async (queries, id) => (await readPercentApprovals(queries, [id]))[0],
      requireOther() {},
      async decide(queries, asked, { verb, actor, reason }) {
        const isOfNetwork = asked.asked_by === NETWORK_ACTOR;
        const aboveBps = BigInt(services.environment.BOOST_APPROVAL_ABOVE_PERCENT) * 100n;
        if (verb === "approve" && isOfNetwork && asked.bps > aboveBps)
          return (await takeUp(queries, asked, actor)) ? "done" : undefined;
        const role = services.adminWallets.get(asked.asked_by as WalletAddress);
        const isAskerAdmin = isOfNetwork || (role !== undefined && permissionsOf(role).includes("catalogue"));
        const decision = { isApproved: verb === "approve", actor, reason, isAskerAdmin };
        return decidePercent(queries, asked, decision).catch(refuseWrite);
      },
      personOf: () => null,
      logged: ({ id, store_id, store, category, bps }) => ({
        subject: `store:${store_id}/percent_approval:${id}`,
        words: { store, ...(category === null ? {} : { category }), cashback_percent: percentText(bps) },
      }),
      afterwards: () => cache.drop(),
    }),
  ];
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
    starts_at: isoTime(row.starts_at),
    ends_at: isoTime(row.ends_at),
  };
}
