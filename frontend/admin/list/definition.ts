import type { ReactNode } from "react";
import type { z } from "zod";
import type { listOf } from "../../../core/rules/api/lists.ts";
import type { Column } from "../plain-table.tsx";
import type { Attention } from "../shapes.ts";
import { type CodeOf, t } from "../texts.ts";
import type { Bulk } from "./bulk.tsx";

/** A page of a list. */
export type Page<Row> = z.output<ReturnType<typeof listOf<Row>>>;

export type Option = { value: string; label: string };

/** Some languages name the order by the gender of what is listed. */
type Gender = "feminine" | "masculine";

/** The orders of a list whose rows have an amount. */
export const sortsByAgeOrAmount = (gender: Gender): readonly Option[] => [
  { value: "-id", label: t("sort.newest", { gender }) },
  { value: "id", label: t("sort.oldest", { gender }) },
  { value: "-amount", label: t("sort.highest") },
  { value: "amount", label: t("sort.lowest") },
];

/** One list of the panel: its request, and how its rows look. */
export type ListDefinition<Row> = {
  /** The API path; also requested as CSV unless `hasCsv` is false. */
  path: string;
  /** What the api says of a row. */
  row: z.ZodType<Row>;
  /** The accessible name, such as "Compras". */
  title: string;
  /** What a row is: the family `noun`, and how many there are: `counted`. */
  noun: CodeOf<"counted">;
  /** The label of the search field; without it there is none. */
  search?: string;
  /** Filters in addition to all; none if empty. */
  states?: readonly Option[];
  /** How many rows of a state wait for somebody; the others are not counted. */
  waiting?: (attention: Attention) => Readonly<Record<string, number>>;
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
  /** A decision on every row that it fits. */
  bulk?: Bulk<Row>;
  /** Buttons of a row. */
  actions?: (row: Row) => ReactNode;
  /** The whole row as a card, instead of columns. */
  card?: (row: Row) => ReactNode;
  /** The message if it cannot be loaded; with an id, also shown as a toast. */
  failure?: { title: string; toastId?: string };
  empty: { title: string; hint?: string };
  /** The filter that one arrives with: if it has no row, there is nothing yet. */
  usualState?: string;
};
