import { linkRequestSchema, linkResponseSchema } from "../../core/rules/api/purchases.ts";
import { readProductLink } from "../../core/rules/product-link.ts";
import { linkOf } from "../../core/sales/accounts.ts";
import type { CatalogueCache } from "../catalogue/catalogue-cache.ts";
import { ApiError, conflict, forbidden, unauthorized } from "../http/api-error.ts";
import { type Route, route, visitorOf } from "../http/route.ts";
import type { Services } from "../services.ts";
import { type Registrations, registerPurchase } from "./registration.ts";

/** A link to a product, as buyers paste and share them. Neither the shop nor a network is asked. docs/product.md#links */
export function linksRoute(services: Services, registrations: Registrations, catalogue: CatalogueCache): Route {
  return route.post("/api/links", {
    access: "anyone",
    cost: { thread: 2, node: 2, stored: 500, mail: 0 },
    summary: "Finds the store of a product's link; for a user it records a click that leads there",
    body: linkRequestSchema,
    failures: {
      401: "With `user`: the session is missing or has ended",
      403: "`user` is another wallet",
      404: "No store on offer has its domain",
      409: "Several stores have it",
    },
    responses: { 200: linkResponseSchema },
    async handle({ body, identity, origin, giveBack }) {
      const isSimulated = services.environment.SIMULATED_PURCHASES;
      if (body.user && identity.kind !== "user") throw unauthorized();
      const wallet = body.user && visitorOf(identity).wallet;
      if (body.user !== wallet) throw forbidden("user must be the signed-in wallet");
      if (!wallet) giveBack(["node", "stored"]);
      else if (!body.token_slug) giveBack(["node"]);
      const link = readProductLink(body.url);
      if (!link)
        throw new ApiError(400, "LINK_INVALID", "url: This is no link to a page of a shop", {
          extra: { field: "url" },
        });
      const { store, isShort } = await requireStore(catalogue, link.host, body.store_id);
      const page = isShort ? undefined : link.url;
      const found = await registrations.stores.find(BigInt(store.id));
      const leads = (to?: string) => found && linkOf(found, "click", services.accounts, to);
      const answer = {
        ...{ success: true as const, message: "Store found", purchase: null },
        ...{ store, url: link.url, is_short: isShort, was_referral: link.wasReferral },
        // By any other page, as this one may be the shop's first.
        leads_to_page: page !== undefined && (isSimulated || leads("https://page.invalid/") !== leads()),
      };
      if (!wallet || isSimulated) return { body: answer };
      const buyer = { wallet, asker: origin };
      const wanted = { user: wallet, store_id: BigInt(store.id), amount: 0n, token_slug: body.token_slug };
      const registered = await registerPurchase(services, registrations, buyer, { ...wanted, ...(page && { page }) });
      return { body: { ...answer, ...registered } };
    },
  });
}

/** @throws ApiError 404 or 409 with the stores to choose from */
async function requireStore(catalogue: CatalogueCache, host: string, wanted: bigint | undefined) {
  const domains = await catalogue.domains();
  const { stores, isShort } = domains.find(host);
  const chosen = wanted === undefined ? stores : stores.filter(({ id }) => BigInt(id) === wanted);
  const [store, ...others] = chosen;
  if (store && others.length === 0) return { store, isShort };
  if (store) throw conflict("url: Several stores sell at this shop; choose one", "LINK_AMBIGUOUS", { stores: chosen });
  const extra = { like: domains.like(host) };
  throw new ApiError(404, "LINK_UNKNOWN", "url: No store here sells at this shop", { extra });
}
