import { sql } from "kysely";
import { among } from "../database/among.ts";
import { listNewest, type NewestPage } from "../database/newest.ts";
import type { Queries } from "../database/transaction.ts";
import type { BookEntry } from "../domain/proof.ts";
import { cashbackOf } from "../domain/purchase/settlement.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";

/**
 * What anyone may know of a wallet's tickets, newest first: why a payout was lower than its ticket says.
 * docs/product.md#proof
 */
export async function listPublishedBooks(
  queries: Queries,
  wallet: WalletAddress,
  page: NewestPage,
): Promise<(BookEntry & { id: bigint })[]> {
  const query = queries
    .selectFrom("purchases")
    .innerJoin("nfts", (join) =>
      join.onRef("nfts.token_id", "=", "purchases.id").onRef("nfts.owner", "=", "purchases.wallet"),
    )
    .select([
      "purchases.id",
      "purchases.cashback_cent_bps",
      "purchases.wei_per_cent",
      "purchases.offset_gwei",
      "purchases.settled_at",
      "purchases.reversed_at",
      sql<bigint | null>`(select amount_gwei from payouts where payouts.token_id = purchases.id)`.as("paid_gwei"),
    ])
    .where("purchases.wallet", "=", wallet);
  const rows = await listNewest(query, "purchases.id", page);
  const owed = await sumOwed(
    queries,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    // A purchase that was returned before its payout is due nothing, and nothing is kept from it or owed for it.
    const isDue = row.paid_gwei !== null || row.reversed_at === null;
    const isSettled = row.paid_gwei !== null || row.settled_at !== null;
    return {
      id: row.id,
      cashbackGwei: isDue ? cashbackOf(row, 0n) : 0n,
      keptGwei: isDue ? row.offset_gwei : 0n,
      owedGwei: isDue && isSettled ? (owed.get(row.id) ?? 0n) : 0n,
    };
  });
}

/** The debts of some purchases; what was lifted again does not count. */
async function sumOwed(queries: Queries, ids: readonly bigint[]): Promise<Map<bigint, bigint>> {
  const rows = await queries
    .selectFrom("adjustments")
    .select(["purchase_id", "amount_gwei"])
    .where(among(queries, "purchase_id", ids))
    .execute();
  const owed = new Map<bigint, bigint>();
  for (const { purchase_id, amount_gwei } of rows) owed.set(purchase_id, (owed.get(purchase_id) ?? 0n) + amount_gwei);
  return owed;
}
