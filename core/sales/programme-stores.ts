import type { Queries } from "../database/transaction.ts";
import { DEFAULT_SHARE_PERCENT } from "../rules/commission.ts";
import type { AccountTerms, SaleRules } from "../rules/sale/rules.ts";
import { type AccountOf, advertisersOf, listStoresOf, type MatchedStore } from "./account-stores.ts";
import { type ProgrammeRow, readByAdvertiser, setSuggestion } from "./programme-rows.ts";

const STORES_AT_ONCE = 10;

export type Matched = { store: MatchedStore; programmes: ProgrammeRow[] };

/**
 * The stores whose sales an account reports, each with its programmes, some at a time: all their rates together would fill
 * the memory. One without any programme is no concern of the account.
 */
export async function* matchStores(queries: Queries, of: AccountOf, storeId?: bigint): AsyncGenerator<Matched[]> {
  const stores = await listStoresOf(queries, of, storeId);
  for (let at = 0; at < stores.length; at += STORES_AT_ONCE) {
    const some = stores.slice(at, at + STORES_AT_ONCE);
    const rows = await readByAdvertiser(queries, of.account, some.flatMap(advertisersOf));
    const byId = new Map(rows.map((row) => [row.advertiser_id, row]));
    yield some.flatMap((store) => {
      const programmes = advertisersOf(store).flatMap((id) => byId.get(id) ?? []);
      return programmes.length > 0 ? [{ store, programmes }] : [];
    });
  }
}

/** A programme that a store has is none to suggest. docs/product.md#suggested-stores */
export async function linkSuggestions(queries: Queries, matched: readonly Matched[]): Promise<void> {
  for (const { store, programmes } of matched) {
    const unlinked = programmes.filter(({ store_id }) => store_id === null).map(({ id }) => id);
    if (unlinked.length > 0) await setSuggestion(queries, unlinked, { suggestion: "accepted", store_id: store.id });
  }
}

/** The part of an account's commissions that buyers get where no store or category says another one. */
export function shopShareOf(
  account: Pick<AccountTerms, "cashback_share_percent"> | undefined,
  { sharePercent }: Pick<SaleRules, "sharePercent">,
): bigint {
  const ofAccount = account?.cashback_share_percent;
  return ofAccount === undefined ? (sharePercent ?? DEFAULT_SHARE_PERCENT) : BigInt(ofAccount);
}
