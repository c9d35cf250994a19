import { type RawBuilder, type SqlBool, sql } from "kysely";
import { among } from "../database/among.ts";
import { type ListPage, readPage } from "../database/lists/page.ts";
import { byId, startsWith, startsWithTest } from "../database/lists/search.ts";
import type { ListSource, PageQuery } from "../database/lists/source.ts";
import type { Queries } from "../database/transaction.ts";
import type { StoreFilters, StoreSort } from "../rules/api/catalogue.ts";
import { clubKey } from "../rules/clubs/club.ts";
import { OTHER_LANGUAGES, type OtherLanguage } from "../rules/languages.ts";
import { idsOf } from "../rules/records.ts";
import { SLUG_PATTERN, searchKey } from "../rules/text.ts";
import { findClub, matchClub } from "./club-rows.ts";
import { storesWithWords } from "./store-search.ts";
import { readStores, type StoreRow, type StoreWithCategories } from "./stores.ts";

/** Matching stores including drafts, with the ids of those whose name is not on chain yet. */
export async function listStorePage(queries: Queries, page: PageQuery): Promise<ListPage<StoreWithCategories>> {
  return readPage(queries, STORES, page, readStores, (row) => row.id);
}

/** One look at the few names on their way, not one a store. */
export const IS_NAMED = sql<SqlBool>`stores.id not in (select subject_id from operations
  where kind = 'register_store' and status in ('queued', 'assigned', 'waiting', 'failed'))`;

/** `isOnOffer` in SQL. */
const READY = sql<SqlBool>`(stores.sells = 1 and ${IS_NAMED})`;

/** The stores that are not on offer yet. */
export const IS_DRAFT = sql<SqlBool>`stores.deleted_at is null and not ${READY}`;

const STATES: Readonly<Record<string, RawBuilder<SqlBool>>> = {
  ready: READY,
  paused: sql<SqlBool>`stores.paused_since is not null`,
  uncovered: sql<SqlBool>`(stores.id in (select store_id from store_cashbacks
      where is_by_hand = 1 and cashback_bps > commission_bps and deleted_at is null)
    or stores.id in (select store_id from store_cashbacks where group_gone_at is not null and deleted_at is null))`,
};

/** Catalogues have thousands of stores, not millions: a state is looked up store by store. */
const STORES: ListSource = {
  table: "stores",
  key: "id",
  keyType: "number",
  sorts: { id: { column: "id", type: "number" }, name: { column: "name_key", type: "text" } },
  only: sql<SqlBool>`stores.deleted_at is null`,
  state: (state) => STATES[state] ?? sql<SqlBool>`not ${READY}`,
  matches(term, queries) {
    const name = searchKey(term);
    return [
      ...byId("stores", term),
      {
        keys: sql`select id as key from stores where deleted_at is null and ${startsWith(queries, "name_key", name)}`,
        test: startsWithTest(queries, "stores.name_key", name),
      },
    ];
  },
};

export type OfferQuery = {
  /** Words, or their beginnings, in any order. */
  query?: string | undefined;
  country?: string | undefined;
  category?: string | undefined;
  club?: string | undefined;
  featured?: boolean | undefined;
  /** Without one, by id. */
  sort?: StoreSort | undefined;
  /** The `nextBefore` of the previous page. */
  after?: string | undefined;
  limit: number;
};

const ORDERS = { name: "name", cashback: "-cashback", newest: "-id" } as const;
const FILTERED = "filtered";

/** A page of the stores on offer. docs/product.md#stores @throws CursorError */
export async function listOffered(queries: Queries, query: OfferQuery): Promise<ListPage<StoreWithCategories>> {
  const wanted = [...filtersOf(query), ...(query.club ? [await ofClub(queries, query.club)] : [])];
  const source: ListSource = {
    table: "stores",
    key: "id",
    keyType: "number",
    sorts: {
      id: { column: "id", type: "number", index: "stores_sells" },
      name: { column: "name_key", type: "text", index: "stores_sells_name" },
      cashback: { column: "max_cashback_bps", type: "number", index: "stores_sells_cashback" },
    },
    only: READY,
    state: () => sql.join(wanted, sql` and `),
    matches: (term) => storesWithWords(queries, term),
  };
  const page = {
    query: query.query,
    state: wanted.length > 0 ? FILTERED : undefined,
    sort: query.sort ? ORDERS[query.sort] : "id",
    before: query.after,
    limit: query.limit,
  };
  return readPage(queries, source, page, readStores, (row) => row.id);
}

/** Of the club of this slug or name; of a text that means none, the stores that say the same. docs/product.md#club-names */
async function ofClub(queries: Queries, text: string): Promise<RawBuilder<SqlBool>> {
  const bySlug = SLUG_PATTERN.test(text) ? await findClub(queries, text) : undefined;
  const club = bySlug ?? (await matchClub(queries, text));
  return club ? sql`stores.club_slug = ${club.slug}` : sql`stores.club_key = ${clubKey(text)}`;
}

function filtersOf({ country, category, featured }: OfferQuery): RawBuilder<SqlBool>[] {
  const given = Object.entries({ country, category }).flatMap(([name, value]) => {
    const key = searchKey(value ?? "");
    return key === "" ? [] : [sql<SqlBool>`${sql.ref(`stores.${name}_key`)} = ${key}`];
  });
  if (featured === undefined) return given;
  return [...given, featured ? sql<SqlBool>`stores.featured = 1` : sql<SqlBool>`stores.featured = 0`];
}

/** The stores on offer among these, in the order of their ids; for an admin also drafts. */
export async function listNamed(
  queries: Queries,
  ids: readonly bigint[],
  { withDrafts }: { withDrafts: boolean },
): Promise<StoreWithCategories[]> {
  const { rows } = withDrafts
    ? { rows: ids.map((id) => ({ id })) }
    : await sql<{ id: bigint }>`select id from stores where ${among(queries, "stores.id", ids)} and ${READY}`.execute(
        queries,
      );
  const stores = await readStores(queries, idsOf(rows));
  return stores.sort((one, other) => Number(one.id - other.id));
}

/** What tells whose page a link leads to, of every store on offer. */
export async function listOfferedSites(
  queries: Queries,
): Promise<Pick<StoreRow, "id" | "name" | "store_url" | "domains" | "claim_days">[]> {
  return queries
    .selectFrom("stores")
    .select(["id", "name", "store_url", "domains", "claim_days"])
    .where(READY)
    .orderBy("id")
    .execute();
}

export async function listOfferedIds(queries: Queries): Promise<bigint[]> {
  const { rows } = await sql<{ id: bigint }>`select id from stores where ${READY} order by id`.execute(queries);
  return idsOf(rows);
}

/** The clubs that have a store on offer. */
export async function listOfferedClubs(queries: Queries): Promise<string[]> {
  const { rows } = await sql<{ slug: string }>`select distinct clubs.slug from clubs
    join stores on stores.club_slug = clubs.slug where clubs.deleted_at is null and ${READY} order by clubs.slug`.execute(
    queries,
  );
  return rows.map(({ slug }) => slug);
}

/** The club's own name, whatever its stores call it. */
const CLUB_SHOWN = sql`coalesce((select clubs.name from clubs where clubs.slug = stores.club_slug), stores.club)`;
const FIELDS = ["country", "category", "club"] as const;
/** A translation is looked for among this many stores of a value. */
const TRANSLATIONS = 50;
const collator = new Intl.Collator("pt-BR", { sensitivity: "base", numeric: true });

/**
 * The values of the stores on offer, as the oldest store of each writes it: upper case, accents and spaces around do
 * not make another. An index gives the next value, so the cost is that of the answer.
 */
export async function readFilters(queries: Queries): Promise<StoreFilters> {
  const filters: StoreFilters = { country: [], category: [], club: [] };
  const translations: NonNullable<StoreFilters["translations"]> = {};
  for (const field of FIELDS) {
    const key = sql.ref(`${field}_key`);
    const first = sql`from stores where sells = 1 and ${key} = found.key`;
    const shown = field === "club" ? CLUB_SHOWN : sql.ref(field);
    const languages = field === "club" ? [] : OTHER_LANGUAGES;
    const said = languages.map(
      (one) => sql`, (select max(said) from (select ${sql.ref(`${field}_${one}`)} as said ${first}
        order by id limit ${TRANSLATIONS}) as oldest) as ${sql.ref(one)}`,
    );
    const { rows } = await sql<{ value: string | null } & Partial<Record<OtherLanguage, string | null>>>`
      with recursive found (key) as (
        select min(${key}) from stores where sells = 1 and ${key} > ''
        union all
        select (select min(${key}) from stores where sells = 1 and ${key} > found.key) from found where found.key is not null
      )
      select (select ${shown} ${first} and ${IS_NAMED} order by id limit 1) as value ${sql.join(said, sql``)}
      from found where found.key is not null`.execute(queries);
    const named = rows.flatMap(({ value, ...others }) => (value === null ? [] : [{ ...others, value: value.trim() }]));
    filters[field] = named.map(({ value }) => value).sort(collator.compare);
    for (const language of languages) {
      const texts = named.flatMap((row) => (row[language] ? [[row.value, row[language].trim()]] : []));
      if (texts.length > 0) translations[language] = { ...translations[language], [field]: Object.fromEntries(texts) };
    }
  }
  return Object.keys(translations).length === 0 ? filters : { ...filters, translations };
}
