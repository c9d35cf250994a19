import type { Selectable } from "kysely";
import type { Schema } from "../database/generated/schema.ts";
import type { Queries } from "../database/transaction.ts";
import { LIST_LIMIT } from "../domain/product.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import { bumpCatalogueVersion } from "./version.ts";

export type FanTokenRow = Selectable<Schema["fan_tokens"]>;

export type FanTokenFields = {
  name: string;
  slug: string;
  symbol: string;
  image: string;
  contract: WalletAddress | null;
};

export async function listFanTokens(queries: Queries, limit = LIST_LIMIT): Promise<FanTokenRow[]> {
  return active(queries).orderBy("id").limit(limit).execute();
}

export async function findFanTokenBySlug(queries: Queries, slug: string): Promise<FanTokenRow | undefined> {
  return active(queries).where("slug", "=", slug).executeTakeFirst();
}

export async function findFanTokenByContract(
  queries: Queries,
  contract: WalletAddress,
): Promise<FanTokenRow | undefined> {
  return active(queries).where("contract", "=", contract).executeTakeFirst();
}

function active(queries: Queries) {
  return queries.selectFrom("fan_tokens").selectAll().where("deleted_at", "is", null);
}

export async function findFanTokenName(queries: Queries, id: bigint): Promise<string | undefined> {
  return (await queries.selectFrom("fan_tokens").select("name").where("id", "=", id).executeTakeFirst())?.name;
}

/** @throws a unique violation if another token has the slug. */
export async function insertFanToken(queries: Queries, fields: FanTokenFields): Promise<bigint> {
  const now = BigInt(Date.now());
  const { id } = await queries
    .insertInto("fan_tokens")
    .values({ ...fields, created_at: now, updated_at: now })
    .returning("id")
    .executeTakeFirstOrThrow();
  await bumpCatalogueVersion(queries);
  return id;
}

/** Returns false if there is no such token. @throws a unique violation if another token has the slug. */
export async function updateFanToken(
  queries: Queries,
  id: bigint,
  fields: Partial<FanTokenFields> & { deleted_at?: bigint },
): Promise<boolean> {
  const { numUpdatedRows } = await queries
    .updateTable("fan_tokens")
    .set({ ...fields, updated_at: BigInt(Date.now()) })
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  await bumpCatalogueVersion(queries);
  return numUpdatedRows === 1n;
}
