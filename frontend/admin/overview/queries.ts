import { queryOptions } from "@tanstack/react-query";
import { figuresResponseSchema } from "../../../core/rules/api/admin-figures.ts";
import { overviewResponseSchema } from "../../../core/rules/api/administration.ts";
import { ask } from "../../api/ask.ts";
import { OWN_KEY } from "../../api/queries.ts";

export const overviewQuery = queryOptions({
  queryKey: [...OWN_KEY, "overview"],
  queryFn: async ({ signal }) => (await ask(overviewResponseSchema, "/api/admin/overview", { signal })).data,
  staleTime: 0,
});

export const figuresQuery = queryOptions({
  queryKey: [...OWN_KEY, "figures"],
  queryFn: async ({ signal }) => (await ask(figuresResponseSchema, "/api/admin/figures", { signal })).data,
  staleTime: 0,
  refetchInterval: 60_000,
});
