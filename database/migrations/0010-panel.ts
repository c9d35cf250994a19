import { type Kysely, sql } from "kysely";
import { searchKey } from "../../domain/search-key.ts";
import type { DatabaseEngine } from "../connect.ts";

const PAGE = 1_000;

/**
 * Columns and indexes for the panel's lists, searches and sort orders, and for purchases held by an admin.
 * docs/product.md#panel-lists
 */
export async function up(db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> {
  const integer = engine === "sqlite" ? sql`integer` : sql`bigint`;
  const run = (statement: string) => sql.raw(statement).execute(db);
  /** Prefix searches are ranges in byte order. */
  const bytes = (column: string) => (engine === "postgres" ? `${column} collate "C"` : column);

  await db.schema.alterTable("purchases").addColumn("held_at", integer).execute();
  for (const column of ["held_by", "held_reason"])
    await db.schema.alterTable("purchases").addColumn(column, "text").execute();
  await run(
    `create index purchases_state on purchases ((case when held_at is not null and settled_at is null then 'held' when counted_status = 3 then 'cancelled' when counted_status = 2 then case when counted_paid_gwei > 0 then 'paid' when settled_at is not null then 'settled' else 'confirmed' end when counted_status = 1 then 'pending' else 'processing' end), id)`,
  );
  await run("create index purchases_amount on purchases (amount_cents, id)");
  await run("create index operations_pay on operations (id) where kind = 'pay'");
  await run("create index operations_pay_status on operations (status, id) where kind = 'pay'");
  await run("create index operations_pay_amount on operations (amount_gwei, id) where kind = 'pay'");
  await run("create index operations_status_id on operations (status, id)");
  await run("create index sales_network_id on sales (network, id)");
  await run("create index sales_amount on sales (amount_micros, id)");
  await run("create index claims_amount on claims (amount_cents, id)");
  await run(`create index claims_order_ref on claims (${bytes("order_ref")})`);
  if (engine === "postgres") await run(`create index sales_order_prefix on sales (order_ref collate "C")`);
  await run(`create index audit_log_actor on audit_log (${bytes("actor")}, id)`);
  await run(`create index audit_log_subject on audit_log (${bytes("subject")}, id)`);
  await run(`create index audit_log_action on audit_log (${bytes("action")}, id)`);

  for (const column of ["email_key", "name_key", "last_name_key"])
    await db.schema
      .alterTable("users")
      .addColumn(column, "text", (c) => c.notNull().defaultTo(""))
      .execute();
  await db.schema
    .alterTable("stores")
    .addColumn("name_key", "text", (c) => c.notNull().defaultTo(""))
    .execute();
  await fillUserKeys(db);
  await fillStoreKeys(db);
  await run("create index users_created_at on users (created_at, wallet)");
  await run("create index users_erased on users (created_at, wallet) where erased_at is not null");
  await run(`create index users_email_key on users (${bytes("email_key")}, wallet)`);
  await run(`create index users_name_key on users (${bytes("name_key")}, wallet)`);
  await run(`create index users_last_name_key on users (${bytes("last_name_key")}, wallet)`);
  await run(`create index stores_name_key on stores (${bytes("name_key")}, id) where deleted_at is null`);
}

async function fillUserKeys(db: Kysely<unknown>): Promise<void> {
  for (let after = ""; ; ) {
    const { rows } = await sql<{ wallet: string; email: string; first_name: string; last_name: string }>`
      select wallet, email, first_name, last_name from users where wallet > ${after} order by wallet limit ${PAGE}`.execute(
      db,
    );
    for (const { wallet, email, first_name, last_name } of rows)
      await sql`update users set email_key = ${searchKey(email)}, name_key = ${searchKey(`${first_name} ${last_name}`)},
        last_name_key = ${searchKey(last_name)} where wallet = ${wallet}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    after = last.wallet;
  }
}

async function fillStoreKeys(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ id: bigint; name: string }>`select id, name from stores`.execute(db);
  for (const { id, name } of rows)
    await sql`update stores set name_key = ${searchKey(name)} where id = ${id}`.execute(db);
}
