import { createHash, createHmac } from "node:crypto";
import type { Insertable } from "kysely";
import { among } from "../../core/database/among.ts";
import { GroupCommit } from "../../core/database/batching.ts";
import type { Schema } from "../../core/database/generated/schema.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { traceparentNow } from "../../core/process/tracing.ts";
import { isDirectStore } from "../../core/purchases/facts.ts";
import { encodeReport } from "../../core/purchases/sale-row.ts";
import {
  affiliateHookSchema,
  affiliateResponseSchema,
  type DirectEvent,
  pushResponseSchema,
} from "../../core/rules/api/affiliate.ts";
import { BIG_DAY_MS } from "../../core/rules/iso-time.ts";
import { directSecrets, isCalled, polledAccounts } from "../../core/sales/accounts.ts";
import { fetchRate } from "../../core/sales/fx.ts";
import { ANY_SALE, storePushes } from "../../core/sales/hints.ts";
import { findNetwork } from "../../core/sales/networks.ts";
import { saleFields } from "../../core/sales/queries.ts";
import { storeReport } from "../../core/sales/reports.ts";
import { ApiError, conflict, forbidden, invalid, notFound, unavailable } from "../http/api-error.ts";
import { isSameSecret } from "../http/identity.ts";
import { type Asked, type Route, route } from "../http/route.ts";
import type { Services } from "../services.ts";

const WINDOW_S = 300;

/** Networks and shops report sales: in any order, any number of times. docs/product.md#sales-answers. */
export function hookRoutes(services: Services): Route[] {
  return [
    ...pushRoutes(services),
    /** A direct shop reports a sale in a signed call, which counts as a read. docs/product.md#sales-direct. */
    route.post("/api/hooks/affiliate/:network", {
      access: "signed",
      cost: { thread: 3, node: 0, stored: 3000, mail: 0 },
      summary: "A shop reports the state of a sale",
      body: affiliateHookSchema,
      headers: {
        "x-torcida-timestamp": { description: "The time in seconds, at most five minutes off", isRequired: true },
        "x-torcida-signature": {
          description: "HMAC-SHA-256 of `timestamp.body` with the account's secret, in hex",
          isRequired: true,
        },
      },
      failures: { 409: "The event_id was sent before with another body" },
      responses: { 200: affiliateResponseSchema },
      account: (asked) => (isSigned(services, asked) ? `direct ${asked.params.network}` : undefined),
      before: (asked) => requireSignature(services, asked),
      async handle({ body, params }) {
        const { currency, occurredAt } = body.report;
        const { database, saleRules, log } = services;
        if (!(await services.ids.isOpen(database.kysely))) {
          throw unavailable("INDEX_BEHIND", "The index is not complete yet; send this event again soon");
        }
        // Outside the transaction. Without a rate the sale is held until there is one.
        await fetchRate(database, saleRules.fx, currency, occurredAt ?? BigInt(Date.now())).catch((error: unknown) =>
          log.warn({ currency, reason: String(error) }, "The exchange rate feed fails"),
        );
        const stored = await inTransaction(database.kysely, (queries) =>
          storeEvent(services, queries, params.network, body),
        );
        if (!stored.duplicate) {
          log.info({ ...(await saleFields(database.kysely, BigInt(stored.sale_id))), outcome: "new" }, "Sale read");
        }
        services.senders.wake();
        const message = stored.duplicate ? "Event known" : "Event taken";
        return { body: { success: true, message, ...stored } };
      },
    }),
  ];
}

/**
 * A network announces a change of a sale. A push is never trusted: it only triggers a read of the sale.
 * docs/product.md#sales-push.
 */
function pushRoutes(services: Services): Route[] {
  const pushes = new GroupCommit(services.database.kysely, storePushes);
  return (["get", "post"] as const).map((method) =>
    route[method]("/api/hooks/:network/:account/:secret", {
      access: "signed",
      cost: { thread: 1, node: 0, stored: 300, mail: 0 },
      summary: "An affiliate network announces a new or changed sale",
      responses: { 200: pushResponseSchema },
      account: ({ params }) => pushingAccount(services, params) && `${params.network} ${params.account}`,
      async handle({ request, params, rawBody }) {
        const account = pushingAccount(services, params);
        const network = findNetwork(params.network);
        if (!account || !network) throw notFound("Hook");
        const { searchParams: query } = new URL(request.originalUrl, "http://hook");
        const keys = network.readPush({ query, form: new URLSearchParams(rawBody), text: rawBody });
        const saleKeys = keys.filter((key) => network.keyPattern.test(key));
        if (saleKeys.length === 0) {
          services.log.warn({ network: account.network, account: account.account }, "A push names no sale");
          saleKeys.push(ANY_SALE);
        }
        const key = { network: account.network, account: account.account };
        await pushes.add({ key, saleKeys, traceparent: traceparentNow() });
        return { body: { success: true, message: "Stored" } };
      },
    }),
  );
}

function pushingAccount(
  { accounts }: Services,
  { network, account, secret }: { network: string; account: string; secret: string },
) {
  const named = polledAccounts(accounts).find((one) => one.network === network && isCalled(one, account));
  return named?.push_secrets.some((known) => isSameSecret(known, secret)) ? named : undefined;
}

async function storeEvent(services: Services, queries: Queries, account: string, event: DirectEvent) {
  const key = { network: "direct", account };
  await requireStore(services, queries, account, event);
  const hash = hashOf(event);
  const isNew = await insertAffiliateEvent(queries, {
    network: account,
    event_id: event.eventId,
    click_id: event.report.clickRef ?? "",
    kind: event.kind,
    body_hash: hash,
    received_at: BigInt(Date.now()),
  });
  if (!isNew && (await findEventHash(queries, account, event.eventId)) !== hash) {
    throw conflict("This event_id was sent before with another body: use a new one for each change", "EVENT_REUSED", {
      field: "event_id",
    });
  }
  if (isNew) await storeReport(queries, key, event.report, services.saleRules, "direct");
  const sale = await queries
    .selectFrom("sales")
    .leftJoin("purchases", "purchases.sale_id", "sales.id")
    .select(["sales.id", "purchases.id as purchase_id"])
    .where("sales.network", "=", key.network)
    .where("sales.account", "=", account)
    .where("sales.sale_key", "=", event.report.saleKey)
    .orderBy("purchases.id", "desc")
    .limit(1)
    .executeTakeFirst();
  return {
    sale_id: Number(sale?.id ?? 0n),
    purchase_id: sale?.purchase_id == null ? null : Number(sale.purchase_id),
    duplicate: !isNew,
  };
}

/** Of what was understood: two bodies that say the same are the same. */
function hashOf({ kind, report }: DirectEvent): string {
  return createHash("sha256")
    .update(`${kind} ${encodeReport(report)}`)
    .digest("hex");
}

async function findEventHash(queries: Queries, account: string, eventId: string): Promise<string | undefined> {
  const row = await queries
    .selectFrom("affiliate_events")
    .select("body_hash")
    .where("network", "=", account)
    .where("event_id", "=", eventId)
    .executeTakeFirst();
  return row?.body_hash;
}

/**
 * A report names the store that sold where its account has several, and only a store of its account.
 * docs/product.md#sales-direct
 */
async function requireStore(
  services: Services,
  queries: Queries,
  account: string,
  { report: { advertiserId } }: DirectEvent,
): Promise<void> {
  const isOnly = services.accounts.filter(({ network }) => network === "direct").length === 1;
  const ofAccount = queries
    .selectFrom("stores")
    .select("id")
    .where(isDirectStore())
    .where((where) => where.or([where("account", "=", account), ...(isOnly ? [where("account", "is", null)] : [])]))
    .where("deleted_at", "is", null);
  if (advertiserId !== null) {
    const known = await ofAccount.where("id", "=", BigInt(advertiserId)).executeTakeFirst();
    if (!known) throw invalid("store_id is no store of this account", "store_id");
    return;
  }
  const several = await ofAccount.where("account", "=", account).limit(2).execute();
  if (several.length > 1) throw invalid("store_id is missing: this account has several stores", "store_id");
}

type SignedCall = Pick<Asked, "request" | "rawBody"> & { params: { network: string } };

function isSigned({ accounts }: Services, { request, params, rawBody }: SignedCall): boolean {
  const timestamp = request.get("x-torcida-timestamp") ?? "";
  const given = request.get("x-torcida-signature")?.toLowerCase() ?? "";
  return directSecrets(accounts, params.network).some((secret) =>
    isSameSecret(createHmac("sha256", secret).update(`${timestamp}.${rawBody}`).digest("hex"), given),
  );
}

/** HMAC-SHA-256 over `timestamp.body`, hex, in `x-torcida-signature`; `x-torcida-timestamp` in seconds. */
function requireSignature(services: Services, { request, params, rawBody }: SignedCall): void {
  const secrets = directSecrets(services.accounts, params.network);
  if (secrets.length === 0) throw notFound("Account");
  const timestamp = request.get("x-torcida-timestamp") ?? "";
  if (!/^\d{1,12}$/.test(timestamp))
    throw invalid("x-torcida-timestamp must be the time in seconds", "x-torcida-timestamp");
  if (!isSigned(services, { request, params, rawBody })) {
    services.log.warn({ account: params.network, origin: request.ip }, "An affiliate call had an invalid signature");
    throw forbidden("x-torcida-signature is invalid", "SIGNATURE_INVALID");
  }
  if (Math.abs(Date.now() / 1_000 - Number(timestamp)) > WINDOW_S) {
    throw new ApiError(400, "TIMESTAMP_OUT_OF_WINDOW", `x-torcida-timestamp is more than ${WINDOW_S / 60} minutes off`);
  }
}

/** Returns false if the network reported this event before. */
async function insertAffiliateEvent(queries: Queries, event: Insertable<Schema["affiliate_events"]>): Promise<boolean> {
  const inserted = await queries
    .insertInto("affiliate_events")
    .values(event)
    .onConflict((conflict) => conflict.columns(["network", "event_id"]).doNothing())
    .returning("event_id")
    .executeTakeFirst();
  return inserted !== undefined;
}

/** A shop sends an event again within days; a network may report a sale for this long. */
const EVENTS_KEPT_MS = 130n * BIG_DAY_MS;

/** Deletes the keys of events that nobody sends again. Returns whether there may be more. docs/operations.md#what-ends */
export async function deleteOldShopEvents(queries: Queries, now: bigint, limit: number): Promise<boolean> {
  const old = await queries
    .selectFrom("affiliate_events")
    .select(["network", "event_id"])
    .where("received_at", "<", now - EVENTS_KEPT_MS)
    .orderBy("received_at")
    .limit(limit)
    .execute();
  for (const [network, ofNetwork] of Map.groupBy(old, (event) => event.network)) {
    const ids = ofNetwork.map((event) => event.event_id);
    await queries
      .deleteFrom("affiliate_events")
      .where("network", "=", network)
      .where(among(queries, "event_id", ids))
      .execute();
  }
  return old.length >= limit;
}
