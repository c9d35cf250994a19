import { z } from "zod";
import { listPurchases } from "../../core/purchases/queries.ts";
import { purchaseViewOf, toPurchaseRecords } from "../../core/purchases/view.ts";
import { answerOf, doneSchema } from "../../core/rules/api/common.ts";
import {
  confirmPurchaseRequestSchema,
  confirmPurchaseResponseSchema,
  distributeCashbackRequestSchema,
  distributeCashbackResponseSchema,
  mintNftRequestSchema,
  mintNftResponseSchema,
  ownPurchasesQuerySchema,
  purchaseRecordSchema,
  registerPurchaseRequestSchema,
  registerPurchaseResponseSchema,
} from "../../core/rules/api/purchases.ts";
import type { CatalogueCache } from "../catalogue/catalogue-cache.ts";
import { readCreditOf } from "../chain/balances.ts";
import { forbidden } from "../http/api-error.ts";
import { nextBefore, type Route, readId, route, visitorOf } from "../http/route.ts";
import type { Services } from "../services.ts";
import { IDEMPOTENCY_HEADER, readKey } from "./idempotency-keys.ts";
import { linksRoute } from "./links.ts";
import { paymentsRoute } from "./payments.ts";
import { distributeCashback } from "./payout.ts";
import { openRegistrations, registerPurchase } from "./registration.ts";
import { confirmPurchase, mintTicket, withdrawOwnPurchase } from "./steps.ts";

export function purchaseRoutes(services: Services, catalogue: CatalogueCache): Route[] {
  const { database } = services;
  const registrations = openRegistrations(services);
  return [
    route.post("/api/register-purchase", {
      access: "user",
      cost: { thread: 0.3, node: 2, stored: 500, mail: 0 },
      summary: "Registers a purchase and freezes its terms",
      body: registerPurchaseRequestSchema,
      headers: IDEMPOTENCY_HEADER,
      failures: {
        404: "No such store",
        409: "The store has no cashback category or no link",
        422: "The Idempotency-Key was used with another body",
      },
      responses: { 200: registerPurchaseResponseSchema },
      async handle({ body, identity, request, origin, giveBack }) {
        const { wallet } = visitorOf(identity);
        if (!body.token_slug) giveBack(["node"]);
        if (body.user !== wallet) throw forbidden("user must be the signed-in wallet");
        const meaning = ["register-purchase", String(body.store_id), String(body.amount), body.token_slug ?? ""];
        const keyed = readKey(request, wallet, meaning);
        const buyer = { wallet, asker: origin };
        return { body: await registerPurchase(services, registrations, buyer, body, keyed) };
      },
    }),
    route.get("/api/purchases", {
      access: "user",
      cost: { thread: 3, node: 1, stored: 0, mail: 0 },
      summary: "The signed-in user's purchases, newest first",
      query: ownPurchasesQuerySchema,
      responses: {
        200: answerOf({
          purchases: z.array(purchaseRecordSchema),
          /** The id to pass for the next page; null on the last. */
          next_before: z.number().nullable(),
        }),
      },
      async handle({ identity, query }) {
        const { wallet, indexed } = visitorOf(identity);
        const rows = await listPurchases(database.reader, wallet, query);
        const view = purchaseViewOf(services, indexed?.block);
        return {
          body: {
            success: true,
            purchases: await toPurchaseRecords({ paces: services.paces, queries: database.reader }, rows, view, () =>
              readCreditOf(services, wallet),
            ),
            next_before: nextBefore(rows, query.limit, (row) => row.id),
          },
        };
      },
    }),
    linksRoute(services, registrations, catalogue),
    paymentsRoute(services),
    route.post("/api/purchases/:id/withdraw", {
      access: "user",
      cost: { thread: 2, node: 0, stored: 400, mail: 0 },
      summary: "Withdraws one's own simulated purchase before its ticket is sent to the chain",
      failures: { 404: "No such purchase", 409: "Its ticket is already sent, or it is a real sale's" },
      responses: { 200: doneSchema },
      async handle({ params, identity }) {
        const id = readId(params.id, "Purchase");
        await withdrawOwnPurchase(services, visitorOf(identity).wallet, id);
        return { body: { success: true, message: "Purchase withdrawn" } };
      },
    }),
    route.post("/api/mint-nft", {
      access: "user_or_staff",
      cost: { thread: 2, node: 0, stored: 300, mail: 0 },
      summary: "Mints the ticket of a purchase, once",
      body: mintNftRequestSchema,
      failures: { 404: "No such purchase", 409: "The purchase was returned" },
      responses: { 200: mintNftResponseSchema, 202: mintNftResponseSchema },
      handle: ({ body, identity }) => mintTicket(services, identity, body),
    }),
    route.post("/api/confirm-purchase", {
      access: "staff",
      permission: "payments",
      cost: { thread: 2, node: 0, stored: 500, mail: 0 },
      summary: "Moves a purchase from Pending to Confirmed, once",
      body: confirmPurchaseRequestSchema,
      failures: { 404: "No such purchase", 409: "The purchase is cancelled, or not minted yet" },
      responses: { 200: confirmPurchaseResponseSchema, 202: confirmPurchaseResponseSchema },
      handle: ({ body, identity }) => confirmPurchase(services, identity, body.purchase_id),
    }),
    route.post("/api/distribute-cashback", {
      access: "fresh_staff",
      permission: "payments",
      cost: { thread: 4, node: 1, stored: 1200, mail: 0 },
      summary: "Pays a buyer the cashback of their confirmed, unpaid purchases",
      body: distributeCashbackRequestSchema,
      headers: IDEMPOTENCY_HEADER,
      failures: {
        409: "Nothing is payable, or another amount is; `payable` says which",
        422: "The Idempotency-Key was used with another body",
      },
      responses: { 200: distributeCashbackResponseSchema, 202: distributeCashbackResponseSchema },
      handle: (call) => distributeCashback(services, call),
    }),
  ];
}
