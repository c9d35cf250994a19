import type { Selectable } from "kysely";
import { among } from "../database/among.ts";
import type { Schema } from "../database/generated/schema.ts";
import type { Queries } from "../database/transaction.ts";
import { CATEGORY_TRANSLATIONS } from "../rules/api/catalogue.ts";
import type { Translations } from "../rules/languages.ts";
import { recordOf } from "../rules/records.ts";
import { groupKey } from "../rules/sale/value.ts";
import { TorcidaError } from "../rules/torcida-error.ts";
import { decideBoost, type PlannedBoost } from "./boosts.ts";
import { indexStore } from "./store-search.ts";
import { bumpCatalogueVersion } from "./version.ts";

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

/** How a percent follows its commission. */
type FollowFields = {
  isByHand?: boolean;
  sharePercent?: bigint | null;
  commissionBps?: bigint | null;
  agreedBps?: bigint | null;
  proposedBps?: bigint | null;
  groupGoneAt?: bigint | null;
};

export type CategoryFields = Partial<CategoryTranslations> &
  FollowFields & {
    cashbackBps: bigint;
    groupCode?: string | null;
    isDefault?: boolean;
  };

/** Another category of the store has this group: its sales would have two percents. */
export class GroupTakenError extends TorcidaError {
  override readonly docs = "docs/product.md#store-category";
  readonly group: string;
  readonly category: string;

  constructor(group: string, category: string) {
    super(`group_code: the store's category ${category} has the group ${group}`);
    this.group = group;
    this.category = category;
  }
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
      ...recordOf(CATEGORY_TRANSLATIONS, (name) => fields[name] ?? null),
      cashback_bps: fields.cashbackBps,
      group_code: fields.groupCode ?? null,
      is_default: fields.isDefault ? 1n : 0n,
      ...followColumns(fields),
      created_at: now,
      updated_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await bumpCatalogueVersion(queries);
  await indexStore(queries, storeId);
  return id;
}

/** Groups are compared case-insensitively, as for sales. @throws GroupTakenError */
async function requireFreeGroup(
  queries: Queries,
  storeId: bigint,
  group: string | null | undefined,
  exceptId?: bigint,
): Promise<void> {
  if (group == null) return;
  await bumpCatalogueVersion(queries);
  const others = await queries
    .selectFrom("store_cashbacks")
    .select(["id", "category", "group_code"])
    .where("store_id", "=", storeId)
    .where("deleted_at", "is", null)
    .where("group_code", "is not", null)
    .execute();
  const taken = others.find((one) => one.id !== exceptId && groupKey(one.group_code ?? "") === groupKey(group));
  if (taken) throw new GroupTakenError(group, taken.category);
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
      // Kysely leaves out what is undefined.
      category: fields.category,
      ...recordOf(CATEGORY_TRANSLATIONS, (name) => fields[name]),
      cashback_bps: fields.cashbackBps,
      group_code: fields.groupCode,
      ...followColumns(fields),
      ...(fields.isDefault === undefined ? {} : { is_default: fields.isDefault ? 1n : 0n }),
      ...(fields.deleted ? { deleted_at: now } : {}),
      updated_at: now,
    })
    .where("id", "=", key.categoryId)
    .where("store_id", "=", key.storeId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  await bumpCatalogueVersion(queries);
  if (fields.deleted) await endBoostsOf(queries, key.categoryId);
  await indexStore(queries, key.storeId);
  return numUpdatedRows === 1n;
}

/** Ends the boosts of a category that is deleted, and withdraws those that have not begun. */
async function endBoostsOf(queries: Queries, categoryId: bigint): Promise<void> {
  const rows = await queries
    .selectFrom("store_boosts")
    .select(["id", "decision", "starts_at"])
    .where("store_id", "=", (store) =>
      store.selectFrom("store_cashbacks").select("store_id").where("id", "=", categoryId),
    )
    .where("category_id", "=", categoryId)
    .where("decision", "in", ["waiting", "agreed"])
    .execute();
  const now = BigInt(Date.now());
  for (const { id, decision, starts_at } of rows)
    await decideBoost(queries, id, decision === "agreed" && starts_at <= now ? "ended" : "withdrawn");
}

function followColumns(fields: FollowFields) {
  return {
    ...(fields.isByHand === undefined ? {} : { is_by_hand: BigInt(fields.isByHand) }),
    cashback_share_percent: fields.sharePercent,
    commission_bps: fields.commissionBps,
    agreed_bps: fields.agreedBps,
    proposed_bps: fields.proposedBps,
    group_gone_at: fields.groupGoneAt,
  };
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
