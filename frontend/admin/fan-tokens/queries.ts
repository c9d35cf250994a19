import { queryOptions } from "@tanstack/react-query";
import { tokenContractResponseSchema } from "../../../domain/api/admin-catalogue.ts";
import { isAddressShaped } from "../../../domain/wallet-address.ts";
import { ask } from "../../api/ask.ts";
import { OWN_KEY } from "../../api/queries.ts";

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
