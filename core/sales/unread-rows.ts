import { hash } from "node:crypto";
import type { Selectable } from "kysely";
import type { Schema } from "../database/generated/schema.ts";
import type { Queries } from "../database/transaction.ts";
import { DAY_MS } from "../rules/iso-time.ts";
import type { AccountKey } from "../rules/sale/rules.ts";
import type { UnreadRow } from "./row.ts";

export type StoredUnreadRow = Selectable<Schema["unread_rows"]>;

/** Above this number, an account's rows are only counted. */
const OPEN_ROWS_MAX = 1_000n;
const FIRST_RETRY_MS = 60_000;
const LONGEST_RETRY_MS = 6 * 3_600_000;
/** A row without a sale's key cannot be asked for: it is over when the network has not sent it for so long. */
const UNSEEN_MS = 3 * DAY_MS;

/** Keeps rows that could not be read or stored. Returns how many of them are new. docs/product.md#sales-unread */
export async function setAside(queries: Queries, key: AccountKey, rows: readonly UnreadRow[]): Promise<number> {
  let added = 0;
  for (const row of rows) added += (await keep(queries, key, row)) ? 1 : 0;
  return added;
}

async function keep(queries: Queries, key: AccountKey, row: UnreadRow): Promise<boolean> {
  const now = BigInt(Date.now());
  const seen = { text: row.text, problem: row.problem, seen_at: now };
  const row_key = row.saleKey === null ? hash("sha256", row.text) : `sale ${row.saleKey}`;
  const known = await ofAccount(queries.updateTable("unread_rows").set(seen), key)
    .where("row_key", "=", row_key)
    .executeTakeFirst();
  if (known.numUpdatedRows > 0n) return false;
  const { n } = await ofAccount(
    queries.selectFrom("unread_rows").select(({ fn }) => fn.countAll<bigint>().as("n")),
    key,
  ).executeTakeFirstOrThrow();
  if (BigInt(n) >= OPEN_ROWS_MAX) return true;
  const added = await queries
    .insertInto("unread_rows")
    .values({
      ...key,
      row_key,
      ...seen,
      sale_key: row.saleKey,
      occurred_at: row.occurredAt,
      first_at: now,
      retry_at: now + BigInt(FIRST_RETRY_MS),
    })
    .onConflict((conflict) => conflict.columns(["network", "account", "row_key"]).doNothing())
    .executeTakeFirst();
  return (added.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** Rows that are to be asked for again, each by its sale's key, longest due first. */
export async function listDueRows(queries: Queries, key: AccountKey, limit: number): Promise<StoredUnreadRow[]> {
  return ofAccount(queries.selectFrom("unread_rows").selectAll(), key)
    .where("sale_key", "is not", null)
    .where("retry_at", "<=", BigInt(Date.now()))
    .orderBy("retry_at")
    .limit(limit)
    .execute();
}

/** Asks for them again, but each time later. */
export async function postponeRows(queries: Queries, key: AccountKey, rows: readonly StoredUnreadRow[]): Promise<void> {
  const now = Date.now();
  for (const row of rows) {
    const waitMs = Math.min(FIRST_RETRY_MS * 2 ** Number(row.attempts + 1n), LONGEST_RETRY_MS);
    await ofAccount(
      queries.updateTable("unread_rows").set({ attempts: row.attempts + 1n, retry_at: BigInt(now + waitMs) }),
      key,
    )
      .where("row_key", "=", row.row_key)
      .execute();
  }
}

/** Forgets rows that were read after all, and those without a key that the network no longer sends. */
export async function forgetRows(queries: Queries, key: AccountKey, readKeys: readonly string[]): Promise<void> {
  const open = await ofAccount(
    queries.selectFrom("unread_rows").select(["row_key", "sale_key", "seen_at"]),
    key,
  ).execute();
  const read = new Set(readKeys);
  const unseenSince = BigInt(Date.now() - UNSEEN_MS);
  const over = open.filter((row) => (row.sale_key === null ? row.seen_at < unseenSince : read.has(row.sale_key)));
  for (const { row_key } of over) {
    await ofAccount(queries.deleteFrom("unread_rows"), key).where("row_key", "=", row_key).execute();
  }
}

function ofAccount<Q extends { where(column: "network" | "account", operator: "=", value: string): Q }>(
  query: Q,
  { network, account }: AccountKey,
): Q {
  return query.where("network", "=", network).where("account", "=", account);
}
