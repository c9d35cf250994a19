import { type RawBuilder, type SqlBool, sql } from "kysely";
import { keysOf, recordOf } from "../rules/records.ts";
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

type GivenRow = Readonly<Record<string, bigint | string | null>>;

/**
 * Some rows as a table to select from, with its columns by their names: as one JSON parameter, or on PostgreSQL as an array
 * for each column. At least one, all with the same names and kinds.
 */
export function givenRows<Row extends GivenRow>(
  queries: Queries,
  rows: readonly Row[],
): { list: RawBuilder<unknown>; column: Readonly<Record<keyof Row & string, RawBuilder<bigint>>> } {
  const [first] = rows;
  if (!first) throw new Error("No rows were given");
  const names = keysOf(first);
  if (engineOf(queries) === "sqlite") {
    const textOf = (value: GivenRow[string]) => (typeof value === "string" ? JSON.stringify(value) : String(value));
    const json = `[${rows.map((row) => `[${names.map((name) => textOf(row[name] ?? null)).join(",")}]`).join(",")}]`;
    const at = (name: keyof Row & string) => sql.lit(`$[${names.indexOf(name)}]`);
    return {
      list: sql`json_each(${json})`,
      column: recordOf(names, (name) => sql<bigint>`json_extract(value, ${at(name)})`),
    };
  }
  const arrays = names.map((name) => {
    const type = sql.raw(typeof first[name] === "string" ? "text[]" : "bigint[]");
    return sql`${rows.map((row) => row[name] ?? null)}::${type}`;
  });
  return {
    list: sql`unnest(${sql.join(arrays)}) as given (${sql.join(names.map((name) => sql.ref(name)))})`,
    column: recordOf(names, (name) => sql<bigint>`given.${sql.ref(name)}`),
  };
}

function jsonOf(ids: Iterable<bigint>): string {
  return `[${[...ids].join(",")}]`;
}
