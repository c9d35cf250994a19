import type { WalletAddress } from "../domain/wallet-address.ts";
import { engineOf } from "./clock.ts";
import type { Queries } from "./transaction.ts";

/**
 * Must be called with every change of rows that this wallet's pages show. It locks the wallet's row: code that changes
 * what a buyer is owed calls it first, so that such changes are serialized.
 */
export async function touchUser(queries: Queries, wallet: WalletAddress): Promise<void> {
  await queries
    .updateTable("users")
    .set((set) => ({ revision: set("revision", "+", 1n) }))
    .where("wallet", "=", wallet)
    .execute();
}

/** The same for many wallets, locked in a consistent order. */
export async function touchUsers(queries: Queries, wallets: ReadonlySet<WalletAddress>): Promise<void> {
  if (wallets.size === 0) return;
  const known = [...wallets].sort();
  // SQLite has one writer, so the order does not matter.
  if (engineOf(queries) === "postgres") {
    await queries
      .selectFrom("users")
      .select("wallet")
      .where("wallet", "in", known)
      .orderBy("wallet")
      .forUpdate()
      .execute();
  }
  await queries
    .updateTable("users")
    .set((set) => ({ revision: set("revision", "+", 1n) }))
    .where("wallet", "in", known)
    .execute();
}
