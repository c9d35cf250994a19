import { type Selectable, sql } from "kysely";
import { givenRows } from "../database/among.ts";
import { engineOf } from "../database/clock.ts";
import type { Schema } from "../database/generated/schema.ts";
import type { Queries } from "../database/transaction.ts";
import { cashbackOfCentBps } from "../rules/cashback.ts";
import { COUNTED_STATUS, PURCHASE_STATUSES, type PurchaseStatus, shownStatus } from "../rules/purchase/life.ts";
import { COUNTED_SITUATIONS, type CountedSituation, situationOf } from "../rules/purchase/situation.ts";
import { idsOf, isKeyOf, keysOf, recordOf } from "../rules/records.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { makeDue } from "./due.ts";
import { type PurchaseChange, recordChanges } from "./events.ts";
import { type CountedRow, lifeOf, lockPurchases, readCountedRows } from "./queries.ts";

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

/** Ids in one statement; SQLite takes 32,766 parameters. */
const PAGE = 5_000;

/**
 * Recounts purchases after a change of their rows, tokens or payouts, in the transaction of the change, and makes them
 * due. Idempotent.
 */
export async function recountPurchases(queries: Queries, ids: readonly bigint[]): Promise<void> {
  for (const page of pagesOf(ids)) {
    const { changed, counted } = await countPage(queries, page);
    await writeCounted(queries, changed);
    await makeDue(queries, idsOf(counted));
  }
}

/**
 * Counts the locked purchases whose totals are behind, not counted since the index was emptied. A waiting period that
 * ends is no change: that would write each row once more before its payout does. The caller decides when they are due.
 */
export async function countLate(queries: Queries, purchases: readonly { row: CountedRow }[]): Promise<void> {
  const late = purchases.filter(
    ({ row }) => !isSame(countedOf(row), { ...contributionOf(row), situation: row.situation }),
  );
  for (const page of pagesOf(late.map(({ row }) => row.id))) {
    await writeCounted(queries, (await countPage(queries, page)).changed);
  }
}

function pagesOf(ids: readonly bigint[]): (readonly bigint[])[] {
  return Array.from({ length: Math.ceil(ids.length / PAGE) }, (_, index) =>
    ids.slice(index * PAGE, (index + 1) * PAGE),
  );
}

/** Adds the difference between the current and the counted values to the totals. */
async function countPage(
  queries: Queries,
  ids: readonly bigint[],
): Promise<{ changed: Counted[]; counted: Counted[] }> {
  const rows = await readCounted(queries, ids);
  const changed = rows.filter(({ counted, current }) => !isSame(counted, current));
  const buyers = new Map<WalletAddress, BuyerTotals>();
  const shop = new Map<string, bigint>();
  for (const { wallet, counted, current } of changed) {
    if (counted) addContribution(buyers, shop, wallet, counted, -1n);
    addContribution(buyers, shop, wallet, current, 1n);
  }
  await addToBuyers(queries, buyers);
  await addToShop(queries, Object.fromEntries(shop));
  await recordChanges(queries, changed.map(toChange));
  return { changed, counted: rows };
}

/** A purchase that was never counted has no past of which its buyer could be told. */
function toChange({ id, counted, current, payoutGwei }: ReadRow): PurchaseChange {
  return { id, before: counted ?? current, after: current, cashbackGwei: current.gwei, payoutGwei };
}

function isSame(one: Contribution | undefined, other: Contribution): boolean {
  return one !== undefined && keysOf(other).every((key) => one[key] === other[key]);
}

/** How a purchase without a token is counted; written with its new row, and added by `addNewPurchases`. */
export function countedAsNew(centBps: bigint) {
  const { situation, status, gwei, paidGwei, isOpen } = contributionAsNew(centBps);
  return {
    situation,
    counted_status: BigInt(COUNTED_STATUS[status]),
    counted_gwei: gwei,
    counted_cent_bps: centBps,
    counted_paid_gwei: paidGwei,
    counted_open: isOpen ? 1n : 0n,
  };
}

/** Adds purchases that were just inserted to the sums of their buyers and of the shop. */
export async function addNewPurchases(
  queries: Queries,
  rows: readonly { wallet: WalletAddress; cashback_cent_bps: bigint }[],
): Promise<void> {
  const buyers = new Map<WalletAddress, BuyerTotals>();
  const shop = new Map<string, bigint>();
  for (const row of rows) addContribution(buyers, shop, row.wallet, contributionAsNew(row.cashback_cent_bps), 1n);
  await addToBuyers(queries, buyers);
  await addToShop(queries, Object.fromEntries(shop));
}

function contributionAsNew(centBps: bigint): Contribution {
  return { situation: "recorded", status: "processing", gwei: null, centBps, paidGwei: 0n, isOpen: true };
}

type ReadRow = Awaited<ReturnType<typeof readCounted>>[number];

async function readCounted(queries: Queries, ids: readonly bigint[]) {
  await lockPurchases(queries, ids);
  const rows = await readCountedRows(queries, ids);
  return rows.map((row) => ({
    id: row.id,
    wallet: row.wallet,
    counted: countedOf(row),
    current: contributionOf(row),
    payoutGwei: row.paid_gwei,
  }));
}

/** What a purchase contributes to the totals now. */
export function contributionOf(row: CountedRow): Contribution {
  const life = lifeOf(row);
  const payout = row.settled_at === null ? undefined : (row.payout_state ?? undefined);
  return {
    // A switch to live purchases alone changes no row.
    situation: situationOf({ life, payout, saleState: row.sale_state }, { now: row.now, isLive: false }),
    status: shownStatus(life.status, life),
    gwei: row.wei_per_cent === null ? null : cashbackOfCentBps(row.cashback_cent_bps, row.wei_per_cent),
    centBps: row.cashback_cent_bps,
    paidGwei: row.payout_state === "paid" ? (row.paid_gwei ?? 0n) : 0n,
    isOpen: row.settled_at === null && row.reversed_at === null,
  };
}

function countedOf(row: CountedRow): Contribution | undefined {
  const status = PURCHASE_STATUSES.find((name) => BigInt(COUNTED_STATUS[name]) === row.counted_status);
  return (
    status && {
      situation: row.situation,
      status,
      gwei: row.counted_gwei,
      centBps: row.counted_cent_bps,
      paidGwei: row.counted_paid_gwei,
      isOpen: row.counted_open === 1n,
    }
  );
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

type Counted = { id: bigint; current: Contribution };

/** One statement for all of them. */
async function writeCounted(queries: Queries, rows: readonly Counted[]): Promise<void> {
  if (rows.length === 0) return;
  const { list, column } = givenRows(
    queries,
    rows.map(({ id, current: one }) => [
      id,
      BigInt(COUNTED_STATUS[one.status]),
      one.gwei,
      one.centBps,
      one.paidGwei,
      one.isOpen ? 1n : 0n,
      BigInt(COUNTED_SITUATIONS.indexOf(one.situation)),
    ]),
  );
  const situation = sql.join(
    COUNTED_SITUATIONS.map((name, index) => sql`when ${sql.lit(index)} then ${sql.lit(name)}`),
    sql` `,
  );
  await sql`update purchases set situation = case c.situation ${situation} end, counted_status = c.status, counted_gwei = c.gwei,
      counted_cent_bps = c.cent_bps, counted_paid_gwei = c.paid_gwei, counted_open = c.is_open
    from (select ${column(0)} as id, ${column(1)} as status, ${column(2)} as gwei, ${column(3)} as cent_bps,
      ${column(4)} as paid_gwei, ${column(5)} as is_open, ${column(6)} as situation from ${list}) c
    where purchases.id = c.id`.execute(queries);
}

// The totals of buyers and of the shop ------------------------------------------------------------------------------------

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

/** Adds to the sums of all payouts that the index knows, in gwei. */
export async function addToPayouts(
  queries: Queries,
  { paid, deferred }: { paid: bigint; deferred: bigint },
): Promise<void> {
  await addToShop(queries, {
    payouts_paid_chz: paid / GWEI_PER_CHZ,
    payouts_paid_gwei: paid % GWEI_PER_CHZ,
    payouts_deferred_chz: deferred / GWEI_PER_CHZ,
    payouts_deferred_gwei: deferred % GWEI_PER_CHZ,
  });
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
export async function addToBuyers(queries: Queries, buyers: ReadonlyMap<WalletAddress, BuyerTotals>): Promise<void> {
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
