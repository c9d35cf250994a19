import { queryOptions } from "@tanstack/react-query";
import { percentApprovalSchema } from "../../../domain/api/boosts.ts";
import { listOf } from "../../../domain/api/lists.ts";
import { ask } from "../../api/ask.ts";
import { OWN_KEY } from "../../api/queries.ts";

/** The percents that wait for a second person. */
export const openPercentsQuery = queryOptions({
  queryKey: [...OWN_KEY, "percents"],
  queryFn: async ({ signal }) =>
    (await ask(listOf(percentApprovalSchema), "/api/admin/percent-approvals?state=open", { signal })).rows,
  refetchInterval: 15_000,
});
