import type { ReactNode } from "react";
import type { ListState } from "./list-address.ts";

export type Page<Row> = {
  rows: Row[];
  /** What to ask the next page with; null on the last. */
  next_before: number | string | null;
  /** 10,001 means more. */
  total: number;
};

export type Option = { value: string; label: string };

/** The orders of a list whose rows have an amount. */
export const BY_AGE_OR_AMOUNT: readonly Option[] = [
  { value: "-id", label: "Mais novas" },
  { value: "id", label: "Mais antigas" },
  { value: "-amount", label: "Maior valor" },
  { value: "amount", label: "Menor valor" },
];

export type Column<Row> = {
  header: string;
  cell: (row: Row) => ReactNode;
  isFigure?: boolean;
};

/** One list of the panel: what it asks for, and how its rows look. */
export type ListDefinition<Row> = {
  /** Its call; also asked as CSV unless `hasCsv` is false. */
  path: string;
  /** The accessible name, such as "Compras". */
  title: string;
  /** "compra", "compras" */
  noun: readonly [one: string, many: string];
  /** What the search field finds; no field without it. */
  search?: string;
  /** Filters beside "Todas"; none if empty. */
  states?: readonly Option[];
  /** The word for no filter. */
  allStates?: string;
  sorts?: readonly Option[];
  hasCsv?: boolean;
  /** Asked again at this interval while it is open. */
  refreshMs?: number;
  keyOf: (row: Row) => string;
  /** The row's heading, the link to its details. */
  nameOf: (row: Row) => ReactNode;
  columns: readonly Column<Row>[];
  /** Buttons of a row. */
  actions?: (row: Row) => ReactNode;
  /** The whole row as a card, in place of columns. */
  card?: (row: Row) => ReactNode;
  /** What is said when it cannot be loaded; with an id, by a toast too. */
  failure?: { title: string; toastId?: string };
  empty: { title: string; hint?: string };
  /** In place of the call, for what is at hand already. */
  load?: (
    asked: Pick<ListState, "query" | "state" | "sort"> & { before: string | undefined },
    signal: AbortSignal,
  ) => Promise<Page<Row>>;
};
