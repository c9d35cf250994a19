import { createHash } from "node:crypto";
import type { z } from "zod";
import { type FanTokenRow, listFanTokens } from "../../catalogue/fan-tokens.ts";
import { isOnOffer, listStores, type StoreWithCategories } from "../../catalogue/stores.ts";
import { readCatalogueVersion } from "../../catalogue/version.ts";
import type { Queries } from "../../database/transaction.ts";
import type { storeResponseSchema } from "../../domain/api/catalogue.ts";
import { toWireCategory, toWireFanToken, toWireStore } from "./wire.ts";

export type CachedText = { text: Buffer; etag: string };
type Catalogue = {
  version: string;
  stores: CachedText;
  /** Includes drafts, for admins. */
  allStores: CachedText;
  storeById: Map<bigint, { text: CachedText; isOnOffer: boolean }>;
  fanTokens: CachedText;
  fanTokenRows: FanTokenRow[];
};

/** How stale a response may be after a write in another process; writes in this process take effect at once. */
const RECHECK_MS = 300;

/** The serialized catalogue, rebuilt when its version in the database changes. */
export class CatalogueCache {
  readonly #queries: Queries;
  #catalogue: Promise<Catalogue> | undefined;
  #checkedAt = 0;

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  read(): Promise<Catalogue> {
    const now = Date.now();
    if (this.#catalogue && now - this.#checkedAt < RECHECK_MS) return this.#catalogue;
    this.#checkedAt = now;
    const catalogue = this.#refresh(this.#catalogue);
    this.#catalogue = catalogue;
    catalogue.catch(() => {
      if (this.#catalogue === catalogue) this.drop();
    });
    return catalogue;
  }

  /** Must be called after a write in this process. */
  drop(): void {
    this.#catalogue = undefined;
  }

  async #refresh(previous: Promise<Catalogue> | undefined): Promise<Catalogue> {
    const version = await readCatalogueVersion(this.#queries);
    const known = await previous;
    if (known?.version === version) return known;
    const [stores, fanTokenRows] = await Promise.all([listStores(this.#queries), listFanTokens(this.#queries)]);
    return {
      version,
      stores: serialize({ success: true, stores: stores.filter(isOnOffer).map(toWireStore) }),
      allStores: serialize({ success: true, stores: stores.map(toWireStore) }),
      storeById: new Map(
        stores.map((store) => [store.id, { text: serialize(storeAnswer(store)), isOnOffer: isOnOffer(store) }]),
      ),
      fanTokens: serialize({ success: true, data: fanTokenRows.map(toWireFanToken) }),
      fanTokenRows,
    };
  }
}

/** The response of `GET /api/stores/{id}`. */
export function storeAnswer(store: StoreWithCategories): z.output<typeof storeResponseSchema> {
  return { success: true, store: toWireStore(store), cashbacks: store.categories.map(toWireCategory) };
}

function serialize(value: unknown): CachedText {
  const text = Buffer.from(JSON.stringify(value));
  return { text, etag: `"${createHash("sha256").update(text).digest("base64url").slice(0, 27)}"` };
}
