import { isRecord } from "../../rules/records.ts";
import { CallRefusedError } from "../http-calls.ts";
import type { OffersOf, Session } from "../network.ts";
import { dayEnd, dayStart, type NetworkOffer, OfferRow, readOffer } from "../offer-row.ts";
import { parseExactJson, readTime } from "../row.ts";
import { getFromImpact, type ImpactAccount } from "./calls.ts";

const MOST_PAGES = 20;

/** impact.com lists deals by campaign: one call for each of our stores. docs/product.md#offers-of-networks */
export const readImpactOffers: OffersOf<ImpactAccount> = async function* (session, advertiserIds) {
  const sid = encodeURIComponent(session.account.account_sid);
  for (const id of advertiserIds) {
    let next: string | null = `/Mediapartners/${sid}/Campaigns/${encodeURIComponent(id)}/Deals`;
    for (let page = 0; next !== null && page < MOST_PAGES; page++) {
      const answer = await readPage(session, next);
      yield answer.rows.flatMap((row) => readDeal(row, id) ?? []);
      next = answer.next;
    }
  }
};

/** A campaign that this account left has no deals. */
async function readPage(
  session: Session<ImpactAccount>,
  path: string,
): Promise<{ rows: unknown[]; next: string | null }> {
  let text: string;
  try {
    text = await getFromImpact(session, path);
  } catch (error) {
    if (error instanceof CallRefusedError && [403, 404].includes(error.status)) return { rows: [], next: null };
    throw error;
  }
  const answer = parseExactJson(text);
  if (!isRecord(answer) || !Array.isArray(answer.Deals)) throw new TypeError("the answer is not a list of deals");
  const next = answer["@nextpageuri"];
  return { rows: answer.Deals, next: typeof next === "string" && next !== "" ? next : null };
}

function readDeal(value: unknown, campaign: string): NetworkOffer | undefined {
  const row = new OfferRow(value);
  if (!/^(?:active)?$/i.test(row.text("State", "Status").trim())) return undefined;
  return readOffer(row, {
    key: row.id("Id"),
    advertiserId: campaign,
    title: row.text("Name"),
    description: row.text("Description"),
    terms: row.text("Terms", "Restrictions"),
    code: row.text("DefaultPromoCode"),
    url: row.text("LandingPageUrl", "Url"),
    startsAt: row.time(dayStart(readTime), "StartDate"),
    endsAt: row.time(dayEnd(readTime), "EndDate"),
  });
}
