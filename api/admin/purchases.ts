import { appendAudit, inAuditedTransaction } from "../../core/database/audit-log.ts";
import { indexedBlock } from "../../core/database/chain-cursor.ts";
import { readClock } from "../../core/database/clock.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { isBeyondDay } from "../../core/purchases/approvals.ts";
import { type StepNow, stepNow } from "../../core/purchases/next-step.ts";
import { listPayouts, type PayoutRow } from "../../core/purchases/payout-list.ts";
import { listPanelPurchases } from "../../core/purchases/purchase-list.ts";
import { findPurchase } from "../../core/purchases/queries.ts";
import { holdPurchase, releasePurchase } from "../../core/purchases/staff.ts";
import { tracePurchase } from "../../core/purchases/trace.ts";
import { detailIn, type PurchaseView, purchaseViewOf, situationIn } from "../../core/purchases/view.ts";
import { type Circumstances, type PanelPurchase, readPanelPurchases, waitingOf } from "../../core/purchases/waiting.ts";
import { shownRate } from "../../core/rates/rate-source.ts";
import {
  type AdminPurchase,
  adminPurchaseResponseSchema,
  adminPurchaseSchema,
  type Payment,
  paymentSchema,
  paymentsQuerySchema,
  purchaseQuerySchema,
  purchasesQuerySchema,
} from "../../core/rules/api/admin-purchases.ts";
import { approvalNeededSchema, doneSchema, noBodyOrReasonSchema } from "../../core/rules/api/common.ts";
import type { Preview } from "../../core/rules/api/sales.ts";
import { cashbackOf, cashbackOfCentBps } from "../../core/rules/cashback.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { chzTextFromGwei, formatDecimal, percentText, reaisText } from "../../core/rules/money.ts";
import { lifeOf } from "../../core/rules/purchase/life.ts";
import { shownStatus } from "../../core/rules/purchase/situation.ts";
import { idsOf } from "../../core/rules/records.ts";
import { OwnSaleError } from "../../core/rules/sale/own-sale-error.ts";
import { toOperationRecord } from "../../core/sender/queue.ts";
import { conflict, notFound } from "../http/api-error.ts";
import { listRoute, pageOf } from "../http/list-route.ts";
import { actorOf, type Identity, isAllowed, type Route, readId, route } from "../http/route.ts";
import { deepestBlock, type Services } from "../services.ts";
import { previewOf } from "./previews.ts";

/** Every purchase and payout, with its history and what it waits for. docs/product.md#panel-purchase */
export function purchaseAdministrationRoutes(services: Services): Route[] {
  const { reader, kysely } = services.database;
  return [
    listRoute("/api/admin/purchases", {
      summary: "Purchases with state and what each waits for, newest first",
      row: adminPurchaseSchema,
      query: purchasesQuerySchema,
      async list(query) {
        const { rows, ...page } = await listPanelPurchases(reader, query);
        return { ...page, rows: await toWirePurchases(services, rows) };
      },
    }),
    route.get("/api/admin/purchases/:id", {
      access: "admin",
      cost: { thread: 3, node: 0, stored: 0, mail: 0 },
      times: ({ query }) => (query.decision === undefined ? 1 : 3),
      summary: "One purchase with its history, and what its release would also change",
      query: purchaseQuerySchema,
      responses: { 200: adminPurchaseResponseSchema },
      async handle({ params, query, identity }) {
        const id = readId(params.id, "Purchase");
        const [purchase] = await toWirePurchases(services, await readPanelPurchases(reader, [id]));
        const trace = await tracePurchase(kysely, id);
        if (!purchase || !trace) throw notFound("Purchase");
        const steps = trace.steps.map(({ atMs, source, kind, subject, txHash, amountGwei, text }) => ({
          at: isoTime(atMs),
          source,
          ...(kind === "invited"
            ? { kind: "registered" as const, subject: null, invited_as: subject ?? "" }
            : { kind, subject: subject ?? null }),
          tx_hash: txHash ?? null,
          amount: amountGwei === undefined ? null : chzTextFromGwei(amountGwei),
          text,
        }));
        const body = { ...purchase, steps, open: trace.openQuestions };
        if (query.decision === undefined || !isAllowed(identity, "payments"))
          return { body: { success: true, purchase: body } };
        const preview = await previewRelease(services, id, actorOf(identity));
        return { body: { success: true, preview, purchase: body } };
      },
    }),
    route.post("/api/admin/purchases/:id/hold", {
      ...DECISION,
      access: "admin",
      cost: { thread: 3, node: 0, stored: 900, mail: 0 },
      summary: "Holds a purchase: it is neither confirmed nor paid until it is released",
      failures: { 409: "It is held, paid or over already" },
      async handle({ params, body, identity }) {
        const id = readId(params.id, "Purchase");
        const decision = { identity, reason: body.reason || null, action: "purchase.hold" } as const;
        await decidePurchase(services, id, decision, async (queries) => {
          const outcome = await holdPurchase(queries, id, { actor: actorOf(identity), reason: decision.reason });
          if (outcome !== "held") throw NOT_HOLDABLE[outcome]();
          await stepNow(queries, id, await stepOptions(services, queries));
        });
        return { body: { success: true, message: "Purchase held" } };
      },
    }),
    route.post("/api/admin/purchases/:id/release", {
      ...DECISION,
      access: "fresh_admin",
      cost: { thread: 4, node: 0, stored: 1200, mail: 0 },
      summary: "Releases a purchase that is held, or whose payout a second person refused",
      failures: { 409: "It is neither" },
      responses: { 200: doneSchema, 202: approvalNeededSchema },
      async handle({ params, body, identity }) {
        const id = readId(params.id, "Purchase");
        const decision = { identity, reason: body.reason || null, action: "purchase.release" } as const;
        let approvalId: bigint | undefined;
        await decidePurchase(services, id, decision, async (queries) => {
          approvalId = await release(services, queries, id, actorOf(identity));
        });
        if (approvalId === undefined) return { status: 200, body: { success: true, message: "Purchase released" } };
        const message = "Purchase released: its payout waits for a second person";
        return { status: 202, body: { success: true, message, approval_id: Number(approvalId) } };
      },
    }),
    listRoute("/api/admin/payments", {
      summary: "Queued payouts, newest first, with the reason if waiting or failed",
      row: paymentSchema,
      query: paymentsQuerySchema,
      list: (query) => pageOf(listPayouts(reader, query), toWirePayment),
    }),
  ];
}

/** With what a purchase's step is made now, not in the sender's next round. */
export async function stepOptions(services: Services, queries: Queries): Promise<StepNow> {
  const rate = services.rates.current();
  const moment = {
    now: BigInt(await readClock(queries)),
    deepestBlock: deepestBlock(services, await indexedBlock(queries)),
    hasRate: rate.kind === "rate",
    isLive: services.saleRules.isLive,
  };
  const weiPerCent = rate.kind === "rate" ? rate.weiPerCent : 0n;
  const { approvals, saleRules: rules } = services;
  return { moment, weiPerCent, stepDelayMs: 0n, approvals, rules };
}

/** Returns the request that its payout waits for, if it takes two people. */
async function release(services: Services, queries: Queries, id: bigint, actor: string): Promise<bigint | undefined> {
  if (!(await releasePurchase(queries, id, actor)))
    throw conflict("This purchase is neither held nor was its payout refused", "NOT_HELD");
  return stepNow(queries, id, await stepOptions(services, queries));
}

/** What a release would also change, of others of its sale too. docs/product.md#decision-preview */
async function previewRelease(services: Services, id: bigint, actor: string): Promise<Preview> {
  const purchases: number[] = [];
  let isForTwo = false;
  const preview = await previewOf(services, actor, async (queries) => {
    requireOther(await findPurchase(queries, id), actor);
    const approvalId = await release(services, queries, id, actor);
    const released = await listWithSale(queries, id);
    purchases.push(...idsOf(released.filter((one) => one.id !== id)).map(Number));
    const rate = shownRate(services.rates, services.environment.WEI_PER_CENT);
    // What is queued at once is judged already.
    const later = released.filter(({ decided_day }) => decided_day === null);
    const gwei = later.reduce((sum, one) => sum + cashbackOf(one, rate), 0n);
    isForTwo = approvalId !== undefined || (gwei > 0n && (await isBeyondDay(queries, actor, gwei, services.approvals)));
  });
  return { ...preview, second_person: preview.second_person || isForTwo, purchases };
}

const DECISION = {
  permission: "payments",
  body: noBodyOrReasonSchema,
  responses: { 200: doneSchema },
} as const;

const NOT_HOLDABLE = {
  "held before": () => conflict("This purchase is already held", "HELD"),
  paid: () => conflict("The payout of this purchase was already sent: it can no longer be held", "PAID"),
  over: () => conflict("Nothing is left to do for this purchase", "OVER"),
};

/** Runs a decision and writes its audit entry, which names the subject. */
async function decidePurchase(
  services: Services,
  id: bigint,
  { identity, reason, action }: { identity: Identity; reason: string | null; action: `purchase.${string}` },
  decide: (queries: Queries) => Promise<void>,
): Promise<void> {
  const reais = await inAuditedTransaction(services.database.kysely, actorOf(identity), async (queries) => {
    const purchase = await findPurchase(queries, id);
    if (!purchase) throw notFound("Purchase");
    requireOther(purchase, actorOf(identity));
    await decide(queries);
    const { wallet, store_name: store } = purchase;
    const amount = reaisText(purchase.amount_cents);
    const entry = { actor: actorOf(identity), action, subject: `purchase:${id}`, detail: { wallet, store, amount } };
    await appendAudit(queries, { ...entry, note: { about: wallet, words: { reason } } });
    return amount;
  });
  services.log.info({ action, purchase: Number(id), reais }, "Decided by an admin");
  services.senders.wake();
}

/** Nobody decides about a purchase of their own wallet. @throws OwnSaleError */
function requireOther(purchase: { wallet: string } | undefined, actor: string): void {
  if (purchase?.wallet === actor)
    throw new OwnSaleError("Somebody else must decide: this is a purchase of your own wallet");
}

async function toWirePurchases(services: Services, rows: readonly PanelPurchase[]): Promise<AdminPurchase[]> {
  const [cursor, pauseReason] = await Promise.all([indexedBlock(services.database.reader), services.payouts.reason()]);
  const circumstances = {
    arePayoutsPaused: pauseReason !== undefined,
    hasRate: services.rates.current().kind === "rate",
    isLive: services.saleRules.isLive,
    deepestBlock: deepestBlock(services, cursor),
    nowMs: BigInt(Date.now()),
  };
  const view = purchaseViewOf(services, cursor);
  return rows.map((row) => toWirePurchase(row, view, circumstances));
}

function toWirePurchase(row: PanelPurchase, view: PurchaseView, circumstances: Circumstances): AdminPurchase {
  const waiting = waitingOf(row, circumstances);
  const life = lifeOf(row);
  return {
    id: Number(row.id),
    wallet: row.wallet,
    store_id: Number(row.store_id),
    store: row.store_name,
    source: row.source,
    sale_id: row.sale_id === null ? null : Number(row.sale_id),
    order_ref: row.order_ref,
    state: row.state,
    status: shownStatus(life.status, life),
    cashback_state: row.payout_state ?? "unpaid",
    situation: situationIn(row, view),
    situation_detail: detailIn(situationIn(row, view), row),
    waits_for: waiting?.wait ?? null,
    waits_detail: waiting?.detail ?? null,
    wait_reason: waiting?.reason ?? null,
    wait_limit: waiting?.limit ?? null,
    wait_text: waiting?.text ?? null,
    expected_at: isoTime(waiting?.expectedMs ?? null),
    amount: reaisText(row.amount_cents),
    cashback_percent: percentText(row.cashback_bps),
    bonus_percent: percentText(row.bonus_bps),
    total_percent: percentText(row.cashback_bps + row.bonus_bps),
    token_slug: row.token_slug,
    // Exact: cents × basis points have six places.
    cashback_brl: formatDecimal(row.cashback_cent_bps, 6, 2),
    cashback: chzTextFromGwei(cashbackOfCentBps(row.cashback_cent_bps, row.wei_per_cent ?? view.rate)),
    is_rate_frozen: row.wei_per_cent !== null,
    kept: chzTextFromGwei(row.offset_gwei),
    paid: chzTextFromGwei(row.payout_state === "paid" ? (row.paid_gwei ?? 0n) : 0n),
    held_by: row.held_by,
    held_at: isoTime(row.held_at),
    held_reason: row.held_reason,
    mint_tx: row.mint_transaction,
    status_tx: row.status_transaction,
    payment_tx: row.payout_transaction,
    created_at: isoTime(row.created_at),
    minted_at: isoTime(row.minted_at),
    confirmed_at: row.chain_status === 2n ? isoTime(row.status_at) : null,
    payable_at: isoTime(row.payable_at),
    paid_at: isoTime(row.paid_at),
  };
}

function toWirePayment(row: PayoutRow): Payment {
  const { kind: _, subject_id: purchase_id, ...operation } = toOperationRecord(row);
  return {
    ...operation,
    purchase_id,
    wallet: row.wallet,
    store: row.store_name,
    amount: chzTextFromGwei(row.amount_gwei ?? 0n),
    created_at: isoTime(row.created_at),
    tx_hash: row.mined_hash ?? row.last_hash,
  };
}

/** What a hold or a release of a purchase is about: itself and the others of its sale, as far as they are not settled. */
async function listWithSale(queries: Queries, id: bigint) {
  return queries
    .selectFrom("purchases")
    .select(["id", "cashback_cent_bps", "wei_per_cent", "decided_day"])
    .where(({ or, eb, selectFrom }) =>
      or([
        eb("id", "=", id),
        eb("sale_id", "=", selectFrom("purchases as named").select("named.sale_id").where("named.id", "=", id)),
      ]),
    )
    .where("settled_at", "is", null)
    .where("reversed_at", "is", null)
    .orderBy("id")
    .execute();
}
