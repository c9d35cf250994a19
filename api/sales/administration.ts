import type { Request } from "express";
import {
  assignSale,
  DecisionError,
  declineSale,
  matchClaim,
  refuseClaim,
  releaseSale,
  SaleChangedError,
} from "../../affiliates/decisions.ts";
import { listMargin, marginOf } from "../../affiliates/margin.ts";
import {
  type ClaimRow,
  findClaim,
  findRevision,
  findSale,
  listAllClaims,
  listRevisions,
  listSales,
  type SaleRow,
} from "../../affiliates/queries.ts";
import { decodeReport } from "../../affiliates/stored-report.ts";
import { appendAudit } from "../../database/audit-log.ts";
import type { Queries } from "../../database/transaction.ts";
import { doneSchema } from "../../domain/api/common.ts";
import {
  adminClaimSchema,
  assignRequestSchema,
  claimsQuerySchema,
  declineRequestSchema,
  marginQuerySchema,
  marginResponseSchema,
  matchRequestSchema,
  reasonRequestSchema,
  releaseRequestSchema,
  saleResponseSchema,
  saleSchema,
  salesQuerySchema,
} from "../../domain/api/sales.ts";
import { cashbackOfCentBps } from "../../domain/cashback.ts";
import type { Language } from "../../domain/languages.ts";
import { chzTextFromGwei, formatDecimal, reaisText } from "../../domain/money.ts";
import { readHolds } from "../../domain/sale/hold.ts";
import { sayHolds } from "../../domain/sale/hold-words.ts";
import { readSalePurchases } from "../../purchases/sale-purchases.ts";
import { shownRate } from "../../rates/shown-rate.ts";
import { inApprovedTransaction } from "../admin/payout-approval.ts";
import { isoTime, isoTimeIfAny, NO_STORE } from "../http/answers.ts";
import { conflict, notFound } from "../http/api-error.ts";
import { listRoute } from "../http/list-route.ts";
import { readId } from "../http/read-id.ts";
import { actorOf, type Identity, type Route, route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { toWireClaim } from "./visits.ts";

const WRITE_LIMIT = { perMinute: 120, by: "wallet" } as const;

/** Sales and claims in the panel, and decisions on them. docs/product.md#sales-calls. */
export function saleAdministrationRoutes(services: Services): Route[] {
  return [...saleRoutes(services), ...claimRoutes(services), marginRoute(services)];
}

function saleRoutes(services: Services): Route[] {
  const { kysely, reader } = services.database;
  const rules = services.saleRules;
  return [
    listRoute({
      path: "/api/admin/sales",
      summary: "Sales as the networks report them, newest first",
      row: saleSchema,
      query: salesQuerySchema,
      async list(query, request) {
        const { rows, ...page } = await listSales(reader, query);
        return { ...page, rows: rows.map((row) => toWireSale(row, languageOf(request))) };
      },
    }),
    route({
      method: "get",
      path: "/api/admin/sales/:id",
      access: "admin",
      summary: "One sale with its revisions and purchases",
      responses: { 200: saleResponseSchema },
      async handle({ params, request }) {
        const id = readId(params.id, "Sale");
        const sale = await findSale(kysely, id);
        if (!sale) throw notFound("Sale");
        const revision = await findRevision(kysely, id);
        const revisions = (await listRevisions(kysely, id)).map((row) => {
          const report = decodeReport(row.report);
          return {
            id: Number(row.id),
            source: row.source,
            status: report.status,
            payable: report.payable,
            amount: amountText(report.amountMicros),
            currency: report.currency,
            changed_at: isoTimeIfAny(row.changed_at),
            read_at: isoTime(row.read_at),
            applied: row.is_applied === 1n,
          };
        });
        const purchases = (await kysely.transaction().execute((queries) => readSalePurchases(queries, id))).map(
          (purchase) => ({
            id: Number(purchase.id),
            stage: purchase.stage,
            withdrawn: purchase.isWithdrawn,
            amount: reaisText(purchase.valueCents),
            cashback: reaisOf(purchase.centBps),
            owed_back: chzTextFromGwei(cashbackOfCentBps(purchase.returnedCentBps, purchase.weiPerCent ?? 0n)),
          }),
        );
        const body = {
          ...toWireSale(sale, languageOf(request)),
          unknown_groups: sale.unknown_groups,
          revision: revision === undefined ? null : Number(revision),
          revisions,
          purchases,
        };
        return { body: { success: true, sale: body }, headers: NO_STORE };
      },
    }),
    route({
      ...DECISION,
      access: "fresh_admin",
      path: "/api/admin/sales/:id/release",
      permission: "sales",
      summary: "Releases a held sale as last read",
      body: releaseRequestSchema,
      handle: decided(
        services,
        { action: "sale.release", message: "Sale released", pays: (id) => id },
        (queries, id, { revision }, actor) => releaseSale(queries, id, { rules, actor, revision }),
      ),
    }),
    route({
      ...DECISION,
      path: "/api/admin/sales/:id/decline",
      permission: "sales",
      summary: "Declines a sale permanently, whatever the network reports later",
      body: declineRequestSchema,
      handle: decided(
        services,
        { action: "sale.decline", message: "Sale declined" },
        (queries, id, { reason, revision }, actor) => declineSale(queries, id, reason, { rules, actor, revision }),
      ),
    }),
    route({
      ...DECISION,
      access: "fresh_admin",
      path: "/api/admin/sales/:id/assign",
      permission: "sales",
      summary: "Assigns a click to a sale that has none",
      body: assignRequestSchema,
      handle: decided(
        services,
        { action: "sale.assign", message: "Sale assigned", pays: (id) => id },
        (queries, id, body) => assignSale(queries, id, body.click_id, { rules, revision: body.revision }),
      ),
    }),
  ];
}

function claimRoutes(services: Services): Route[] {
  const { reader } = services.database;
  return [
    listRoute({
      path: "/api/admin/claims",
      summary: "Claims for missing cashback, newest first",
      row: adminClaimSchema,
      query: claimsQuerySchema,
      async list(query) {
        const { rows, ...page } = await listAllClaims(reader, query);
        return { ...page, rows: rows.map(toWireAdminClaim) };
      },
    }),
    route({
      ...DECISION,
      access: "fresh_admin",
      path: "/api/admin/claims/:id/match",
      permission: "claims",
      summary: "Matches a claim to a sale, which then belongs to the claim's buyer",
      body: matchRequestSchema,
      handle: decided(
        services,
        { action: "claim.match", message: "Claim matched", pays: (_, body) => body.sale_id },
        (queries, id, body, actor) => matchClaim(queries, id, body.sale_id, { rules: services.saleRules, actor }),
      ),
    }),
    route({
      ...DECISION,
      path: "/api/admin/claims/:id/refuse",
      permission: "claims",
      summary: "Rejects a claim with a reason shown to its buyer",
      body: reasonRequestSchema,
      handle: decided(services, { action: "claim.refuse", message: "Claim refused" }, (queries, id, body, actor) =>
        refuseClaim(queries, id, body.reason, actor),
      ),
    }),
  ];
}

function toWireAdminClaim(row: ClaimRow) {
  return {
    ...toWireClaim(row),
    wallet: row.wallet,
    sale_id: row.sale_id === null ? null : Number(row.sale_id),
    decided_by: row.decided_by,
  };
}

const DECISION = {
  method: "post",
  access: "admin",
  limit: WRITE_LIMIT,
  failures: { 409: "The decision does not fit the state" },
  responses: { 200: doneSchema },
} as const;

const NO_CASHBACK = { wallet: null, cashback_cent_bps: 0n };

/** The fields that the request of any decision may have. */
type Decidable = { reason?: string | null | undefined; revision?: bigint | undefined; sale_id?: bigint | undefined };

/** `pays`: the sale that becomes payable through the decision. */
type Decision<Body> =
  | { action: "sale.decline" | "claim.refuse"; message: string; pays?: undefined }
  | { action: "sale.release" | "sale.assign" | "claim.match"; message: string; pays(id: bigint, body: Body): bigint };

type Decide<Body> = (queries: Queries, id: bigint, body: Body, actor: string) => Promise<object | true | undefined>;

/** A decision on the sale or claim in the path, in one transaction with its audit entry. */
function decided<Body extends Decidable>(services: Services, decision: Decision<Body>, decide: Decide<Body>) {
  const { action, message } = decision;
  const isSale = action.startsWith("sale.");
  return async (call: { body: Body; params: { id: string }; identity: Identity }) => {
    const id = readId(call.params.id, isSale ? "Sale" : "Claim");
    const actor = actorOf(call.identity);
    try {
      await inApprovedTransaction(services, call.identity, async (queries, approve) => {
        const saleId = decision.pays?.(id, call.body);
        const before = saleId === undefined ? undefined : await findSale(queries, saleId);
        const outcome = await decide(queries, id, call.body, actor);
        if (outcome === undefined) throw notFound(isSale ? "Sale" : "Claim");
        // Matching a claim to its buyer's own sale moves no money.
        if (decision.pays && saleId !== undefined && (isSale || before?.wallet == null)) {
          const { wallet, cashback_cent_bps: centBps } = (await findSale(queries, saleId)) ?? NO_CASHBACK;
          await approve({
            action: decision.action,
            subject: `${isSale ? "sale" : "claim"}:${id}`,
            wallet,
            centBps,
            amountGwei: cashbackOfCentBps(centBps, shownRate(services.rates, services.environment.WEI_PER_CENT)),
            reason: call.body.reason || null,
          });
        }
        const about = isSale ? await describeSale(queries, id) : await describeClaim(queries, id);
        const detail = { ...call.body, ...(outcome === true ? {} : outcome), ...about };
        const subject = `${isSale ? "sale" : "claim"}:${id}`;
        await appendAudit(queries, { actor, action, subject, detail });
      });
    } catch (error) {
      if (error instanceof DecisionError) throw conflict(error.message, "DECISION_REFUSED", { why: error.why });
      if (error instanceof SaleChangedError) throw conflict(error.message, "SALE_CHANGED");
      throw error;
    }
    services.log.info({ action, [isSale ? "sale" : "claim"]: Number(id) }, "Decided by an admin");
    services.senders.wake();
    return { body: { success: true as const, message } };
  };
}

/** Parameters of the log sentence. */
async function describeSale(queries: Queries, id: bigint) {
  const sale = await findSale(queries, id);
  if (!sale) return {};
  const { network, account, order_ref, wallet, currency } = sale;
  return { network, account, order_ref, wallet, amount: amountText(sale.amount_micros), currency };
}

async function describeClaim(queries: Queries, id: bigint) {
  const claim = await findClaim(queries, id);
  if (!claim) return {};
  return {
    order_ref: claim.order_ref,
    wallet: claim.wallet,
    store: claim.store_name,
    amount: reaisText(claim.amount_cents),
  };
}

function marginRoute(services: Services): Route {
  return route({
    method: "get",
    path: "/api/admin/margin",
    access: "admin",
    summary: "Commission against cashback, by network, store and month of the sale",
    query: marginQuerySchema,
    responses: { 200: marginResponseSchema },
    async handle({ query }) {
      const to = query.to ?? new Date().toISOString().slice(0, 7);
      const from = query.from ?? monthsBefore(to, 11);
      const rows = await listMargin(services.database.reader, from, to);
      const wire = rows.map((row) => ({
        network: row.network,
        account: row.account,
        store_id: row.store_id === 0n ? null : Number(row.store_id),
        store: row.store_name,
        month: row.month,
        ...toWireMargin(row),
      }));
      return { body: { success: true, from, to, rows: wire, totals: toWireMargin(marginOf(rows)) }, headers: NO_STORE };
    },
  });
}

function monthsBefore(month: string, count: number): string {
  const [year = "0", ordinal = "1"] = month.split("-");
  return new Date(Date.UTC(Number(year), Number(ordinal) - 1 - count, 1)).toISOString().slice(0, 7);
}

function toWireMargin(figures: ReturnType<typeof marginOf>) {
  const promisedCents = figures.promised_cent_bps / 10_000n;
  return {
    sales: Number(figures.sales),
    amount: reaisText(figures.amount_cents),
    commission_pending: reaisText(figures.commission_pending_cents),
    commission_earned: reaisText(figures.commission_cents),
    cashback_promised: reaisText(promisedCents),
    cashback_paid: reaisText(figures.paid_cent_bps / 10_000n),
    margin: reaisText(figures.commission_pending_cents + figures.commission_cents - promisedCents),
  };
}

/** A decline reason given by a person or the network is not translated. */
function reasonOf(sale: SaleRow, language: Language): string | null {
  const holds =
    sale.reason === null || sale.status === "declined" ? [] : readHolds(sale.hold_reasons, sale.hold_figures);
  return holds.length > 0 && sale.declined_by === null ? sayHolds(holds, language) : sale.reason;
}

const languageOf = (request: Request): Language => (request.acceptsLanguages("en", "pt") === "pt" ? "pt" : "en");

function toWireSale(sale: SaleRow, language: Language) {
  return {
    id: Number(sale.id),
    network: sale.network,
    account: sale.account,
    sale_key: sale.sale_key,
    order_ref: sale.order_ref,
    state: sale.state,
    status: sale.status,
    payable: sale.status === "approved" && sale.payable === 1n,
    reason: reasonOf(sale, language),
    store_id: sale.store_id === null ? null : Number(sale.store_id),
    wallet: sale.wallet,
    click_id: sale.click_token,
    amount: amountText(sale.amount_micros),
    currency: sale.currency,
    amount_brl: sale.amount_cents === null ? null : reaisText(sale.amount_cents),
    commission: sale.commission_cents === null ? null : reaisText(sale.commission_cents),
    cashback: reaisOf(sale.cashback_cent_bps),
    occurred_at: isoTimeIfAny(sale.occurred_at),
    changed_at: isoTimeIfAny(sale.changed_at),
    released_by: sale.released_by,
  };
}

const amountText = (micros: bigint) => formatDecimal(micros, 6, 2);
/** Exact: cents × basis points have six places. */
const reaisOf = (centBps: bigint) => formatDecimal(centBps, 6, 2);
