import type { Request } from "express";
import { readSalePurchases } from "../../core/purchases/queries.ts";
import { decodeReport, readHolds } from "../../core/purchases/sale-row.ts";
import {
  assignRequestSchema,
  declineRequestSchema,
  releaseRequestSchema,
  saleQuerySchema,
  saleResponseSchema,
  saleSchema,
  salesQuerySchema,
} from "../../core/rules/api/sales.ts";
import { cashbackOfCentBps } from "../../core/rules/cashback.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { chzTextFromGwei, formatDecimal, reaisText } from "../../core/rules/money.ts";
import type { PurchaseFacts } from "../../core/rules/sale/facts.ts";
import { type Hold, type HoldLanguage, sayHolds } from "../../core/rules/sale/holds.ts";
import { assignSale, declineSale, holdsKeyOf, matchClaim, releaseSale } from "../../core/sales/decisions.ts";
import { findRevision, findSale, listRevisions, listSales, type SaleRow } from "../../core/sales/queries.ts";
import { notFound } from "../http/api-error.ts";
import { listRoute, pageOf } from "../http/list-route.ts";
import { actorOf, isAllowed, type Route, readId, route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { previewOf } from "./previews.ts";
import { amountText, DECISION, decided } from "./sale-decisions.ts";

/** Sales in the panel, and decisions on them. docs/product.md#sales-calls. */
export function saleAdministrationRoutes(services: Services): Route[] {
  const { saleRules: rules } = services;
  const { reader, kysely } = services.database;
  return [
    listRoute("/api/admin/sales", {
      summary: "Sales as the networks report them, newest first",
      row: saleSchema,
      query: salesQuerySchema,
      list: (query, request) => pageOf(listSales(reader, query), (row) => toWireSale(row, languageOf(request))),
    }),
    route.get("/api/admin/sales/:id", {
      access: "admin",
      cost: { thread: 3, node: 0, stored: 0, mail: 0 },
      times: ({ query }) => (query.decision === undefined ? 1 : 3),
      summary: "One sale with its revisions and purchases, and what a decision about it would change",
      query: saleQuerySchema,
      responses: { 200: saleResponseSchema },
      async handle({ params, query, identity, request }) {
        const id = readId(params.id, "Sale");
        const sale = await findSale(kysely, id);
        if (!sale) throw notFound("Sale");
        const revision = await findRevision(kysely, id);
        const revisions = await listRevisions(kysely, id);
        const purchases = await kysely.transaction().execute((queries) => readSalePurchases(queries, id));
        const body = {
          ...toWireSale(sale, languageOf(request)),
          unknown_groups: sale.unknown_groups,
          holds: sale.hold_reasons.split(" ").filter(Boolean),
          holds_key: holdsKeyOf(sale),
          revision: revision === undefined ? null : Number(revision),
          revisions: revisions.map(toWireRevision),
          purchases: purchases.map(toWireSalePurchase),
        };
        const { decision, click_id: token, claim_id: claimId } = query;
        if (decision === undefined || !isAllowed(identity, decision === "match" ? "claims" : "sales"))
          return { body: { success: true, sale: body } };
        const seen = { rules, actor: actorOf(identity), holds: body.holds };
        const preview = await previewOf(services, seen.actor, async (queries) => {
          if (decision === "release") return releaseSale(queries, id, seen);
          if (decision === "decline") return declineSale(queries, id, "", seen);
          if (decision === "match") {
            if (claimId === undefined || !(await matchClaim(queries, claimId, id, seen))) throw notFound("Claim");
            return;
          }
          return token && assignSale(queries, id, token, seen);
        });
        return { body: { success: true, preview, sale: body } };
      },
    }),
    route.post("/api/admin/sales/:id/release", {
      ...DECISION,
      access: "fresh_admin",
      permission: "sales",
      cost: { thread: 5, node: 0, stored: 2000, mail: 0 },
      summary: "Releases a held sale as last read",
      body: releaseRequestSchema,
      handle: decided(services, { action: "sale.release", message: "Sale released" }, (queries, id, body, actor) =>
        releaseSale(queries, id, { rules, actor, ...seenOf(body) }),
      ),
    }),
    route.post("/api/admin/sales/:id/decline", {
      ...DECISION,
      permission: "sales",
      cost: { thread: 5, node: 0, stored: 2000, mail: 0 },
      summary: "Declines a sale permanently, whatever the network reports later",
      body: declineRequestSchema,
      handle: decided(services, { action: "sale.decline", message: "Sale declined" }, (queries, id, body, actor) =>
        declineSale(queries, id, body.reason, { rules, actor, ...seenOf(body) }),
      ),
    }),
    route.post("/api/admin/sales/:id/assign", {
      ...DECISION,
      access: "fresh_admin",
      permission: "sales",
      cost: { thread: 5, node: 0, stored: 4000, mail: 0 },
      summary: "Assigns a click to a sale that has none",
      body: assignRequestSchema,
      handle: decided(services, { action: "sale.assign", message: "Sale assigned" }, (queries, id, body, actor) =>
        assignSale(queries, id, body.click_id, { rules, actor, ...seenOf(body) }),
      ),
    }),
  ];
}

function toWireRevision(row: Awaited<ReturnType<typeof listRevisions>>[number]) {
  const report = decodeReport(row.report);
  return {
    id: Number(row.id),
    source: row.source,
    status: report.status,
    payable: report.payable,
    amount: amountText(report.amountMicros),
    currency: report.currency,
    changed_at: isoTime(row.changed_at),
    read_at: isoTime(row.read_at),
    applied: row.is_applied === 1n,
  };
}

function toWireSalePurchase(purchase: PurchaseFacts) {
  return {
    id: Number(purchase.id),
    stage: purchase.stage,
    withdrawn: purchase.isWithdrawn,
    amount: reaisText(purchase.valueCents),
    cashback: reaisOf(purchase.centBps),
    owed_back: chzTextFromGwei(cashbackOfCentBps(purchase.returnedCentBps, purchase.weiPerCent ?? 0n)),
  };
}

/** None of a sale that was released, or that a person or the network declined. */
function heldFor(sale: SaleRow): Hold[] {
  const isHeld = sale.reason !== null && sale.status !== "declined" && sale.declined_by === null;
  return isHeld ? readHolds(sale.hold_reasons, sale.hold_figures) : [];
}

type SeenBody = { revision?: bigint | undefined; holds?: string[] | undefined; holds_key?: string | undefined };
const seenOf = ({ revision, holds, holds_key: holdsKey }: SeenBody) => ({ revision, holds, holdsKey });

const languageOf = (request: Request): HoldLanguage => (request.acceptsLanguages("en", "pt") === "pt" ? "pt" : "en");

function toWireSale(sale: SaleRow, language: HoldLanguage) {
  const holds = heldFor(sale);
  return {
    id: Number(sale.id),
    network: sale.network,
    account: sale.account,
    sale_key: sale.sale_key,
    order_ref: sale.order_ref,
    state: sale.state,
    status: sale.status,
    payable: sale.status === "approved" && sale.payable === 1n,
    // A decline reason given by a person or the network is not translated.
    reason: holds.length > 0 ? sayHolds(holds, language) : sale.reason,
    held_for: holds,
    store_id: sale.store_id === null ? null : Number(sale.store_id),
    wallet: sale.wallet,
    click_id: sale.click_token,
    amount: amountText(sale.amount_micros),
    currency: sale.currency,
    amount_brl: sale.amount_cents === null ? null : reaisText(sale.amount_cents),
    commission: sale.commission_cents === null ? null : reaisText(sale.commission_cents),
    cashback: reaisOf(sale.cashback_cent_bps),
    occurred_at: isoTime(sale.occurred_at),
    changed_at: isoTime(sale.changed_at),
    released_by: sale.released_by,
  };
}

/** Exact: cents × basis points have six places. */
const reaisOf = (centBps: bigint) => formatDecimal(centBps, 6, 2);
