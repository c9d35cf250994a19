import { queryOptions } from "@tanstack/react-query";
import { approvalGroupsResponseSchema } from "../../../core/rules/api/admin-approvals.ts";
import { percentApprovalSchema } from "../../../core/rules/api/boosts.ts";
import { listOf } from "../../../core/rules/api/lists.ts";
import { proposalSchema } from "../../../core/rules/api/proposals.ts";
import { ask } from "../../api/ask.ts";
import { ApiError } from "../../api/http.ts";
import { OWN_KEY } from "../../api/queries.ts";

/** What each person's decisions led to, as one request to another person. */
export const openGroupsQuery = queryOptions({
  queryKey: [...OWN_KEY, "approval-groups"],
  queryFn: async ({ signal }) =>
    (await ask(approvalGroupsResponseSchema, "/api/admin/approvals/together", { signal })).groups,
  refetchInterval: 15_000,
});

/** What moves buyers or money, or cannot be undone, and waits. */
export const openProposalsQuery = queryOptions({
  queryKey: [...OWN_KEY, "proposals"],
  queryFn: async ({ signal }) => {
    try {
      const list = async (state: "open" | "coming") =>
        (await ask(listOf(proposalSchema), `/api/admin/proposals?state=${state}`, { signal })).rows;
      return (await Promise.all([list("open"), list("coming")])).flat();
    } catch (error) {
      // During an upgrade, an api of 1.0.0 has none.
      if (error instanceof ApiError && error.status === 404) return [];
      throw error;
    }
  },
  refetchInterval: 15_000,
});

/** The percents that wait for a second person. */
export const openPercentsQuery = queryOptions({
  queryKey: [...OWN_KEY, "percents"],
  queryFn: async ({ signal }) =>
    (await ask(listOf(percentApprovalSchema), "/api/admin/percent-approvals?state=open", { signal })).rows,
  refetchInterval: 15_000,
});
