import { type RawBuilder, type SqlBool, sql } from "kysely";
import { type ListPage, readPage } from "../database/lists/page.ts";
import {
  byId,
  byWallet,
  hashOf,
  type Match,
  ofKeys,
  startsWith,
  startsWithTest,
  walletPrefixOf,
} from "../database/lists/search.ts";
import type { ListSource, PageQuery } from "../database/lists/source.ts";
import type { Queries } from "../database/transaction.ts";
import { type PanelPurchase, readPanelPurchases, STATE } from "./waiting.ts";

const ORDER_CHARACTERS = 64;

/** Matching purchases, with their operations. */
export async function listPanelPurchases(queries: Queries, page: PageQuery): Promise<ListPage<PanelPurchase>> {
  return readPage(queries, PURCHASES, page, readPanelPurchases, (row) => row.id);
}

/** The purchases held by an admin. */
export const IS_HELD = sql<SqlBool>`${STATE} = 'held'`;

const PURCHASES: ListSource = {
  table: "purchases",
  key: "id",
  keyType: "number",
  sorts: {
    id: { column: "id", type: "number", followsState: true, stateIndex: "purchases_state" },
    amount: { column: "amount_cents", type: "number", index: "purchases_amount" },
  },
  stretches: (state) => [[{ column: STATE, value: state }]],
  stateTest: (state) => sql<SqlBool>`(${STATE} || '') = ${state}`,
  matches(term, queries) {
    const hash = hashOf(term);
    if (hash !== undefined) return [ofKeys("purchases", purchasesOfHash(hash))];
    const wallet = walletPrefixOf(term);
    if (wallet !== undefined) return [byWallet("purchases", wallet)];
    return [...byId("purchases", term), ...(term.length > ORDER_CHARACTERS ? [] : [byOrder(queries, term)])];
  },
};

/** Matches by the sale's order number, or its key at the network. */
function byOrder(queries: Queries, term: string): Match {
  const is = (matches: RawBuilder<SqlBool>) => sql`select purchases.id as key from sales
    cross join purchases where purchases.sale_id = sales.id and ${matches}`;
  return {
    keys: sql`${is(startsWith(queries, "sales.order_ref", term))} union all ${is(sql`sales.sale_key = ${term}`)}`,
    // For `exists`, PostgreSQL would build a hash of all sales.
    test: sql<SqlBool>`(select count(*) from sales where sales.id = purchases.sale_id
      and (${startsWithTest(queries, "sales.order_ref", term)} or sales.sale_key = ${term})) > 0`,
  };
}

/** The purchases in one of our transactions. */
function purchasesOfHash(hash: string): RawBuilder<unknown> {
  return sql`select operations.subject_id as key from transaction_hashes
    cross join operations where operations.transaction_id = transaction_hashes.transaction_id
    and transaction_hashes.hash = ${hash} and operations.kind in ('mint', 'confirm', 'cancel', 'pay')`;
}
