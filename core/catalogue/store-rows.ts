import { noteChangedFact } from "../database/changed-facts.ts";
import type { Queries } from "../database/transaction.ts";
import { STORE_COUNTS } from "../rules/api/catalogue.ts";
import { keysOf, recordOf } from "../rules/records.ts";
import { OwnSaleError } from "../rules/sale/own-sale-error.ts";
import { WITHOUT_COMMISSION } from "../rules/sale/value.ts";
import { searchKey } from "../rules/text.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { ClubError, findClub } from "./club-rows.ts";
import { lapse } from "./percent-approvals.ts";
import { indexStore } from "./store-search.ts";
import type { StoreFields, StoreRow } from "./stores.ts";
import { bumpCatalogueVersion } from "./version.ts";

/** Cyrillic and Greek letters, each with the Latin one that it looks like. */
const LOOKS = new Map(
  "аa вb еe кk мm нh оo рp сc тt уy хx іi јj ѕs ԁd һh ԛq ԝw αa οo ρp νv ιi κk τt υu χx"
    .split(" ")
    .map(([letter = "", latin = ""]) => [letter, latin]),
);

/**
 * How a name looks to a buyer: its `searchKey`, with Cyrillic and Greek letters as the Latin ones that they look like.
 * @example
 * lookOf("Nіke") // "nike": its second letter is Cyrillic
 */
export function lookOf(name: string): string {
  return [...searchKey(name)].map((letter) => LOOKS.get(letter) ?? letter).join("");
}

/** Another active store with this name or one that looks like it, ignoring case and accents. docs/product.md#store-name */
export async function findStoreByName(queries: Queries, name: string, except = 0n): Promise<StoreRow | undefined> {
  return queries
    .selectFrom("stores")
    .selectAll()
    .where("name_key", "in", [searchKey(name), lookOf(name)])
    .where("deleted_at", "is", null)
    .where("id", "!=", except)
    .orderBy("id")
    .executeTakeFirst();
}

/** Creates a store and returns its id, which is also its number on chain. docs/product.md#store-name @throws ClubError */
export async function insertStore(queries: Queries, fields: StoreFields): Promise<bigint> {
  const now = BigInt(Date.now());
  const { id } = await queries
    .insertInto("stores")
    .values({
      name: fields.name,
      country: fields.country,
      ...columnsOf(fields),
      ...(await clubColumns(queries, fields)),
      featured: fields.featured ? 1n : 0n,
      created_at: now,
      updated_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await bumpCatalogueVersion(queries);
  await indexStore(queries, id);
  return id;
}

/**
 * What open sales are decided by, as it is now; the delay of a mint counts when it is queued, and everything else is frozen
 * at the click. docs/product.md#sales-decision
 */
const DECIDING = keysOf({
  ...{ network: true, account: true, advertiser_id: true, link_code: true },
  ...{ merchant: true, store_url: true, hold_seconds: true },
} satisfies Partial<Record<keyof StoreFields, true>>);

async function isDecidedOtherwise(queries: Queries, storeId: bigint, fields: Partial<StoreFields>): Promise<boolean> {
  const before = await queries.selectFrom("stores").select(DECIDING).where("id", "=", storeId).executeTakeFirst();
  const isOther = (field: (typeof DECIDING)[number]) =>
    fields[field] !== undefined && String(fields[field]) !== String(before?.[field]);
  return DECIDING.some(isOther);
}

/**
 * Whether open sales are decided otherwise by such a change.
 * @throws OwnSaleError if one of these people has a held sale that it could let go on
 */
export async function requireNotOwn(
  queries: Queries,
  storeId: bigint,
  fields: Partial<StoreFields>,
  actors: readonly string[],
): Promise<boolean> {
  if (!(await isDecidedOtherwise(queries, storeId, fields))) return false;
  for (const actor of actors) {
    if (await hasHeldSale(queries, storeId, actor))
      throw new OwnSaleError("Somebody else must change this: a held sale of your own wallet is decided by it");
  }
  return true;
}

/** Whether a sale of this buyer is held that such a change of the store could let go on. */
async function hasHeldSale(queries: Queries, storeId: bigint, buyer: string): Promise<boolean> {
  const sale = await queries
    .selectFrom("sales")
    .select("id")
    .where("state", "=", "held")
    .where("wallet", "=", buyer as WalletAddress)
    // An order's other sale can be another store's of the same merchant.
    .where(({ or, eb }) => or([eb("store_id", "=", storeId), eb("hold_reasons", "like", "%order_twice%")]))
    .limit(1)
    .executeTakeFirst();
  return sale !== undefined;
}

/**
 * Updates the given fields. Returns false if there is no such store. `actors` are the admins whose decision it is.
 * @throws OwnSaleError, ClubError
 */
export async function updateStore(
  queries: Queries,
  storeId: bigint,
  fields: Partial<StoreFields>,
  ...actors: readonly (string | undefined)[]
): Promise<boolean> {
  if (
    await requireNotOwn(
      queries,
      storeId,
      fields,
      actors.flatMap((one) => one ?? []),
    )
  )
    await noteChangedFact(queries, `store ${storeId}`);
  const before = await queries.selectFrom("stores").select("club").where("id", "=", storeId).executeTakeFirst();
  const { club = null } = { ...before, ...fields };
  const { numUpdatedRows } = await queries
    .updateTable("stores")
    .set({
      ...columnsOf(fields),
      ...(await clubColumns(queries, { ...fields, club }, before?.club)),
      updated_at: BigInt(Date.now()),
    })
    .where("id", "=", storeId)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  await bumpCatalogueVersion(queries);
  await indexStore(queries, storeId);
  return numUpdatedRows === 1n;
}

/** A club that a person chose is accepted; with another text it is not. `before` is the text so far. docs/product.md#club-match */
async function clubColumns(queries: Queries, { club, club_slug }: Partial<StoreFields>, before: string | null = null) {
  if (club_slug) {
    const chosen = await findClub(queries, club_slug);
    if (!chosen) throw new ClubError("club_slug", `club_slug is not the slug of a club: ${club_slug}`);
    return { club: (club === undefined ? before : club) ?? chosen.name, club_slug, club_accepted: 1n };
  }
  if (club_slug === null || (club ?? "") !== (before ?? "")) return { club_slug: null, club_accepted: 0n };
  return {};
}

function columnsOf({ featured, cashback_share_percent: share, club_slug: _, ...fields }: Partial<StoreFields>) {
  const counts = recordOf(keysOf(STORE_COUNTS), (field) => {
    const count = fields[field];
    return typeof count === "number" ? BigInt(count) : count;
  });
  const isOfNetwork = fields.network != null && fields.network !== WITHOUT_COMMISSION;
  const direct = isOfNetwork ? { unlinked_is_direct: null } : {};
  const cashback_share_percent = typeof share === "number" ? BigInt(share) : share;
  return {
    ...fields,
    ...counts,
    cashback_share_percent,
    ...direct,
    featured: featured === undefined ? undefined : BigInt(featured),
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
  await indexStore(queries, storeId);
  await lapse(queries, "store_id", storeId);
  return numUpdatedRows === 1n;
}
