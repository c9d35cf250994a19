import { isRecord } from "../../rules/records.ts";
import type { OffersOf } from "../network.ts";
import { dayEnd, dayStart, type NetworkOffer, OfferRow, readOffer } from "../offer-row.ts";
import { parseExactJson, readTime } from "../row.ts";

const PAGE_ROWS = 200;
export const MOST_PAGES = 100;

/** Awin's promotions of the joined programmes: one call a page of 200. docs/product.md#offers-of-networks */
export const readAwinOffers: OffersOf<{ api_url: string; publisher_id: string; token: string }> = async function* ({
  account,
  call,
}) {
  for (let page = 1; page <= MOST_PAGES; page++) {
    const text = await call({
      method: "POST",
      url: `${account.api_url}/publisher/${encodeURIComponent(account.publisher_id)}/promotions`,
      headers: { authorization: `Bearer ${account.token}`, "content-type": "application/json" },
      body: JSON.stringify({
        filters: { membership: "joined", status: "active", type: "all" },
        pagination: { page, pageSize: PAGE_ROWS },
      }),
    });
    const answer = parseExactJson(text);
    const rows = isRecord(answer) ? (answer.data ?? answer.promotions) : answer;
    if (!Array.isArray(rows)) throw new TypeError("the answer is not a list of promotions");
    yield rows.flatMap((row) => readPromotion(row) ?? []);
    if (rows.length < PAGE_ROWS) return;
  }
};

function readPromotion(value: unknown): NetworkOffer | undefined {
  const row = new OfferRow(value);
  const voucher = row.child("voucher", "voucherCode");
  return readOffer(row, {
    key: row.id("promotionId", "id"),
    advertiserId: row.child("advertiser").id("id", "advertiserId") ?? row.id("advertiserId"),
    title: row.text("title", "name"),
    description: row.text("description"),
    terms: row.text("terms"),
    code: voucher.text("code") || row.text("voucherCode", "code"),
    // `urlTracking` would lead buyers out without their click.
    url: row.text("url"),
    startsAt: row.time(dayStart(readTime), "startDate", "start"),
    endsAt: row.time(dayEnd(readTime), "endDate", "end"),
  });
}
