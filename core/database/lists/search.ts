import { type RawBuilder, type SqlBool, sql } from "kysely";
import { engineOf } from "../clock.ts";
import type { Queries } from "../transaction.ts";

/** The rows that a search term matches. */
export type Match = {
  /** A `select` of their keys, as a column `key`, answered by an index. */
  keys: RawBuilder<unknown>;
  /** The same as a condition on a row that no index may answer, for terms that match a large part of the table. */
  test: RawBuilder<SqlBool>;
};

/** A text prefix as a range, which an index in byte order can answer. */
export function startsWith(queries: Queries, column: string, prefix: string): RawBuilder<SqlBool> {
  return within(byBytes(queries, column), prefix, "\u{10ffff}");
}

/** A wallet prefix: hex digits sort alike in every collation. */
export function walletStartsWith(column: string, prefix: string): RawBuilder<SqlBool> {
  return within(sql.ref(column), prefix, "g");
}

/** The same, written so that no index answers it. */
export function walletTest(column: string, prefix: string): RawBuilder<SqlBool> {
  return within(unindexed(column), prefix, "g");
}

export function startsWithTest(queries: Queries, column: string, prefix: string): RawBuilder<SqlBool> {
  const bytes = engineOf(queries) === "postgres" ? sql`(${unindexed(column)} collate "C")` : unindexed(column);
  return within(bytes, prefix, "\u{10ffff}");
}

function within(column: RawBuilder<unknown>, prefix: string, beyond: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${column} >= ${prefix} and ${column} < ${prefix + beyond})`;
}

/** Texts in the order of their bytes, like their indexes. */
export function byBytes(queries: Queries, column: string): RawBuilder<unknown> {
  return engineOf(queries) === "postgres" ? sql`${sql.ref(column)} collate "C"` : sql.ref(column);
}

function unindexed(column: string): RawBuilder<unknown> {
  return sql`(${sql.ref(column)} || '')`;
}

/** A whole number that may be an id. */
export function idOf(term: string): bigint | undefined {
  return /^[1-9]\d{0,14}$/.test(term) ? BigInt(term) : undefined;
}

/** Rows of a table with an `id`, by a `select` of their ids as `key`. */
export function ofKeys(table: string, keys: RawBuilder<unknown>): Match {
  return { keys, test: sql<SqlBool>`${sql.ref(`${table}.id`)} in (${keys})` };
}

/** The row whose id the term is. */
export function byId(table: string, term: string): Match[] {
  const id = idOf(term);
  return id === undefined ? [] : [ofKeys(table, sql`select id as key from ${sql.table(table)} where id = ${id}`)];
}

/** Rows with an `id` and a `wallet` with this prefix. */
export function byWallet(table: string, prefix: string): Match {
  const column = `${table}.wallet`;
  return {
    keys: sql`select id as key from ${sql.table(table)} where ${walletStartsWith(column, prefix)}`,
    test: walletTest(column, prefix),
  };
}

/** A transaction's hash, in lower case. */
export function hashOf(term: string): string | undefined {
  return /^0x[0-9a-f]{64}$/i.test(term) ? term.toLowerCase() : undefined;
}

/** A wallet prefix, in lower case. */
export function walletPrefixOf(term: string): string | undefined {
  return /^0x[0-9a-f]{0,40}$/i.test(term) ? term.toLowerCase() : undefined;
}
