import { hash } from "node:crypto";
import { updateStore } from "../../core/catalogue/store-rows.ts";
import { findStore } from "../../core/catalogue/stores.ts";
import { logoResponseSchema } from "../../core/rules/api/admin-catalogue.ts";
import { LOGO_BYTES } from "../../core/rules/uploads.ts";
import type { CatalogueCache } from "../catalogue/catalogue-cache.ts";
import { catalogueWriter } from "../catalogue/catalogue-writer.ts";
import { notFound, unavailable } from "../http/api-error.ts";
import { type Route, readId, route } from "../http/route.ts";
import type { Services } from "../services.ts";
import { AssetStoreError, openAssetStore } from "./asset-store.ts";
import { PICTURE_TYPES, pictureIn, TYPES } from "./picture.ts";

const NAME = /^[0-9a-f]{64}\.(png|jpg|webp)$/;
/** Opened directly, a picture is a download in which nothing can run. */
const OPAQUE = {
  "content-disposition": "attachment",
  "content-security-policy": "default-src 'none'; sandbox",
  "cache-control": "public, max-age=31536000, immutable",
};

/** Logos that admins upload. docs/product.md#panel-logo */
export function assetRoutes(services: Services, cache: CatalogueCache): Route[] {
  const assets = openAssetStore(services.environment.ASSETS_URL, services.environment.DATA_DIR);
  const write = catalogueWriter(services, cache);
  return [
    route.post("/api/admin/stores/:id/logo", {
      access: "admin",
      permission: "catalogue",
      cost: { thread: 20, node: 0, stored: 800, mail: 0 },
      summary: "Uploads a store's logo",
      bodyLimitBytes: LOGO_BYTES,
      bodyTypes: PICTURE_TYPES,
      responses: { 200: logoResponseSchema },
      async handle(call) {
        const storeId = readId(call.params.id, "Store");
        if (!(await findStore(services.database.kysely, storeId))) throw notFound("Store");
        const { type, ending, bytes } = pictureIn(call.bytes);
        const name = `${hash("sha256", bytes)}.${ending}`;
        await answering(assets.write(name, bytes, type));
        const logo = `/api/assets/${name}`;
        await write(call, { action: "store.logo", detail: { logo } }, async (queries) => {
          const store = await findStore(queries, storeId);
          if (!store || !(await updateStore(queries, storeId, { logo }))) throw notFound("Store");
          return { result: undefined, subject: `store:${storeId}`, words: { store: store.name } };
        });
        return { body: { success: true, message: "Logo salvo com sucesso!", logo } };
      },
    }),
    route.get("/api/assets/:name", {
      access: "anyone",
      cost: { thread: 1, node: 0, stored: 0, mail: 0 },
      summary: "An uploaded picture",
      responses: { 200: { type: "application/octet-stream" } },
      alternatives: PICTURE_TYPES,
      async handle({ params: { name } }) {
        const ending = NAME.exec(name)?.[1];
        const bytes = ending && (await answering(assets.read(name)));
        if (!ending || !bytes) throw notFound("Picture");
        return { text: bytes, type: TYPES[ending] ?? "application/octet-stream", headers: OPAQUE, etag: `"${name}"` };
      },
    }),
  ];
}

async function answering<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AssetStoreError) throw unavailable("ASSETS_UNAVAILABLE", error.message);
    throw error;
  }
}
