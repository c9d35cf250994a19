import { type ComponentType, useEffect } from "react";
import { matchPath } from "react-router";
import { useText, withLaterTexts } from "../i18n/language.tsx";
import { fetchAhead, fetched } from "./fetched.tsx";
import { usePageMeta } from "./page.tsx";
import { PAGES, type Page } from "./pages.ts";

const files = import.meta.glob<{ default: ComponentType }>("../*/*-page.tsx");

/** Each page with its screen, whose code is loaded when it is first needed. */
export const SCREENS = PAGES.map((page) => {
  const load = files[`../${page.screen}.tsx`];
  if (!load) throw new Error(`frontend/${page.screen}.tsx does not exist; frontend/app/pages.ts names it`);
  return { page, ...fetched(page.saysLater ? () => withLaterTexts(load, page.saysLater) : load, "default") };
});

export const NotFound = fetched(() => import("./not-found-page.tsx"), "default").Screen;

export async function fetchScreen(path: string): Promise<void> {
  const screen = SCREENS.find(({ page }) => matchPath(page.path, path));
  if (screen) await fetchAhead(screen.fetchNow);
}

/** Loads the page of a link while the user points at it or reaches it by keyboard. */
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
export function PageMeta({ page: { title, description } }: { page: Page }) {
  const t = useText();
  usePageMeta(t(title), t(description));
  return null;
}
