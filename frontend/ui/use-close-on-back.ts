import { useEffect, useRef } from "react";
import { useLocation, useNavigate } from "react-router";
import { isRecord } from "../../core/rules/records.ts";

/** The dialogs that are open, the last one on top. */
const open: number[] = [];
let opened = 0;

/** A dialog that opens in the place of another one, or a page that follows it, takes over its entry within this time. */
const SETTLED_MS = 10;

const dialogOf = (state: unknown): number | undefined =>
  isRecord(state) && typeof state.dialog === "number" ? state.dialog : undefined;

/** The dialog's own entry, on the one below: where it was opened, and what its address says by now. */
type Entry = { id: number; keyBelow: string | undefined; pathname: string; search: string };

function isStale(state: unknown): boolean {
  const dialog = dialogOf(state);
  return dialog !== undefined && !open.includes(dialog);
}

// The entry of a closed dialog, reached by Back or Forward, has nothing to show.
if (!import.meta.env.SSR)
  addEventListener("popstate", ({ state }) => {
    if (isStale(state)) history.back();
  });

function enter(id: number): void {
  const state = { ...history.state, dialog: id };
  if (isStale(history.state)) history.replaceState(state, "");
  else history.pushState(state, "");
}

/**
 * Back closes what opened last, as on a phone, instead of leaving the page. A dialog is an entry of its own in the
 * browser's history, of which the router knows nothing: the address stays. What was chosen in the dialog, and stands in
 * the address of the same page, stays when it is closed.
 */
export function useCloseOnBack(onClose: () => void): void {
  const navigate = useNavigate();
  const last = useRef({ onClose, navigate });
  last.current = { onClose, navigate };
  const { pathname, search } = useLocation();
  const entry = useRef<Entry>(undefined);
  useEffect(() => {
    const { current } = entry;
    // Back has led to the entry below: `follow` goes on from there.
    if (!current || open.at(-1) !== current.id || history.state?.key === current.keyBelow) return;
    if (current.pathname !== pathname) return;
    current.search = search;
    // The router wrote the new address without what it does not know.
    history.replaceState({ ...history.state, dialog: current.id }, "");
  }, [pathname, search]);
  useEffect(() => {
    const id = ++opened;
    open.push(id);
    // Later, because React mounts twice during development.
    const timer = setTimeout(() => {
      const below = { id, keyBelow: history.state?.key, pathname: location.pathname, search: location.search };
      enter(id);
      entry.current = below;
    });
    const keepSearch = () => {
      const { current } = entry;
      if (!current || current.pathname !== location.pathname || current.search === location.search) return;
      last.current.navigate(current.pathname + current.search, { replace: true, preventScrollReset: true });
    };
    const follow = ({ state }: PopStateEvent) => {
      if (!entry.current || open.at(-1) !== id || dialogOf(state) === id) return;
      keepSearch();
      last.current.onClose();
    };
    addEventListener("popstate", follow);
    return () => {
      clearTimeout(timer);
      removeEventListener("popstate", follow);
      open.splice(open.indexOf(id), 1);
      setTimeout(() => {
        if (dialogOf(history.state) !== id) return;
        addEventListener("popstate", keepSearch, { once: true });
        history.back();
      }, SETTLED_MS);
    };
  }, []);
}
