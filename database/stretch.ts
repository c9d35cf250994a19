import { type RawBuilder, type SqlBool, sql } from "kysely";
import { engineOf } from "./clock.ts";
import type { Queries } from "./transaction.ts";

/** The first columns of an index, each with a value: the rows that have them follow each other there. */
export type Stretch = readonly { column: RawBuilder<unknown>; value: unknown }[];

/**
 * What follows `from`: the rows of a stretch. For PostgreSQL they lie between two rows of the index, and are in its order.
 * If the columns were compared one by one and many rows have these values, it would read the table instead, until it
 * has found enough: quick if they lie anywhere, and a scan of the whole table if they all are the newest.
 */
export function inStretch(queries: Queries, stretch: Stretch): RawBuilder<unknown> {
  return engineOf(queries) === "sqlite"
    ? sql`where ${hasValues(stretch)}`
    : sql`where ${betweenRows(stretch)} order by ${columnsOf(stretch)}`;
}

export function hasValues(stretch: Stretch): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.join(
    stretch.map(({ column, value }) => sql`${column} = ${value}`),
    sql` and `,
  )}`;
}

/** The same for PostgreSQL; `after`: from a key on, in ascending or descending order. */
export function betweenRows(
  stretch: Stretch,
  after?: { column: RawBuilder<unknown>; key: bigint | string; isDown: boolean },
): RawBuilder<SqlBool> {
  const columns = columnsOf(stretch);
  const values = sql.join(stretch.map(({ value }) => value));
  const first = sql`(${columns}) >= (${values})`;
  const last = sql`(${columns}) <= (${values})`;
  if (after === undefined) return sql<SqlBool>`${first} and ${last}`;
  const { column, key, isDown } = after;
  const end = sql`(${columns}, ${column}) ${isDown ? sql`<` : sql`>`} (${values}, ${key})`;
  return isDown ? sql<SqlBool>`${first} and ${end}` : sql<SqlBool>`${end} and ${last}`;
}

export function columnsOf(stretch: Stretch): RawBuilder<unknown> {
  return sql.join(stretch.map(({ column }) => column));
}
