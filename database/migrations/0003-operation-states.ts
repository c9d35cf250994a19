import { type Kysely, sql } from "kysely";
import type { DatabaseEngine } from "../connect.ts";

const STATUSES = sql`status in ('queued', 'assigned', 'waiting', 'done', 'failed', 'withdrawn')`;

/**
 * Waiting and failed operations have a reason and a time. A returned purchase's operation is withdrawn, and one above
 * the payout limit waits; earlier versions marked both as failed.
 */
export async function up(db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> {
  await (engine === "sqlite" ? rebuild(db) : alter(db));
}

const NEW_STATUS = sql`case
  when status = 'failed' and error = 'Taken back' then 'withdrawn'
  when status = 'failed' and error like 'AboveMaxPayout%' then 'waiting'
  else status end`;
const NEW_REASON = sql`case
  when status <> 'failed' or error = 'Taken back' then null
  when error like 'AboveMaxPayout%' then 'max_payout'
  when error = 'The transaction reverted' then 'reverted'
  else 'invalid' end`;

async function alter(db: Kysely<unknown>): Promise<void> {
  await sql`alter table operations
    drop constraint if exists operations_status_check,
    add column reason text,
    add column since bigint,
    add column batch_limit bigint`.execute(db);
  await sql`update operations set since = updated_at, reason = ${NEW_REASON}, status = ${NEW_STATUS}`.execute(db);
  await sql`alter table operations
    alter column since set not null,
    add constraint operations_status_check check (${STATUSES})`.execute(db);
}

/** SQLite cannot change a constraint of an existing table. */
async function rebuild(db: Kysely<unknown>): Promise<void> {
  const integer = sql`integer`;
  await db.schema
    .createTable("operations_new")
    .modifyEnd(sql`strict`)
    .addColumn("id", integer, (c) => c.primaryKey().autoIncrement())
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("subject_id", integer, (c) => c.notNull())
    .addColumn("amount_gwei", integer)
    .addColumn("status", "text", (c) => c.notNull().check(STATUSES))
    .addColumn("transaction_id", integer, (c) => c.references("transactions.id"))
    .addColumn("not_before", integer, (c) => c.notNull())
    .addColumn("attempts", integer, (c) => c.notNull().defaultTo(0))
    .addColumn("reason", "text")
    .addColumn("error", "text")
    .addColumn("since", integer, (c) => c.notNull())
    .addColumn("batch_limit", integer)
    .addColumn("created_at", integer, (c) => c.notNull())
    .addColumn("updated_at", integer, (c) => c.notNull())
    .addUniqueConstraint("operations_kind_subject", ["kind", "subject_id"])
    .execute();
  await sql`insert into operations_new
    (id, kind, subject_id, amount_gwei, status, transaction_id, not_before, attempts, reason, error, since, created_at, updated_at)
    select id, kind, subject_id, amount_gwei, ${NEW_STATUS}, transaction_id, not_before, attempts, ${NEW_REASON}, error,
      updated_at, created_at, updated_at
    from operations`.execute(db);
  await db.schema.dropTable("operations").execute();
  await db.schema.alterTable("operations_new").renameTo("operations").execute();
  await db.schema.createIndex("operations_status").on("operations").columns(["status", "kind", "not_before"]).execute();
  await db.schema.createIndex("operations_transaction_id").on("operations").column("transaction_id").execute();
}
