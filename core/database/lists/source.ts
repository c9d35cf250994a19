import type { RawBuilder, SqlBool } from "kysely";
import type { Stretch } from "../index-range.ts";
import type { Queries } from "../transaction.ts";
import type { Match } from "./search.ts";

/** A sort column. */
export type SortColumn = {
  column: string;
  /** How values are compared. */
  type: "number" | "text";
  /** Whether the index of the states has the rows of each stretch in this order. */
  followsState?: boolean;
  /** The index to scan on SQLite, whose planner would otherwise sort the rows of another index. */
  index?: string;
  /** Instead of `index`: partial indexes that together contain every row of the list. */
  parts?: readonly Part[];
  /** The same within a state. */
  stateIndex?: string;
};

/** A partial index or a stretch of one, the condition of its rows, and whether it has rows in a state. */
export type Part = { index: string; where: RawBuilder<SqlBool>; has(state: string): boolean };

/** A table as a list that can be searched, filtered, sorted and paged, at a cost that does not grow with the table. */
export type ListSource = {
  table: string;
  /** The unique column; sorts within equal values. */
  key: string;
  keyType: "number" | "text";
  /** The first is the default, descending. */
  sorts: Readonly<Record<string, SortColumn>>;
  /** The condition for a row to be in the list; needs an index if it excludes many. */
  only?: RawBuilder<SqlBool>;
  /** The rows of a state, as stretches of an index, in the order of the key. */
  stretches?: (state: string) => readonly Stretch[];
  /** The condition of a state, answered by an index; for a list without stretches. */
  state?: (state: string, queries: Queries) => RawBuilder<SqlBool>;
  /** The same, written so that no index answers it. */
  stateTest?: (state: string, queries: Queries) => RawBuilder<SqlBool>;
  /** The possible matches of a term; a row matches if any of them does. */
  matches: (term: string, queries: Queries) => Match[];
};

export type PageQuery = {
  query?: string | undefined;
  state?: string | undefined;
  /** A name in `sorts`, prefixed with `-` for descending. */
  sort?: string | undefined;
  /** The `nextBefore` of the previous page. */
  before?: string | undefined;
  limit: number;
};
