import { type Kysely, sql } from "kysely";
import type { DatabaseEngine } from "../connect.ts";

/**
 * Copies what says when a purchase is due to a table of its own, so that a check does not write the purchase and all its
 * indexes.
 */
export async function up(db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> {
  if (engine === "postgres") return change(db, engine);
  const tables = await db.introspection.getTables();
  if (tables.some((table) => table.name === "due_purchases")) return;
  await db.transaction().execute((transaction) => change(transaction, engine));
}

async function change(db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> {
  const integer = engine === "sqlite" ? sql`integer` : sql`bigint`;
  const table = db.schema.createTable("due_purchases");
  await (engine === "sqlite" ? table.modifyEnd(sql`strict`) : table)
    .addColumn("purchase_id", integer, (c) => c.primaryKey().notNull())
    .addColumn("due_at", integer)
    .addColumn("due_block", integer)
    .addCheckConstraint("due_purchases_due", sql`due_at is not null or due_block is not null`)
    .execute();
  await sql`insert into due_purchases (purchase_id, due_at, due_block)
    select id, due_at, due_block from purchases where due_at is not null or due_block is not null`.execute(db);
  for (const column of ["due_at", "due_block"]) {
    await db.schema
      .createIndex(`due_purchases_${column}`)
      .on("due_purchases")
      .column(column)
      .where(sql.ref(column), "is not", null)
      .execute();
  }
  await followEarlierVersions(db, engine);
}

/** While processes of an earlier version run, they say in columns of `purchases` what is due. The columns go with a later release. */
async function followEarlierVersions(db: Kysely<unknown>, engine: DatabaseEngine): Promise<void> {
  const follow = sql`insert into due_purchases (purchase_id, due_at, due_block) values (new.id, new.due_at, new.due_block)
    on conflict (purchase_id) do update set due_at = excluded.due_at, due_block = excluded.due_block`;
  const isDue = sql`new.due_at is not null or new.due_block is not null`;
  if (engine === "postgres") {
    await sql`create function follow_due() returns trigger language plpgsql as $$ begin ${follow}; return null; end $$`.execute(
      db,
    );
    await sql`create trigger purchases_due after insert or update of due_at, due_block on purchases
      for each row when (${isDue}) execute function follow_due()`.execute(db);
    return;
  }
  for (const change of ["insert", "update of due_at, due_block"]) {
    await sql`create trigger ${sql.ref(`purchases_due_${change.slice(0, 6)}`)} after ${sql.raw(change)} on purchases
      when ${isDue} begin ${follow}; end`.execute(db);
  }
}
