import type { Selectable } from "kysely";
import type { z } from "zod";
import { among } from "../database/among.ts";
import type { Schema } from "../database/generated/schema.ts";
import type { Queries } from "../database/transaction.ts";
import type { StoreLack } from "../rules/api/admin-catalogue.ts";
import { type createStoreRequestSchema, RARE_STORE_TEXTS, STORE_COUNTS, STORE_TEXTS } from "../rules/api/catalogue.ts";
import { boosted } from "../rules/boost.ts";
import { idsOf, keysOf, recordOf } from "../rules/records.ts";
import { type PlannedBoost, readBoosts } from "./boosts.ts";
import { readCategories, type StoreCategory } from "./categories.ts";
import { listUnnamed } from "./chain-names.ts";

export type StoreRow = Selectable<Schema["stores"]>;
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
