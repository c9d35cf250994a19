import { removeClub, saveClub } from "../../core/catalogue/clubs.ts";
import { clubResponseSchema, clubsResponseSchema, saveClubRequestSchema } from "../../core/rules/api/clubs.ts";
import { doneSchema } from "../../core/rules/api/common.ts";
import { clubTableQuerySchema, clubTableResponseSchema } from "../../core/rules/api/fans.ts";
import { lastClosedMonth } from "../../core/rules/fan-figures.ts";
import { SLUG_PATTERN } from "../../core/rules/text.ts";
import { invalid, notFound } from "../http/api-error.ts";
import { type Route, route } from "../http/route.ts";
import { cached, IF_NONE_MATCH } from "./cached.ts";
import type { CatalogueCache } from "./catalogue-cache.ts";
import { CATALOGUE_WRITE, type CatalogueWriter } from "./catalogue-writer.ts";
import { toWireClub } from "./wire.ts";

/** Before it, nobody was counted. */
const FIRST_MONTH = "2026-01";

/** Clubs: read by anyone, written by admins. docs/product.md#clubs */
export function clubRoutes(cache: CatalogueCache, write: CatalogueWriter): Route[] {
  return [
    route.get("/api/clubs", {
      access: "anyone",
      cost: { thread: 0.5, node: 0, stored: 0, mail: 0 },
      summary: "All clubs: names, colours and fan tokens",
      headers: IF_NONE_MATCH,
      responses: { 200: clubsResponseSchema },
      handle: async () => cached(await cache.clubs()),
    }),
    route.get("/api/clubs/table", {
      access: "anyone",
      cost: { thread: 0.5, node: 0, stored: 0, mail: 0 },
      summary: "The clubs of a closed month by cashback a fan, from 20 fans on; the newest month by default",
      headers: IF_NONE_MATCH,
      query: clubTableQuerySchema,
      responses: { 200: clubTableResponseSchema },
      async handle({ query }) {
        const last = lastClosedMonth(Date.now());
        const { month = last } = query;
        if (month > last || month < FIRST_MONTH)
          throw invalid("month must be a closed month", "month", { rule: "month" });
        return cached(await cache.clubTable(month));
      },
    }),
    route.get("/api/clubs/:slug", {
      access: "anyone",
      cost: { thread: 0.5, node: 0, stored: 0, mail: 0 },
      summary: "One club, and the figures of its fans together",
      headers: IF_NONE_MATCH,
      responses: { 200: clubResponseSchema },
      async handle({ params }) {
        const club = await cache.club(readSlug(params.slug));
        if (!club) throw notFound("Club");
        return cached(club);
      },
    }),
    route.post("/api/admin/clubs", {
      ...CATALOGUE_WRITE,
      cost: { thread: 4, node: 0, stored: 1200, mail: 0 },
      summary: "Creates a club, or changes the one of this slug",
      body: saveClubRequestSchema,
      failures: { 409: "Another club has this name" },
      responses: { 200: doneSchema },
      async handle(call) {
        await write(call, { action: "club.save", detail: {} }, async (queries) => {
          const { before } = await saveClub(queries, call.body);
          const was = before ? { was: toWireClub(before) } : {};
          return { result: undefined, subject: `club:${call.body.slug}`, words: { ...call.body, ...was } };
        });
        return { body: { success: true, message: "Clube salvo com sucesso!" } };
      },
    }),
    route.delete("/api/admin/clubs/:slug", {
      ...CATALOGUE_WRITE,
      cost: { thread: 3, node: 0, stored: 700, mail: 0 },
      summary: "Deletes a club",
      responses: { 200: doneSchema },
      async handle(call) {
        const slug = readSlug(call.params.slug);
        await write(call, { action: "club.delete", detail: {} }, async (queries) => {
          const club = await removeClub(queries, slug);
          if (!club) throw notFound("Club");
          return { result: undefined, subject: `club:${slug}`, words: { name: club.name } };
        });
        return { body: { success: true, message: "Clube excluído com sucesso!" } };
      },
    }),
  ];
}

function readSlug(text: string | undefined): string {
  if (!SLUG_PATTERN.test(text ?? "")) throw notFound("Club");
  return text ?? "";
}
