import { infiniteQueryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { Offer as AnsweredOffer, offersResponseSchema } from "../../core/rules/api/offers.ts";
import type { Heard } from "../api/heard.ts";
import { call, MalformedAnswer } from "../api/http.ts";
import { OFFERS_KEY } from "../api/queries.ts";

export type Offer = Heard<AnsweredOffer>;
const A_PAGE = "24";

/** The offers that run, of all stores, of one, or of a club's. docs/product.md#offers */
export const offersQuery = (storeId = "", club = "") =>
  infiniteQueryOptions({
    queryKey: [...OFFERS_KEY, storeId, club],
    async queryFn({ pageParam, signal }) {
      const given = Object.entries({ store_id: storeId, club, after: pageParam, limit: A_PAGE }).filter(
        ([, value]) => value,
      );
      const path = `/api/offers?${new URLSearchParams(given)}`;
      const answer = await call<Heard<z.infer<typeof offersResponseSchema>>>("GET", path, undefined, signal);
      if (!Array.isArray(answer.offers)) throw new MalformedAnswer("/api/offers", "offers");
      return answer;
    },
    initialPageParam: "",
    getNextPageParam: (page) => page.next_after ?? undefined,
  });
