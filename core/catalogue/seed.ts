import { sql } from "kysely";
import type { Database } from "../database/connect.ts";
import { inTransaction, type Queries } from "../database/transaction.ts";
import { SAMPLE_STORES } from "../rules/catalogue-samples.ts";
import { SAMPLE_FAN_TOKENS } from "../rules/fan-token-samples.ts";
import { toWalletAddress } from "../rules/wallet-address.ts";
import { indexStore } from "./store-search.ts";

/** The ERC-20 contract of each fan token, by slug. */
export type FanTokenContracts = Partial<Record<string, string>>;

/**
 * Fills an empty catalogue with the sample stores (ids 1 to 8, in order) and fan tokens, and updates the fan tokens'
 * contracts. A catalogue with rows, even deleted ones, belongs to an operator and is left unchanged.
 */
export async function seedCatalogue(
  database: Database,
  { contracts = {}, withStores = true }: { contracts?: FanTokenContracts; withStores?: boolean } = {},
): Promise<void> {
  await inTransaction(database.kysely, async (queries) => {
    const now = BigInt(Date.now());
    if (withStores && !(await queries.selectFrom("stores").select("id").limit(1).executeTakeFirst())) {
      await insertStores(queries, now);
      if (database.engine === "postgres")
        await sql`select setval('stores_id_seq', max(id)) from stores`.execute(queries);
    }
    if (!(await queries.selectFrom("fan_tokens").select("id").limit(1).executeTakeFirst())) {
      const tokens = SAMPLE_FAN_TOKENS.map((token) => ({ ...token, contract: null, created_at: now, updated_at: now }));
      await queries.insertInto("fan_tokens").values(tokens).execute();
    }
    for (const [slug, address] of Object.entries(contracts)) {
      if (address === undefined) continue;
      const contract = toWalletAddress(address);
      await queries
        .updateTable("fan_tokens")
        .set({ contract, updated_at: now })
        .where("slug", "=", slug)
        .where((where) => where.or([where("contract", "is", null), where("contract", "!=", contract)]))
        .execute();
    }
  });
}

async function insertStores(queries: Queries, now: bigint): Promise<void> {
  for (const [index, { id: _, affiliateLink, cashbacks, clubSlug, ...store }] of SAMPLE_STORES.entries()) {
    const storeId = BigInt(index + 1);
    await queries
      .insertInto("stores")
      .values({
        ...store,
        id: storeId,
        featured: store.featured ? 1n : 0n,
        club_slug: clubSlug,
        club_accepted: clubSlug === null ? 0n : 1n,
        affiliate_link: affiliateLink,
        // So that a product's link can be tried: `https://verdao-store.example.com/camisa`.
        domains: `${affiliateLink.split("/").at(-1)}.example.com`,
        unlinked_is_direct: 1n,
        created_at: now,
        updated_at: now,
      })
      .execute();
    await queries
      .insertInto("store_cashbacks")
      .values(
        cashbacks.map(({ cashbackBps, ...names }) => ({
          ...names,
          store_id: storeId,
          cashback_bps: cashbackBps,
          created_at: now,
          updated_at: now,
        })),
      )
      .execute();
    await indexStore(queries, storeId);
  }
}
