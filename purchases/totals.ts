import { sql } from "kysely";
import { numberRows } from "../database/among.ts";
import { engineOf } from "../database/clock.ts";
import type { Schema } from "../database/schema.ts";
import type { Queries } from "../database/transaction.ts";
import { cashbackOfCentBps } from "../domain/cashback.ts";
import {
  PURCHASE_STATUSES,
  type PurchaseStatus,
  purchaseStatusFromChain,
  shownStatus,
} from "../domain/purchase/life.ts";
import type { WalletAddress } from "../domain/wallet-address.ts";
import { makeDue } from "./due.ts";
import { COUNTED_COLUMNS, lockPurchases, somePurchasesWithIndex } from "./queries.ts";

/** What one purchase contributes to the totals of its buyer and of the shop. */
export type Standing = {
  status: PurchaseStatus;
  /** Null while the rate is not frozen: then its cashback is summed as cents × basis points. */
  weiPerCent: bigint | null;
  centBps: bigint;
  paidGwei: bigint;
  /** Its cashback is still to be paid. */
  isOpen: boolean;
};

export type BuyerTotals = Omit<Schema["buyer_totals"], "wallet" | "revision">;
export type ShopTotals = Record<(typeof SHOP_TOTALS)[number], bigint>;

const SHOP_TOTALS = [
  ...(["users", "processing", "pending", "confirmed", "cancelled"] as const),
  ...(["open_gwei", "open_cent_bps"] as const),
  ...(["payouts_paid_chz", "payouts_paid_gwei", "payouts_deferred_chz", "payouts_deferred_gwei"] as const),
];
/** The totals of payouts are kept in two numbers, so that no amount from the chain can overflow them. */
const GWEI_PER_CHZ = 1_000_000_000n;

const BUYER_COLUMNS = [
  ...(["processing", "pending", "confirmed", "cancelled"] as const),
  ...(["pending_gwei", "pending_cent_bps", "confirmed_gwei", "confirmed_cent_bps", "paid_gwei"] as const),
];

/** Ids in one statement; SQLite takes 32,766 parameters. */
const PAGE = 5_000;
/** PostgreSQL writers are spread over this many rows of each shop total, so that they rarely wait for each other. */
const SLOTS = 16;

/**
 * Recounts purchases after a change of their rows, tokens or payouts, in the transaction of the change, and makes them
 * due. Idempotent.
 */
export async function recountPurchases(queries: Queries, ids: readonly bigint[]): Promise<void> {
  for (const page of pagesOf(ids)) {
    const { changed, counted } = await countPage(queries, page);
    await writeCounted(queries, changed);
    await makeDue(
      queries,
      counted.map((row) => row.id),
    );
  }
}

/**
 * Counts the locked purchases whose totals are behind: never counted by an earlier version, or not since the index was
 * emptied. The caller decides when they are due.
 */
export async function countLate(queries: Queries, purchases: readonly { row: StandingRow }[]): Promise<void> {
  const late = purchases.filter(({ row }) => !isSame(countedOf(row), standingOf(row)));
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
  const changed = rows.filter(({ counted, standing }) => !isSame(counted, standing));
  const buyers = new Map<WalletAddress, BuyerTotals>();
  const shop = new Map<string, bigint>();
  for (const { wallet, counted, standing } of changed) {
    if (counted) addStanding(buyers, shop, wallet, counted, -1n);
    addStanding(buyers, shop, wallet, standing, 1n);
  }
  await addToBuyers(queries, buyers);
  await addToShop(queries, Object.fromEntries(shop));
  return { changed, counted: rows };
}

function isSame(one: Standing | undefined, other: Standing): boolean {
  return one !== undefined && (Object.keys(other) as (keyof Standing)[]).every((key) => one[key] === other[key]);
}

/** How a purchase without a token is counted; written with its new row, and added by `addNewPurchases`. */
export function countedAsNew(centBps: bigint) {
  const { status, weiPerCent, paidGwei, isOpen } = standingAsNew(centBps);
  return {
    counted_status: BigInt(PURCHASE_STATUSES.indexOf(status)),
    counted_wei_per_cent: weiPerCent,
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
  for (const row of rows) addStanding(buyers, shop, row.wallet, standingAsNew(row.cashback_cent_bps), 1n);
  await addToBuyers(queries, buyers);
  await addToShop(queries, Object.fromEntries(shop));
}

function standingAsNew(centBps: bigint): Standing {
  return { status: "processing", weiPerCent: null, centBps, paidGwei: 0n, isOpen: true };
}

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

export async function readShopTotals(queries: Queries): Promise<ShopTotals> {
  const rows = await queries.selectFrom("shop_totals").select(["name", "value"]).execute();
  const totals = Object.fromEntries(SHOP_TOTALS.map((name) => [name, 0n])) as ShopTotals;
  for (const { name, value } of rows) totals[name as keyof ShopTotals] += value;
  return totals;
}

export async function readBuyerTotals(queries: Queries, wallet: WalletAddress): Promise<BuyerTotals> {
  const row = await queries.selectFrom("buyer_totals").selectAll().where("wallet", "=", wallet).executeTakeFirst();
  return row ?? emptyTotals();
}

/** A buyer's payouts above a block, which are not final: what was paid, and the first of their blocks. */
export async function sumPaidAbove(
  queries: Queries,
  wallet: WalletAddress,
  block: bigint,
): Promise<{ gwei: bigint; firstBlock: bigint | null }> {
  const { gwei, first_block } = await queries
    .selectFrom("payouts")
    .innerJoin("purchases", (join) =>
      join.onRef("purchases.id", "=", "payouts.token_id").onRef("purchases.wallet", "=", "payouts.recipient"),
    )
    .select([
      sql<bigint | string | null>`sum(case when state = 'paid' then amount_gwei end)`.as("gwei"),
      sql<bigint | null>`min(block_number)`.as("first_block"),
    ])
    .where("recipient", "=", wallet)
    .where("block_number", ">", block)
    .executeTakeFirstOrThrow();
  return { gwei: BigInt(gwei ?? 0), firstBlock: first_block };
}

/** The expected totals, counted from every purchase, a page at a time, for `npm run reconcile -- --full`. */
export async function countAfresh(
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
    const rows = await readStandings(
      queries,
      page.map((row) => row.id),
    );
    for (const row of rows) addStanding(buyers, shop, row.wallet, standingOf(row), 1n);
    after = last.id;
  }
}

/** One sentence per total that differs from a recount. */
export async function findWrongTotals(queries: Queries): Promise<string[]> {
  const { shop, buyers } = await countAfresh(queries);
  const kept = await readShopTotals(queries);
  const differences: string[] = [];
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
  for (let after = ""; ; ) {
    const page = await queries
      .selectFrom("buyer_totals")
      .selectAll()
      .where("wallet", ">", after as WalletAddress)
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

type StandingRow = Awaited<ReturnType<typeof readStandings>>[number];

async function readStandings(queries: Queries, ids: readonly bigint[]) {
  return somePurchasesWithIndex(queries, ids)
    .select([
      ...(["purchases.id", "purchases.wallet", "purchases.wei_per_cent", "purchases.cashback_cent_bps"] as const),
      ...(["purchases.reversed_at", "purchases.settled_at", "nfts.status as chain_status"] as const),
      ...(["payouts.state as payout_state", "payouts.amount_gwei as paid_gwei", ...COUNTED_COLUMNS] as const),
    ])
    .execute();
}

async function readCounted(queries: Queries, ids: readonly bigint[]) {
  await lockPurchases(queries, ids);
  const rows = await readStandings(queries, ids);
  return rows.map((row) => ({
    id: row.id,
    wallet: row.wallet,
    counted: countedOf(row),
    standing: standingOf(row),
  }));
}

function standingOf(row: StandingRow): Standing {
  return {
    status: shownStatus(purchaseStatusFromChain(row.chain_status ?? undefined), {
      isReturned: row.reversed_at !== null,
      isPaid: row.payout_state !== null,
    }),
    weiPerCent: row.wei_per_cent,
    centBps: row.cashback_cent_bps,
    paidGwei: row.payout_state === "paid" ? (row.paid_gwei ?? 0n) : 0n,
    isOpen: row.settled_at === null && row.reversed_at === null,
  };
}

function countedOf(row: StandingRow): Standing | undefined {
  const status = row.counted_status === null ? undefined : PURCHASE_STATUSES[Number(row.counted_status)];
  return (
    status && {
      status,
      weiPerCent: row.counted_wei_per_cent,
      centBps: row.counted_cent_bps,
      paidGwei: row.counted_paid_gwei,
      isOpen: row.counted_open === 1n,
    }
  );
}

function addStanding(
  buyers: Map<WalletAddress, BuyerTotals>,
  shop: Map<string, bigint>,
  wallet: WalletAddress,
  standing: Standing,
  sign: 1n | -1n,
): void {
  const { status, weiPerCent, centBps, paidGwei, isOpen } = standing;
  const totals = buyers.get(wallet) ?? emptyTotals();
  buyers.set(wallet, totals);
  const add = (name: string, value: bigint) => shop.set(name, (shop.get(name) ?? 0n) + sign * value);
  totals[status] += sign;
  add(status, 1n);
  totals.paid_gwei += sign * paidGwei;
  const gwei = weiPerCent === null ? undefined : cashbackOfCentBps(centBps, weiPerCent);
  const group = status === "confirmed" ? "confirmed" : "pending";
  if (status !== "cancelled") {
    if (gwei === undefined) totals[`${group}_cent_bps`] += sign * centBps;
    else totals[`${group}_gwei`] += sign * gwei;
  }
  if (!isOpen) return;
  if (gwei === undefined) add("open_cent_bps", centBps);
  else add("open_gwei", gwei);
}

function emptyTotals(): BuyerTotals {
  return Object.fromEntries(BUYER_COLUMNS.map((column) => [column, 0n])) as BuyerTotals;
}

type Counted = { id: bigint; standing: Standing };

/** One statement for all of them. */
async function writeCounted(queries: Queries, rows: readonly Counted[]): Promise<void> {
  if (rows.length === 0) return;
  const { list, column } = numberRows(
    queries,
    rows.map(({ id, standing: one }) => [
      id,
      BigInt(PURCHASE_STATUSES.indexOf(one.status)),
      one.weiPerCent,
      one.centBps,
      one.paidGwei,
      one.isOpen ? 1n : 0n,
    ]),
  );
  await sql`update purchases set counted_status = c.status, counted_wei_per_cent = c.wei_per_cent,
      counted_cent_bps = c.cent_bps, counted_paid_gwei = c.paid_gwei, counted_open = c.is_open
    from (select ${column(0)} as id, ${column(1)} as status, ${column(2)} as wei_per_cent, ${column(3)} as cent_bps,
      ${column(4)} as paid_gwei, ${column(5)} as is_open from ${list}) c
    where purchases.id = c.id`.execute(queries);
}

async function addToBuyers(queries: Queries, buyers: ReadonlyMap<WalletAddress, BuyerTotals>): Promise<void> {
  const values = [...buyers]
    .filter(([, totals]) => BUYER_COLUMNS.some((column) => totals[column] !== 0n))
    .map(([wallet, totals]) => ({ wallet, ...totals, revision: 1n }))
    .sort((one, other) => (one.wallet < other.wallet ? -1 : 1));
  for (let start = 0; start < values.length; start += PAGE / 2) {
    await queries
      .insertInto("buyer_totals")
      .values(values.slice(start, start + PAGE / 2))
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
