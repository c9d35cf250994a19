import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, startTransition, useEffect, useMemo, useState } from "react";
import { useSearchParams } from "react-router";
import { offeredStoresQuery } from "../api/queries.ts";
import type { Store } from "../api/shapes.ts";
import { PageHeading } from "../app/page.tsx";
import { paths } from "../app/paths.ts";
import { useClub } from "../club/club.ts";
import { useLanguage, useText } from "../i18n/language.tsx";
import { Icon } from "../ui/icon.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../ui/state-panel.tsx";
import { toast } from "../ui/toast.ts";
import { useIsPhone } from "../ui/use-is-phone.ts";
import { useSearchText } from "../ui/use-search-text.ts";
import { useFavourites } from "./favourites.tsx";
import { FILTERS, filterStores, optionsOf, type Selection } from "./filter-stores.ts";
import { StoreCard } from "./store-card.tsx";

const BuyDialog = lazy(() => import("./buy-dialog.tsx"));
/** Only phones show the filters in a sheet, opened on demand. */
const Dialog = lazy(async () => ({ default: (await import("../ui/dialog.tsx")).Dialog }));

export default function Stores() {
  const t = useText();
  const stores = useQuery(offeredStoresQuery);
  const [chosen, setChosen] = useState<Store>();
  useEffect(() => {
    if (stores.isError) toast.error(t("errorFetchingStores"), { id: "stores" });
  }, [stores.isError, t]);
  return (
    <section className="page">
      <PageHeading>{t("stores.title")}</PageHeading>
      <p className="lead">{t("stores.description")}</p>
      {stores.isError && !stores.data ? (
        <RetryPanel title={t("errorFetchingStores")} query={stores} />
      ) : (
        <Catalogue
          stores={stores.data ?? []}
          isPending={stores.isPending}
          // In a transition: the page does not change until the dialog's code is loaded.
          onBuy={(store) => startTransition(() => setChosen(store))}
        />
      )}
      {chosen && <BuyDialog key={chosen.id} store={chosen} onClose={() => setChosen(undefined)} />}
    </section>
  );
}

type CatalogueProps = { stores: Store[]; isPending: boolean; onBuy: (store: Store) => void };

function Catalogue({ stores, isPending, onBuy }: CatalogueProps) {
  const choice = useChoice(stores);
  const { shown, isFiltered, clear } = choice;
  return (
    <>
      <FilterBar stores={stores} isPending={isPending} choice={choice} />
      <Results isPending={isPending} choice={choice} />
      {isPending ? (
        <div className="store-grid" aria-busy="true">
          <Skeletons count={6} className="h-64" />
        </div>
      ) : shown.length === 0 ? (
        <NoStores isFiltered={isFiltered} clear={clear} />
      ) : (
        <ul className="store-grid">
          {shown.map((store) => (
            <li key={store.id}>
              <StoreCard store={store} onBuy={() => onBuy(store)} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

type Choice = ReturnType<typeof useChoice>;

/** The filters, which the URL keeps, and the stores that they find. */
function useChoice(stores: Store[]) {
  const [parameters, setParameters] = useSearchParams();
  const favourites = useFavourites();
  const club = useClub();
  const onlyFavourites = parameters.has("favourites");
  const shown = useMemo(() => {
    const found = filterStores(stores, Object.fromEntries(parameters), club);
    return onlyFavourites ? found.filter((store) => favourites.has(store.id)) : found;
  }, [stores, parameters, favourites, onlyFavourites, club]);
  const choose = (name: string, value: string) =>
    setParameters(
      () => {
        // From `location`, because on a slow device the rendered URL may be older.
        const next = new URLSearchParams(location.search);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true, preventScrollReset: true },
    );
  const search = useSearchText(parameters.get("q") ?? "", (text) => choose("q", text));
  const clear = () => {
    search.clear();
    setParameters({}, { replace: true, preventScrollReset: true });
  };
  const selection: Selection = Object.fromEntries(parameters);
  const isFiltered = search.query !== "" || [...FILTERS, "q", "favourites"].some((name) => parameters.get(name));
  return { shown, selection, search, choose, clear, isFiltered, onlyFavourites, favouriteCount: favourites.size };
}

type FilterBarProps = { stores: Store[]; isPending: boolean; choice: Choice };

/** The search and the filters, which a phone shows in a sheet. */
function FilterBar({ stores, isPending, choice }: FilterBarProps) {
  const t = useText();
  const { selection, search, choose } = choice;
  const isPhone = useIsPhone();
  const [isSheetOpen, setSheetOpen] = useState(false);
  const filters = <Filters stores={stores} isPending={isPending} selection={selection} choose={choose} />;
  return (
    <>
      <div className={isPhone ? "filters filters-phone" : "filters"}>
        <label className="field">
          <span>{t("stores.search")}</span>
          <input type="search" value={search.text} onChange={({ target }) => search.type(target.value)} />
        </label>
        {isPhone ? (
          <button
            type="button"
            className="button button-quiet"
            onClick={() => startTransition(() => setSheetOpen(true))}
          >
            <Icon name="filter" />
            {t("stores.filters", { count: [...FILTERS, "sort" as const].filter((name) => selection[name]).length })}
          </button>
        ) : (
          filters
        )}
      </div>
      {isPhone && isSheetOpen && (
        <FilterSheet choice={choice} onClose={() => setSheetOpen(false)}>
          {filters}
        </FilterSheet>
      )}
    </>
  );
}

function FilterSheet({ choice, onClose, children }: { choice: Choice; onClose: () => void; children: ReactNode }) {
  const t = useText();
  return (
    <Dialog
      title={t("stores.filters", { count: 0 })}
      onClose={onClose}
      actions={
        <>
          <button type="button" className="button button-quiet" disabled={!choice.isFiltered} onClick={choice.clear}>
            {t("stores.clear")}
          </button>
          <button type="button" className="button" onClick={onClose}>
            {t("stores.show", { count: choice.shown.length })}
          </button>
        </>
      }
    >
      <div className="filters-sheet">{children}</div>
    </Dialog>
  );
}

/** How many stores were found, and the ways back to all of them. */
function Results({ isPending, choice }: { isPending: boolean; choice: Choice }) {
  const t = useText();
  const { shown, choose, clear, isFiltered, onlyFavourites, favouriteCount } = choice;
  return (
    <div className="results">
      <p role="status" className="muted">
        {!isPending && t("stores.count", { count: shown.length })}
      </p>
      {(favouriteCount > 0 || onlyFavourites) && (
        <button
          type="button"
          className="link"
          aria-pressed={onlyFavourites}
          onClick={() => choose("favourites", onlyFavourites ? "" : "1")}
        >
          {t(onlyFavourites ? "favourite.all" : "favourite.only", { count: favouriteCount })}
        </button>
      )}
      {isFiltered && (isPending || shown.length > 0) && (
        <button type="button" className="link" onClick={clear}>
          {t("stores.clear")}
        </button>
      )}
    </div>
  );
}

/** Without filters, the catalogue itself is empty. */
function NoStores({ isFiltered, clear }: { isFiltered: boolean; clear: () => void }) {
  const t = useText();
  return (
    <EmptyPanel title={t("stores.none")} hint={t(isFiltered ? "stores.none.hint" : "stores.none.yet")}>
      {isFiltered ? (
        <button type="button" className="button" onClick={clear}>
          {t("stores.clear")}
        </button>
      ) : (
        <LinkButton to={paths.help("how-it-works")}>{t("home.how.title")}</LinkButton>
      )}
    </EmptyPanel>
  );
}

type FiltersProps = {
  stores: Store[];
  isPending: boolean;
  selection: Selection;
  choose: (name: string, value: string) => void;
};

function Filters({ stores, isPending, selection, choose }: FiltersProps) {
  const t = useText();
  const { language } = useLanguage();
  return (
    <>
      {FILTERS.map((name) => {
        const options = optionsOf(stores, name, language);
        // The club filter is shown only if a store has a club. docs/product.md#stores
        if (name === "club" && options.length === 0 && !isPending) return null;
        return (
          <label key={name} className="field">
            <span>{t(`stores.${name}`)}</span>
            <select
              disabled={isPending}
              value={selection[name] ?? ""}
              onChange={(event) => choose(name, event.target.value)}
            >
              <option value="">{t(`stores.${name}.all`)}</option>
              {options.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </label>
        );
      })}
      <label className="field">
        <span>{t("stores.sort")}</span>
        <select value={selection.sort ?? ""} onChange={(event) => choose("sort", event.target.value)}>
          <option value="">{t("stores.sort.cashback")}</option>
          <option value="name">{t("stores.sort.name")}</option>
        </select>
      </label>
    </>
  );
}
