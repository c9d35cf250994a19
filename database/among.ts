import { type RawBuilder, type SqlBool, sql } from "kysely";
import { engineOf } from "./clock.ts";
import type { Queries } from "./transaction.ts";

/**
 * Whether a column's value is one of some ids. They are passed as a single parameter: a list of a thousand ids would
 * need a thousand parameters, and a new statement for every length.
 */
export function among(queries: Queries, column: string, ids: Iterable<bigint>): RawBuilder<SqlBool> {
  return engineOf(queries) === "sqlite"
    ? sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${jsonOf(ids)}))`
    : sql<SqlBool>`${sql.ref(column)} = any(${[...ids]}::bigint[])`;
}

/** The same for texts. */
export function amongTexts(queries: Queries, column: string, texts: Iterable<string>): RawBuilder<SqlBool> {
  return engineOf(queries) === "sqlite"
    ? sql<SqlBool>`${sql.ref(column)} in (select value from json_each(${JSON.stringify([...texts])}))`
    : sql<SqlBool>`${sql.ref(column)} = any(${[...texts]}::text[])`;
}

/** Rows of numbers as one JSON parameter; both engines read its numbers as 64-bit integers. */
export function numberRows(queries: Queries, rows: Iterable<readonly (bigint | null)[]>) {
  const json = `[${[...rows].map((row) => `[${row.map((value) => value ?? "null").join(",")}]`).join(",")}]`;
  const isSqlite = engineOf(queries) === "sqlite";
  return {
    /** The table expression to select from. */
    list: isSqlite ? sql`json_each(${json})` : sql`json_array_elements(${json}::json)`,
    /** The value at a position of each row. */
    column: (index: number): RawBuilder<bigint> =>
      isSqlite ? sql`json_extract(value, ${sql.lit(`$[${index}]`)})` : sql`(value->>${sql.lit(index)})::bigint`,
  };
}

function jsonOf(ids: Iterable<bigint>): string {
  return `[${[...ids].join(",")}]`;
}
