import {
  adminClaimSchema,
  claimPictureResponseSchema,
  claimsQuerySchema,
  matchRequestSchema,
  reasonRequestSchema,
} from "../../core/rules/api/sales.ts";
import { matchClaim, refuseClaim } from "../../core/sales/decisions.ts";
import { type ClaimRow, listAllClaims } from "../../core/sales/queries.ts";
import { pictureOfClaim } from "../clicks/pictures.ts";
import { toWireClaim } from "../clicks/routes.ts";
import { notFound } from "../http/api-error.ts";
import { listRoute, pageOf } from "../http/list-route.ts";
import { type Route, readId, route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { DECISION, decided } from "./sale-decisions.ts";

/** Claims for missing cashback in the panel, and decisions on them. docs/product.md#sales-claims. */
export function claimAdministrationRoutes(services: Services): Route[] {
  const { reader } = services.database;
  return [
    listRoute("/api/admin/claims", {
      summary: "Claims for missing cashback, newest first",
      row: adminClaimSchema,
      query: claimsQuerySchema,
      list: (query) => pageOf(listAllClaims(reader, query), toWireAdminClaim),
    }),
    route.get("/api/admin/claims/:id/picture", {
      access: "admin",
      permission: "claims",
      cost: { thread: 2, node: 0, stored: 0, mail: 0 },
      summary: "The picture that a claim's buyer attached",
      failures: { 404: "The claim has no picture" },
      responses: { 200: claimPictureResponseSchema },
      async handle({ params }) {
        const picture = await pictureOfClaim(services.database.reader, readId(params.id, "Claim"));
        if (picture === undefined) throw notFound("Picture");
        return { body: { success: true, picture } };
      },
    }),
    route.post("/api/admin/claims/:id/match", {
      ...DECISION,
      access: "fresh_admin",
      permission: "claims",
      cost: { thread: 5, node: 0, stored: 4000, mail: 0 },
      summary: "Matches a claim to a sale, which then belongs to the claim's buyer",
      body: matchRequestSchema,
      handle: decided(services, { action: "claim.match", message: "Claim matched" }, (queries, id, body, actor) =>
        matchClaim(queries, id, body.sale_id, { rules: services.saleRules, actor }),
      ),
    }),
    route.post("/api/admin/claims/:id/refuse", {
      ...DECISION,
      permission: "claims",
      cost: { thread: 3, node: 0, stored: 900, mail: 0 },
      summary: "Rejects a claim with a reason shown to its buyer",
      body: reasonRequestSchema,
      handle: decided(services, { action: "claim.refuse", message: "Claim refused" }, (queries, id, body, actor) =>
        refuseClaim(queries, id, body.reason, actor),
      ),
    }),
  ];
}

function toWireAdminClaim(row: ClaimRow) {
  return {
    ...toWireClaim(row),
    wallet: row.wallet,
    sale_id: row.sale_id === null ? null : Number(row.sale_id),
    decided_by: row.decided_by,
  };
}
