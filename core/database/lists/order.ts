import { type RawBuilder, type SqlBool, sql } from "kysely";
import { TorcidaError } from "../../rules/torcida-error.ts";
import type { Stretch } from "../index-range.ts";
import type { Queries } from "../transaction.ts";
import { byBytes } from "./search.ts";
import type { ListSource, SortColumn } from "./source.ts";

export type Order = SortColumn & { name: string; isDown: boolean };
/** The last row of the previous page. */
export type Cursor = { value: bigint | string; key: bigint | string };
export type Columns = { sort: RawBuilder<unknown>; key: RawBuilder<unknown> };
export type KeyRow = { key: bigint | string; sort: bigint | string };

/** The cursor does not belong to this list and order. */
export class CursorError extends TorcidaError {
  override readonly docs = "docs/product.md#panel-lists";
}

/** Reads `name` or `-name`, the descending order; without either, the list's first order, descending. */
export function orderOf(source: ListSource, sort: string | undefined): Order {
  const [fallback = "id"] = Object.keys(source.sorts);
  const asked = sort || `-${fallback}`;
  const name = asked.replace(/^-/, "");
  const column = source.sorts[name];
  if (!column) throw new Error(`${source.table} is not sorted by ${name}`);
  return { ...column, name, isDown: asked.startsWith("-") };
}

export function orderBy(
  source: ListSource,
  { column, isDown }: Order,
  { sort, key }: Columns,
  stretch: Stretch = [],
): RawBuilder<unknown> {
  const way = isDown ? sql`desc` : sql`asc`;
  if (stretch.length > 0) {
    const columns = [...stretch.map((one) => one.column), key];
    return sql`order by ${sql.join(columns.map((one) => sql`${one} ${way}`))}`;
  }
  return column === source.key ? sql`order by ${key} ${way}` : sql`order by ${sort} ${way}, ${key} ${way}`;
}

/** Texts are sorted by bytes, like their indexes. */
export function sortable(queries: Queries, { type }: Order, column: string): RawBuilder<unknown> {
  return type === "text" ? byBytes(queries, column) : sql.ref(column);
}

export function afterCursor(
  source: ListSource,
  { column, isDown }: Order,
  before: Cursor | undefined,
  { sort, key }: Columns,
): RawBuilder<SqlBool> {
  if (before === undefined) return sql<SqlBool>`1 = 1`;
  const way = isDown ? sql`<` : sql`>`;
  return column === source.key
    ? sql<SqlBool>`${key} ${way} ${before.key}`
    : sql<SqlBool>`(${sort}, ${key}) ${way} (${before.value}, ${before.key})`;
}

/** `KEY` if rows are sorted by key, otherwise `VALUE_KEY`. */
export function cursorOf(source: ListSource, order: Order, { key, sort }: KeyRow): number | string {
  if (order.column !== source.key) return `${sort}_${key}`;
  return source.keyType === "number" ? Number(key) : String(key);
}

/** Reads what `cursorOf` wrote; undefined for a list's first page. @throws CursorError if it is of another list or order */
export function readCursor(source: ListSource, order: Order, text: string | undefined): Cursor | undefined {
  if (text === undefined) return undefined;
  const at = order.column === source.key ? 0 : text.lastIndexOf("_") + 1;
  if (at === 0 && order.column !== source.key) throw new CursorError(WRONG_CURSOR);
  const key = readValue(source.keyType, text.slice(at));
  return { key, value: at === 0 ? key : readValue(order.type, text.slice(0, at - 1)) };
}

const WRONG_CURSOR = "is not the next_before of this list in this order";

function readValue(type: "number" | "text", text: string): bigint | string {
  if (type === "text") return text;
  if (!/^-?\d{1,18}$/.test(text)) throw new CursorError(WRONG_CURSOR);
  return BigInt(text);
}

/**
 * SQLite cannot seek by a pair of columns that ends with the row's id: rows with the cursor's value first, then the
 * rest.
 */
export function stretchesAfter(source: ListSource, order: Order, before: Cursor | undefined, columns: Columns) {
  if (before === undefined || order.column === source.key) return [afterCursor(source, order, before, columns)];
  const way = order.isDown ? sql`<` : sql`>`;
  return [
    sql<SqlBool>`(${columns.sort} = ${before.value} and ${columns.key} ${way} ${before.key})`,
    sql<SqlBool>`${columns.sort} ${way} ${before.value}`,
  ];
}

export function columnsOf(queries: Queries, source: ListSource, order: Order): Columns {
  return { sort: sortable(queries, order, order.column), key: sql.ref(source.key) };
}

export function afterOf(source: ListSource, { isDown }: Order, before: Cursor | undefined) {
  return before && { column: sql.ref(source.key), key: before.key, isDown };
}
