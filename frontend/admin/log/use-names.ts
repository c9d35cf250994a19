import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { fanTokensQuery, storesQuery } from "../../api/queries.ts";
import type { Names } from "./log-words.ts";

/** Names of the current stores, categories and fan tokens. */
export function useNames(): Names {
  const { data: stores } = useQuery(storesQuery);
  const { data: tokens } = useQuery(fanTokensQuery);
  return useMemo(() => {
    const byId = new Map(stores?.map((store) => [store.id, store]));
    const tokenNames = new Map(tokens?.map((token) => [token.id, token.name]));
    return {
      store: (id) => byId.get(id)?.name,
      category: (storeId, id) => byId.get(storeId)?.cashbacks.find((one) => one.id === id)?.category,
      fanToken: (id) => tokenNames.get(id),
    };
  }, [stores, tokens]);
}
