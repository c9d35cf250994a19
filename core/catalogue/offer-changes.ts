import { among } from "../database/among.ts";
import { appendAudit } from "../database/audit-log.ts";
import type { Queries } from "../database/transaction.ts";
import type { CatalogueChange } from "../rules/api/admin-catalogue.ts";
import type { OfferFields } from "../rules/api/offers.ts";
import { must } from "../rules/field-rules.ts";
import { isoTime } from "../rules/iso-time.ts";
import { searchKey } from "../rules/text.ts";
import { type Catalogue, CatalogueFileError, type Found } from "./catalogue-file.ts";
import type { Change } from "./changes.ts";
import { isPageOf } from "./offer-list.ts";
import { insertOffer, NO_END, type OfferRow, updateOffer } from "./offers.ts";
import type { StoreWithCategories } from "./stores.ts";

type OfferEntry = Catalogue["offers"][number];

/**
 * The offers of a file that are new or changed. One is identified by store and title; a network's are left as they are.
 * docs/product.md#catalogue-file
 * @throws CatalogueFileError
 */
export async function offerChanges(
  queries: Queries,
  catalogue: Pick<Catalogue, "offers" | "stores">,
  stores: ReadonlyMap<string, StoreWithCategories>,
): Promise<Change[]> {
  const ids = catalogue.offers.flatMap(({ store }) => stores.get(store.toLowerCase())?.id ?? []);
  const byHand = await queries
    .selectFrom("offers")
    .selectAll()
    .where(among(queries, "store_id", ids))
    .where("network", "is", null)
    .execute();
  const known = new Map(byHand.map((row) => [`${row.store_id} ${row.title_key}`, row]));
  const found = catalogue.offers.map((entry) => {
    const store = stores.get(entry.store.toLowerCase());
    const before = store && known.get(`${store.id} ${searchKey(entry.title)}`);
    return { entry, store, before, problems: problemsOf(entry, before, { catalogue, store }) };
  });
  const problems = found.flatMap((one) => one.problems);
  if (problems.length > 0) throw new CatalogueFileError(problems);
  return found.flatMap(({ entry, store, before }) => offerChange(entry, store, before));
}

function problemsOf(
  { place, store: name, url, starts_at, ends_at }: OfferEntry,
  before: OfferRow | undefined,
  { catalogue, store }: { catalogue: Pick<Catalogue, "stores">; store: StoreWithCategories | undefined },
): Found[] {
  const problems: Found[] = [];
  const startsAt = starts_at ?? before?.starts_at ?? BigInt(Date.now());
  const endsAt = ends_at ?? before?.ends_at ?? NO_END;
  if (endsAt <= startsAt) {
    problems.push({ problem: "offer_span", place, text: "ends_at must be after starts_at, or after now without one" });
  }
  if (!url) return problems;
  const inFile = catalogue.stores.find((one) => one.name.toLowerCase() === name.toLowerCase());
  const site = {
    id: store?.id ?? 0n,
    name,
    store_url: inFile?.store_url ?? store?.store_url ?? null,
    domains: inFile?.domains ?? store?.domains ?? null,
  };
  if (!isPageOf(site, url))
    problems.push({ problem: "store_page", place, values: [url], text: `url ${must("store_page")}` });
  return problems;
}

function offerChange(
  { store: name, place: _, ...entry }: OfferEntry,
  store: StoreWithCategories | undefined,
  before: OfferRow | undefined,
): Change[] {
  const changed = before ? whatChanged(before, entry) : [];
  if (before && changed.length === 0) return [];
  const fields = before ? changed : [{ field: "code", to: entry.code ?? null }];
  return [
    {
      change: {
        kind: before ? "update" : "create",
        what: "store",
        what_detail: "offer",
        name: before?.title ?? entry.title,
        of: name,
        fields,
      },
      async apply(queries, { actor, madeStores }) {
        const storeId = store?.id ?? madeStores.get(name.toLowerCase());
        if (storeId === undefined) throw new Error(`There is no store ${name}`);
        // The title identifies the offer: a difference in case is not a change.
        const { title: _, ...rest } = entry;
        if (before) await updateOffer(queries, before, rest);
        const id = before?.id ?? (await insertOffer(queries, storeId, entry));
        const detail = { store: store?.name ?? name, title: before?.title ?? entry.title };
        await appendAudit(queries, {
          actor,
          action: before ? "offer.update" : "offer.create",
          subject: `store:${storeId}/offer:${id}`,
          detail: {
            ...detail,
            ...Object.fromEntries((before ? changed : valuesOf(entry)).map(({ field, to }) => [field, to])),
          },
        });
      },
    },
  ];
}

function whatChanged(before: OfferRow, entry: OfferFields): CatalogueChange["fields"] {
  const was = new Map(
    valuesOf({ ...before, with_cashback: before.with_cashback === 1n }).map(({ field, to }) => [field, to]),
  );
  return valuesOf(entry).filter(({ field, to }) => to !== was.get(field));
}

/** The given fields as a file says them; a start that is not given stays. */
function valuesOf({ code, terms, url, starts_at, ends_at, with_cashback }: Omit<OfferFields, "title">) {
  const timeOf = (at: bigint | null) => (at === null || at >= NO_END ? null : isoTime(at));
  return [
    ...(code === undefined ? [] : [{ field: "code", to: code }]),
    ...(terms === undefined ? [] : [{ field: "terms", to: terms }]),
    ...(url === undefined ? [] : [{ field: "url", to: url }]),
    ...(starts_at == null ? [] : [{ field: "starts_at", to: timeOf(starts_at) }]),
    ...(ends_at === undefined ? [] : [{ field: "ends_at", to: timeOf(ends_at) }]),
    ...(with_cashback === undefined ? [] : [{ field: "with_cashback", to: String(with_cashback) }]),
  ];
}
