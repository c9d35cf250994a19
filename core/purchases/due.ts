import { sql } from "kysely";
import { among, givenRows } from "../database/among.ts";
import { databaseNow, engineOf } from "../database/clock.ts";
import type { Queries } from "../database/transaction.ts";
import type { NextCheck } from "../rules/purchase/life.ts";

/**
 * `due_purchases` says when a purchase is due: `due_at`, a time, or `due_block`, a block that the index must have
 * reached. A purchase without a row waits for a change. Every change of the purchase, its ticket or its payout makes it
 * due at once, in the same transaction and after locking the purchase. A check sets the next due time.
 *
 * A table of its own: in PostgreSQL, a changed column of `purchases` with an index means a new entry in each of its
 * indexes.
 */

/** Makes purchases due now. */
export async function makeDue(queries: Queries, ids: readonly bigint[]): Promise<void> {
  if (ids.length === 0) return;
  const { list, column } = givenRows(
    queries,
    ids.map((id) => ({ id })),
  );
  // `where true` keeps SQLite from reading ON as part of a join.
  await sql`insert into due_purchases (purchase_id, due_at) select ${column.id}, ${databaseNow(queries)} from ${list}
    where true on conflict (purchase_id) do update set due_at = excluded.due_at`.execute(queries);
}

/** Makes every purchase due now. Locks them all, so that a check in progress does not clear a mark it has not read. */
export async function makeAllDue(queries: Queries): Promise<void> {
  const lock = engineOf(queries) === "postgres" ? sql`order by id for update` : sql``;
  await sql`insert into due_purchases (purchase_id, due_at)
    select id, 0 from (select id from purchases where true ${lock}) all_purchases where true
    on conflict (purchase_id) do update set due_at = excluded.due_at`.execute(queries);
}

/** The purchases that are due, the longest due first. */
export async function takeDue(queries: Queries, cursor: bigint, limit: number): Promise<bigint[]> {
  const select = () => queries.selectFrom("due_purchases").select("purchase_id").limit(limit);
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
  return [...new Set([...byTime, ...byBlock].map((row) => row.purchase_id))].slice(0, limit);
}

const FIRST_RETRY_MS = 4_000n;
const LONGEST_RETRY_MS = 3_600_000n;
const TEXT_KEPT = 200;

/** Its next step could not be decided: others go on, and it is tried again after a growing delay. */
export async function postpone(queries: Queries, id: bigint, problem: string): Promise<void> {
  const known = await queries
    .selectFrom("due_purchases")
    .select("attempts")
    .where("purchase_id", "=", id)
    .executeTakeFirst();
  const attempts = (known?.attempts ?? 0n) + 1n;
  const delay = FIRST_RETRY_MS * 2n ** (attempts > 10n ? 10n : attempts - 1n);
  const afterMs = delay > LONGEST_RETRY_MS ? LONGEST_RETRY_MS : delay;
  const due_at = sql<bigint>`${databaseNow(queries)} + ${sql.lit(Number(afterMs))}`;
  const change = { due_at, due_block: null, problem: problem.slice(0, TEXT_KEPT), attempts };
  await queries.updateTable("due_purchases").set(change).where("purchase_id", "=", id).execute();
}

/** Purchases whose next step could not be decided; at most as many as asked for. */
export async function listUndecided(queries: Queries, limit: number): Promise<{ id: bigint; problem: string }[]> {
  return queries
    .selectFrom("due_purchases")
    .select(["purchase_id as id", "problem"])
    .where("attempts", ">", 0n)
    .$narrowType<{ problem: string }>()
    .limit(limit)
    .execute();
}

/** Sets when each purchase is checked next. `depth`: the number of blocks after which a block is final. */
export async function setNextCheck(
  queries: Queries,
  checks: readonly { id: bigint; check: NextCheck }[],
  depth: bigint,
): Promise<void> {
  const rows = checks.flatMap(({ id, check }) => (check.kind === "never" ? [] : [{ id, ...dueOf(check, depth) }]));
  const isOver = checks.filter(({ check }) => check.kind === "never").map(({ id }) => id);
  if (isOver.length > 0) {
    await queries
      .deleteFrom("due_purchases")
      .where(among(queries, "purchase_id", isOver))
      .execute();
  }
  if (rows.length === 0) return;
  const { list, column } = givenRows(queries, rows);
  await sql`insert into due_purchases (purchase_id, due_at, due_block)
    select ${column.id}, coalesce(${column.at}, ${databaseNow(queries)} + ${column.afterMs}), ${column.block} from ${list} where true
    on conflict (purchase_id) do update set due_at = excluded.due_at, due_block = excluded.due_block,
    problem = null, attempts = 0`.execute(queries);
}

/** A time, a delay or a block. */
function dueOf(
  check: Exclude<NextCheck, { kind: "never" }>,
  depth: bigint,
): { at: bigint | null; afterMs: bigint | null; block: bigint | null } {
  switch (check.kind) {
    case "at":
      return { at: check.at, afterMs: null, block: null };
    case "after":
      return { at: null, afterMs: check.ms, block: null };
    case "block":
      return { at: null, afterMs: null, block: check.block + depth };
  }
}
