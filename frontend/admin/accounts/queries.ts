import { queryOptions } from "@tanstack/react-query";
import { accountsResponseSchema, bookingsResponseSchema } from "../../../core/rules/api/admin-accounts.ts";
import { ask } from "../../api/ask.ts";
import { OWN_KEY } from "../../api/queries.ts";

export type AccountName = { network: string; account: string };

/** The path of an account's calls. */
export const accountPath = ({ network, account }: AccountName) => `/api/admin/accounts/${network}/${account}`;

export const accountsQuery = queryOptions({
  queryKey: [...OWN_KEY, "accounts"],
  queryFn: async ({ signal }) => (await ask(accountsResponseSchema, "/api/admin/accounts", { signal })).rows,
  staleTime: 0,
});

/** The last bookings of an account. */
export const bookingsQuery = (of: AccountName) =>
  queryOptions({
    queryKey: [...OWN_KEY, "accounts", of.network, of.account],
    queryFn: async ({ signal }) => (await ask(bookingsResponseSchema, `${accountPath(of)}/bookings`, { signal })).rows,
    staleTime: 0,
  });
