import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { getMailChoice, getPayments, getSessions } from "../api/calls.ts";
import { OWN_KEY } from "../api/queries.ts";

/** The address in the profile decides whether it is verified. */
export const mailQuery = (wallet: string, email: string) =>
  queryOptions({ queryKey: [...OWN_KEY, "mail", wallet, email], queryFn: getMailChoice });

export const sessionsQuery = (wallet: string) =>
  queryOptions({ queryKey: [...OWN_KEY, "sessions", wallet], queryFn: getSessions });

export const paymentsQuery = (wallet: string, year: number | undefined) =>
  queryOptions({
    queryKey: [...OWN_KEY, "payments", wallet, year],
    queryFn: () => getPayments(year),
    placeholderData: keepPreviousData,
  });
