import { createHash, createHmac } from "node:crypto";
import { findAffiliateEvent, insertAffiliateEvent } from "../../database/affiliate-events.ts";
import { touchUser } from "../../database/touch-user.ts";
import { inTransaction, type Queries } from "../../database/transaction.ts";
import { type AffiliateEvent, affiliateEventSchema, affiliateResponseSchema } from "../../domain/api/affiliate.ts";
import {
  correctAmount,
  findPurchase,
  findPurchaseByClickId,
  markPurchase,
  type Purchase,
} from "../../purchases/queries.ts";
import { enqueue, withdraw } from "../../sender/queue.ts";
import { ApiError, conflict, forbidden, invalid, notFound } from "../http/api-error.ts";
import { isSameSecret } from "../http/identity.ts";
import { type Call, type Route, route } from "../http/route.ts";
import type { Services } from "../services.ts";

const WINDOW_S = 300;

/** What affiliate networks report: a sale, its confirmation, its return. In any order, any number of times. */
export function affiliateRoutes(services: Services): Route[] {
  return [
    route({
      method: "post",
      path: "/api/hooks/affiliate/:network",
      access: "signed",
      summary: "An affiliate network reports, confirms or takes back a sale",
      limit: { perMinute: 600, by: "origin" },
      body: affiliateEventSchema,
      headers: {
        "x-torcida-timestamp": { description: "The time in seconds, at most five minutes off", isRequired: true },
        "x-torcida-signature": {
          description: "HMAC-SHA-256 of `timestamp.body` with the network's secret, in hex",
          isRequired: true,
        },
      },
      failures: { 409: "The event_id was told with another body, or the amount comes after the mint" },
      responses: { 200: affiliateResponseSchema },
      before: (call) => requireSignature(services, call),
      async handle({ body, params, rawBody }) {
        const network = params.network ?? "";
        const purchase = await findPurchaseByClickId(services.database.kysely, body.click_id);
        if (!purchase) throw notFound("Purchase");
        const bodyHash = createHash("sha256").update(rawBody).digest("hex");
        const isNew = await inTransaction(services.database.kysely, async (queries) => {
          const inserted = await insertAffiliateEvent(queries, {
            network,
            event_id: body.event_id,
            click_id: body.click_id,
            kind: body.type,
            body_hash: bodyHash,
            received_at: BigInt(Date.now()),
          });
          if (inserted) await apply(queries, purchase, body);
          return inserted;
        });
        if (!isNew) await refuseOtherBody(services, network, body.event_id, bodyHash);
        services.sender.wake();
        return {
          body: {
            success: true,
            message: isNew ? "Event taken" : "Event known",
            purchase_id: Number(purchase.id),
            duplicate: !isNew,
          },
        };
      },
    }),
  ];
}

/**
 * Each event sets a mark on the purchase, and the marks decide: a return wins over an approval, whichever arrived
 * first. The planner does the rest from the marks.
 */
async function apply(queries: Queries, known: Purchase, event: AffiliateEvent): Promise<void> {
  // Locks the buyer's row first, as planning a payout does, so that one of the two sees the other's change.
  await touchUser(queries, known.wallet);
  const purchase = (await findPurchase(queries, known.id)) ?? known;
  if (event.type === "reverse") {
    await markPurchase(queries, purchase.id, "reversed_at");
    for (const kind of ["mint", "confirm", "pay"] as const) await withdraw(queries, kind, purchase.id, "Taken back");
    return;
  }
  if (purchase.reversed_at !== null) return;
  if (event.amount !== undefined && event.amount !== purchase.amount_cents) {
    const isMinting = await isBeyondRegistration(queries, purchase);
    if (isMinting) throw conflict("The amount cannot change any more: the purchase is being minted", "ALREADY_MINTED");
    await correctAmount(queries, purchase.id, event.amount);
  }
  if (event.type === "confirm") await markPurchase(queries, purchase.id, "approved_at");
  await enqueue(queries, [{ kind: "mint", subjectId: purchase.id }]);
}

async function isBeyondRegistration(queries: Queries, purchase: Purchase): Promise<boolean> {
  if (purchase.chain_status !== null) return true;
  const mint = await queries
    .selectFrom("operations")
    .select("status")
    .where("kind", "=", "mint")
    .where("subject_id", "=", purchase.id)
    .executeTakeFirst();
  return mint !== undefined && mint.status !== "queued";
}

async function refuseOtherBody(services: Services, network: string, eventId: string, bodyHash: string): Promise<void> {
  const known = await findAffiliateEvent(services.database.kysely, network, eventId);
  if (known?.body_hash !== bodyHash) throw conflict("This event_id was told with another body", "EVENT_REUSED");
}

/** HMAC-SHA-256 over `timestamp.body`, hex, in `x-torcida-signature`; `x-torcida-timestamp` in seconds. */
function requireSignature(
  services: Services,
  { request, params, rawBody }: Pick<Call<unknown, unknown>, "request" | "params" | "rawBody">,
): void {
  const secrets = services.environment.AFFILIATE_SECRETS.filter(({ network }) => network === params.network);
  if (secrets.length === 0) throw notFound("Network");
  const timestamp = request.get("x-torcida-timestamp") ?? "";
  if (!/^\d{1,12}$/.test(timestamp))
    throw invalid("x-torcida-timestamp must be the time in seconds", "x-torcida-timestamp");
  const given = request.get("x-torcida-signature")?.toLowerCase() ?? "";
  const isSigned = secrets.some(({ secret }) =>
    isSameSecret(createHmac("sha256", secret).update(`${timestamp}.${rawBody}`).digest("hex"), given),
  );
  if (!isSigned) {
    services.log.warn({ network: params.network, origin: request.ip }, "An affiliate call had a wrong signature");
    throw forbidden("x-torcida-signature is wrong", "SIGNATURE_INVALID");
  }
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > WINDOW_S) {
    throw new ApiError(400, "TIMESTAMP_OUT_OF_WINDOW", `x-torcida-timestamp is more than ${WINDOW_S / 60} minutes off`);
  }
}
