import { useEffect, useRef } from "react";
import { isRecord } from "../../domain/records.ts";

/** The dialogs that are open, the last one on top. */
const open: number[] = [];
let opened = 0;

/** A dialog that opens in the place of another one, or a page that follows it, takes over its entry within this time. */
const SETTLED_MS = 10;

const dialogOf = (state: unknown): number | undefined =>
  isRecord(state) && typeof state.dialog === "number" ? state.dialog : undefined;

function isStale(state: unknown): boolean {
  const dialog = dialogOf(state);
  return dialog !== undefined && !open.includes(dialog);
}

// The entry of a closed dialog, reached by Back or Forward, has nothing to show.
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
 * browser's history, of which the router knows nothing: the address stays.
 */
export function useCloseOnBack(onClose: () => void): void {
  const close = useRef(onClose);
  close.current = onClose;
  useEffect(() => {
    const id = ++opened;
    open.push(id);
    let isEntered = false;
    // Later, because React mounts twice during development.
    const timer = setTimeout(() => {
      enter(id);
      isEntered = true;
    });
    const follow = ({ state }: PopStateEvent) => {
      if (isEntered && open.at(-1) === id && dialogOf(state) !== id) close.current();
    };
    addEventListener("popstate", follow);
    return () => {
      clearTimeout(timer);
      removeEventListener("popstate", follow);
      open.splice(open.indexOf(id), 1);
      setTimeout(() => {
        if (dialogOf(history.state) === id) history.back();
      }, SETTLED_MS);
    };
  }, []);
}
