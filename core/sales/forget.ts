import { sql } from "kysely";
import type { Queries } from "../database/transaction.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";

/**
 * What a buyer typed into claims, and what staff typed about them and their sales. Their amounts and days stay; an open
 * claim is refused, because nobody can answer it without its order. What networks report stays. docs/product.md#erase
 */
export async function forgetClaims(queries: Queries, wallet: WalletAddress): Promise<void> {
  await queries
    .updateTable("claims")
    .set({
      // Unique for a wallet and store.
      order_ref: sql<string>`'#' || cast(id as text)`,
      note: null,
      reason: null,
      state: sql<"open" | "matched" | "refused">`case state when 'open' then 'refused' else state end`,
      decided_at: sql<bigint>`coalesce(decided_at, ${BigInt(Date.now())})`,
    })
    .where("wallet", "=", wallet)
    .execute();
  await forgetLetGo(queries, wallet);
  await forgetDeclines(queries, wallet);
}

async function forgetLetGo(queries: Queries, wallet: WalletAddress): Promise<void> {
  const sales = await queries
    .selectFrom("sales")
    .select(["id", "let_go"])
    .where("wallet", "=", wallet)
    .where("let_go", "is not", null)
    .execute();
  for (const { id, let_go: text } of sales) {
    const known = JSON.parse(text ?? "{}");
    const let_go = JSON.stringify({ ...known, hold: { ...known.hold, reason: null } });
    await queries.updateTable("sales").set({ let_go }).where("id", "=", id).execute();
  }
}

async function forgetDeclines(queries: Queries, wallet: WalletAddress): Promise<void> {
  await queries
    .updateTable("sales")
    .set({ decline_reason: null, reason: sql<string | null>`case when declined_by is null then reason end` })
    .where("wallet", "=", wallet)
    .where("declined_by", "is not", null)
    .execute();
}
