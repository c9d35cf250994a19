import { type ClubRow, findClub } from "../../core/catalogue/club-rows.ts";
import { listOffered } from "../../core/catalogue/store-list.ts";
import { readFigures } from "../../core/purchases/fan-figures.ts";
import { lastClosedMonth } from "../../core/rules/fan-figures.ts";
import type { Language } from "../../core/rules/languages.ts";
import { SLUG_PATTERN } from "../../core/rules/text.ts";
import type { Services } from "../services.ts";
import { visitorsPromise } from "./local-number.ts";

/** What a club's preview and picture say. `best`: the highest promise of its stores, undefined without one. */
type ClubFacts = {
  club: ClubRow;
  count: number;
  best: { percent: string; isRange: boolean } | undefined;
  figures: Awaited<ReturnType<typeof readFigures>>;
};

/** So many of a club's stores are compared, those with the highest percents. */
const LOOKED_AT = 24;

/** Undefined if there is no such club. docs/product.md#club-page */
export async function readClubFacts(
  { database: { reader }, saleRules }: Services,
  slug: string,
  language: Language,
): Promise<ClubFacts | undefined> {
  const club = SLUG_PATTERN.test(slug) ? await findClub(reader, slug) : undefined;
  if (!club) return undefined;
  const [{ rows, total }, figures] = await Promise.all([
    listOffered(reader, { club: slug, sort: "cashback", limit: LOOKED_AT }),
    readFigures(reader, slug, lastClosedMonth(Date.now())),
  ]);
  // By what a live sale is paid, which the order of the list does not know.
  const [best] = rows
    .map((store) => visitorsPromise(store, language, saleRules))
    .sort((one, other) => Number(other.totalBps - one.totalBps));
  if (!best) return { club, count: total, best: undefined, figures };
  const { percent, isRange } = best;
  return { club, count: total, best: { percent, isRange: isRange || total > 1 }, figures };
}
