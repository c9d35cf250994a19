import { type Selectable, sql } from "kysely";
import { among } from "../database/among.ts";
import type { Schema } from "../database/generated/schema.ts";
import { listNewest, type NewestPage } from "../database/newest-page.ts";
import { inTransaction, type Queries } from "../database/transaction.ts";
import type { OfferFields } from "../rules/api/offers.ts";
import { DAY_MS } from "../rules/iso-time.ts";
import { idsOf } from "../rules/records.ts";
import { searchKey } from "../rules/text.ts";
import { TorcidaError } from "../rules/torcida-error.ts";
import { bumpCatalogueVersion } from "./version.ts";

/** An end that nobody said: 9999-12-31. */
export const NO_END = 253_402_214_400_000n;
/** For how long one that is over can still be read and prolonged. */
const OVER_KEPT_MS = 30 * DAY_MS;
/** A pass turns so many; the next ones follow. */
const TURNS = 200;

export type OfferRow = Selectable<Schema["offers"]>;
export type StoreOffer = OfferRow & { store: string };

/** The store has one of this title by hand. docs/product.md#offers */
export class OfferTitleTakenError extends TorcidaError {
  override readonly docs = "docs/product.md#offers";

  constructor(title: string) {
    super(`The store has an offer ${title} already: change that one`);
  }
}

export function named(queries: Queries) {
  return queries
    .selectFrom("offers")
    .innerJoin("stores", "stores.id", "offers.store_id")
    .selectAll("offers")
    .select("stores.name as store")
    .where("stores.deleted_at", "is", null);
}

/** A store's offers, those to come and those that are over too, newest first. */
export function listStoreOffers(queries: Queries, storeId: bigint, page: NewestPage): Promise<StoreOffer[]> {
  return listNewest(named(queries).where("offers.store_id", "=", storeId), "offers.id", page);
}

/** A person's offer. Returns its id. @throws OfferTitleTakenError */
export async function insertOffer(queries: Queries, storeId: bigint, fields: OfferFields): Promise<bigint> {
  await bumpCatalogueVersion(queries);
  await requireFreeTitle(queries, storeId, fields.title);
  const now = BigInt(Date.now());
  const { id } = await queries
    .insertInto("offers")
    .values({
      store_id: storeId,
      ...columnsOf(fields),
      title: fields.title,
      title_key: searchKey(fields.title),
      starts_at: fields.starts_at ?? now,
      ends_at: fields.ends_at ?? NO_END,
      with_cashback: fields.with_cashback === false ? 0n : 1n,
      created_at: now,
      updated_at: now,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await showOffers(queries, { ids: [id] });
  return id;
}

/** Changes the given fields of a person's offer. @throws OfferTitleTakenError */
export async function updateOffer(
  queries: Queries,
  offer: Pick<OfferRow, "id" | "store_id">,
  fields: Partial<OfferFields>,
): Promise<void> {
  await bumpCatalogueVersion(queries);
  if (fields.title !== undefined) await requireFreeTitle(queries, offer.store_id, fields.title, offer.id);
  await queries
    .updateTable("offers")
    .set({ ...columnsOf(fields), updated_at: BigInt(Date.now()) })
    .where("id", "=", offer.id)
    .where("network", "is", null)
    .execute();
  await showOffers(queries, { ids: [offer.id] });
}

export async function deleteOffer(queries: Queries, id: bigint): Promise<void> {
  await bumpCatalogueVersion(queries);
  await queries.deleteFrom("offers").where("id", "=", id).execute();
}

function columnsOf({ with_cashback, starts_at, ends_at, title, ...texts }: Partial<OfferFields>) {
  return {
    // Kysely leaves out what is undefined.
    ...texts,
    ...(title === undefined ? {} : { title, title_key: searchKey(title) }),
    ...(with_cashback === undefined ? {} : { with_cashback: BigInt(with_cashback) }),
    ...(starts_at === undefined ? {} : { starts_at: starts_at ?? BigInt(Date.now()) }),
    ...(ends_at === undefined ? {} : { ends_at: ends_at ?? NO_END }),
  };
}

async function requireFreeTitle(queries: Queries, storeId: bigint, title: string, except = 0n): Promise<void> {
  const other = await queries
    .selectFrom("offers")
    .select("id")
    .where("store_id", "=", storeId)
    .where("network", "is", null)
    .where("title_key", "=", searchKey(title))
    .where("id", "!=", except)
    .limit(1)
    .executeTakeFirst();
  if (other) throw new OfferTitleTakenError(title);
}

type NetworkColumns = Pick<
  OfferRow,
  | "network"
  | "account"
  | "network_key"
  | "store_id"
  | "title"
  | "title_key"
  | "code"
  | "terms"
  | "url"
  | "with_cashback"
  | "starts_at"
  | "ends_at"
>;

/** What a network says of an offer now. Returns its id. */
export async function putNetworkOffer(queries: Queries, columns: NetworkColumns, now: bigint): Promise<bigint> {
  const written = { ...columns, updated_at: now };
  const { id } = await queries
    .insertInto("offers")
    .values({ ...written, created_at: now })
    .onConflict((conflict) => conflict.columns(["network", "account", "network_key"]).doUpdateSet(written))
    .returning("id")
    .executeTakeFirstOrThrow();
  return id;
}

/** Notes when a network listed some of its offers, or ends them. */
export async function noteListed(
  queries: Queries,
  { network, account, keys }: { network: string; account: string; keys: readonly string[] },
  noted: { seen_at: bigint } | { ends_at: bigint },
): Promise<void> {
  await queries
    .updateTable("offers")
    .set(noted)
    .where("network", "=", network)
    .where("account", "=", account)
    .where(among(queries, "network_key", keys))
    .execute();
}

/** Writes which of some offers are shown now, and when the others will be. */
export async function showOffers(
  queries: Queries,
  of: { ids: readonly bigint[] } | { storeId: bigint },
): Promise<void> {
  const now = BigInt(Date.now());
  await queries
    .updateTable("offers")
    .set({
      shown: sql<bigint>`case when starts_at <= ${now} and exists (select 1 from stores
        where stores.id = offers.store_id and stores.sells = 1) then 1 else 0 end`,
      turns_at: sql<bigint | null>`case when starts_at > ${now} then starts_at end`,
    })
    .where("ids" in of ? among(queries, "id", of.ids) : sql<boolean>`store_id = ${of.storeId}`)
    .execute();
}

/** The offers that have begun since they were last turned. */
export async function listBegun(queries: Queries, limit: number): Promise<bigint[]> {
  const rows = await queries
    .selectFrom("offers")
    .select("id")
    .where("turns_at", "is not", null)
    .where("turns_at", "<=", BigInt(Date.now()))
    .orderBy("turns_at")
    .limit(limit)
    .execute();
  return idsOf(rows);
}

/** Shows the offers that have begun. Any process may do it, several at once too. */
export async function turnOffers(kysely: Parameters<typeof inTransaction>[0]): Promise<void> {
  while ((await listBegun(kysely, 1)).length > 0)
    await inTransaction(kysely, async (queries) => showOffers(queries, { ids: await listBegun(queries, TURNS) }));
}

/** Deletes some that have been over for a while. Returns whether there may be more. docs/operations.md#what-ends */
export async function deleteOldOffers(queries: Queries, now: bigint, limit: number): Promise<boolean> {
  const { numDeletedRows } = await queries
    .deleteFrom("offers")
    .where("id", "in", (offers) =>
      offers
        .selectFrom("offers")
        .select("id")
        .where("ends_at", "<", now - BigInt(OVER_KEPT_MS))
        .orderBy("ends_at")
        .limit(limit),
    )
    .executeTakeFirst();
  return numDeletedRows >= limit;
}
