import { findClub } from "../../core/catalogue/club-rows.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { readFanClub, setFanClub } from "../../core/purchases/fan-figures.ts";
import { fanClubRequestSchema, fanClubResponseSchema } from "../../core/rules/api/fans.ts";
import { invalid } from "../http/api-error.ts";
import { type Route, route, visitorOf } from "../http/route.ts";
import type { Services } from "../services.ts";

/** For which club a user counts, by their own choice. docs/product.md#fans */
export function fanClubRoutes({ database: { kysely } }: Services): Route[] {
  return [
    route.get("/api/me/club", {
      access: "user",
      cost: { thread: 0.5, node: 0, stored: 0, mail: 0 },
      summary: "The club in whose figures the signed-in user counts; null: none",
      responses: { 200: fanClubResponseSchema },
      handle: async ({ identity }) => ({
        body: { success: true, slug: await readFanClub(kysely, visitorOf(identity).wallet) },
      }),
    }),
    route.put("/api/me/club", {
      access: "proven_user",
      cost: { thread: 3, node: 0, stored: 200, mail: 0 },
      summary: "Counts the user among a club's fans, or among none; what the open month has goes along",
      body: fanClubRequestSchema,
      responses: { 200: fanClubResponseSchema },
      async handle({ identity, body: { slug } }) {
        await inTransaction(kysely, async (queries) => {
          if (slug !== null && !(await findClub(queries, slug)))
            throw invalid("slug is not the slug of a club", "slug");
          await setFanClub(queries, visitorOf(identity).wallet, slug);
        });
        return { body: { success: true, slug } };
      },
    }),
  ];
}
