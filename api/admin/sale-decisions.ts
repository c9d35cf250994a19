import { appendAudit, inAuditedTransaction } from "../../core/database/audit-log.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { doneSchema } from "../../core/rules/api/common.ts";
import { formatDecimal, reaisText } from "../../core/rules/money.ts";
import { DecisionError, SaleChangedError } from "../../core/sales/decisions.ts";
import { findClaim, findSale } from "../../core/sales/queries.ts";
import { conflict, notFound } from "../http/api-error.ts";
import { actorOf, type Identity, readId } from "../http/route.ts";
import type { Services } from "../services.ts";

/** What every decision on a sale or a claim has in common. */
export const DECISION = {
  access: "admin",
  failures: { 409: "The decision does not fit the state" },
  responses: { 200: doneSchema },
} as const;

/** The fields that the request of any decision may have. */
type Decidable = { reason?: string | null | undefined; revision?: bigint | undefined; sale_id?: bigint | undefined };

type Decision = {
  action: "sale.decline" | "claim.refuse" | "sale.release" | "sale.assign" | "claim.match";
  message: string;
};

/** The wallet that it is about, and what a person typed. */
type About = { wallet?: string | null; order_ref?: string | null } & Record<string, unknown>;

type Decide<Body> = (queries: Queries, id: bigint, body: Body, actor: string) => Promise<object | true | undefined>;

/** A decision on the sale or claim in the path, in one transaction with its audit entry. */
export function decided<Body extends Decidable>(services: Services, decision: Decision, decide: Decide<Body>) {
  const { action, message } = decision;
  const isSale = action.startsWith("sale.");
  return async (call: { body: Body; params: { id: string }; identity: Identity }) => {
    const id = readId(call.params.id, isSale ? "Sale" : "Claim");
    const actor = actorOf(call.identity);
    try {
      await inAuditedTransaction(services.database.kysely, actor, async (queries) => {
        const outcome = await decide(queries, id, call.body, actor);
        if (outcome === undefined) throw notFound(isSale ? "Sale" : "Claim");
        const { order_ref, ...about } = isSale ? await describeSale(queries, id) : await describeClaim(queries, id);
        const { reason, ...facts } = call.body;
        const detail = { ...facts, ...(outcome === true ? {} : outcome), ...about };
        const subject = `${isSale ? "sale" : "claim"}:${id}`;
        const note = { about: about.wallet, words: { reason, order_ref } };
        await appendAudit(queries, { actor, action, subject, detail, note });
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

async function describeSale(queries: Queries, id: bigint): Promise<About> {
  const sale = await findSale(queries, id);
  if (!sale) return {};
  const { network, account, order_ref, wallet, currency } = sale;
  return { network, account, order_ref, wallet, amount: amountText(sale.amount_micros), currency };
}

async function describeClaim(queries: Queries, id: bigint): Promise<About> {
  const claim = await findClaim(queries, id);
  if (!claim) return {};
  return {
    order_ref: claim.order_ref,
    wallet: claim.wallet,
    store: claim.store_name,
    amount: reaisText(claim.amount_cents),
  };
}

export const amountText = (micros: bigint) => formatDecimal(micros, 6, 2);
