import type { Insertable } from "kysely";
import type { Schema } from "../../core/database/generated/schema.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { insertPurchases, type NewPurchase } from "../../core/purchases/purchase-rows.ts";
import { CHAIN_STATUS } from "../../core/rules/purchase/life.ts";
import { buyerOf } from "./event-chain.ts";

/** R$ 1.00 with 5 % at the first store, by the first buyer. */
const PLAIN_PURCHASE: NewPurchase = {
  wallet: buyerOf(1),
  storeId: 1n,
  storeName: "Loja",
  source: "simulated",
  permission: { approvedAt: 1n, payableAt: 1n },
  amountCents: 100n,
  cashbackBps: 500n,
  bonusBps: 0n,
  tokenSlug: null,
  balanceBlock: null,
};

/** The Confirmed ticket of a plain purchase, as the indexer stores it. */
export const PLAIN_TICKET = {
  owner: PLAIN_PURCHASE.wallet,
  store_id: PLAIN_PURCHASE.storeId,
  value_cents: PLAIN_PURCHASE.amountCents,
  cashback_bps: PLAIN_PURCHASE.cashbackBps,
  bonus_bps: PLAIN_PURCHASE.bonusBps,
  status: BigInt(CHAIN_STATUS.confirmed),
  mint_transaction: "0x1",
  minted_block: 1n,
  minted_at: 1n,
} satisfies Partial<Insertable<Schema["nfts"]>>;

/** Inserts a plain purchase without its mint, in a transaction of its own, and returns its id. */
export async function insertPlainPurchase(kysely: Queries, differing: Partial<NewPurchase> = {}): Promise<bigint> {
  const purchase = { ...PLAIN_PURCHASE, ...differing };
  const [inserted] = await inTransaction(kysely, (queries) => insertPurchases(queries, [purchase]));
  return inserted?.id ?? 0n;
}
