import type { z } from "zod";
import { isPageOf, type OfferCursor, type RunningOffer } from "../../core/catalogue/offer-list.ts";
import { NO_END, type StoreOffer } from "../../core/catalogue/offers.ts";
import { CursorError } from "../../core/database/lists/page.ts";
import type { AdminOffer, Offer, offersQuerySchema } from "../../core/rules/api/offers.ts";
import { DAY_MS, isoTime } from "../../core/rules/iso-time.ts";
import type { Cursors } from "../http/cursors.ts";

export type OffersQuery = z.output<typeof offersQuerySchema>;

/** Names the list of offers that a query pages through. */
export const listOfOffers = (storeId: bigint | undefined, club?: string): string =>
  JSON.stringify(["offers", String(storeId ?? ""), ...(club === undefined ? [] : [club])]);

export const offerCursorText = ({ ends_at, id }: Pick<StoreOffer, "ends_at" | "id">): string => `${ends_at}-${id}`;

/** Only one that we gave: every other one would be read from the database. @throws CursorError */
export function readOffersCursor(cursors: Cursors, list: string, after: string): OfferCursor {
  const { cursor, isPlain } = cursors.read(list, after);
  const [, endsAt, id] = /^(\d{1,18})-(\d{1,15})$/.exec(cursor) ?? [];
  if (isPlain || endsAt === undefined || id === undefined) throw new CursorError();
  return { endsAt: BigInt(endsAt), id: BigInt(id) };
}

/** A page that is no longer the shop's is left out: the store's link leads to its first one. */
export function toWireOffer(offer: RunningOffer): Offer {
  const isOwn = offer.url !== null && isPageOf({ ...offer, id: offer.store_id, name: offer.store }, offer.url);
  return { ...wireOf(offer), url: isOwn ? offer.url : null };
}

export function toAdminOffer(offer: StoreOffer): AdminOffer {
  const now = BigInt(Date.now());
  const state = offer.ends_at <= now ? "over" : offer.starts_at <= now ? "running" : "planned";
  return { ...wireOf(offer), state, network: offer.network, account: offer.account, can_delete: canDelete(offer) };
}

/** An account that is no longer read ends none of its offers. docs/product.md#offers-of-networks */
const UNLISTED_MS = 3 * DAY_MS;
export const canDelete = ({ network, seen_at }: StoreOffer): boolean =>
  network === null || Number(seen_at) < Date.now() - UNLISTED_MS;

function wireOf(offer: StoreOffer): Offer {
  return {
    id: Number(offer.id),
    store_id: Number(offer.store_id),
    store: offer.store,
    kind: offer.code === null ? "deal" : "code",
    title: offer.title,
    code: offer.code,
    terms: offer.terms,
    url: offer.url,
    starts_at: isoTime(offer.starts_at),
    ends_at: offer.ends_at >= NO_END ? null : isoTime(offer.ends_at),
    with_cashback: offer.with_cashback === 1n,
  };
}
