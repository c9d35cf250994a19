import { sql } from "kysely";
import type { WalletAddress } from "../rules/wallet-address.ts";
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
  const touch =
    engineOf(queries) === "sqlite"
      ? sql`update users set revision = revision + 1 where wallet in (select value from json_each(${JSON.stringify(known)}))`
      : sql`with locked as (select wallet from users where wallet = any(${known}::text[]) order by wallet for update)
          update users set revision = revision + 1 from locked where users.wallet = locked.wallet`;
  await touch.execute(queries);
}

/** Only locks the rows: for a caller that does not know yet whether anything on these wallets' pages will change. */
export async function lockUsers(queries: Queries, wallets: ReadonlySet<WalletAddress>): Promise<void> {
  if (wallets.size === 0 || engineOf(queries) === "sqlite") return;
  const known = [...wallets].sort();
  await sql`select wallet from users where wallet = any(${known}::text[]) order by wallet for update`.execute(queries);
}
