import type { Request } from "express";
import type { z } from "zod";
import { CursorError, type ListPage } from "../../core/database/lists/page.ts";
import { PAGE_ROWS } from "../../core/rules/api/common.ts";
import { type ListQuery, listOf } from "../../core/rules/api/lists.ts";
import type { Language } from "../../core/rules/languages.ts";
import { LIST_LIMIT } from "../../core/rules/product.ts";
import { spreadsheetIn } from "../../core/rules/spreadsheet.ts";
import { acceptedLanguage } from "../texts.ts";
import { invalid } from "./api-error.ts";
import { type Identity, type Route, route } from "./route.ts";

type ListDefinition<Row, Query extends ListQuery> = {
  summary: string;
  row: z.ZodType<Row> & { shape: object };
  query: z.ZodType<Query>;
  list(query: Omit<Query, "limit"> & { limit: number }, request: Request, identity: Identity): Promise<ListPage<Row>>;
  /** Told before the first row of a file leaves, with what it has, counted to 10,001. */
  onFile?(rows: number, identity: Identity): Promise<void>;
};

export const LIST_HEADERS = { vary: "Accept, Accept-Language, Authorization, Origin" };
export const CSV_TYPE = "text/csv; charset=utf-8";

/** A panel list: one page as JSON, or all matches as CSV. docs/product.md#panel-lists */
export function listRoute<Row extends object, Query extends ListQuery>(
  path: `/api/admin/${string}`,
  { summary, row, query: querySchema, list, onFile }: ListDefinition<Row, Query>,
): Route {
  return route.get(path, {
    access: "admin",
    permission: "read",
    cost: { thread: 4, node: 0, stored: 0, mail: 0 },
    summary,
    query: querySchema,
    alternatives: ["text/csv"],
    responses: { 200: listOf(row) },
    async handle({ query, request, identity }) {
      const read = (request: Request, query: Query, limit: number, before = query.before) =>
        list({ ...query, before, limit }, request, identity).catch(refuseCursor);
      if (!wantsCsv(request)) {
        const { rows, nextBefore, total } = await read(request, query, query.limit ?? PAGE_ROWS);
        return { body: { success: true, rows, next_before: nextBefore, total }, headers: LIST_HEADERS };
      }
      const first = await read(request, query, query.limit ?? LIST_LIMIT);
      await onFile?.(query.limit === undefined ? first.total : first.rows.length, identity);
      const next = (before: string) => read(request, query, LIST_LIMIT, before);
      const file = path.split("/").at(-1);
      return {
        chunks: csvChunks(
          Object.keys(row.shape),
          acceptedLanguage(request),
          first,
          query.limit === undefined ? next : undefined,
        ),
        type: CSV_TYPE,
        headers: { ...LIST_HEADERS, "content-disposition": `attachment; filename="${file}.csv"` },
      };
    },
  });
}

/** A page of stored rows as the caller reads them. */
export async function pageOf<Stored, Row>(
  stored: Promise<ListPage<Stored>>,
  toWire: (row: Stored) => Row,
): Promise<ListPage<Row>> {
  const { rows, ...page } = await stored;
  return { ...page, rows: rows.map(toWire) };
}

function refuseCursor(error: unknown): never {
  throw error instanceof CursorError ? invalid(`before ${error.message}`, "before") : error;
}

export function wantsCsv(request: Request): boolean {
  return request.accepts(["application/json", "text/csv"]) === "text/csv";
}

/** One page is in memory at a time. */
async function* csvChunks<Row extends object>(
  columns: readonly string[],
  language: Language,
  first: ListPage<Row>,
  next: ((before: string) => Promise<ListPage<Row>>) | undefined,
): AsyncGenerator<string> {
  const { number, rows } = spreadsheetIn(language);
  const cellOf = (column: string, value: unknown): string => {
    const text = textOf(value);
    return MONEY.test(column) && DECIMAL.test(text) ? number(text) : text;
  };
  yield rows([columns]);
  for (let page = first; ; ) {
    const found = page.rows.map((row) => new Map(Object.entries(row)));
    yield rows(found.map((row) => columns.map((column) => cellOf(column, row.get(column)))));
    if (next === undefined || page.nextBefore === null) return;
    page = await next(String(page.nextBefore));
  }
}

/** The columns whose decimals get the language's mark: an order's number or a version may look like one. */
const MONEY = /amount|cashback|commission|margin|percent|value/;
const DECIMAL = /^-?\d+\.\d+$/;

function textOf(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.join(" ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
