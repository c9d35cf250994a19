import { sql } from "kysely";
import { among } from "../database/among.ts";
import { databaseNow, readClock } from "../database/clock.ts";
import type { Database } from "../database/connect.ts";
import { databaseErrorCode, inTransaction, isDatabaseAway, type Queries } from "../database/transaction.ts";
import { LeaseLostError } from "../process/lease.ts";
import { BIG_DAY_MS } from "../rules/iso-time.ts";
import { idsOf } from "../rules/records.ts";
import type { SaleRules } from "../rules/sale/rules.ts";
import type { WalletAddress } from "../rules/wallet-address.ts";
import { decideSales } from "./decide-sales.ts";
import { makeDue } from "./due.ts";
import { HELD_ELSEWHERE, lockSales } from "./locks.ts";

/** At once; the rest follows in the next rounds. */
const REVIEWED = 100;
/** Of one wallet's held sales, those that are decided with another one of its day. */
const CROWDED = 100;

/**
 * Held sales that were not decided anew for a day, or since a store changed, the longest ago first; and declined ones that
 * are to be decided again, so that their tickets say that their return is final. docs/product.md#return-final
 */
export async function listUnreviewed(queries: Queries): Promise<bigint[]> {
  // One statement, because on PostgreSQL each one costs a round trip, and a planner without work asks at every poll.
  const changedAt = sql<bigint>`coalesce((select cast(value as bigint) from settings where name = 'held_changed_at'), 0)`;
  const aDayAgo = sql<bigint>`(${databaseNow(queries)} - ${BIG_DAY_MS})`;
  const held = queries
    .selectFrom("sales")
    .select("id")
    .where("state", "=", sql.lit("held"))
    .where("reviewed_at", "<", sql<bigint>`case when ${aDayAgo} > ${changedAt} then ${aDayAgo} else ${changedAt} end`)
    .orderBy("reviewed_at")
    .orderBy("id")
    .limit(REVIEWED);
  const declined = queries
    .selectFrom("sales")
    .select("id")
    .where("state", "=", sql.lit("declined"))
    .where("return_due_at", ">=", sql<bigint>`0`)
    .where("return_due_at", "<=", databaseNow(queries))
    .orderBy("return_due_at")
    .limit(REVIEWED);
  const rows = await queries
    .selectFrom(held.as("held"))
    .select("id")
    .unionAll(queries.selectFrom(declined.as("declined")).select("id"))
    .execute();
  return idsOf(rows);
}

type ReviewOptions = { rules: SaleRules; assertLease: (queries: Queries) => Promise<void> };

/**
 * Decides held sales anew: what they are held for can be another sale, a store or a ticket, of which nobody tells them; and
 * declined ones whose return is final. One that somebody else holds waits for the next round; one that cannot be decided is
 * found by halving, and tells why where its purchases are due. Returns whether there were any. docs/product.md#sales-held
 * docs/product.md#return-final
 */
export async function reviewSales(database: Database, options: ReviewOptions): Promise<boolean> {
  const unreviewed = await listUnreviewed(database.kysely);
  await reviewSome(database, options, unreviewed);
  return unreviewed.length > 0;
}

async function reviewSome(database: Database, options: ReviewOptions, ids: readonly bigint[]): Promise<void> {
  const [only, ...others] = ids;
  if (only === undefined) return;
  try {
    await inTransaction(database.kysely, async (queries) => {
      await options.assertLease(queries);
      const now = BigInt(await readClock(queries));
      await lockSales(queries, { sales: ids }, "at once");
      await decideSales(queries, ids, options.rules);
      await markReviewed(queries, ids, now);
    });
  } catch (error) {
    if (isDatabaseAway(error) || error instanceof LeaseLostError) throw error;
    if (others.length > 0) {
      const middle = Math.ceil(ids.length / 2);
      await reviewSome(database, options, ids.slice(0, middle));
      return reviewSome(database, options, ids.slice(middle));
    }
    if (databaseErrorCode(error) === HELD_ELSEWHERE) return;
    await inTransaction(database.kysely, async (queries) => {
      await options.assertLease(queries);
      const purchases = await queries.selectFrom("purchases").select("id").where("sale_id", "=", only).execute();
      await makeDue(queries, idsOf(purchases));
      const now = BigInt(await readClock(queries));
      await markReviewed(queries, [only], now);
      await queries
        .updateTable("sales")
        .set({ return_due_at: now + BIG_DAY_MS })
        .where("id", "=", only)
        .where("state", "=", "declined")
        .execute();
    });
  }
}

async function markReviewed(queries: Queries, ids: readonly bigint[], at: bigint): Promise<void> {
  await queries
    .updateTable("sales")
    .set({ reviewed_at: at })
    .where(among(queries, "id", ids))
    .where("state", "=", "held")
    .execute();
}

/** The sales of a wallet that are held because it had too many of a day: one of them leaves its day or its buyer. */
export async function listCrowded(queries: Queries, wallet: WalletAddress | null): Promise<bigint[]> {
  if (wallet === null) return [];
  const rows = await queries
    .selectFrom("sales")
    .select(["id", "hold_reasons"])
    .where("state", "=", sql.lit("held"))
    .where("wallet", "=", wallet)
    .orderBy("id")
    .limit(CROWDED)
    .execute();
  return idsOf(rows.filter(({ hold_reasons }) => hold_reasons.split(" ").includes("too_many")));
}
