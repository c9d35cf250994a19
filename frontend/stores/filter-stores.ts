import type { Language } from "../../domain/languages.ts";
import type { Store } from "../api/shapes.ts";
import { storeTexts } from "./store-texts.ts";

export const FILTERS = ["country", "category", "club"] as const;
export type FilterName = (typeof FILTERS)[number];
/** The filters in the URL; an absent one means all. */
export type Selection = Partial<Record<FilterName | "q" | "sort", string>>;

const collator = new Intl.Collator("pt-BR", { sensitivity: "base" });
const plain = (text: string) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** A field's value as in the URL, for both languages, and as displayed. */
export type FilterOption = { value: string; label: string };

/** The sorted distinct non-empty values of a field. docs/product.md#stores. */
export function optionsOf(stores: readonly Store[], name: FilterName, language: Language = "pt"): FilterOption[] {
  const labels = new Map<string, string>();
  for (const store of stores) {
    const value = store[name].trim();
    const label = name === "club" ? value : storeTexts(store, language)[name].trim();
    // A translation given for one store is used for all stores with the same value.
    if (value && (labels.get(value) ?? value) === value) labels.set(value, label || value);
  }
  return [...labels]
    .map(([value, label]) => ({ value, label }))
    .sort((one, other) => collator.compare(one.label, other.label));
}

const isOf = (store: Store, club: string): boolean => club !== "" && store.club.toLowerCase() === club.toLowerCase();

const searchable = (store: Store): string =>
  [
    store.name,
    store.category,
    store.club,
    store.country,
    store.description,
    ...Object.values(store.english),
    ...store.cashbacks.flatMap((one) => [one.category, one.categoryEn]),
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
