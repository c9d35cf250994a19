import { type ComponentType, useEffect } from "react";
import { matchPath, type RouteObject } from "react-router";
import { featuredStoresQuery, meQuery, queryClient, storeQuery, storesQuery, ticketQuery } from "../api/queries.ts";
import { useText, withLaterTexts } from "../i18n/language.tsx";
import { searchOf } from "../stores/search.ts";
import { fetchAhead, fetched } from "./fetched.tsx";
import { usePageMeta } from "./page.tsx";
import { PAGES, type Page } from "./pages.ts";
import { STORE_ID, TICKET_ID } from "./paths.ts";
import { readStored, STORAGE_KEYS } from "./storage.ts";

type Loader = (params: Readonly<Record<string, string | undefined>>, search: string) => Promise<void> | undefined;

/** What a page asks the api for; its screen finds the answer, or the request that is under way. */
const LOADERS: Record<NonNullable<Page["asks"]>, Loader> = {
  featured: () => queryClient.prefetchQuery(featuredStoresQuery),
  stores: (_params, search) => queryClient.prefetchInfiniteQuery(storesQuery(searchOf(new URLSearchParams(search)))),
  store: ({ storeId = "" }) => (STORE_ID.test(storeId) ? queryClient.prefetchQuery(storeQuery(storeId)) : undefined),
  ticket: ({ tokenId = "" }) => (TICKET_ID.test(tokenId) ? queryClient.prefetchQuery(ticketQuery(tokenId)) : undefined),
  me: () => {
    const token = readStored(STORAGE_KEYS.token);
    return token ? queryClient.prefetchQuery(meQuery(token)) : undefined;
  },
};

const files = import.meta.glob<{ default: ComponentType }>("../*/*-page.tsx");

/** Each page with its screen, whose code is loaded when it is first needed. */
const SCREENS = PAGES.map((page) => {
  const load = files[`../${page.screen}.tsx`];
  if (!load) throw new Error(`frontend/${page.screen}.tsx does not exist; frontend/app/pages.ts names it`);
  return { page, ...fetched(page.saysLater ? () => withLaterTexts(load, page.saysLater) : load, "default") };
});
const NotFound = fetched(() => import("./not-found-page.tsx"), "default").Screen;

/** The pages, and what is shown elsewhere. docs/decisions/0021-routes-without-the-data-router.md */
export const ROUTES: RouteObject[] = [
  ...SCREENS.map(({ page, Screen }) => ({
    path: page.path,
    element: (
      <>
        <PageMeta page={page} />
        <Screen />
      </>
    ),
  })),
  { path: "*", element: <NotFound /> },
];

/** The code of a page's screen. */
export async function fetchScreen(path: string): Promise<void> {
  const screen = SCREENS.find(({ page }) => matchPath(page.path, path));
  if (screen) await fetchAhead(screen.fetchNow);
}

/** Requests what a page asks the api for, in parallel with the code that shows it. */
export function askAhead({ pathname, search }: { pathname: string; search: string }): void {
  for (const { path, asks } of PAGES) {
    const match = asks && matchPath(path, pathname);
    if (match) return void LOADERS[asks](match.params, search);
  }
}

/** Loads the code of a link's page while the user points at it or reaches it by keyboard: its data only once it is opened. */
export function useScreensAhead(): void {
  useEffect(() => {
    const onAim = ({ target }: Event) => {
      const link = target instanceof Element ? target.closest("a") : null;
      if (link?.origin === location.origin && link.pathname !== location.pathname) fetchScreen(link.pathname);
    };
    const events = ["pointerover", "focusin"] as const;
    for (const event of events) addEventListener(event, onAim, { passive: true });
    return () => {
      for (const event of events) removeEventListener(event, onAim);
    };
  }, []);
}

/** The page's own title; rendered before the screen, which may replace it by that of its store or ticket. */
function PageMeta({ page: { title, description } }: { page: Page }) {
  const t = useText();
  usePageMeta(t(title), t(description));
  return null;
}
