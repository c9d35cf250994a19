import type { Queries } from "../database/transaction.ts";
import { CATEGORY_TRANSLATIONS } from "../rules/api/catalogue.ts";
import { recordOf } from "../rules/records.ts";
import { groupKey } from "../rules/sale/value.ts";
import { TorcidaError } from "../rules/torcida-error.ts";
import { decideBoost } from "./boosts.ts";
import { indexStore } from "./store-search.ts";
import type { CategoryTranslations } from "./stores.ts";
import { bumpCatalogueVersion } from "./version.ts";

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
