import { useCallback, useMemo } from "react";
import { useSearchParams } from "react-router";

/** The state of a list. It is stored in the URL, so that a reload or a shared link shows the same. */
export type ListState = {
  query: string;
  state: string;
  sort: string;
  /** The `before` of each page after the first, up to this one. */
  cursors: readonly string[];
  /** The row whose details are open. */
  row: string | undefined;
};

export type ListAddress = ListState & {
  /** Filters start at the first page, and replace the browser's history entry. */
  filter: (change: Partial<Pick<ListState, "query" | "state" | "sort">>) => void;
  toPage: (cursors: readonly string[]) => void;
  /** The URL with the details of a row. */
  rowHref: (id: string) => string;
  closeRow: () => void;
};

export function useListAddress(): ListAddress {
  const [parameters, setParameters] = useSearchParams();
  const edit = useCallback(
    (change: (next: URLSearchParams) => void, replace: boolean) =>
      setParameters(
        () => {
          // From `location`, because on a slow device the rendered URL may be older.
          const next = new URLSearchParams(location.search);
          change(next);
          return next;
        },
        { replace, preventScrollReset: true },
      ),
    [setParameters],
  );
  return useMemo(
    () => ({
      query: parameters.get("query") ?? "",
      state: parameters.get("state") ?? "",
      sort: parameters.get("sort") ?? "",
      cursors: parameters.getAll("before"),
      row: parameters.get("row") ?? undefined,
      filter: (change) =>
        edit((next) => {
          for (const [name, value] of Object.entries(change)) setOrDelete(next, name, value);
          next.delete("before");
        }, true),
      toPage: (cursors) =>
        edit((next) => {
          next.delete("before");
          for (const cursor of cursors) next.append("before", cursor);
        }, false),
      rowHref: (id) => {
        const next = new URLSearchParams(parameters);
        next.set("row", id);
        return `?${next}`;
      },
      closeRow: () => edit((next) => next.delete("row"), true),
    }),
    [parameters, edit],
  );
}

function setOrDelete(parameters: URLSearchParams, name: string, value: string): void {
  if (value) parameters.set(name, value);
  else parameters.delete(name);
}

/** The URL of a view of the panel; `filters` presets its list. */
export function viewHref(
  view: { tab?: string; view?: string },
  filters: Partial<Record<"query" | "state" | "row", string>> = {},
): string {
  const next = new URLSearchParams();
  for (const [name, value] of Object.entries({ ...view, ...filters })) if (value) next.set(name, value);
  const text = next.toString();
  return text ? `/admin?${text}` : "/admin";
}
