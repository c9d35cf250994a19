import { type Kysely, sql } from "kysely";
import type { DatabaseEngine } from "../connect.ts";

/** Indexes for queries that read many rows which they do not return. docs/operations.md#scaling-with-the-shop */
const INDEXES = {
  operations_stuck: sql`operations (status, kind, reason, since) where status in ('waiting', 'failed')`,
  operations_set_aside: sql`operations (kind, reason, amount_gwei) where status = 'waiting'`,
  sales_unread: sql`sales (network, account, state, read_at)`,
  sales_shared_order: sql`sales (order_ref, store_id, wallet) where state <> 'declined' and order_ref is not null`,
  sales_without_rate: sql`sales (network, account, id) where fx_rate_micros is null and amount_cents is null
    and state in ('held', 'unmatched')`,
  sales_drifted: sql`sales (network, account) where state in ('held', 'unmatched') and hold_reasons like '%drift%'`,
  purchases_unpaid: sql`purchases (wallet, id) where counted_status = 2 and settled_at is null and reversed_at is null`,
};

export async function up(db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> {
  for (const [name, on] of Object.entries(INDEXES))
    await sql`create index if not exists ${sql.ref(name)} on ${on}`.execute(db);
  // `sales_unread` replaces two; on PostgreSQL `sales_order_prefix` finds the orders that a search begins with.
  for (const name of ["sales_read", "sales_unpaid_read", ...(engine === "postgres" ? ["sales_order"] : [])])
    await db.schema.dropIndex(name).ifExists().execute();
}
