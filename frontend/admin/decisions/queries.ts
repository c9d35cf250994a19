import { queryOptions } from "@tanstack/react-query";
import { adminRoleResponseSchema } from "../../../domain/api/administration.ts";
import { ask } from "../../api/ask.ts";
import { OWN_KEY } from "../../api/queries.ts";

/** The signed-in admin's role and permissions. */
export const roleQuery = queryOptions({
  queryKey: [...OWN_KEY, "role"],
  queryFn: ({ signal }) => ask(adminRoleResponseSchema, "/api/admin/role", { signal }),
  staleTime: 60_000,
  retry: false,
});
