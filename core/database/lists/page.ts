import { type RawBuilder, type SqlBool, sql } from "kysely";
import { TorcidaError } from "../../rules/torcida-error.ts";
import { COUNTED, countRows } from "../capped-count.ts";
import { engineOf } from "../clock.ts";
import { betweenRows, hasValues, inStretch, type Stretch } from "../index-range.ts";
import type { Queries } from "../transaction.ts";
import { byBytes, type Match } from "./search.ts";
import type { ListSource, PageQuery, SortColumn } from "./source.ts";

/**
 * If more than `FOUND_ROWS` match, rows are scanned in order and tested, up to this many per step: the first usually
 * suffices.
 */
const SCANNED_ROWS = [500, 1_000, 1_500] as const;
/** Up to this many matches are looked up through indexes and then sorted. */
const FOUND_ROWS = 3_000;
const SOME = sql.lit(FOUND_ROWS + 1);

type PageEnd = {
  /** Where the next page starts; null on the last. */
  nextBefore: number | string | null;
  /** The number of matches, capped at 10,001. */
  total: number;
};
type KeyPage<Key> = PageEnd & { keys: Key[] };
export type ListPage<Row> = PageEnd & { rows: Row[] };

/** The keys of one page, in order. @throws CursorError */
async function readKeyPage<Key extends bigint | string>(
  queries: Queries,
  source: ListSource,
  page: PageQuery,
): Promise<KeyPage<Key>> {
  const order = orderOf(source, page.sort);
  const before = readCursor(source, order, page.before);
  const { total, rows, scannedTo } = await selectPage(queries, source, { page, order, before });
  const shown = rows.slice(0, page.limit);
  const last = rows.length > page.limit ? shown.at(-1) : scannedTo;
  return {
    // The source names the column of the key, whose type SQL does not tell.
    keys: shown.map((row) => row.key as Key),
    nextBefore: last === undefined ? null : cursorOf(source, order, last),
    total,
  };
}

/** One page, in order; `readRows` reads the rows of its keys. @throws CursorError */
export async function readPage<Key extends bigint | string, Row>(
  queries: Queries,
  source: ListSource,
  page: PageQuery,
  readRows: (queries: Queries, keys: readonly Key[]) => Promise<Row[]>,
  keyOf: (row: Row) => Key,
): Promise<ListPage<Row>> {
  const { keys, ...end } = await readKeyPage<Key>(queries, source, page);
  const rows = keys.length === 0 ? [] : await readRows(queries, keys);
  const byKey = new Map(rows.map((row) => [keyOf(row), row]));
  return { ...end, rows: keys.flatMap((key) => byKey.get(key) ?? []) };
}

type Selection = { page: PageQuery; order: Order; before: Cursor | undefined };
type Selected = {
  total: number;
  /** One more than the page has, if there are more. */
  rows: KeyRow[];
  /** Where a scan stopped before it had filled the page. */
  scannedTo?: KeyRow | undefined;
};

async function selectPage(queries: Queries, source: ListSource, selection: Selection): Promise<Selected> {
  const { page } = selection;
  const term = page.query || undefined;
  if (term !== undefined) {
    const matches = source.matches(term, queries);
    if (matches.length === 0) return { total: 0, rows: [] };
    const found = await findKeys(queries, source, union(matches.map(({ keys }) => keys)));
    if (found) return selectAmong(queries, source, selection, found);
    // Many rows match the search, but perhaps few rows are in the state.
    const ofState = page.state ? await findKeys(queries, source, inState(queries, source, page.state)) : undefined;
    return ofState
      ? selectAmong(queries, source, selection, ofState, anyOf(matches))
      : selectThrough(queries, source, selection, { matches });
  }
  if (!page.state || selection.order.followsState) return selectInOrder(queries, source, selection);
  const ofState = inState(queries, source, page.state);
  const found = await findKeys(queries, source, ofState);
  return found
    ? selectAmong(queries, source, selection, found)
    : selectThrough(queries, source, selection, { total: await countRows(queries, ofState) });
}

/** An index gives the rows in order. */
async function selectInOrder(queries: Queries, source: ListSource, selection: Selection): Promise<Selected> {
  const walk = walkOf(queries, source, selection);
  const { before, page } = selection;
  const { rows } = await sortedRows(queries, source, selection.order, {
    ...walk,
    before,
    limit: page.limit + 1,
  }).execute(queries);
  const all = walk.isByState ? inState(queries, source, page.state ?? "") : keysOf(source, walk.where);
  return { total: await countRows(queries, all), rows };
}

/** Few rows match: they are found through their indexes and sorted. */
async function selectAmong(
  queries: Queries,
  source: ListSource,
  { page, order, before }: Selection,
  keys: RawBuilder<unknown>,
  test?: RawBuilder<SqlBool>,
) {
  const isWanted = conditions(source.only, stateTest(queries, source, page.state), test);
  const found = rowsAmong(queries, source, keys, order.column, isWanted);
  const columns = { sort: sortable(queries, order, "sort"), key: sql.ref("key") };
  // Materialized, to serve both the page and the count, and to keep the planner from scanning the table in order.
  const { rows } = await sql<KeyRow & { total: bigint }>`with matching as materialized (${found} limit ${SOME})
    select key, sort, (select count(*) from matching) as total from matching
    where ${afterCursor(source, order, before, columns)} ${orderBy(source, order, columns)} limit ${page.limit + 1}`.execute(
    queries,
  );
  const [first] = rows;
  if (first === undefined)
    return { total: before === undefined ? 0 : await countRows(queries, found, FOUND_ROWS), rows };
  return { total: Number(first.total), rows };
}

/**
 * So many rows match that a scan in sort order soon finds a page of them; if they are far apart, the scan stops early.
 */
async function selectThrough(
  queries: Queries,
  source: ListSource,
  selection: Selection,
  { matches, total = COUNTED + 1 }: { matches?: readonly Match[]; total?: number },
): Promise<Selected> {
  const { page, order, before } = selection;
  const walk = walkOf(queries, source, selection);
  const test = conditions(
    walk.isByState ? undefined : stateTest(queries, source, page.state),
    matches && anyOf(matches),
  );
  const rows: KeyRow[] = [];
  let scannedTo: KeyRow | undefined;
  for (const limit of SCANNED_ROWS) {
    const from = scannedTo ? { key: scannedTo.key, value: scannedTo.sort } : before;
    const scanned = await sortedRows(queries, source, order, { ...walk, before: from, limit, test }).execute(queries);
    rows.push(...scanned.rows.filter((row) => Number(row.passes) === 1));
    scannedTo = scanned.rows.length < limit ? undefined : scanned.rows.at(-1);
    if (rows.length > page.limit || scannedTo === undefined) break;
  }
  // The matches of a broad search are not counted: that would cost more than the page.
  const isWhole = before === undefined && scannedTo === undefined && rows.length <= page.limit;
  return { rows, total: isWhole ? rows.length : total, scannedTo };
}

/**
 * How to scan the list's rows in order, by indexes or by the table: only those of the state if an index has them in
 * this order. The rows of several parts are merged.
 */
type Walk = { isByState: boolean; where: RawBuilder<SqlBool>; parts: readonly WalkPart[] };
type WalkPart = { hint: RawBuilder<unknown>; where?: RawBuilder<SqlBool>; stretch?: Stretch };

function walkOf(queries: Queries, source: ListSource, { page, order }: Selection): Walk {
  const state = page.state || undefined;
  const isByState = state !== undefined && order.followsState === true;
  const ofState = isByState ? source.state?.(state, queries) : undefined;
  return {
    isByState,
    where: isByState && source.stretches ? conditions() : conditions(source.only, ofState),
    parts: partsOf(queries, source, order, state),
  };
}

type Some = Walk & { before: Cursor | undefined; limit: number; test?: RawBuilder<SqlBool> };

/** The next rows in order, and whether each passes the test. */
function sortedRows(
  queries: Queries,
  source: ListSource,
  order: Order,
  { where, parts, before, limit, test = conditions() }: Some,
): RawBuilder<KeyRow & { passes: unknown }> {
  const columns: Columns = { sort: sortable(queries, order, order.column), key: sql.ref(source.key) };
  const after = before && { column: columns.key, key: before.key, isDown: order.isDown };
  const rowsOf = (part: WalkPart, isAfter: RawBuilder<SqlBool>) => sql<KeyRow & { passes: unknown }>`
    select ${columns.key} as key, ${columns.sort} as sort, case when ${test} then 1 else 0 end as passes
    from ${sql.table(source.table)} ${part.hint} where ${conditions(where, part.where)} and ${isAfter}
    ${orderBy(source, order, columns, part.stretch)} limit ${limit}`;
  const stretches = parts.flatMap((part) =>
    part.stretch
      ? [rowsOf(part, betweenRows(part.stretch, after))]
      : stretchesAfter(source, order, before, columns).map((isAfter) => rowsOf(part, isAfter)),
  );
  const [only] = stretches;
  if (only && stretches.length === 1) return only;
  return sql`${sql.join(
    stretches.map((rows) => sql`select * from (${rows}) as stretch`),
    sql` union all `,
  )} ${orderBy(source, order, { sort: sql.ref("sort"), key: sql.ref("key") })} limit ${limit}`;
}

/** Tells SQLite which table or indexes to scan in sort order. PostgreSQL chooses them by itself. */
function partsOf(queries: Queries, source: ListSource, order: Order, state: string | undefined): readonly WalkPart[] {
  const isSqlite = engineOf(queries) === "sqlite";
  const by = (index: string) => (isSqlite ? sql`indexed by ${sql.ref(index)}` : sql``);
  const isByState = state !== undefined && order.followsState === true;
  const index = isByState ? order.stateIndex : order.index;
  const hint = index === undefined ? undefined : by(index);
  if (isByState && source.stretches)
    return source
      .stretches(state)
      .map((stretch) => ({ hint: hint ?? sql``, ...(isSqlite ? { where: hasValues(stretch) } : { stretch }) }));
  if (!isByState && order.parts) {
    const parts = order.parts.filter(({ has }) => state === undefined || has(state));
    return parts.map(({ index, where }) => ({ hint: by(index), where }));
  }
  return [{ hint: hint ?? (isSqlite && order.column === source.key && !isByState ? sql`not indexed` : sql``) }];
}

function anyOf(matches: readonly Match[]): RawBuilder<SqlBool> {
  return sql<SqlBool>`(${sql.join(
    matches.map(({ test }) => test),
    sql` or `,
  )})`;
}

function keysOf(source: ListSource, where: RawBuilder<SqlBool>): RawBuilder<unknown> {
  return sql`select ${sql.ref(source.key)} as key from ${sql.table(source.table)} where ${where}`;
}

function inState(queries: Queries, source: ListSource, state: string): RawBuilder<unknown> {
  if (!source.stretches) return keysOf(source, conditions(source.only, source.state?.(state, queries)));
  const key = sql.ref(source.key);
  const keys = source
    .stretches(state)
    .map(
      (one) =>
        sql`select key from (select ${key} as key from ${sql.table(source.table)} ${inStretch(queries, one)}) as stretch`,
    );
  return sql.join(keys, sql` union all `);
}

/**
 * The rows with these keys that pass a test, each looked up by its key: PostgreSQL would otherwise scan the whole
 * table.
 */
function rowsAmong(
  queries: Queries,
  { table, key }: ListSource,
  keys: RawBuilder<unknown>,
  sortColumn: string,
  isWanted: RawBuilder<SqlBool>,
): RawBuilder<unknown> {
  const found = sql`(select key as found_key from (${keys}) as candidates limit ${SOME}) as found`;
  const isFound = sql`found_key = ${sql.ref(`${table}.${key}`)} and ${isWanted}`;
  const sort = sql.ref(`${table}.${sortColumn}`);
  return engineOf(queries) === "postgres"
    ? sql`select found_key as key, sort from ${found}
        cross join lateral (select ${sort} as sort from ${sql.table(table)} where ${isFound} limit 1) as wanted`
    : sql`select found_key as key, ${sort} as sort from ${found} cross join ${sql.table(table)} where ${isFound}`;
}

/** Each search is limited, so that none scans all its matches. */
function union(searches: readonly RawBuilder<unknown>[]): RawBuilder<unknown> {
  const some = searches.map((keys) => sql`select key from (select key from (${keys}) as one limit ${SOME}) as limited`);
  return sql.join(some, sql` union `);
}

function stateTest(queries: Queries, source: ListSource, state: string | undefined): RawBuilder<SqlBool> | undefined {
  return state ? (source.stateTest ?? source.state)?.(state, queries) : undefined;
}

function conditions(...all: (RawBuilder<SqlBool> | undefined)[]): RawBuilder<SqlBool> {
  const given = all.filter((one) => one !== undefined);
  return given.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.join(given, sql` and `)}`;
}

/** Runs a `select` of keys, and returns its result as a `select` of constants; undefined if there are too many keys. */
async function findKeys(
  queries: Queries,
  { keyType }: ListSource,
  keys: RawBuilder<unknown>,
): Promise<RawBuilder<unknown> | undefined> {
  const { rows } = await sql<{ key: bigint | string }>`select key from (${keys}) as found limit ${SOME}`.execute(
    queries,
  );
  if (rows.length > FOUND_ROWS) return undefined;
  const found = rows.map(({ key }) => String(key));
  if (engineOf(queries) === "postgres")
    return keyType === "number"
      ? sql`select unnest(${found}::bigint[]) as key`
      : sql`select unnest(${found}::text[]) as key`;
  const json = keyType === "number" ? `[${found.join(",")}]` : JSON.stringify(found);
  return sql`select value as key from json_each(${json})`;
}

// Orders, and where a page starts ---------------------------------------------------------------------------------------

type Order = SortColumn & { name: string; isDown: boolean };
/** The last row of the previous page. */
type Cursor = { value: bigint | string; key: bigint | string };
type Columns = { sort: RawBuilder<unknown>; key: RawBuilder<unknown> };
type KeyRow = { key: bigint | string; sort: bigint | string };

/** The cursor does not belong to this list and order. */
export class CursorError extends TorcidaError {
  override readonly docs = "docs/product.md#panel-lists";
}

/** Reads `name` or `-name`, the descending order; without either, the list's first order, descending. */
function orderOf(source: ListSource, sort: string | undefined): Order {
  const [fallback = "id"] = Object.keys(source.sorts);
  const asked = sort || `-${fallback}`;
  const name = asked.replace(/^-/, "");
  const column = source.sorts[name];
  if (!column) throw new Error(`${source.table} is not sorted by ${name}`);
  return { ...column, name, isDown: asked.startsWith("-") };
}

function orderBy(
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
function sortable(queries: Queries, { type }: Order, column: string): RawBuilder<unknown> {
  return type === "text" ? byBytes(queries, column) : sql.ref(column);
}

function afterCursor(
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
function cursorOf(source: ListSource, order: Order, { key, sort }: KeyRow): number | string {
  if (order.column !== source.key) return `${sort}_${key}`;
  return source.keyType === "number" ? Number(key) : String(key);
}

/** Reads what `cursorOf` wrote; undefined for a list's first page. @throws CursorError if it is of another list or order */
function readCursor(source: ListSource, order: Order, text: string | undefined): Cursor | undefined {
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
function stretchesAfter(source: ListSource, order: Order, before: Cursor | undefined, columns: Columns) {
  if (before === undefined || order.column === source.key) return [afterCursor(source, order, before, columns)];
  const way = order.isDown ? sql`<` : sql`>`;
  return [
    sql<SqlBool>`(${columns.sort} = ${before.value} and ${columns.key} ${way} ${before.key})`,
    sql<SqlBool>`${columns.sort} ${way} ${before.value}`,
  ];
}
