import { sql } from "kysely";
import { among } from "../database/among.ts";
import { databaseNow } from "../database/clock.ts";
import { lockUsers } from "../database/touch-user.ts";
import type { Queries } from "../database/transaction.ts";
import { type Moment, type NextLook, nextLook } from "../domain/purchase/life.ts";
import { lockPurchases, type StandingPurchase } from "./queries.ts";

/**
 * A purchase's row says when it is due: `due_at`, a time, or `due_block`, a block that the index must have reached.
 * Every change of the purchase, its ticket or its payout makes it due at once, in the same transaction. A check sets
 * the next due time, or none if only another change can lead to a step.
 */

/**
 * Two lookups in indexes that contain only due purchases. The smallest value, and not `exists`: PostgreSQL takes an index for
 * that whatever its statistics say, where for `exists` it may expect a due row on the first page and read the table in vain.
 */
export async function isAnyDue(queries: Queries, cursor: bigint): Promise<boolean> {
  const { rows } = await sql<{ is_due: unknown }>`select 1 as is_due where
    (select min(due_at) from purchases where due_at is not null) <= ${databaseNow(queries)}
    or (select min(due_block) from purchases where due_block is not null) <= ${cursor}`.execute(queries);
  return rows.length > 0;
}

/**
 * Takes some due purchases and locks them until the end of the transaction: a concurrent change is waited for and then
 * seen; a later one makes them due again. Buyers' rows are locked first, as everywhere.
 */
export async function takeDue(queries: Queries, cursor: bigint, limit: number): Promise<bigint[]> {
  const select = () => queries.selectFrom("purchases").select(["id", "wallet"]).limit(limit);
  const byTime = await select()
    .where("due_at", "is not", null)
    .where("due_at", "<=", databaseNow(queries))
    .orderBy("due_at")
    .execute();
  const byBlock =
    byTime.length >= limit
      ? []
      : await select()
          .where("due_block", "is not", null)
          .where("due_block", "<=", cursor)
          .orderBy("due_block")
          .execute();
  const rows = [...byTime, ...byBlock].slice(0, limit);
  if (rows.length === 0) return [];
  await lockUsers(queries, new Set(rows.map((row) => row.wallet)));
  const ids = [...new Set(rows.map((row) => row.id))];
  await lockPurchases(queries, ids);
  return ids;
}

/** Sets when each purchase is checked next. `depth`: the number of blocks after which a block is final. */
export async function setNextLook(
  queries: Queries,
  purchases: readonly StandingPurchase[],
  { moment, depth }: { moment: Moment; depth: bigint },
): Promise<void> {
  const looks = purchases.map(({ row, life }) => ({ id: row.id, look: nextLook(life, moment) }));
  const alike = Map.groupBy(looks, ({ look }) => lookText(look));
  for (const [first, ...others] of alike.values()) {
    if (!first) continue;
    await queries
      .updateTable("purchases")
      .set(dueColumns(queries, first.look, depth))
      .where(
        among(
          queries,
          "id",
          [first, ...others].map(({ id }) => id),
        ),
      )
      .execute();
  }
}

function lookText(look: NextLook): string {
  return JSON.stringify(look, (_key, value) => (typeof value === "bigint" ? String(value) : value));
}

function dueColumns(queries: Queries, look: NextLook, depth: bigint) {
  switch (look.kind) {
    case "never":
      return { due_at: null, due_block: null };
    case "block":
      return { due_at: null, due_block: look.block + depth };
    case "at":
      return { due_at: look.at, due_block: null };
    case "after":
      return { due_at: sql<bigint>`${databaseNow(queries)} + ${look.ms}`, due_block: null };
  }
}

/** Makes every purchase due now. */
export async function makeAllDue(queries: Queries): Promise<void> {
  await queries.updateTable("purchases").set({ due_at: 0n }).execute();
}
