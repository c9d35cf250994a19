import type { Store } from "../api/shapes.ts";

export const FILTERS = ["country", "category", "club"] as const;
export type FilterName = (typeof FILTERS)[number];
/** The filters in the URL; an absent one means all. */
export type Selection = Partial<Record<FilterName | "q" | "sort", string>>;

const collator = new Intl.Collator("pt-BR", { sensitivity: "base" });
const plain = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** The sorted distinct non-empty values of a field. docs/product.md#stores. */
export function optionsOf(stores: readonly Store[], name: FilterName): string[] {
  return [...new Set(stores.map((store) => store[name].trim()).filter(Boolean))].sort(collator.compare);
}

const isOf = (store: Store, club: string): boolean => club !== "" && store.club.toLowerCase() === club.toLowerCase();

const searchable = (store: Store): string =>
  [
    store.name,
    store.category,
    store.club,
    store.country,
    store.description,
    ...store.cashbacks.map((one) => one.category),
  ].join(" ");

/** The stores that match filters and search, the highest cashback first unless sorted by name. */
export function filterStores(stores: readonly Store[], selection: Selection, club = ""): Store[] {
  const wanted = plain(selection.q?.trim() ?? "");
  return stores
    .filter((store) => FILTERS.every((name) => !selection[name] || store[name].trim() === selection[name]))
    .filter((store) => !wanted || plain(searchable(store)).includes(wanted))
    .sort(
      (a, b) =>
        Number(isOf(b, club)) - Number(isOf(a, club)) ||
        (selection.sort === "name" ? 0 : b.maxCashback - a.maxCashback) ||
        collator.compare(a.name, b.name),
    );
}
