import { queryOptions } from "@tanstack/react-query";
import type { Invite } from "../../core/rules/api/invites.ts";
import type { Heard } from "./heard.ts";
import { call } from "./http.ts";
import { OWN_KEY } from "./queries.ts";

/** The user's link, and what their next visit carries. */
export const inviteQuery = (wallet: string) =>
  queryOptions({
    queryKey: [...OWN_KEY, "invite", wallet],
    queryFn: (): Promise<Heard<Invite>> => call("GET", "/api/me/invite"),
  });
