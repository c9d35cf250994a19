import { queryOptions } from "@tanstack/react-query";
import { adminUserResponseSchema } from "../../../domain/api/admin-people.ts";
import { ask } from "../../api/ask.ts";
import { OWN_KEY } from "../../api/queries.ts";

export const userQuery = (wallet: string) =>
  queryOptions({
    queryKey: [...OWN_KEY, "user", wallet],
    queryFn: async ({ signal }) => (await ask(adminUserResponseSchema, `/api/admin/users/${wallet}`, { signal })).user,
    staleTime: 0,
  });
