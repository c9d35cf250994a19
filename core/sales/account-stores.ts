import type { Queries } from "../database/transaction.ts";
import type { SaleRules } from "../rules/sale/rules.ts";
import { isCalled } from "./accounts.ts";
import type { PolledAccount } from "./network.ts";

export type AccountOf = { account: PolledAccount; rules: Pick<SaleRules, "accounts"> };
/** A store that an account's network reports, as far as its programmes and offers are about it. */
export type MatchedStore = Awaited<ReturnType<typeof listStoresOf>>[number];

/**
 * The stores whose sales an account reports, newest first: of one that names no account, the network's only one.
 * docs/product.md#programmes
 */
export async function listStoresOf(queries: Queries, { account, rules }: AccountOf, storeId?: bigint) {
  const isOnly = rules.accounts.filter(({ network }) => network === account.network).length <= 1;
  const all = queries
    .selectFrom("stores")
    .select(["id", "name", "advertiser_id", "account", "cashback_share_percent", "paused_since", "paused_reason"])
    .select(["store_url", "domains", "link_code"])
    .where("network", "=", account.network)
    .where("advertiser_id", "is not", null)
    .where("deleted_at", "is", null)
    .orderBy("id", "desc");
  const stores = await (storeId === undefined ? all : all.where("id", "=", storeId)).execute();
  return stores.filter((one) => (one.account === null ? isOnly : isCalled(account, one.account)));
}

export function advertisersOf({ advertiser_id }: { advertiser_id: string | null }): string[] {
  return (advertiser_id ?? "").split(",").flatMap((id) => id.trim() || []);
}
