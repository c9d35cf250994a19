import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { listOf } from "../../../core/rules/api/lists.ts";
import { ask } from "../../api/ask.ts";
import { callForText } from "../../api/http.ts";
import { OWN_KEY } from "../../api/queries.ts";
import type { Page } from "./definition.ts";
import type { ListState } from "./list-address.ts";

export const PAGE_ROWS = 25;

export type ListFilter = Pick<ListState, "query" | "state" | "sort"> & { before: string | undefined };

/** Where a list comes from, and what its rows are. */
type Source<Row> = { path: string; row: z.ZodType<Row> };

const UNFILTERED: ListFilter = { query: "", state: "", sort: "", before: undefined };

function parametersOf(filter: ListFilter): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value) parameters.set(name, value);
  return parameters;
}

/** A page of a list of the panel. */
export const listQuery = <Row>({ path, row }: Source<Row>, change: Partial<ListFilter> = {}, limit = PAGE_ROWS) => {
  const filter = { ...UNFILTERED, ...change };
  return queryOptions({
    queryKey: [...OWN_KEY, "list", path, filter, limit],
    queryFn: ({ signal }) => {
      const parameters = parametersOf(filter);
      parameters.set("limit", String(limit));
      // A row of the panel is already one as it is heard.
      return ask(listOf(row), `${path}?${parameters}`, { signal }) as Promise<Page<Row>>;
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
};

/** All rows that the filters find, as CSV. */
export function getCsv(path: string, filter: Omit<ListFilter, "before">): Promise<string> {
  const parameters = parametersOf({ ...filter, before: undefined }).toString();
  return callForText(parameters ? `${path}?${parameters}` : path, "text/csv");
}
