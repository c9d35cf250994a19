import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, startTransition, useCallback, useState } from "react";
import { FormattedMessage } from "react-intl";
import { Link, useSearchParams } from "react-router";
import type { StoreFilters } from "../../core/rules/api/catalogue.ts";
import type { Language } from "../../core/rules/languages.ts";
import { ownValue } from "../../core/rules/records.ts";
import { searchKey } from "../../core/rules/text.ts";
import type { StoreSearch } from "../api/calls.ts";
import { namedStoresQuery, storesQuery } from "../api/queries.ts";
import type { Store } from "../api/shapes.ts";
import { PageHeading } from "../app/page.tsx";
import { paths } from "../app/paths.ts";
import { useClub } from "../club/club.ts";
import { useLanguage, useText } from "../i18n/language.tsx";
import { fetchedDialog } from "../ui/fetched-dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { LinkButton } from "../ui/link-button.tsx";
import promiseStyle from "../ui/promise.module.css";
import { SelectField } from "../ui/select-field.tsx";
import { Skeletons } from "../ui/skeleton.tsx";
import { EmptyPanel, RetryPanel } from "../ui/state-panel.tsx";
import { useIsPhone } from "../ui/use-is-phone.ts";
import { useSearchText } from "../ui/use-search-text.ts";
import { useFavourites } from "./favourites.tsx";
import { PasteLink } from "./paste-link.tsx";
import { FILTERS, type FilterName, searchOf } from "./search.ts";
import cardStyle from "./store-card.module.css";
import { StoreCard } from "./store-card.tsx";
import style from "./stores-page.module.css";

const BuyDialog = fetchedDialog(() => import("./buy-dialog.tsx"));
/** Only phones show the filters in a sheet, opened on demand. */
const Dialog = lazy(async () => ({ default: (await import("../ui/dialog.tsx")).Dialog }));

export default function Stores() {
  const [chosen, setChosen] = useState<Store>();
  // In a transition: the page does not change until the dialog's code is loaded.
  const buy = useCallback((store: Store) => startTransition(() => setChosen(store)), []);
  return (
    <section className="page">
      <Intro />
      <OtherWays />
      <Catalogue onBuy={buy} />
      {chosen && <BuyDialog key={chosen.id} store={chosen} onClose={() => setChosen(undefined)} />}
    </section>
  );
}

function Intro() {
  return (
    <>
      <PageHeading>
        <FormattedMessage id="stores.title" />
      </PageHeading>
      <p className="lead">
        <FormattedMessage id="stores.description" />
      </p>
    </>
  );
}

/**
 * To a store by a product's link or an offer. On a phone the field has a page of its own, so that the first store's button is
 * on the first screen.
 */
function OtherWays() {
  const isPhone = useIsPhone();
  return (
    <>
      {!isPhone && <PasteLink />}
      <p className="mb-4 flex flex-wrap gap-3">
        {isPhone && (
          <Link className="link" to={paths.go("")}>
            <FormattedMessage id="go.field" />
          </Link>
        )}
        <Link className="link" to={paths.offers}>
          <FormattedMessage id="offers.all" />
        </Link>
      </p>
    </>
  );
}

function Catalogue({ onBuy }: { onBuy: (store: Store) => void }) {
  const t = useText();
  const choice = useChoice();
  const { found, isFiltered, clear } = choice;
  const isAway = found.isError && !found.stores;
  return (
    <>
      {/* It stays under the hands of whoever types in it. */}
      {(!isAway || isFiltered) && <FilterBar choice={choice} />}
      {!isAway && <Chips choice={choice} />}
      {!isAway && <Results choice={choice} />}
      {isAway ? null : !found.stores ? (
        <CardsOnTheWay />
      ) : found.stores.length === 0 && !found.hasMore ? (
        <NoStores isFiltered={isFiltered} clear={clear} />
      ) : (
        <ul className="store-grid" aria-busy={found.isStale}>
          {found.stores.map((store) => (
            <li key={store.id}>
              <StoreCard store={store} onBuy={onBuy} />
            </li>
          ))}
        </ul>
      )}
      {found.isError ? (
        <RetryPanel title={t("errorFetchingStores")} query={found} />
      ) : (
        found.hasMore && (
          <button
            type="button"
            className="button button-quiet"
            aria-busy={found.isFetching}
            onClick={() => !found.isFetching && found.loadMore()}
          >
            {t("stores.more")}
          </button>
        )
      )}
    </>
  );
}

function CardsOnTheWay() {
  return (
    <div className="store-grid" aria-busy="true">
      <Skeletons count={6} className={`card ${cardStyle.card} ${cardStyle.space}`}>
        <div className={cardStyle.top}>
          <svg className="skeleton" width="56" height="56" />
          <svg className={`skeleton ${promiseStyle.promise}`} data-promise width="72" height="56" />
        </div>
        <span className="perforation" />
        <span className={`skeleton h-6 w-2/3 ${cardStyle.name}`} />
        <span className={`skeleton h-12 ${cardStyle.worth}`} />
        <span className="button button-quiet mt-auto" />
      </Skeletons>
    </div>
  );
}

/** What the build paints of the page (`prerender.tsx`). */
export function StoresOnTheWay() {
  return (
    <section className="page">
      <Intro />
      <CardsOnTheWay />
    </section>
  );
}

/** The stores that the URL asks for, as far as they are loaded; those of the user's club come first. */
function useFound(parameters: URLSearchParams, favourites: ReadonlySet<string>) {
  const search = searchOf(parameters);
  const club = useClub();
  const onlyFavourites = parameters.has("favourites");
  const pages = useInfiniteQuery(storesQuery(search));
  const ofClub = useInfiniteQuery({
    ...storesQuery({ ...search, club }),
    enabled: club !== "" && !search.club && !onlyFavourites,
  });
  const ids = [...favourites].filter((id) => /^[1-9]\d{0,14}$/.test(id));
  const named = useQuery({ ...namedStoresQuery(ids), enabled: onlyFavourites && ids.length > 0 });
  const [first] = pages.data?.pages ?? [];
  const shared = { filters: first?.filters, error: pages.error ?? named.error };
  if (onlyFavourites) {
    const isPending = ids.length > 0 && named.isPending;
    const stores = (named.data?.stores ?? []).filter((store) => favourites.has(store.id) && matches(store, search));
    return {
      ...shared,
      stores: isPending ? undefined : stores,
      total: stores.length,
      hasMore: false,
      isStale: false,
      isError: named.isError,
      isFetching: named.isFetching,
      loadMore: () => {},
      refetch: () => named.refetch(),
    };
  }
  const preferred = club && !search.club ? (ofClub.data?.pages.flatMap((page) => page.stores) ?? []) : [];
  const isPreferred = new Set(preferred.map((store) => store.id));
  const others = pages.data?.pages.flatMap((page) => page.stores).filter((store) => !isPreferred.has(store.id));
  return {
    ...shared,
    stores: others && [...preferred, ...others],
    total: first?.total,
    hasMore: pages.hasNextPage,
    isStale: pages.isPlaceholderData,
    isError: pages.isError,
    isFetching: pages.isFetching,
    loadMore: () => pages.fetchNextPage(),
    refetch: () => (pages.isFetchNextPageError ? pages.fetchNextPage() : pages.refetch()),
  };
}

/** Favourites are loaded by their ids, and filtered here. */
function matches(store: Store, search: StoreSearch): boolean {
  const wanted = searchKey(search.query ?? "");
  return (
    FILTERS.every((name) => !search[name] || searchKey(store[name]) === searchKey(search[name])) &&
    searchKey([store.name, store.category, store.country, store.club].join(" ")).includes(wanted)
  );
}

type Choice = ReturnType<typeof useChoice>;

/** The filters, which the URL keeps, and the stores that they find. */
function useChoice() {
  const [parameters, setParameters] = useSearchParams();
  const favourites = useFavourites();
  const onlyFavourites = parameters.has("favourites");
  const found = useFound(parameters, favourites);
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
  return { found, selection, search, choose, clear, isFiltered, onlyFavourites, favouriteCount: favourites.size };
}

function FilterBar({ choice }: { choice: Choice }) {
  const t = useText();
  const { selection, search, choose } = choice;
  const isPhone = useIsPhone();
  const [isSheetOpen, setSheetOpen] = useState(false);
  const filters = <Filters filters={choice.found.filters} selection={selection} choose={choose} />;
  return (
    <>
      <div className={isPhone ? `${style.filters} ${style.short}` : style.filters}>
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
            {t("stores.show", { count: choice.found.total ?? -1 })}
          </button>
        </>
      }
    >
      <div className="grid gap-4">{children}</div>
    </Dialog>
  );
}

/** The user's club and the categories, one touch each; the filters above hold the same choice. */
function Chips({ choice: { found, selection, choose } }: { choice: Choice }) {
  const t = useText();
  const { language } = useLanguage();
  const club = searchKey(useClub() ?? "");
  const { filters } = found;
  const ofClub = filters?.club.find((one) => club !== "" && searchKey(one) === club);
  const chips = [
    ...(ofClub ? [{ name: "club" as const, value: ofClub, label: `${t("stores.ofClub")}: ${ofClub}` }] : []),
    ...(filters ? optionsOf(filters, "category", language) : []).map(([value, label]) => ({
      ...{ name: "category" as const, value, label },
    })),
  ];
  if (filters && chips.length === 0) return null;
  return (
    <ul className={`chips ${style.chips}`} aria-label={t("stores.chips")}>
      {chips.map(({ name, value, label }) => {
        const isChosen = searchKey(selection[name] ?? "") === searchKey(value);
        return (
          <li key={`${name} ${value}`}>
            <button
              type="button"
              className="chip"
              aria-pressed={isChosen}
              onClick={() => choose(name, isChosen ? "" : value)}
            >
              {label}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** How many stores were found, and the ways back to all of them. */
function Results({ choice }: { choice: Choice }) {
  const t = useText();
  const { found, choose, clear, isFiltered, onlyFavourites, favouriteCount } = choice;
  const isPending = !found.stores;
  return (
    <div className={style.results}>
      <p role="status" className="muted">
        {!isPending && (found.total === undefined ? t("stores.count.many") : t("stores.count", { count: found.total }))}
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
      {isFiltered && (isPending || found.stores?.length !== 0) && (
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

/** The filters in the URL; an absent one means all. */
type Selection = Partial<Record<FilterName | "q" | "sort", string>>;

/** A field's values as in the URL, for all languages, and as displayed, in order. docs/product.md#stores */
function optionsOf(filters: StoreFilters, name: FilterName, language: Language) {
  const translated = filters.translations?.[language]?.[name] ?? {};
  return filters[name]
    .map((value) => [value, ownValue(translated, value) ?? value] as const)
    .sort(([, one], [, other]) => collator.compare(one, other));
}

const collator = new Intl.Collator("pt-BR", { sensitivity: "base" });

type FiltersProps = {
  filters: StoreFilters | undefined;
  selection: Selection;
  choose: (name: string, value: string) => void;
};

function Filters({ filters, selection, choose }: FiltersProps) {
  const t = useText();
  const { language } = useLanguage();
  return (
    <>
      {FILTERS.map((name) => {
        const options = filters ? optionsOf(filters, name, language) : [];
        const wanted = searchKey(selection[name] ?? "");
        // The club filter is shown only if a store has a club. docs/product.md#stores
        if (name === "club" && options.length === 0 && filters) return null;
        return (
          <SelectField
            key={name}
            label={t(`stores.${name}`)}
            isDisabled={!filters}
            value={options.find(([value]) => searchKey(value) === wanted)?.[0] ?? ""}
            options={[["", t(`stores.${name}.all`)], ...options]}
            choose={(value) => choose(name, value)}
          />
        );
      })}
      <SelectField
        label={t("stores.sort")}
        value={selection.sort ?? ""}
        options={[
          ["", t("stores.sort.cashback")],
          ["name", t("stores.sort.name")],
          ["newest", t("stores.sort.newest")],
        ]}
        choose={(value) => choose("sort", value)}
      />
    </>
  );
}
