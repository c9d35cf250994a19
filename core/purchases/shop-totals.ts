import { type Selectable, sql } from "kysely";
import { engineOf } from "../database/clock.ts";
import type { Schema } from "../database/generated/schema.ts";
import type { Queries } from "../database/transaction.ts";
import { PURCHASE_STATUSES, type PurchaseStatus } from "../rules/purchase/life.ts";
import { COUNTED_SITUATIONS, type CountedSituation } from "../rules/purchase/situation.ts";
import { isKeyOf, recordOf } from "../rules/records.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";

/* The totals of buyers and of the shop. What each purchase adds to them is counted by `purchase-rows.ts`. */

/** Where one purchase is, and what it contributes to the totals of its buyer and of the shop. */
export type Contribution = {
  /** Of a payout that is final. docs/product.md#situations */
  situation: CountedSituation;
  status: PurchaseStatus;
  /** Its cashback; null while the rate is not frozen: then it is summed as cents × basis points. */
  gwei: bigint | null;
  centBps: bigint;
  paidGwei: bigint;
  /** Its cashback is still to be paid. */
  isOpen: boolean;
};

/** What a buyer's purchase contributes to the totals from now on; `before`: what they contain of it. */
export type Moved = { wallet: WalletAddress; before?: Contribution | undefined; after: Contribution };

/** Moves what purchases contribute to the totals of their buyers and of the shop. */
export async function moveContributions(queries: Queries, moved: readonly Moved[]): Promise<void> {
  const buyers = new Map<WalletAddress, BuyerTotals>();
  const shop = new Map<string, bigint>();
  for (const { wallet, before, after } of moved) {
    if (before) addContribution(buyers, shop, wallet, before, -1n);
    addContribution(buyers, shop, wallet, after, 1n);
  }
  await addToBuyers(queries, buyers);
  await addToShop(queries, Object.fromEntries(shop));
}

/** Adds what a purchase contributes to the totals of its buyer and of the shop; -1n takes it away. */
export function addContribution(
  buyers: Map<WalletAddress, BuyerTotals>,
  shop: Map<string, bigint>,
  wallet: WalletAddress,
  contribution: Contribution,
  sign: 1n | -1n,
): void {
  const { situation, status, gwei, centBps, paidGwei, isOpen } = contribution;
  const totals = buyers.get(wallet) ?? emptyTotals();
  buyers.set(wallet, totals);
  const add = (name: string, value: bigint) => shop.set(name, (shop.get(name) ?? 0n) + sign * value);
  totals[status] += sign;
  add(status, 1n);
  add(situationTotal(situation), 1n);
  totals.paid_gwei += sign * paidGwei;
  const group = status === "confirmed" ? "confirmed" : "pending";
  if (status !== "cancelled") {
    if (gwei === null) totals[`${group}_cent_bps`] += sign * centBps;
    else totals[`${group}_gwei`] += sign * gwei;
  }
  if (!isOpen) return;
  if (gwei === null) add("open_cent_bps", centBps);
  else add("open_gwei", gwei);
}

export type BuyerTotals = Omit<Selectable<Schema["buyer_totals"]>, "wallet" | "revision">;
export type ShopTotals = Record<(typeof SHOP_TOTALS)[number], bigint>;

export const SHOP_TOTALS = [
  "users" as const,
  ...PURCHASE_STATUSES,
  ...COUNTED_SITUATIONS.map(situationTotal),
  ...(["open_gwei", "open_cent_bps"] as const),
  ...(["payouts_paid_chz", "payouts_paid_gwei", "payouts_deferred_chz", "payouts_deferred_gwei"] as const),
];
/** The total of the purchases in a situation. */
export function situationTotal(situation: CountedSituation) {
  return `situation_${situation}` as const;
}

/** The totals of payouts are kept in two numbers, so that no amount from the chain can overflow them. */
export const GWEI_PER_CHZ = 1_000_000_000n;

export const BUYER_COLUMNS = [
  ...PURCHASE_STATUSES,
  ...(["pending_gwei", "pending_cent_bps", "confirmed_gwei", "confirmed_cent_bps", "paid_gwei"] as const),
];

/** Rows in one statement; SQLite takes 32,766 parameters. */
const ROWS = 2_500;
/** PostgreSQL writers are spread over this many rows of each shop total, so that they rarely wait for each other. */
const SLOTS = 16;

/** Adds to the shop's totals; skips zeros. */
export async function addToShop(queries: Queries, change: Partial<ShopTotals>): Promise<void> {
  const slot = engineOf(queries) === "sqlite" ? 0n : BigInt(Math.floor(Math.random() * SLOTS));
  const values = Object.entries(change)
    .flatMap(([name, value]) => (value === undefined || value === 0n ? [] : [{ name, slot, value }]))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  if (values.length === 0) return;
  await queries
    .insertInto("shop_totals")
    .values(values)
    .onConflict((conflict) =>
      conflict.columns(["name", "slot"]).doUpdateSet({ value: sql<bigint>`shop_totals.value + excluded.value` }),
    )
    .execute();
}

/** All payouts that the index knows, in gwei. */
export function payoutSums(totals: ShopTotals): { paid: bigint; deferred: bigint } {
  return {
    paid: totals.payouts_paid_chz * GWEI_PER_CHZ + totals.payouts_paid_gwei,
    deferred: totals.payouts_deferred_chz * GWEI_PER_CHZ + totals.payouts_deferred_gwei,
  };
}

/** Each total is the sum of its slots; 0 for one that was never written. */
export async function readShopTotals(queries: Queries): Promise<ShopTotals> {
  const rows = await queries.selectFrom("shop_totals").select(["name", "value"]).execute();
  const totals = recordOf(SHOP_TOTALS, () => 0n);
  for (const { name, value } of rows) if (isKeyOf(totals, name)) totals[name] += value;
  return totals;
}

/** All 0 for a wallet without purchases. */
export async function readBuyerTotals(queries: Queries, wallet: WalletAddress): Promise<BuyerTotals> {
  const row = await queries.selectFrom("buyer_totals").selectAll().where("wallet", "=", wallet).executeTakeFirst();
  return row ?? emptyTotals();
}

export function emptyTotals(): BuyerTotals {
  return recordOf(BUYER_COLUMNS, () => 0n);
}

/** Adds to the totals of buyers; skips those without a change. */
async function addToBuyers(queries: Queries, buyers: ReadonlyMap<WalletAddress, BuyerTotals>): Promise<void> {
  const values = [...buyers]
    .filter(([, totals]) => BUYER_COLUMNS.some((column) => totals[column] !== 0n))
    .map(([wallet, totals]) => ({ wallet, ...totals, revision: 1n }))
    .sort((one, other) => (one.wallet < other.wallet ? -1 : 1));
  for (let start = 0; start < values.length; start += ROWS) {
    await queries
      .insertInto("buyer_totals")
      .values(values.slice(start, start + ROWS))
      .onConflict((conflict) =>
        conflict
          .column("wallet")
          .doUpdateSet(
            Object.fromEntries(
              [...BUYER_COLUMNS, "revision"].map((column) => [
                column,
                sql<bigint>`${sql.ref(`buyer_totals.${column}`)} + ${sql.ref(`excluded.${column}`)}`,
              ]),
            ),
          ),
      )
      .execute();
  }
}
