import { isPageOf } from "../../core/catalogue/offer-list.ts";
import {
  deleteOffer,
  insertOffer,
  listStoreOffers,
  named,
  type StoreOffer,
  updateOffer,
} from "../../core/catalogue/offers.ts";
import { findStore } from "../../core/catalogue/stores.ts";
import type { Queries } from "../../core/database/transaction.ts";
import { createdSchema, doneSchema, pageQuerySchema } from "../../core/rules/api/common.ts";
import {
  adminOffersResponseSchema,
  createOfferRequestSchema,
  type OfferFields,
  updateOfferRequestSchema,
} from "../../core/rules/api/offers.ts";
import { must } from "../../core/rules/field-rules.ts";
import { isoTime } from "../../core/rules/iso-time.ts";
import { CATALOGUE_WRITE, type CatalogueWriter } from "../catalogue/catalogue-writer.ts";
import { canDelete, toAdminOffer } from "../catalogue/offers.ts";
import { conflict, invalid, notFound } from "../http/api-error.ts";
import { nextBefore, type Route, readId, route } from "../http/route.ts";
import type { Services } from "../services.ts";

/** Codes and promotions of stores, written by staff; a network's are its own. docs/product.md#offers */
export function offerRoutes(services: Services, write: CatalogueWriter): Route[] {
  const { reader } = services.database;
  return [
    route.get("/api/admin/stores/:id/offers", {
      access: "admin",
      permission: "read",
      cost: { thread: 1, node: 0, stored: 0, mail: 0 },
      summary: "A store's offers, those to come and those that are over too, newest first",
      query: pageQuerySchema,
      responses: { 200: adminOffersResponseSchema },
      async handle({ params, query }) {
        const rows = await listStoreOffers(reader, readId(params.id, "Store"), query);
        const next_before = nextBefore(rows, query.limit, (row) => row.id);
        return { body: { success: true, offers: rows.map(toAdminOffer), next_before } };
      },
    }),
    route.post("/api/admin/stores/:id/offers", {
      ...CATALOGUE_WRITE,
      cost: { thread: 3, node: 0, stored: 3000, mail: 0 },
      summary: "Adds a code or a promotion to a store",
      body: createOfferRequestSchema,
      failures: { 409: "The store has an offer of this title" },
      responses: { 200: createdSchema },
      async handle(call) {
        const storeId = readId(call.params.id, "Store");
        requireSpan(call.body.starts_at ?? BigInt(Date.now()), call.body.ends_at);
        if (call.body.ends_at != null && call.body.ends_at <= BigInt(Date.now()))
          throw invalid("ends_at must be in the future", "ends_at");
        const id = await write(call, { action: "offer.create", detail: {} }, async (queries) => {
          await requirePage(queries, storeId, call.body.url);
          const store = await findStore(queries, storeId);
          const result = await insertOffer(queries, storeId, call.body);
          const words = { store: store?.name ?? "", ...wordsOf(call.body) };
          return { result, subject: `store:${storeId}/offer:${result}`, words };
        });
        return { body: { success: true, message: "Offer added", id: Number(id) } };
      },
    }),
    route.put("/api/admin/offers/:id", {
      ...CATALOGUE_WRITE,
      cost: { thread: 3, node: 0, stored: 3000, mail: 0 },
      summary: "Changes the given fields of an offer that a person wrote",
      body: updateOfferRequestSchema,
      failures: { 409: "The store has an offer of this title, or it is the network's" },
      responses: { 200: doneSchema },
      async handle(call) {
        const id = readId(call.params.id, "Offer");
        await write(call, { action: "offer.update", detail: {} }, async (queries) => {
          const before = await requireOwn(queries, id);
          const { starts_at, ends_at, url } = call.body;
          requireSpan(
            starts_at === undefined ? before.starts_at : (starts_at ?? BigInt(Date.now())),
            ends_at === undefined ? before.ends_at : ends_at,
          );
          await requirePage(queries, before.store_id, url);
          await updateOffer(queries, before, call.body);
          const words = {
            store: before.store,
            title: before.title,
            ...wordsOf(call.body),
            was: wasOf(before, call.body),
          };
          return { result: undefined, subject: `store:${before.store_id}/offer:${id}`, words };
        });
        return { body: { success: true, message: "Offer changed" } };
      },
    }),
    route.delete("/api/admin/offers/:id", {
      ...CATALOGUE_WRITE,
      cost: { thread: 3, node: 0, stored: 1500, mail: 0 },
      summary: "Deletes an offer that a person wrote, or that its network no longer lists",
      failures: { 409: "It is the network's" },
      responses: { 200: doneSchema },
      async handle(call) {
        const id = readId(call.params.id, "Offer");
        await write(call, { action: "offer.delete", detail: {} }, async (queries) => {
          const { store_id, store, title } = await requireOwn(queries, id, canDelete);
          await deleteOffer(queries, id);
          return { result: undefined, subject: `store:${store_id}/offer:${id}`, words: { store, title } };
        });
        return { body: { success: true, message: "Offer deleted" } };
      },
    }),
  ];
}

const isByHand = ({ network }: StoreOffer): boolean => network === null;

async function requireOwn(queries: Queries, id: bigint, isOwn = isByHand): Promise<StoreOffer> {
  const offer = await named(queries).where("offers.id", "=", id).executeTakeFirst();
  if (!offer) throw notFound("Offer");
  if (!isOwn(offer)) throw conflict(`${offer.network} alone changes this offer`, "OFFER_OF_NETWORK");
  return offer;
}

/** @throws ApiError 404 without the store, 400 for a page of another shop */
async function requirePage(queries: Queries, storeId: bigint, url: string | null | undefined): Promise<void> {
  const store = await findStore(queries, storeId);
  if (!store) throw notFound("Store");
  if (url != null && !isPageOf(store, url)) throw invalid(`url ${must("store_page")}`, "url", { rule: "store_page" });
}

function requireSpan(startsAt: bigint, endsAt: bigint | null | undefined): void {
  if (endsAt != null && endsAt <= startsAt) throw invalid("ends_at must be after starts_at", "ends_at");
}

const FIELDS = ["title", "code", "terms", "url", "with_cashback"] as const;

function wordsOf({ starts_at, ends_at, ...fields }: Partial<OfferFields>): Record<string, unknown> {
  return {
    ...fields,
    ...(starts_at == null ? {} : { starts_at: isoTime(starts_at) }),
    ...(ends_at === undefined ? {} : { ends_at: ends_at === null ? null : isoTime(ends_at) }),
  };
}

/** What a change replaces. */
function wasOf(before: StoreOffer, change: Partial<OfferFields>): Record<string, unknown> {
  const was = toAdminOffer(before);
  const changed = [...FIELDS, "starts_at" as const, "ends_at" as const].filter((field) => change[field] !== undefined);
  return Object.fromEntries(changed.map((field) => [field, was[field]]));
}
