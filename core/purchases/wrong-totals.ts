import { sql } from "kysely";
import type { Queries } from "../database/transaction.ts";
import { idsOf } from "../rules/records.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { contributionOf } from "./purchase-rows.ts";
import { readCountedRows } from "./queries.ts";
import {
  addContribution,
  BUYER_COLUMNS,
  type BuyerTotals,
  emptyTotals,
  GWEI_PER_CHZ,
  payoutSums,
  readShopTotals,
  SHOP_TOTALS,
} from "./shop-totals.ts";
import { findWrongAccounts } from "./wrong-accounts.ts";
import { findWrongPayments } from "./wrong-payments.ts";

const PAGE = 5_000;

/** The expected totals, counted from every purchase, a page at a time, for `npm run reconcile -- --full`. */
async function countAfresh(
  queries: Queries,
): Promise<{ shop: Map<string, bigint>; buyers: Map<WalletAddress, BuyerTotals> }> {
  const buyers = new Map<WalletAddress, BuyerTotals>();
  const shop = new Map<string, bigint>();
  for (let after = 0n; ; ) {
    const page = await queries
      .selectFrom("purchases")
      .select("id")
      .where("id", ">", after)
      .orderBy("id")
      .limit(PAGE)
      .execute();
    const last = page.at(-1);
    if (!last) return { shop, buyers };
    const rows = await readCountedRows(queries, idsOf(page));
    // Time alone ends a waiting period; the row keeps the situation of its last change.
    for (const row of rows) {
      addContribution(buyers, shop, row.wallet, { ...contributionOf(row), situation: row.situation }, 1n);
    }
    after = last.id;
  }
}

/** One sentence per total that differs from a recount. */
export async function findWrongTotals(queries: Queries): Promise<string[]> {
  const { shop, buyers } = await countAfresh(queries);
  const kept = await readShopTotals(queries);
  const differences: string[] = [...(await findWrongAccounts(queries)), ...(await findWrongPayments(queries))];
  const ofPurchases = SHOP_TOTALS.filter((name) => name !== "users" && !name.startsWith("payouts_"));
  for (const name of ofPurchases) {
    const counted = shop.get(name) ?? 0n;
    if (kept[name] !== counted) differences.push(`The shop's ${name} is ${kept[name]}, and ${counted} by a recount`);
  }
  const sums = payoutSums(kept);
  for (const state of ["paid", "deferred"] as const) {
    const counted = await sumPayouts(queries, state);
    if (sums[state] !== counted)
      differences.push(`The sum of ${state} payouts is ${sums[state]}, and ${counted} by a recount`);
  }
  for (let after: WalletAddress = "0x"; ; ) {
    const page = await queries
      .selectFrom("buyer_totals")
      .selectAll()
      .where("wallet", ">", after)
      .orderBy("wallet")
      .limit(PAGE)
      .execute();
    for (const { wallet, ...totals } of page) {
      const counted = buyers.get(wallet) ?? emptyTotals();
      const wrong = BUYER_COLUMNS.find((column) => totals[column] !== counted[column]);
      if (wrong) differences.push(`${wrong} of ${wallet} is ${totals[wrong]}, and ${counted[wrong]} by a recount`);
      buyers.delete(wallet);
    }
    const last = page.at(-1);
    if (!last) break;
    after = last.wallet;
  }
  for (const [wallet] of buyers) differences.push(`${wallet} has purchases that were never counted`);
  return differences;
}

async function sumPayouts(queries: Queries, state: "paid" | "deferred"): Promise<bigint> {
  const { chz, gwei } = await queries
    .selectFrom("payouts")
    .select([
      sql<bigint | string | null>`sum(amount_gwei / ${GWEI_PER_CHZ})`.as("chz"),
      sql<bigint | string | null>`sum(amount_gwei % ${GWEI_PER_CHZ})`.as("gwei"),
    ])
    .where("state", "=", state)
    .executeTakeFirstOrThrow();
  return BigInt(chz ?? 0) * GWEI_PER_CHZ + BigInt(gwei ?? 0);
}
