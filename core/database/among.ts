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

/** Rows of values, each of the same length and kinds: as one JSON parameter, or on PostgreSQL as an array for each column. */
export function givenRows(queries: Queries, rows: readonly (readonly (bigint | string | null)[])[]) {
  if (engineOf(queries) === "sqlite") {
    const textOf = (value: bigint | string | null) =>
      typeof value === "string" ? JSON.stringify(value) : String(value);
    const json = `[${rows.map((row) => `[${row.map(textOf).join(",")}]`).join(",")}]`;
    return {
      /** The table expression to select from. */
      list: sql`json_each(${json})`,
      /** The value at a position of each row. */
      column: (index: number): RawBuilder<bigint> => sql`json_extract(value, ${sql.lit(`$[${index}]`)})`,
    };
  }
  const columns = (rows[0] ?? []).map((_, index) => rows.map((row) => row[index] ?? null));
  const typeOf = (column: (typeof columns)[number]) => sql.raw(typeof column[0] === "string" ? "text[]" : "bigint[]");
  return {
    list: sql`unnest(${sql.join(columns.map((column) => sql`${column}::${typeOf(column)}`))})
      as given (${sql.join(columns.map((_, index) => sql.ref(nameOf(index))))})`,
    column: (index: number): RawBuilder<bigint> => sql`given.${sql.ref(nameOf(index))}`,
  };
}

function nameOf(index: number): string {
  return `column_${index}`;
}

function jsonOf(ids: Iterable<bigint>): string {
  return `[${[...ids].join(",")}]`;
}
