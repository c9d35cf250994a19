import { type Kysely, type SqlBool, sql } from "kysely";
import { among } from "../database/among.ts";
import type { Schema } from "../database/generated/schema.ts";
import { startsWith } from "../database/lists/search.ts";
import { readSetting, writeSetting } from "../database/settings.ts";
import { inTransaction, type Queries } from "../database/transaction.ts";
import { CATEGORY_TRANSLATIONS } from "../rules/api/catalogue.ts";
import { boostedPercent } from "../rules/boost.ts";
import { clubKey } from "../rules/clubs/club.ts";
import { translations } from "../rules/languages.ts";
import { payableOf } from "../rules/promise.ts";
import { idsOf, keysOf } from "../rules/records.ts";
import { searchKey } from "../rules/text.ts";
import { findClub, matchClub } from "./club-rows.ts";
import { showOffers } from "./offers.ts";
import { readBoosts } from "./stores.ts";
import { bumpCatalogueVersion } from "./version.ts";

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
    .select(CATEGORY_NAMES)
    .where("store_id", "=", storeId)
    .where("deleted_at", "is", null)
    .execute();
  const chosen = store.club_accepted === 1n && store.club_slug !== null;
  const club = chosen ? await findClub(queries, store.club_slug ?? "") : await matchClub(queries, store.club ?? "");
  await queries
    .updateTable("stores")
    .set({
      name_key: searchKey(store.name),
      country_key: searchKey(store.country),
      category_key: searchKey(store.category ?? ""),
      club_key: clubKey(club?.name ?? store.club ?? ""),
      club_slug: club?.slug ?? null,
    })
    .where("id", "=", storeId)
    .execute();
  await orderStores(queries, [storeId]);
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

const readIsLive = async (queries: Queries): Promise<boolean> =>
  (await readSetting(queries, "sales_are_live")) === "true";

/** Sets that, and brings the stores into the order of what they promise then: all of them, so only where it was another. */
export async function orderByPromise(kysely: Kysely<Schema>, { isLive }: { isLive: boolean }): Promise<void> {
  if ((await readIsLive(kysely)) === isLive) return;
  await inTransaction(kysely, async (queries) => {
    await bumpCatalogueVersion(queries);
    await writeSetting(queries, "sales_are_live", String(isLive));
    const rows = await queries
      .selectFrom("stores")
      .select("id")
      .where("deleted_at", "is", null)
      .orderBy("id")
      .execute();
    await orderStores(queries, idsOf(rows));
  });
}

/** A store on offer that promises less is none. */
const LEAST_BPS = 1n;

/** Writes what some stores promise a visitor now, a paused one next to nothing, by which their list is sorted. docs/product.md#promise */
export async function orderStores(queries: Queries, storeIds: readonly bigint[]): Promise<void> {
  const now = BigInt(Date.now());
  const isLive = await readIsLive(queries);
  const boosts = await readBoosts(queries, storeIds, now);
  const rows = await queries
    .selectFrom("store_cashbacks")
    .select(["id", "store_id", "cashback_bps", "group_code", "is_default"])
    .where(among(queries, "store_id", storeIds))
    .where("deleted_at", "is", null)
    .execute();
  const paused = await queries
    .selectFrom("stores")
    .select("id")
    .where(among(queries, "id", storeIds))
    .where("paused_since", "is not", null)
    .execute();
  const comeLast = new Set(idsOf(paused));
  const byStore = Map.groupBy(rows, (row) => row.store_id);
  for (const id of storeIds) {
    const categories = (byStore.get(id) ?? []).map((row) => ({
      groupCode: row.group_code,
      isDefault: row.is_default === 1n,
      cashbackBps: boostedPercent({ id: row.id, bps: row.cashback_bps }, boosts.get(id) ?? [], now).bps,
    }));
    const promised = payableOf(categories, { isLive }).reduce(
      (most, one) => (one.cashbackBps > most ? one.cashbackBps : most),
      0n,
    );
    const most = promised > LEAST_BPS && comeLast.has(id) ? LEAST_BPS : promised;
    await queries
      .updateTable("stores")
      .set({ max_cashback_bps: most })
      .where("id", "=", id)
      .where("max_cashback_bps", "!=", most)
      .execute();
  }
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
