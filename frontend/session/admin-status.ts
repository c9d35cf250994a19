import { useQuery } from "@tanstack/react-query";
import { ADMIN_RETRY_MS } from "../../core/rules/product.ts";
import { ApiError } from "../api/http.ts";
import { isAdminQuery } from "../api/queries.ts";
import { useSession } from "./session.tsx";

export type AdminStatus = "checking" | "admin" | "not-admin" | "failed";

/**
 * Whether the user is an admin: checked once per user id. A failed check counts as "not an admin", and is retried after
 * 5 seconds until the user logs out. docs/product.md#admin-check.
 */
export function useAdminStatus(): AdminStatus {
  const { profile } = useSession();
  const check = useQuery({
    ...isAdminQuery(profile?.wallet),
    enabled: profile !== undefined,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    refetchOnMount: false,
    retryOnMount: false,
    refetchInterval: ({ state }) =>
      state.status === "error" && !(state.error instanceof ApiError && state.error.status === 401)
        ? ADMIN_RETRY_MS
        : false,
  });
  if (!profile) return "not-admin";
  if (check.isSuccess) return check.data ? "admin" : "not-admin";
  return check.isError ? "failed" : "checking";
}
