import { queryOptions } from "@tanstack/react-query";
import { tokenContractResponseSchema } from "../../../core/rules/api/admin-catalogue.ts";
import { fanTokensResponseSchema } from "../../../core/rules/api/catalogue.ts";
import { isAddressShaped } from "../../../core/rules/wallet-address.ts";
import { ask } from "../../api/ask.ts";
import { fanTokensQuery, OWN_KEY } from "../../api/queries.ts";
import { readFanTokens } from "../../api/shapes.ts";

/** The fan tokens as the panel edits them; whatever reloads the shop's reloads these. */
export const editedFanTokensQuery = queryOptions({
  queryKey: [...fanTokensQuery.queryKey, "admin"],
  queryFn: async ({ signal }) => readFanTokens(await ask(fanTokensResponseSchema, "/api/fan-tokens", { signal })),
  staleTime: 0,
});

/** What the chain says of a token's contract. */
export const tokenContractQuery = (contract: string) =>
  queryOptions({
    queryKey: [...OWN_KEY, "token-contract", contract.toLowerCase()],
    queryFn: ({ signal }) =>
      ask(tokenContractResponseSchema, `/api/admin/token-contract?contract=${contract}`, { signal }),
    enabled: isAddressShaped(contract),
    staleTime: 60_000,
    retry: false,
  });
