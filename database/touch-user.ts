import type { WalletAddress } from "../domain/wallet-address.ts";
import type { Queries } from "./transaction.ts";

/**
 * To be called with every change of rows that this wallet's own pages show. It locks the wallet's row: whoever changes what a
 * buyer is owed calls it first, so that two of them go one after the other.
 */
export async function touchUser(queries: Queries, wallet: WalletAddress): Promise<void> {
  await queries
    .updateTable("users")
    .set((set) => ({ revision: set("revision", "+", 1n) }))
    .where("wallet", "=", wallet)
    .execute();
}
