import { createHash } from "node:crypto";
import { z } from "zod";
import { insertClick } from "../../affiliates/clicks.ts";
import { linkOf } from "../../affiliates/links.ts";
import { findFanTokenBySlug } from "../../catalogue/fan-tokens.ts";
import { findStore, hasCashback, hasLink, type StoreWithCategories } from "../../catalogue/stores.ts";
import { indexedBlock } from "../../database/chain-cursor.ts";
import { touchUser } from "../../database/touch-user.ts";
import { inTransaction, isUniqueViolation, type Queries } from "../../database/transaction.ts";
import { pageQuerySchema } from "../../domain/api/common.ts";
import {
  confirmPurchaseRequestSchema,
  confirmPurchaseResponseSchema,
  distributeCashbackRequestSchema,
  distributeCashbackResponseSchema,
  mintNftRequestSchema,
  mintNftResponseSchema,
  purchaseRecordSchema,
  registerPurchaseRequestSchema,
  registerPurchaseResponseSchema,
} from "../../domain/api/purchases.ts";
import { bonus } from "../../domain/bonus.ts";
import { cashbackRange } from "../../domain/cashback.ts";
import { chzTextFromGwei, percentText, reaisText } from "../../domain/money.ts";
import { purchaseStatusFromChain } from "../../domain/purchase/life.ts";
import { DEFAULT_CLAIM_DAYS, freezeTerms } from "../../domain/sale/terms.ts";
import type { WalletAddress } from "../../domain/wallet-address.ts";
import { outstandingDebt } from "../../purchases/adjustments.ts";
import { cashbackOf, enqueuePayments } from "../../purchases/planner.ts";
import {
  findPurchase,
  freezeRates,
  insertPurchase,
  listPayable,
  listPaymentsForLater,
  listPurchases,
  type Purchase,
  setMetadataUri,
} from "../../purchases/queries.ts";
import { enqueue, findOperation, findOperationHash, hasten, type Operation } from "../../sender/queue.ts";
import { ApiError, conflict, forbidden, invalid, notFound, unavailable } from "../http/api-error.ts";
import {
  actorOf,
  type Call,
  type Identity,
  isAllowed,
  type Reply,
  type Route,
  route,
  visitorOf,
} from "../http/route.ts";
import { currentRate, toPurchaseRecord } from "../people/profile.ts";
import type { Services } from "../services.ts";
import { findStoredAnswer, insertStoredAnswer } from "./idempotency-keys.ts";

const MAXIMUM_BPS = 10_000n;
const DAY_MS = 86_400_000n;
const PURCHASE_LIMIT = { perMinute: 120, by: "wallet" } as const;
const MONEY_LIMIT = { perMinute: 300, by: "wallet" } as const;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;

/** The life of a purchase: registered, minted, confirmed, paid. */
export function purchaseRoutes(services: Services): Route[] {
  const { database } = services;
  return [
    route({
      method: "post",
      path: "/api/register-purchase",
      access: "user",
      summary: "Registers a purchase and freezes its terms",
      limit: PURCHASE_LIMIT,
      body: registerPurchaseRequestSchema,
      failures: { 404: "No such store", 409: "The store has no cashback category or no link" },
      responses: { 200: registerPurchaseResponseSchema },
      async handle({ body, identity }) {
        const { wallet } = visitorOf(identity);
        if (body.user !== wallet) throw forbidden("user must be the signed-in wallet");
        return { body: await registerPurchase(services, wallet, body) };
      },
    }),
    route({
      method: "get",
      path: "/api/purchases",
      access: "user",
      summary: "The signed-in user's purchases, newest first",
      query: pageQuerySchema,
      responses: {
        200: z.object({
          success: z.literal(true),
          purchases: z.array(purchaseRecordSchema),
          /** The id to ask for the next page with; null on the last. */
          next_before: z.number().nullable(),
        }),
      },
      async handle({ identity, query }) {
        const rows = await listPurchases(database.kysely, visitorOf(identity).wallet, query);
        const view = await purchaseView(services);
        const last = rows.length === query.limit ? rows.at(-1) : undefined;
        return {
          body: {
            success: true,
            purchases: rows.map((row) => toPurchaseRecord(row, view)),
            next_before: last ? Number(last.id) : null,
          },
          headers: { "cache-control": "no-store" },
        };
      },
    }),
    route({
      method: "post",
      path: "/api/mint-nft",
      access: "user_or_staff",
      summary: "Mints the ticket of a purchase, once",
      limit: MONEY_LIMIT,
      body: mintNftRequestSchema,
      failures: { 404: "No such purchase", 409: "The purchase was returned" },
      responses: { 200: mintNftResponseSchema, 202: mintNftResponseSchema },
      async handle({ body, identity }) {
        const purchase = await findPurchase(database.kysely, body.purchase_id);
        if (!purchase || !maySee(identity, purchase)) throw notFound("Purchase");
        if (body.user !== purchase.wallet) throw forbidden("user is not the buyer of this purchase");
        if (purchase.chain_status !== null) return mintAnswer(purchase, purchase.mint_transaction);
        if (purchase.reversed_at !== null) throw conflict("This purchase was taken back by the store", "REVERSED");
        if (purchase.source === "live") await requireDueMint(database.kysely, purchase);
        const operation = await inTransaction(database.kysely, async (queries) => {
          if (body.metadata_uri !== "") {
            const known = await findOperation(queries, "mint", purchase.id);
            if (known === undefined || known.status === "queued")
              await setMetadataUri(queries, purchase.id, body.metadata_uri);
          }
          if (purchase.source === "simulated") {
            await enqueue(queries, [{ kind: "mint", subjectId: purchase.id }]);
            await hasten(queries, "mint", purchase.id);
          }
          return findOperation(queries, "mint", purchase.id);
        });
        services.sender.wake();
        return mintAnswer(purchase, operation ? await findOperationHash(database.kysely, operation) : null);
      },
    }),
    route({
      method: "post",
      path: "/api/confirm-purchase",
      access: "staff",
      permission: "payments",
      summary: "Moves a purchase from Pending to Confirmed, once",
      limit: MONEY_LIMIT,
      body: confirmPurchaseRequestSchema,
      failures: { 404: "No such purchase", 409: "The purchase is cancelled, or not minted yet" },
      responses: { 200: confirmPurchaseResponseSchema, 202: confirmPurchaseResponseSchema },
      async handle({ body, identity }) {
        const purchase = await findPurchase(database.kysely, body.purchase_id);
        if (!purchase) throw notFound("Purchase");
        if (actorOf(identity) === purchase.wallet) throw forbidden("Nobody confirms a purchase of their own");
        await confirmPurchase(services, purchase);
        services.sender.wake();
        const isDone = purchaseStatusFromChain(purchase.chain_status ?? undefined) === "confirmed";
        return {
          status: isDone ? 200 : 202,
          body: {
            success: true,
            message: isDone ? "Purchase confirmed" : "Confirmation queued",
            purchase_id: Number(purchase.id),
            status: isDone ? "confirmed" : "queued",
          },
        };
      },
    }),
    route({
      method: "post",
      path: "/api/distribute-cashback",
      access: "fresh_staff",
      permission: "payments",
      summary: "Pays a user the cashback of their confirmed, unpaid purchases",
      limit: MONEY_LIMIT,
      body: distributeCashbackRequestSchema,
      headers: {
        "idempotency-key": { description: "1 to 128 printable characters; a repetition gets the same response" },
      },
      failures: {
        409: "Nothing is payable, or another amount is; `payable` says which",
        422: "The Idempotency-Key was used with another body",
      },
      responses: { 200: distributeCashbackResponseSchema, 202: distributeCashbackResponseSchema },
      handle: (call) => distributeCashback(services, call),
    }),
  ];
}

function maySee(identity: Identity, purchase: Purchase): boolean {
  if (identity.kind === "service") return true;
  return identity.kind === "user" && (isAllowed(identity, "payments") || identity.visitor.wallet === purchase.wallet);
}

async function purchaseView(services: Services) {
  const cursor = (await indexedBlock(services.database.kysely)) ?? 0n;
  return { rate: currentRate(services), shownUpTo: cursor - BigInt(services.environment.CONFIRMATIONS) + 1n };
}

type RegisterAnswer = z.output<typeof registerPurchaseResponseSchema>;
type MintResponses = { 200: typeof mintNftResponseSchema; 202: typeof mintNftResponseSchema };
type DistributeResponses = Record<200 | 202, typeof distributeCashbackResponseSchema>;
type PurchaseRequest = z.output<typeof registerPurchaseRequestSchema>;

async function registerPurchase(
  services: Services,
  wallet: WalletAddress,
  body: PurchaseRequest,
): Promise<RegisterAnswer> {
  const { database, environment } = services;
  if (!(await services.ids.isOpen(database.kysely))) {
    throw unavailable(
      "INDEX_BEHIND",
      "The index is not complete yet, so no purchase can get its number; try again soon",
    );
  }
  const store = await findStore(database.kysely, body.store_id);
  if (!store) throw new ApiError(404, "NOT_FOUND", "store_id: Store not found", { extra: { field: "store_id" } });
  const base = cashbackRange(store.categories.map((category) => category.cashbackBps));
  if (!base || !hasCashback(store)) {
    throw conflict(`Store ${store.id} has no cashback category; add one under Lojas before selling`, "NO_CASHBACK");
  }
  if (!hasLink(store)) {
    throw conflict(`Store ${store.id} has no affiliate link; add it under Lojas before selling`, "NO_LINK");
  }
  const terms = await readBonus(services, wallet, store, body.token_slug ?? null);
  const bonusBps = base.maxBps + terms.bonusBps > MAXIMUM_BPS ? MAXIMUM_BPS - base.maxBps : terms.bonusBps;
  const tokenSlug = body.token_slug ?? null;
  if (!environment.SIMULATED_PURCHASES) return registerClick(services, wallet, store, { ...terms, tokenSlug });
  const purchase = await inTransaction(database.kysely, async (queries) => {
    const inserted = await insertPurchase(queries, {
      wallet,
      storeId: store.id,
      storeName: store.name,
      amountCents: body.amount,
      cashbackBps: base.maxBps,
      bonusBps,
      tokenSlug,
      holdingsBlock: terms.block,
      source: "simulated",
    });
    const afterMs = BigInt(environment.SIMULATED_STEP_DELAY_MS);
    await enqueue(queries, [{ kind: "mint", subjectId: inserted.id, afterMs }]);
    await touchUser(queries, wallet);
    return inserted;
  });
  return {
    success: true,
    message: "Purchase registered",
    purchase: {
      id: Number(purchase.id),
      store_id: Number(store.id),
      amount: reaisText(body.amount),
      cashback_percent: percentText(base.maxBps),
      bonus_percent: percentText(bonusBps),
      token_slug: tokenSlug,
      status: "processing",
      created_at: new Date(Number(purchase.createdAt)).toISOString(),
      affiliate_url: linkOf(store, purchase.clickId, services.accounts),
    },
  };
}

/**
 * In live mode somebody sets out to a shop: what is bought there, and for how much, its network says. Nothing that a
 * buyer sends is ever paid. docs/product.md#sales-click.
 */
async function registerClick(
  services: Services,
  wallet: WalletAddress,
  store: StoreWithCategories,
  bonusTerms: { bonusBps: bigint; block: bigint | null; tokenSlug: string | null },
): Promise<RegisterAnswer> {
  const rates = store.categories.map((one) => ({
    groupCode: one.groupCode,
    bps: one.cashbackBps,
    isDefault: one.isDefault,
  }));
  const terms = freezeTerms(rates, bonusTerms.bonusBps);
  if (!terms) throw new Error("A store without a percent was offered");
  if (linkOf(store, "click", services.accounts) === null) {
    throw conflict(`Store ${store.id} has no link: no network could report what is bought there`, "NO_LINK");
  }
  const windowDays = store.claim_days ?? DEFAULT_CLAIM_DAYS;
  const click = await insertClick(services.database.kysely, {
    wallet,
    storeId: store.id,
    storeName: store.name,
    tokenSlug: bonusTerms.tokenSlug,
    holdingsBlock: bonusTerms.block,
    terms,
    windowMs: windowDays * DAY_MS,
  });
  return {
    success: true,
    message: "Visit registered",
    purchase: null,
    click: {
      id: click.token,
      store_id: Number(store.id),
      expires_at: new Date(Number(click.expires_at)).toISOString(),
      affiliate_url: linkOf(store, click.token, services.accounts),
    },
  };
}

/** The bonus by the buyer's current holding, read on the chain by the server. docs/product.md#bonus */
async function readBonus(
  services: Services,
  wallet: WalletAddress,
  store: StoreWithCategories,
  tokenSlug: string | null,
): Promise<{ bonusBps: bigint; block: bigint | null }> {
  if (tokenSlug === null) return { bonusBps: 0n, block: null };
  const token = await findFanTokenBySlug(services.database.kysely, tokenSlug);
  if (!token) throw invalid("token_slug is not the slug of a fan token", "token_slug");
  const holding = token.contract ? await services.balances.holdingAt(wallet, token.contract) : undefined;
  const { totalBps } = bonus(
    { token, club: store.club, holding: holding ?? { units: 0n, decimals: 0 } },
    services.environment.BONUS_PROGRAM,
  );
  return { bonusBps: totalBps, block: holding?.blockNumber ?? null };
}

/** A sale is minted when its delay is over, and not while it is held; nobody can hasten that. */
async function requireDueMint(queries: Queries, purchase: Purchase): Promise<void> {
  const operation = await findOperation(queries, "mint", purchase.id);
  if (!operation) {
    const reason = purchase.sale_id === null ? "No network has reported this purchase" : "This sale waits for a person";
    throw conflict(`${reason}: it cannot be minted now`, "NOT_DUE", { due_at: null });
  }
  if (operation.status !== "queued" || operation.not_before <= BigInt(Date.now())) return;
  const due_at = new Date(Number(operation.not_before)).toISOString();
  throw conflict(`This purchase is minted from ${due_at} on, by itself`, "NOT_DUE", { due_at });
}

function mintAnswer(purchase: Purchase, transactionHash: string | null): Reply<MintResponses> {
  const isMinted = purchase.chain_status !== null;
  return {
    status: isMinted ? 200 : 202,
    body: {
      success: true,
      message: isMinted ? "NFT minted" : "Mint queued",
      purchase_id: Number(purchase.id),
      token_id: purchase.id.toString(),
      status: isMinted ? purchaseStatusFromChain(purchase.chain_status ?? undefined) : "queued",
      tx_hash: transactionHash,
    },
  };
}

/** Freezes the rate and queues the confirmation; does nothing if the purchase is confirmed already. */
export async function confirmPurchase(services: Services, purchase: Purchase): Promise<void> {
  const status = purchaseStatusFromChain(purchase.chain_status ?? undefined);
  if (status === "confirmed") return;
  if (status === "cancelled" || purchase.reversed_at !== null) {
    throw conflict("This purchase is cancelled", "CANCELLED");
  }
  if (status === "processing") throw conflict("This purchase is not minted yet; mint it first", "NOT_MINTED");
  if (purchase.source === "live" && purchase.approved_at === null) {
    throw conflict("The store's network has not approved this sale", "NOT_APPROVED");
  }
  const weiPerCent = requireRate(services);
  const holdMs = purchase.source === "simulated" ? 0n : BigInt(services.environment.HOLD_SECONDS) * 1_000n;
  await inTransaction(services.database.kysely, async (queries) => {
    await freezeRates(queries, [purchase.id], { weiPerCent, holdMs });
    await enqueue(queries, [{ kind: "confirm", subjectId: purchase.id }]);
    await hasten(queries, "confirm", purchase.id);
  });
}

/** @throws ApiError 503 if there is no rate. */
function requireRate({ rates }: Services): bigint {
  const rate = rates.current();
  if (rate.kind === "rate") return rate.weiPerCent;
  throw unavailable("RATE_UNAVAILABLE", `There is no exchange rate now: ${rate.reason}`);
}

type DistributeCall = Call<z.output<typeof distributeCashbackRequestSchema>>;

async function distributeCashback(services: Services, call: DistributeCall): Promise<Reply<DistributeResponses>> {
  const actor = actorOf(call.identity);
  const key = call.request.get("idempotency-key");
  if (key !== undefined && !IDEMPOTENCY_KEY.test(key)) {
    throw invalid("Idempotency-Key must be 1 to 128 printable characters", "Idempotency-Key");
  }
  const requestHash = createHash("sha256")
    .update(JSON.stringify([call.body.user, call.body.amount.toString()]))
    .digest("hex");
  const repeat = key && (await repeatedAnswer(services, actor, key, requestHash));
  if (repeat) return repeat;
  const paused = await services.payouts.reason();
  if (paused) throw unavailable("PAYOUTS_PAUSED", `Payouts are paused: ${paused}`);
  try {
    const answer = await payUser(services, call, { actor, key, requestHash });
    services.sender.wake();
    return { status: 202, body: answer };
  } catch (error) {
    // The same key arrived twice at once: respond like the other request, not that nothing is payable.
    const isRace = error instanceof ApiError || isUniqueViolation(error);
    const other = key && isRace && (await repeatedAnswer(services, actor, key, requestHash));
    if (other) return other;
    throw error;
  }
}

async function repeatedAnswer(
  services: Services,
  actor: string,
  key: string,
  requestHash: string,
): Promise<Reply<DistributeResponses> | undefined> {
  const known = await findStoredAnswer(services.database.kysely, actor, key);
  if (!known) return undefined;
  if (known.requestHash !== requestHash) {
    throw new ApiError(422, "IDEMPOTENCY_KEY_REUSED", "This Idempotency-Key was used with another body");
  }
  return {
    status: known.status === 200 ? 200 : 202,
    body: await refreshPayments(services, JSON.parse(known.response)),
  };
}

type DistributeAnswer = z.output<typeof distributeCashbackResponseSchema>;

/** A repeat returns the current state. */
async function refreshPayments(services: Services, answer: DistributeAnswer): Promise<DistributeAnswer> {
  const { kysely } = services.database;
  const payments = await Promise.all(
    answer.payments.map(async (payment) => {
      const purchase = await findPurchase(kysely, BigInt(payment.purchase_id));
      if (purchase?.payout_state) {
        return { ...payment, status: purchase.payout_state, tx_hash: purchase.payment_transaction };
      }
      const operation: Operation | undefined = await findOperation(kysely, "pay", BigInt(payment.purchase_id));
      return { ...payment, tx_hash: operation ? await findOperationHash(kysely, operation) : null };
    }),
  );
  return { ...answer, payments };
}

async function payUser(
  services: Services,
  { body }: DistributeCall,
  { actor, key, requestHash }: { actor: string; key: string | undefined; requestHash: string },
): Promise<DistributeAnswer> {
  return inTransaction(services.database.kysely, async (queries) => {
    // Locks the user's row, so that two settlements of one wallet run one after the other.
    await touchUser(queries, body.user);
    const cursor = (await indexedBlock(queries)) ?? 0n;
    const deepestBlock = cursor - BigInt(services.environment.PAYOUT_CONFIRMATIONS) + 1n;
    const purchases = await listPayable(queries, body.user, deepestBlock);
    // Confirmed outside this system, they have no frozen rate yet.
    const isRateNeeded = purchases.some((purchase) => purchase.wei_per_cent === null);
    const rate = isRateNeeded ? requireRate(services) : 0n;
    const gross = purchases.reduce((sum, purchase) => sum + cashbackOf(purchase, rate), 0n);
    const debt = await outstandingDebt(queries, body.user);
    // In simulated mode payments are planned with a delay: whoever asks for them gets them now.
    const forLater = await listPaymentsForLater(queries, body.user);
    const payable = forLater.reduce((sum, payment) => sum + payment.amountGwei, gross > debt ? gross - debt : 0n);
    if (payable === 0n) throw conflict("Nothing is payable to this wallet now", "NOTHING_PAYABLE", { payable: "0" });
    if (payable !== body.amount) {
      const text = chzTextFromGwei(payable);
      throw conflict(`amount must be ${text} CHZ, what this wallet's confirmed purchases are owed`, "WRONG_AMOUNT", {
        payable: text,
        field: "amount",
      });
    }
    for (const payment of forLater) await hasten(queries, "pay", payment.purchaseId);
    const payments = [
      ...forLater,
      ...(await enqueuePayments(queries, purchases, { weiPerCent: rate, delayMs: () => 0n })),
    ];
    const answer: DistributeAnswer = {
      success: true,
      message: "Payment queued",
      user: body.user,
      amount: chzTextFromGwei(payable),
      payments: payments.map((payment) => ({
        purchase_id: Number(payment.purchaseId),
        amount: chzTextFromGwei(payment.amountGwei),
        status: "queued",
        tx_hash: null,
      })),
    };
    if (key !== undefined) {
      await insertStoredAnswer(queries, actor, key, { requestHash, status: 202, response: JSON.stringify(answer) });
    }
    return answer;
  });
}
