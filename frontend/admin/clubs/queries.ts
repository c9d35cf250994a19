import { queryOptions } from "@tanstack/react-query";
import { clubsResponseSchema } from "../../../core/rules/api/clubs.ts";
import { ask } from "../../api/ask.ts";
import { clubsQuery } from "../../api/queries.ts";

/** The clubs as the panel edits them; whatever reloads the shop's reloads these. */
export const editedClubsQuery = queryOptions({
  queryKey: [...clubsQuery.queryKey, "admin"],
  queryFn: async ({ signal }) => (await ask(clubsResponseSchema, "/api/clubs", { signal })).clubs,
  staleTime: 0,
});
