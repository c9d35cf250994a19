import { type Kysely, sql } from "kysely";

/** A made-up later migration: a table and a column of their own. */
export const WIDER = {
  name: "9003-wider",
  up: async (db: Kysely<unknown>) => {
    await sql`create table stickers (club text not null, number integer not null, price text not null, primary key (club, number))`.execute(
      db,
    );
    await sql`alter table stores add column stickers text not null default 'none'`.execute(db);
    await sql`update stores set stickers = name`.execute(db);
  },
};
