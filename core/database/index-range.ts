import { type RawBuilder, type SqlBool, sql } from "kysely";
import { engineOf } from "./clock.ts";
import type { Queries } from "./transaction.ts";

/** A range of an index: its first columns, each with a value. The rows with these values are adjacent in the index. */
export type Stretch = readonly { column: RawBuilder<unknown>; value: unknown }[];

/**
 * The clauses after `from` that select the rows of a stretch. For PostgreSQL, a range of row values in the index's
 * order: if the columns were compared one by one and many rows have these values, it would scan the table until it has
 * found enough, which is fast if they are spread evenly, and reads the whole table if they are all at its end.
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

/** The same for PostgreSQL; with `after`, only the rows beyond a key, in ascending or descending order. */
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
