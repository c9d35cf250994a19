import { queryOptions } from "@tanstack/react-query";
import { configurationResponseSchema } from "../../../core/rules/api/admin-figures.ts";
import { ask } from "../../api/ask.ts";
import { OWN_KEY } from "../../api/queries.ts";

export const configurationQuery = queryOptions({
  queryKey: [...OWN_KEY, "configuration"],
  queryFn: async ({ signal }) =>
    (await ask(configurationResponseSchema, "/api/admin/configuration", { signal })).settings,
  staleTime: 0,
});
