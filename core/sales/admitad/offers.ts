import type { OffersOf } from "../network.ts";
import { dayEnd, dayStart, type NetworkOffer, OfferRow, readOffer } from "../offer-row.ts";
import { type AdmitadAccount, askAdmitad } from "./calls.ts";
import { readLocalTime } from "./local-time.ts";

const PAGE_ROWS = 500;
export const MOST_PAGES = 40;

/** Admitad's coupons of a website, by a token of their own: one that may not read them costs no sale. */
export const readAdmitadOffers: OffersOf<AdmitadAccount> = async function* (session) {
  const { website_id, timezone } = session.account;
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = { limit: String(PAGE_ROWS), offset: String(page * PAGE_ROWS) };
    const path = `/coupons/website/${encodeURIComponent(website_id)}/`;
    const { results: rows } = await askAdmitad(session, path, query, "coupons_for_website");
    yield rows.flatMap((row) => readCoupon(row, timezone) ?? []);
    if (rows.length < PAGE_ROWS) return;
  }
};

function readCoupon(value: unknown, zone: string): NetworkOffer | undefined {
  const row = new OfferRow(value);
  const read = (text: string) => readLocalTime(text, zone);
  return readOffer(row, {
    key: row.id("id"),
    advertiserId: row.child("campaign").id("id") ?? row.id("campaign", "advcampaign_id"),
    title: row.text("short_name", "name"),
    description: row.text("description"),
    terms: row.text("terms", "conditions"),
    code: row.text("promocode", "code"),
    url: row.text("landing", "landing_url"),
    startsAt: row.time(dayStart(read), "date_start"),
    endsAt: row.time(dayEnd(read), "date_end"),
  });
}
