import type { Selectable } from "kysely";
import type { z } from "zod";
import { among } from "../database/among.ts";
import type { Schema } from "../database/generated/schema.ts";
import { readSetting } from "../database/settings.ts";
import type { Queries } from "../database/transaction.ts";
import type { StoreLack } from "../rules/api/admin-catalogue.ts";
import {
  CATEGORY_TRANSLATIONS,
  type createStoreRequestSchema,
  RARE_STORE_TEXTS,
  STORE_COUNTS,
  STORE_TEXTS,
} from "../rules/api/catalogue.ts";
import { type Boost, boosted } from "../rules/boost.ts";
import type { Translations } from "../rules/languages.ts";
import { idsOf, keysOf, recordOf } from "../rules/records.ts";

/** Its name in each other language; null if pages show the Portuguese one. */
export type CategoryTranslations = Translations<{ category: string | null }>;
export type StoreCategory = CategoryTranslations & {
  id: bigint;
  category: string;
  /** With the boosts that ran when it was read: what is promised. */
  cashbackBps: bigint;
  /** Without: what an admin set. */
  plainBps: bigint;
  /** The boost that raises it; null if none does. */
  boost: PlannedBoost | null;
  /** The network's commission group it applies to. */
  groupCode: string | null;
  /** Whether it applies to all other groups. */
  isDefault: boolean;
  /** Whether a person set the percent; else it follows the commission. docs/product.md#followed-percent */
  isByHand: boolean;
  sharePercent: bigint | null;
  /** What the network pays, as it was last read; null: not known, or no percent. */
  commissionBps: bigint | null;
  agreedBps: bigint | null;
  proposedBps: bigint | null;
  /** Whether the network no longer has its group. */
  isGroupGone: boolean;
};

export type PlannedBoost = Boost & { id: bigint };

export type StoreRow = Selectable<Schema["stores"]>;
/** A store as it is read: with its percents, the boosts that raise them, its club, and whether the chain knows its name. */
export type StoreWithCategories = StoreRow & {
  /** With the boosts that ran when it was read. */
  categories: StoreCategory[];
  /** Those that run or will run. */
  boosts: PlannedBoost[];
  /** Whether its name is on chain, according to the outbox. */
  isNamed: boolean;
  /** The fan token of the club that a person chose for it. docs/product.md#club-match */
  clubToken: string | null;
};

/**
 * The fields of a store, as the panel or a catalogue file sets them; an absent field keeps its value, null clears it.
 */
export type StoreFields = z.output<typeof createStoreRequestSchema>;

export function fieldsOf(store: StoreRow): Required<StoreFields> {
  return {
    name: store.name,
    country: store.country,
    ...recordOf(keysOf(STORE_TEXTS), (field) => store[field]),
    ...recordOf(keysOf(RARE_STORE_TEXTS), (field) => store[field]),
    ...recordOf(keysOf(STORE_COUNTS), (field) => (store[field] === null ? null : Number(store[field]))),
    domains: store.domains,
    cashback_share_percent: store.cashback_share_percent === null ? null : Number(store.cashback_share_percent),
    club_slug: store.club_accepted === 1n ? store.club_slug : null,
    featured: store.featured === 1n,
  };
}

/** All active stores including drafts, oldest first. */
export async function listStores(queries: Queries): Promise<StoreWithCategories[]> {
  const stores = await withClubs(queries).where("stores.deleted_at", "is", null).orderBy("stores.id").execute();
  const ids = idsOf(stores);
  return withCategories(queries, ids, stores);
}

export async function readStores(queries: Queries, ids: readonly bigint[]): Promise<StoreWithCategories[]> {
  const stores = withClubs(queries)
    .where(among(queries, "stores.id", ids))
    .where("stores.deleted_at", "is", null)
    .execute();
  return withCategories(queries, ids, stores);
}

type StoreOfClub = StoreRow & Pick<StoreWithCategories, "clubToken">;

function withClubs(queries: Queries) {
  return queries
    .selectFrom("stores")
    .leftJoin("clubs", (join) =>
      join
        .onRef("clubs.slug", "=", "stores.club_slug")
        .on("stores.club_accepted", "=", 1n)
        .on("clubs.deleted_at", "is", null),
    )
    .selectAll("stores")
    .select("clubs.token_slug as clubToken");
}

async function withCategories(
  queries: Queries,
  ids: readonly bigint[],
  rows: readonly StoreOfClub[] | Promise<StoreOfClub[]>,
): Promise<StoreWithCategories[]> {
  const now = BigInt(Date.now());
  const [stores, allCategories, allBoosts, unnamed] = await Promise.all([
    rows,
    readCategories(queries, ids),
    readBoosts(queries, ids, now),
    listUnnamed(queries, ids),
  ]);
  const nameless = new Set(unnamed);
  return stores.map((store) => {
    const boosts = allBoosts.get(store.id) ?? [];
    const categories = boosted(allCategories.get(store.id) ?? [], boosts, now);
    return { ...store, categories, boosts, isNamed: !nameless.has(store.id) };
  });
}

const READ = [
  ...(["id", "category", ...CATEGORY_TRANSLATIONS, "cashback_bps", "group_code", "is_default"] as const),
  ...(["is_by_hand", "cashback_share_percent", "commission_bps"] as const),
  ...(["agreed_bps", "proposed_bps", "group_gone_at"] as const),
] as const;

/** The categories of some stores, by store, without their boosts. */
export async function readCategories(
  queries: Queries,
  storeIds: readonly bigint[],
): Promise<Map<bigint, StoreCategory[]>> {
  const rows = await queries
    .selectFrom("store_cashbacks")
    .select(["store_id", ...READ])
    .where("deleted_at", "is", null)
    .where(among(queries, "store_id", storeIds))
    .orderBy("id")
    .execute();
  const byStore = Map.groupBy(rows, (row) => row.store_id);
  return new Map([...byStore].map(([storeId, own]) => [storeId, own.map(toCategory)]));
}

function toCategory(row: Pick<Selectable<Schema["store_cashbacks"]>, (typeof READ)[number]>): StoreCategory {
  return {
    id: row.id,
    category: row.category,
    ...recordOf(CATEGORY_TRANSLATIONS, (name) => row[name]),
    cashbackBps: row.cashback_bps,
    plainBps: row.cashback_bps,
    boost: null,
    groupCode: row.group_code,
    isDefault: row.is_default === 1n,
    isByHand: row.is_by_hand === 1n,
    sharePercent: row.cashback_share_percent,
    commissionBps: row.commission_bps,
    agreedBps: row.agreed_bps,
    proposedBps: row.proposed_bps,
    isGroupGone: row.group_gone_at !== null,
  };
}

/** The boosts of some stores that run or will run, by store, with what they may pay. */
export async function readBoosts(
  queries: Queries,
  storeIds: readonly bigint[],
  now: bigint,
): Promise<Map<bigint, PlannedBoost[]>> {
  const rows = await queries
    .selectFrom("store_boosts")
    .select(["id", "store_id", "category_id", "boost_bps", "starts_at", "ends_at"])
    .where(among(queries, "store_id", storeIds))
    .where("decision", "=", "agreed")
    .where("ends_at", ">", now)
    .orderBy("id")
    .execute();
  if (rows.length === 0) return new Map();
  const most = await readMostBps(queries);
  const bounded = rows.map((row) => ({ ...row, boost_bps: row.boost_bps < most ? row.boost_bps : most }));
  return new Map([...Map.groupBy(bounded, (row) => row.store_id)].map(([id, own]) => [id, own.map(toBoost)]));
}

export function toBoost(
  row: Pick<Selectable<Schema["store_boosts"]>, "id" | "category_id" | "boost_bps" | "starts_at" | "ends_at">,
): PlannedBoost {
  return {
    id: row.id,
    categoryId: row.category_id,
    bps: row.boost_bps,
    startsAt: row.starts_at,
    endsAt: row.ends_at,
  };
}

/** By the contract, which refuses a ticket of more. */
const MOST_BPS = 10_000n;

/** What no boost may exceed now, in basis points. docs/product.md#boost-bound */
export async function readMostBps(queries: Queries): Promise<bigint> {
  return BigInt((await readSetting(queries, "boost_max_bps")) ?? MOST_BPS);
}

/** The stores, or those among some, whose on-chain registration is not done yet, in order. */
export async function listUnnamed(queries: Queries, ids?: readonly bigint[]): Promise<bigint[]> {
  const rows = await queries
    .selectFrom("operations")
    .select("subject_id")
    .where("status", "in", ["queued", "assigned", "waiting", "failed"])
    .where("kind", "=", "register_store")
    .$if(ids !== undefined, (some) => some.where(among(queries, "subject_id", ids ?? [])))
    .orderBy("subject_id")
    .execute();
  return rows.map((row) => row.subject_id);
}

type Sellable = Pick<StoreRow, "affiliate_link" | "network" | "advertiser_id" | "store_url"> & {
  categories: readonly Pick<StoreCategory, "cashbackBps">[];
  isNamed: boolean;
};

/** What keeps a store from being on offer. docs/product.md#store-draft */
export function lacksOf(store: Sellable): StoreLack[] {
  // Its own link, or the data from which its network's link is built.
  const { affiliate_link, network, advertiser_id, store_url } = store;
  return [
    ...(affiliate_link || (network && advertiser_id && store_url) ? [] : ["link" as const]),
    ...(store.categories.some(({ cashbackBps }) => cashbackBps > 0n) ? [] : ["rate" as const]),
    ...(store.isNamed ? [] : ["chain_name" as const]),
  ];
}

/** A store that cannot sell yet is a draft, which only admins see. docs/product.md#store-draft */
export function isOnOffer(store: Sellable): boolean {
  return lacksOf(store).length === 0;
}

/** An active store; undefined if it never existed or was deleted. */
export async function findStore(queries: Queries, storeId: bigint): Promise<StoreWithCategories | undefined> {
  return (await readStores(queries, [storeId]))[0];
}
