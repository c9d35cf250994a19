import { accountRoutes } from "./admin/accounts.ts";
import { approvalRoutes } from "./admin/approvals.ts";
import { claimAdministrationRoutes } from "./admin/claims.ts";
import { figureRoutes } from "./admin/figures.ts";
import { marginRoutes } from "./admin/margin.ts";
import { networkRoutes } from "./admin/networks.ts";
import { operationQueueRoutes } from "./admin/operations.ts";
import { purchaseAdministrationRoutes } from "./admin/purchases.ts";
import { adminRoutes } from "./admin/routes.ts";
import { saleAdministrationRoutes } from "./admin/sales.ts";
import { storeAdministrationRoutes } from "./admin/stores.ts";
import { suggestedStoreRoutes } from "./admin/suggested-stores.ts";
import { userAdministrationRoutes } from "./admin/users.ts";
import { assetRoutes } from "./assets/routes.ts";
import { CatalogueCache } from "./catalogue/catalogue-cache.ts";
import { catalogueRoutes } from "./catalogue/routes.ts";
import { clickRoutes } from "./clicks/routes.ts";
import { docsRoutes } from "./docs/routes.ts";
import { eventRoutes } from "./events/routes.ts";
import { hookRoutes } from "./hooks/routes.ts";
import type { Route } from "./http/route.ts";
import { mailRoutes } from "./mail/routes.ts";
import { nftRoutes } from "./nfts/routes.ts";
import { operationRoutes } from "./operations/routes.ts";
import { peopleRoutes } from "./people/routes.ts";
import { proofRoutes } from "./proof/routes.ts";
import { purchaseRoutes } from "./purchases/routes.ts";
import { pushRoutes } from "./push/routes.ts";
import type { Services } from "./services.ts";

/** The table of all calls, each with its access rule. The most frequent ones come first. */
export function allRoutes(services: Services): Route[] {
  const catalogue = new CatalogueCache(services.database, services);
  return docsRoutes([
    ...peopleRoutes(services),
    ...catalogueRoutes(services, catalogue),
    ...purchaseRoutes(services, catalogue),
    ...eventRoutes(services),
    ...mailRoutes(services),
    ...pushRoutes(services),
    ...nftRoutes(services),
    ...proofRoutes(services),
    ...adminRoutes(services),
    ...operationQueueRoutes(services),
    ...purchaseAdministrationRoutes(services),
    ...userAdministrationRoutes(services),
    ...storeAdministrationRoutes(services, catalogue),
    ...suggestedStoreRoutes(services, catalogue),
    ...assetRoutes(services, catalogue),
    ...figureRoutes(services),
    ...approvalRoutes(services),
    ...clickRoutes(services),
    ...saleAdministrationRoutes(services),
    ...claimAdministrationRoutes(services),
    ...marginRoutes(services),
    ...networkRoutes(services),
    ...accountRoutes(services),
    ...hookRoutes(services),
    ...operationRoutes(services),
  ]);
}
