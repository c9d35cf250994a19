import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import { listOf } from "../../../domain/api/lists.ts";
import { ask } from "../../api/ask.ts";
import { callForText } from "../../api/http.ts";
import { OWN_KEY } from "../../api/queries.ts";
import type { ListState } from "./list-address.ts";

export const PAGE_ROWS = 25;

export type Asked = Pick<ListState, "query" | "state" | "sort"> & { before: string | undefined };

/** Where a list comes from, and what its rows are. */
type Source<Row> = { path: string; row: z.ZodType<Row> };

const NOTHING_ASKED: Asked = { query: "", state: "", sort: "", before: undefined };

function parametersOf(asked: Asked): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(asked)) if (value) parameters.set(name, value);
  return parameters;
}

/** A page of a list of the panel. */
export const listQuery = <Row>({ path, row }: Source<Row>, change: Partial<Asked> = {}, limit = PAGE_ROWS) => {
  const asked = { ...NOTHING_ASKED, ...change };
  return queryOptions({
    queryKey: [...OWN_KEY, "list", path, asked, limit],
    queryFn: ({ signal }) => {
      const parameters = parametersOf(asked);
      parameters.set("limit", String(limit));
      return ask(listOf(row), `${path}?${parameters}`, { signal });
    },
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
};

/** All rows that the filters find, as CSV. */
export function getCsv(path: string, asked: Omit<Asked, "before">): Promise<string> {
  const parameters = parametersOf({ ...asked, before: undefined }).toString();
  return callForText(parameters ? `${path}?${parameters}` : path, "text/csv");
}
