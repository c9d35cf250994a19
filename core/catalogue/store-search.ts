import { type SqlBool, sql } from "kysely";
import { startsWith } from "../database/lists/search.ts";
import type { Queries } from "../database/transaction.ts";
import { CATEGORY_TRANSLATIONS } from "../rules/api/catalogue.ts";
import { boostedPercent } from "../rules/boost.ts";
import { clubKey } from "../rules/clubs/club.ts";
import { translations } from "../rules/languages.ts";
import { keysOf } from "../rules/records.ts";
import { searchKey } from "../rules/text.ts";
import { readBoosts } from "./boosts.ts";
import { findClub, matchClub } from "./club-rows.ts";
import { showOffers } from "./offers.ts";

const WORD_LETTERS = 40;
const SAID = { country: true, category: true, description: true };
const SEARCHED = keysOf({ name: true, club: true, ...SAID, ...translations(SAID) });
const CATEGORY_NAMES = ["category", ...CATEGORY_TRANSLATIONS] as const;
/** More words of a search would hardly narrow it. */
const TERMS = 8;

/**
 * Writes what the list of stores is filtered, sorted and searched by, and whether its offers are shown. Must be called in every write of a store or its
 * categories, after `bumpCatalogueVersion`, which serializes them.
 */
export async function indexStore(queries: Queries, storeId: bigint): Promise<void> {
  const store = await queries.selectFrom("stores").selectAll().where("id", "=", storeId).executeTakeFirst();
  if (!store) return;
  const categories = await queries
    .selectFrom("store_cashbacks")
    .select(["id", "cashback_bps", ...CATEGORY_NAMES])
    .where("store_id", "=", storeId)
    .where("deleted_at", "is", null)
    .execute();
  const now = BigInt(Date.now());
  const boosts = (await readBoosts(queries, [storeId], now)).get(storeId) ?? [];
  const chosen = store.club_accepted === 1n && store.club_slug !== null;
  const club = chosen ? await findClub(queries, store.club_slug ?? "") : await matchClub(queries, store.club ?? "");
  const percents = categories.map(({ id, cashback_bps }) => boostedPercent({ id, bps: cashback_bps }, boosts, now).bps);
  await queries
    .updateTable("stores")
    .set({
      name_key: searchKey(store.name),
      country_key: searchKey(store.country),
      category_key: searchKey(store.category ?? ""),
      club_key: clubKey(club?.name ?? store.club ?? ""),
      club_slug: club?.slug ?? null,
      max_cashback_bps: percents.reduce((most, percent) => (percent > most ? percent : most), 0n),
    })
    .where("id", "=", storeId)
    .execute();
  await showOffers(queries, { storeId });
  await queries.deleteFrom("store_words").where("store_id", "=", storeId).execute();
  if (store.deleted_at !== null) return;
  const own = [...SEARCHED.map((name) => store[name]), club?.name];
  const words = wordsOf([...own, ...categories.flatMap((one) => CATEGORY_NAMES.map((name) => one[name]))].join(" "));
  if (words.length === 0) return;
  await queries
    .insertInto("store_words")
    .values(words.map((word) => ({ store_id: storeId, word })))
    .execute();
}

/** Each word once, without accents and in lower case. */
function wordsOf(text: string): string[] {
  const words = searchKey(text).split(/[^\p{L}\p{N}]+/u);
  return [...new Set(words.filter(Boolean).map((word) => word.slice(0, WORD_LETTERS)))];
}

/** The stores that have a word for each word of the term, which may be its beginning. */
export function storesWithWords(queries: Queries, term: string) {
  const words = wordsOf(term).slice(0, TERMS);
  // The longest leaves the fewest.
  const [first, ...others] = words.sort((one, other) => other.length - one.length);
  if (first === undefined) return [];
  const begins = (word: string) =>
    sql<SqlBool>`exists (select 1 from store_words as other where other.store_id = stores.id and ${startsWith(queries, "other.word", word)})`;
  const all = sql.join(words.map(begins), sql` and `);
  const also = others.map((word) => sql<SqlBool>` and ${begins(word)}`);
  return [
    {
      keys: sql`select distinct store_words.store_id as key from store_words ${others.length > 0 ? sql`join stores on stores.id = store_words.store_id` : sql``}
        where ${startsWith(queries, "store_words.word", first)} ${also.length > 0 ? sql.join(also, sql` `) : sql``}`,
      test: sql<SqlBool>`(${all})`,
    },
  ];
}
