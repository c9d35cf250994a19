import { queryOptions } from "@tanstack/react-query";
import type { z } from "zod";
import type { clubResponseSchema } from "../../core/rules/api/clubs.ts";
import type { ClubTable, fanClubResponseSchema } from "../../core/rules/api/fans.ts";
import type { Heard } from "./heard.ts";
import { call } from "./http.ts";
import { OWN_KEY } from "./queries.ts";

/* For which club a user counts, and the months of all clubs; apart, because most pages ask nothing of them. */

type FanClub = Heard<z.infer<typeof fanClubResponseSchema>>;

export const fanClubQuery = (wallet: string) =>
  queryOptions({
    queryKey: [...OWN_KEY, "fan club", wallet],
    queryFn: (): Promise<FanClub> => call("GET", "/api/me/club"),
  });

export function chooseFanClub(slug: string | null): Promise<FanClub> {
  return call("PUT", "/api/me/club", { slug });
}

/** A club, and the figures of its fans. docs/product.md#club-page */
export const clubQuery = (slug: string) =>
  queryOptions({
    queryKey: ["clubs", "one", slug],
    queryFn: (): Promise<Heard<z.infer<typeof clubResponseSchema>>> => call("GET", `/api/clubs/${slug}`),
  });

/** Of the newest closed month. docs/product.md#fans */
export const clubTableQuery = queryOptions({
  queryKey: ["clubs", "table"],
  queryFn: (): Promise<Heard<ClubTable>> => call("GET", "/api/clubs/table"),
});
