import type { ReactNode } from "react";
import type { ListState } from "./list-address.ts";

export type Page<Row> = {
  rows: Row[];
  /** The cursor of the next page; null on the last. */
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

/** One list of the panel: its request, and how its rows look. */
export type ListDefinition<Row> = {
  /** The API path; also requested as CSV unless `hasCsv` is false. */
  path: string;
  /** The accessible name, such as "Compras". */
  title: string;
  /** "compra", "compras" */
  noun: readonly [one: string, many: string];
  /** What the search field finds; without it there is no search field. */
  search?: string;
  /** Filters in addition to "Todas"; none if empty. */
  states?: readonly Option[];
  /** The word for no filter. */
  allStates?: string;
  sorts?: readonly Option[];
  hasCsv?: boolean;
  /** Refetch interval while the list is open. */
  refreshMs?: number;
  keyOf: (row: Row) => string;
  /** The row's heading, the link to its details. */
  nameOf: (row: Row) => ReactNode;
  columns: readonly Column<Row>[];
  /** Buttons of a row. */
  actions?: (row: Row) => ReactNode;
  /** The whole row as a card, instead of columns. */
  card?: (row: Row) => ReactNode;
  /** The message if it cannot be loaded; with an id, also shown as a toast. */
  failure?: { title: string; toastId?: string };
  empty: { title: string; hint?: string };
  /** Used instead of the API call for data that is already loaded. */
  load?: (
    asked: Pick<ListState, "query" | "state" | "sort"> & { before: string | undefined },
    signal: AbortSignal,
  ) => Promise<Page<Row>>;
};
