import { call, callForText } from "../../api/http.ts";
import type { Page } from "./definition.ts";
import type { ListState } from "./list-address.ts";

export const PAGE_ROWS = 25;

export type Asked = Pick<ListState, "query" | "state" | "sort"> & { before: string | undefined };

function parametersOf({ query, state, sort, before }: Asked): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries({ query, state, sort, before })) if (value) parameters.set(name, value);
  return parameters;
}

export async function getPage<Row>(
  path: string,
  asked: Asked,
  signal: AbortSignal,
  limit = PAGE_ROWS,
): Promise<Page<Row>> {
  const parameters = parametersOf(asked);
  parameters.set("limit", String(limit));
  const page = await call<Partial<Page<Row>>>("GET", `${path}?${parameters}`, undefined, signal);
  const rows = page.rows ?? [];
  return { rows, next_before: page.next_before ?? null, total: page.total ?? rows.length };
}

/** All rows that the filters find, as CSV. */
export function getCsv(path: string, asked: Omit<Asked, "before">): Promise<string> {
  const parameters = parametersOf({ ...asked, before: undefined }).toString();
  return callForText(parameters ? `${path}?${parameters}` : path, "text/csv");
}
