import { among } from "../database/among.ts";
import type { Queries } from "../database/transaction.ts";
import { isPublicHttpsUrl } from "../rules/api/common.ts";
import { DAY_MS } from "../rules/iso-time.ts";
import { searchKey } from "../rules/text.ts";
import { isPageOf } from "./offer-list.ts";
import { NO_END, noteListed, putNetworkOffer, showOffers } from "./offers.ts";
import type { StoreRow } from "./stores.ts";
import { bumpCatalogueVersion } from "./version.ts";

/** Of one store's network. */
const MOST_OF_STORE = 50;
/** Nothing further away is kept as an end. */
const LATEST_MS = 5 * 366 * DAY_MS;
/** An offer without an end goes if this long no round listed it that listed others. */
const UNLISTED_MS = BigInt(36 * 60 * 60_000);

export type OfferStore = Pick<StoreRow, "id" | "name" | "store_url" | "domains">;
type AccountOf = { network: string; account: string };
type Listed = {
  store: OfferStore;
  key: string;
  title: string;
  code: string | null;
  terms: string | null;
  url: string | null;
  startsAt: bigint | null;
  endsAt: bigint | null;
  withCashback: boolean;
};

/** Saves a page of a network's offers; only what changed is written. docs/product.md#offers-of-networks */
export async function saveListed(queries: Queries, of: AccountOf, listed: readonly Listed[]): Promise<void> {
  const now = BigInt(Date.now());
  const offers = [...new Map(listed.map((one) => [one.key, one])).values()].filter(
    ({ endsAt }) => endsAt === null || endsAt > now,
  );
  if (offers.length === 0) return;
  const rows = await queries
    .selectFrom("offers")
    .selectAll()
    .where("network", "=", of.network)
    .where("account", "=", of.account)
    .where(
      among(
        queries,
        "network_key",
        offers.map(({ key }) => key),
      ),
    )
    .execute();
  const known = new Map(rows.map((row) => [row.network_key, row]));
  const counts = new Map<bigint, number>();
  const changed = [];
  for (const { store, ...offer } of offers) {
    const before = known.get(offer.key);
    if (!before && !(await hasRoom(queries, store.id, counts, now))) continue;
    const isOwnPage = offer.url !== null && isPublicHttpsUrl(offer.url) && isPageOf(store, offer.url);
    const fields = {
      store_id: store.id,
      title: offer.title,
      title_key: searchKey(offer.title),
      code: offer.code,
      terms: offer.terms,
      url: isOwnPage ? offer.url : null,
      with_cashback: offer.withCashback ? 1n : 0n,
      // One without a start began when it was first read.
      starts_at: offer.startsAt ?? before?.starts_at ?? now,
      ends_at: offer.endsAt === null || offer.endsAt > now + BigInt(LATEST_MS) ? NO_END : offer.endsAt,
    };
    const isSame = before && Object.entries(fields).every(([name, value]) => Reflect.get(before, name) === value);
    if (!isSame) changed.push({ ...of, network_key: offer.key, ...fields });
  }
  if (changed.length > 0) {
    await bumpCatalogueVersion(queries);
    const ids: bigint[] = [];
    for (const row of changed) ids.push(await putNetworkOffer(queries, row, now));
    await showOffers(queries, { ids });
  }
  await noteListed(queries, { ...of, keys: offers.map(({ key }) => key) }, { seen_at: now });
}

async function hasRoom(queries: Queries, storeId: bigint, counts: Map<bigint, number>, now: bigint): Promise<boolean> {
  const running = () =>
    queries
      .selectFrom("offers")
      .select("id")
      .where("store_id", "=", storeId)
      .where("network", "is not", null)
      .where("ends_at", ">", now)
      .limit(MOST_OF_STORE)
      .execute();
  const count = counts.get(storeId) ?? (await running()).length;
  counts.set(storeId, count + 1);
  return count < MOST_OF_STORE;
}

/** After a whole round that listed some: those without an end that no round listed for more than a day are over. docs/product.md#offers-of-networks */
export async function endUnlisted(queries: Queries, { network, account }: AccountOf, began: bigint): Promise<void> {
  const rows = await queries
    .selectFrom("offers")
    .select("network_key")
    .where("network", "=", network)
    .where("account", "=", account)
    .where("ends_at", "=", NO_END)
    .where("seen_at", "<", began - UNLISTED_MS)
    .execute();
  if (rows.length === 0) return;
  await bumpCatalogueVersion(queries);
  const keys = rows.flatMap(({ network_key }) => network_key ?? []);
  await noteListed(queries, { network, account, keys }, { ends_at: began });
}
