import { type RawBuilder, type SqlBool, sql } from "kysely";
import { engineOf } from "./clock.ts";
import type { Queries } from "./transaction.ts";

/**
 * Whether a column's value is one of some ids, which travel as one parameter: a list of a thousand would be a thousand, and
 * another statement for every length.
 */
export function among(queries: Queries, column: string, ids: Iterable<bigint>): RawBuilder<SqlBool> {
  return engineOf(queries) === "sqlite"
    ? sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${jsonOf(ids)}))`
    : sql<SqlBool>`${sql.ref(column)} = any(${[...ids]}::bigint[])`;
}

/** Rows of numbers as one parameter: JSON, whose numbers both engines read with 64 bits. */
export function numberRows(queries: Queries, rows: Iterable<readonly (bigint | null)[]>) {
  const json = `[${[...rows].map((row) => `[${row.map((value) => value ?? "null").join(",")}]`).join(",")}]`;
  const isSqlite = engineOf(queries) === "sqlite";
  return {
    /** To be selected from. */
    list: isSqlite ? sql`json_each(${json})` : sql`json_array_elements(${json}::json)`,
    /** The value at a place of each row. */
    column: (index: number): RawBuilder<bigint> =>
      isSqlite ? sql`json_extract(value, ${sql.lit(`$[${index}]`)})` : sql`(value->>${sql.lit(index)})::bigint`,
  };
}

function jsonOf(ids: Iterable<bigint>): string {
  return `[${[...ids].join(",")}]`;
}
