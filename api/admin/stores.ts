import { CatalogueFileError, readCatalogueFile, writeCatalogue } from "../../core/catalogue/catalogue-file.ts";
import { apply, changeText, diffFile, exportRows } from "../../core/catalogue/changes.ts";
import { listStorePage } from "../../core/catalogue/store-list.ts";
import { findStore, lacksOf, type StoreWithCategories } from "../../core/catalogue/stores.ts";
import {
  type AdminStore,
  adminStoreSchema,
  catalogueExportQuerySchema,
  catalogueImportRequestSchema,
  catalogueImportResponseSchema,
  catalogueRowsSchema,
  conversionResponseSchema,
  storesListQuerySchema,
  testClickResponseSchema,
  tokenContractQuerySchema,
  tokenContractResponseSchema,
} from "../../core/rules/api/admin-catalogue.ts";
import { isoTime, monthOf, monthsBefore } from "../../core/rules/iso-time.ts";
import { idsOf } from "../../core/rules/records.ts";
import type { SaleRules } from "../../core/rules/sale/rules.ts";
import { CATALOGUE_FILE_BYTES } from "../../core/rules/uploads.ts";
import { toWalletAddress } from "../../core/rules/wallet-address.ts";
import { linkOf } from "../../core/sales/accounts.ts";
import { type Conversion, readConversion } from "../../core/sales/conversion.ts";
import type { CatalogueCache } from "../catalogue/catalogue-cache.ts";
import { percentRule } from "../catalogue/catalogue-writer.ts";
import { toWireStaffStore } from "../catalogue/wire.ts";
import { ApiError, conflict, notFound } from "../http/api-error.ts";
import { requireFreshSignIn } from "../http/identity.ts";
import { listRoute } from "../http/list-route.ts";
import { actorOf, type Route, readId, route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { acceptedLanguage } from "../texts.ts";
import { askerOf } from "./proposing.ts";

/** Stores for catalogue admins: drafts with what they lack. docs/product.md#store-draft */
export function storeAdministrationRoutes(services: Services, cache: CatalogueCache): Route[] {
  const { database } = services;
  return [
    listRoute("/api/admin/stores", {
      summary: "Stores including drafts, newest first, with what each draft lacks",
      row: adminStoreSchema,
      query: storesListQuerySchema,
      async list(query) {
        const { rows, ...page } = await listStorePage(database.reader, query);
        const months = await readConversion(
          database.reader,
          idsOf(rows),
          monthsBefore(monthOf(Date.now()), LISTED_MONTHS - 1),
        );
        return {
          ...page,
          rows: rows.map((store) => toWireAdminStore(store, months, services.saleRules)),
        };
      },
    }),
    route.get("/api/admin/stores/:id/conversion", {
      access: "admin",
      cost: { thread: 2, node: 0, stored: 0, mail: 0 },
      summary: "A store's clicks and the sales that they led to, by month",
      responses: { 200: conversionResponseSchema },
      async handle({ params }) {
        const id = readId(params.id, "Store");
        if (!(await findStore(database.reader, id))) throw notFound("Store");
        const months = await readConversion(database.reader, [id], monthsBefore(monthOf(Date.now()), SHOWN_MONTHS - 1));
        const wire = months.map(({ month, clicks, sales }) => ({ month, clicks, sales }));
        return { body: { success: true, months: wire } };
      },
    }),
    route.get("/api/admin/stores/:id/test-click", {
      access: "admin",
      cost: { thread: 1, node: 0, stored: 0, mail: 0 },
      summary: "The store's link with a test click that belongs to no buyer",
      responses: { 200: testClickResponseSchema },
      async handle({ params }) {
        const store = await findStore(database.kysely, readId(params.id, "Store"));
        if (!store) throw notFound("Store");
        const url = linkOf(store, TEST_CLICK, services.accounts);
        const carries_click = url?.includes(TEST_CLICK) ?? false;
        return { body: { success: true, click_id: TEST_CLICK, url, carries_click } };
      },
    }),
    route.get("/api/admin/token-contract", {
      access: "admin",
      cost: { thread: 2, node: 3, stored: 0, mail: 0 },
      summary: "Symbol, name and decimals of a fan token contract, read from the chain",
      query: tokenContractQuerySchema,
      failures: { 409: "There is no ERC-20 token at this address" },
      responses: { 200: tokenContractResponseSchema },
      async handle({ query: { contract }, origin }) {
        const found = await services.balances.describeToken(toWalletAddress(contract), origin);
        if (!found) throw conflict("There is no ERC-20 token at this address", "NOT_A_TOKEN", { field: "contract" });
        return { body: { success: true, contract: contract.toLowerCase(), ...found.shown } };
      },
    }),
    route.get("/api/admin/catalogue", {
      access: "admin",
      cost: { thread: 100, node: 0, stored: 0, mail: 0 },
      summary: "The whole catalogue as a file for import",
      query: catalogueExportQuerySchema,
      alternatives: ["text/csv"],
      responses: { 200: catalogueRowsSchema },
      async handle({ query: { format }, request }) {
        // A program that names no language reads commas and points.
        const { "accept-language": asked = "*" } = request.headers;
        const language = asked === "*" ? "en" : acceptedLanguage(request);
        const text = writeCatalogue(format, await exportRows(database), language);
        const headers = { "content-disposition": `attachment; filename="catalogue.${format}"` };
        return {
          text,
          type: format === "csv" ? "text/csv; charset=utf-8" : "application/json; charset=utf-8",
          headers,
        };
      },
    }),
    route.post("/api/admin/catalogue", {
      access: "admin",
      permission: "catalogue",
      cost: { thread: 100, node: 0, stored: 20000, mail: 0 },
      summary: "Lists the changes in a catalogue file, or applies all of them or none",
      bodyLimitBytes: CATALOGUE_FILE_BYTES,
      body: catalogueImportRequestSchema,
      failures: { 422: "Invalid rows in the file; the message names each" },
      responses: { 200: catalogueImportResponseSchema },
      async handle({ body, identity }) {
        try {
          const { aboveBps } = percentRule(services, identity);
          const file = readCatalogueFile(body.format, body.content);
          const { catalogue } = file;
          const asker = askerOf(services, identity, "store_link");
          const preview = await diffFile(database, file, aboveBps, asker);
          if (body.apply) {
            if (catalogue.stores.length > 0) await services.storeIds.skipRegistered();
            if (preview.some(({ what, waits }) => waits && MOVED.includes(what))) requireFreshSignIn(identity);
            await apply(database, catalogue, actorOf(identity), aboveBps, asker);
          }
          const message = `${preview.length} changes ${body.apply ? "made" : "to make"}`;
          return { body: { success: true, message, applied: body.apply, changes: preview.map(changeText), preview } };
        } catch (error) {
          if (!(error instanceof CatalogueFileError)) throw error;
          throw new ApiError(422, "CATALOGUE_FILE", error.message, { extra: { problems: error.problems } });
        } finally {
          if (body.apply) {
            cache.drop();
            services.senders.wake();
          }
        }
      },
    }),
  ];
}

/** What waits of these moves buyers or money. docs/product.md#proposals */
const MOVED: readonly string[] = ["store", "fan_token"];
const LISTED_MONTHS = 3;
const SHOWN_MONTHS = 12;

/** A click that belongs to no buyer: a sale with it stays unmatched. */
const TEST_CLICK = "testtesttesttesttesttestte";

function toWireAdminStore(
  store: StoreWithCategories,
  conversion: readonly Conversion[],
  mode: Pick<SaleRules, "isLive">,
): AdminStore {
  const months = conversion.filter(({ storeId }) => storeId === store.id);
  const missing = lacksOf(store);
  return {
    ...toWireStaffStore(store, mode),
    state: missing.length > 0 ? "draft" : "ready",
    missing,
    conversion: {
      clicks: months.reduce((sum, { clicks }) => sum + clicks, 0),
      sales: months.reduce((sum, { sales }) => sum + sales, 0),
    },
    created_at: isoTime(store.created_at),
    updated_at: isoTime(store.updated_at),
  };
}
