import type { Selectable } from "kysely";
import type { z } from "zod";
import { among } from "../database/among.ts";
import type { Schema } from "../database/schema.ts";
import { readSetting, writeSetting } from "../database/settings.ts";
import type { Queries } from "../database/transaction.ts";
import type { StoreLack } from "../domain/api/admin-catalogue.ts";
import type { createStoreRequestSchema } from "../domain/api/catalogue.ts";
import { LIST_LIMIT } from "../domain/product.ts";
import { groupKey } from "../domain/sale/terms.ts";
import { searchKey } from "../domain/search-key.ts";

export type StoreCategory = {
  id: bigint;
  category: string;
  /** Its name in English; null if the Portuguese one is used for both. */
  categoryEn: string | null;
  cashbackBps: bigint;
  /** The network's commission group it applies to. */
  groupCode: string | null;
  /** Whether it applies to all other groups. */
  isDefault: boolean;
};
export type StoreRow = Selectable<Schema["stores"]>;
export type StoreWithCategories = StoreRow & {
  categories: StoreCategory[];
  /** Whether its name is on chain, according to the outbox. */
  isNamed: boolean;
};

/**
 * The fields of a store, as the panel or a catalogue file sets them; an absent field keeps its value, null clears it.
 */
export type StoreFields = z.output<typeof createStoreRequestSchema>;

/** A store as the API and a catalogue file state it. */
export function fieldsOf(store: StoreRow) {
  const numberIfAny = (value: bigint | null) => (value === null ? null : Number(value));
  return {
    name: store.name,
    country: store.country,
    club: store.club,
    category: store.category,
    description: store.description,
    terms: store.terms,
    country_en: store.country_en,
    category_en: store.category_en,
    description_en: store.description_en,
    terms_en: store.terms_en,
    logo: store.logo,
    affiliate_link: store.affiliate_link,
    featured: store.featured === 1n,
    network: store.network,
    account: store.account,
    advertiser_id: store.advertiser_id,
    store_url: store.store_url,
    mint_delay_seconds: numberIfAny(store.mint_delay_seconds),
    hold_seconds: numberIfAny(store.hold_seconds),
    claim_days: numberIfAny(store.claim_days),
  } satisfies Required<StoreFields>;
}

/** The active stores including drafts, oldest first, at most `limit`. */
export async function listStores(queries: Queries, limit = LIST_LIMIT): Promise<StoreWithCategories[]> {
  const stores = await queries
    .selectFrom("stores")
    .selectAll()
    .where("deleted_at", "is", null)
    .orderBy("id")
    .limit(limit)
    .execute();
  return withCategories(queries, stores);
}

/** Some active stores, unordered. */
export async function readStores(queries: Queries, ids: readonly bigint[]): Promise<StoreWithCategories[]> {
  const [stores, categories, unnamed] = await Promise.all([
    queries
      .selectFrom("stores")
      .selectAll()
      .where(among(queries, "id", ids))
      .where("deleted_at", "is", null)
      .execute(),
    listCategories(queries, ids),
    listUnnamed(queries),
  ]);
  return join(stores, categories, unnamed);
}

async function withCategories(queries: Queries, stores: readonly StoreRow[]): Promise<StoreWithCategories[]> {
  const ids = stores.map((store) => store.id);
  return join(stores, await listCategories(queries, ids), await listUnnamed(queries));
}

function listCategories(queries: Queries, storeIds: readonly bigint[]) {
  return queries
    .selectFrom("store_cashbacks")
    .select(["id", "store_id", "category", "category_en", "cashback_bps", "group_code", "is_default"])
    .where("deleted_at", "is", null)
    .where(among(queries, "store_id", storeIds))
    .orderBy("id")
    .execute();
}

function join(
  stores: readonly StoreRow[],
  categories: Awaited<ReturnType<typeof listCategories>>,
  unnamed: readonly bigint[],
): StoreWithCategories[] {
  const byStore = Map.groupBy(categories, (row) => row.store_id);
  return stores.map((store) => ({
    ...store,
    categories: (byStore.get(store.id) ?? []).map(toCategory),
    isNamed: !unnamed.includes(store.id),
  }));
}

/** The stores whose on-chain registration is not done yet, in order. */
async function listUnnamed(queries: Queries): Promise<bigint[]> {
  const rows = await queries
    .selectFrom("operations")
    .select("subject_id")
    .where("status", "in", ["queued", "assigned", "waiting", "failed"])
    .where("kind", "=", "register_store")
    .orderBy("subject_id")
    .execute();
  return rows.map((row) => row.subject_id);
}

type Sellable = Pick<StoreRow, "affiliate_link" | "network" | "advertiser_id" | "store_url"> & {
  categories: readonly Pick<StoreCategory, "cashbackBps">[];
  isNamed: boolean;
};

/** Whether it has a link: its own, or the data from which its network's link is built. */
export function hasLink({ affiliate_link, network, advertiser_id, store_url }: Sellable): boolean {
  return Boolean(affiliate_link) || Boolean(network && advertiser_id && store_url);
}

/** Whether any purchase there earns cashback. */
export function hasCashback({ categories }: Sellable): boolean {
  return categories.some(({ cashbackBps }) => cashbackBps > 0n);
}

/** What keeps a store from being on offer. docs/product.md#store-draft */
export function lacksOf(store: Sellable): StoreLack[] {
  return [
    ...(hasLink(store) ? [] : ["link" as const]),
    ...(hasCashback(store) ? [] : ["rate" as const]),
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

/** The active store with a name, ignoring case and accents. */
export async function findStoreByName(queries: Queries, name: string): Promise<StoreRow | undefined> {
  return queries
    .selectFrom("stores")
    .selectAll()
    .where("name_key", "=", searchKey(name))
    .where("deleted_at", "is", null)
    .orderBy("id")
    .executeTakeFirst();
}

export async function insertStore(queries: Queries, fields: StoreFields): Promise<bigint> {
  const now = BigInt(Date.now());
  const { id } = await queries
    .insertInto("stores")
    .values({
      name: fields.name,
      country: fields.country,
      name_key: searchKey(fields.name),
      ...columnsOf(fields),
      featured: fields.featured ? 1n : 0n,
      created_at: now,
      updated_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await bumpCatalogueVersion(queries);
  return id;
}

/** Updates the given fields. Returns false if there is no such store. */
export async function updateStore(queries: Queries, storeId: bigint, fields: Partial<StoreFields>): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("stores")
    .set({
      ...columnsOf(fields),
      ...(fields.name === undefined ? {} : { name_key: searchKey(fields.name) }),
      updated_at: BigInt(Date.now()),
    })
    .where("id", "=", storeId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  await bumpCatalogueVersion(queries);
  return numUpdatedRows === 1n;
}

/** The columns of the fields that are given. */
function columnsOf({ featured, mint_delay_seconds, hold_seconds, claim_days, ...rest }: Partial<StoreFields>) {
  const count = (value: number | null) => (value === null ? null : BigInt(value));
  return {
    ...rest,
    ...(featured === undefined ? {} : { featured: featured ? 1n : 0n }),
    ...(mint_delay_seconds === undefined ? {} : { mint_delay_seconds: count(mint_delay_seconds) }),
    ...(hold_seconds === undefined ? {} : { hold_seconds: count(hold_seconds) }),
    ...(claim_days === undefined ? {} : { claim_days: count(claim_days) }),
  };
}

/** Marks a store as deleted; purchases still refer to its row. */
export async function deleteStore(queries: Queries, storeId: bigint): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("stores")
    .set({ deleted_at: BigInt(Date.now()) })
    .where("id", "=", storeId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  await bumpCatalogueVersion(queries);
  return numUpdatedRows === 1n;
}

export async function insertCategory(
  queries: Queries,
  storeId: bigint,
  fields: { category: string } & CategoryFields,
): Promise<bigint> {
  const now = BigInt(Date.now());
  await requireFreeGroup(queries, storeId, fields.groupCode);
  if (fields.isDefault) await clearDefault(queries, storeId);
  const { id } = await queries
    .insertInto("store_cashbacks")
    .values({
      store_id: storeId,
      category: fields.category,
      category_en: fields.categoryEn ?? null,
      cashback_bps: fields.cashbackBps,
      group_code: fields.groupCode ?? null,
      is_default: fields.isDefault ? 1n : 0n,
      created_at: now,
      updated_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await bumpCatalogueVersion(queries);
  return id;
}

export type CategoryFields = {
  cashbackBps: bigint;
  categoryEn?: string | null;
  groupCode?: string | null;
  isDefault?: boolean;
};

/** Another category of the store has this group: its sales would have two percents. */
export class GroupTakenError extends Error {
  override readonly name = "GroupTakenError";
}

/** Groups are compared case-insensitively, as for sales. @throws GroupTakenError */
async function requireFreeGroup(
  queries: Queries,
  storeId: bigint,
  group: string | null | undefined,
  exceptId?: bigint,
): Promise<void> {
  if (group == null) return;
  // Serializes catalogue writes.
  await bumpCatalogueVersion(queries);
  const others = await queries
    .selectFrom("store_cashbacks")
    .select(["id", "category", "group_code"])
    .where("store_id", "=", storeId)
    .where("deleted_at", "is", null)
    .where("group_code", "is not", null)
    .execute();
  const taken = others.find((one) => one.id !== exceptId && groupKey(one.group_code ?? "") === groupKey(group));
  if (taken) throw new GroupTakenError(`group_code: the store's category ${taken.category} has the group ${group}`);
}

/** A store has one default category at most. */
async function clearDefault(queries: Queries, storeId: bigint): Promise<void> {
  await queries.updateTable("store_cashbacks").set({ is_default: 0n }).where("store_id", "=", storeId).execute();
}

/** Returns false if the store has no such category. */
export async function updateCategory(
  queries: Queries,
  key: { storeId: bigint; categoryId: bigint },
  fields: { category?: string; deleted?: true } & Partial<CategoryFields>,
): Promise<boolean> {
  const now = BigInt(Date.now());
  await requireFreeGroup(queries, key.storeId, fields.groupCode, key.categoryId);
  if (fields.isDefault) await clearDefault(queries, key.storeId);
  const { numUpdatedRows } = await queries
    .updateTable("store_cashbacks")
    .set({
      ...(fields.category === undefined ? {} : { category: fields.category }),
      ...(fields.categoryEn === undefined ? {} : { category_en: fields.categoryEn }),
      ...(fields.cashbackBps === undefined ? {} : { cashback_bps: fields.cashbackBps }),
      ...(fields.groupCode === undefined ? {} : { group_code: fields.groupCode }),
      ...(fields.isDefault === undefined ? {} : { is_default: fields.isDefault ? 1n : 0n }),
      ...(fields.deleted ? { deleted_at: now } : {}),
      updated_at: now,
    })
    .where("id", "=", key.categoryId)
    .where("store_id", "=", key.storeId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  await bumpCatalogueVersion(queries);
  return numUpdatedRows === 1n;
}

/** Changes with every write, and when a store's name is registered on chain. */
export async function readCatalogueVersion(queries: Queries): Promise<string> {
  const written = (await readSetting(queries, "catalogue_version")) ?? "0";
  return `${written} ${(await listUnnamed(queries)).join(" ")}`;
}

/** Must be called in every catalogue write, so that other processes drop their cache. */
export async function bumpCatalogueVersion(queries: Queries): Promise<void> {
  await writeSetting(queries, "catalogue_version", crypto.randomUUID());
}

function toCategory(
  row: Pick<
    Selectable<Schema["store_cashbacks"]>,
    "id" | "category" | "category_en" | "cashback_bps" | "group_code" | "is_default"
  >,
): StoreCategory {
  return {
    id: row.id,
    category: row.category,
    categoryEn: row.category_en,
    cashbackBps: row.cashback_bps,
    groupCode: row.group_code,
    isDefault: row.is_default === 1n,
  };
}
