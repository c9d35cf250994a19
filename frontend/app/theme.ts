import { useSyncExternalStore } from "react";
import { STORAGE_KEYS, store } from "./storage.ts";

export type Theme = "light" | "dark";

const listeners = new Set<() => void>();

function current(): Theme {
  return document.documentElement.dataset.theme === "dark" ? "dark" : "light";
}

export function setTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  store(STORAGE_KEYS.theme, theme);
  for (const listener of listeners) listener();
}

/** The theme on screen; `public/theme.js` chose it before the first paint. */
export function useTheme(): Theme {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, current);
}
