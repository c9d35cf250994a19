import { useSyncExternalStore } from "react";
import { readStored, type StorageKey, store, watchOtherTabs } from "./storage.ts";

/**
 * A value of this browser, the same in every open tab: `read` makes it of what is stored, `show` is told each change.
 */
export function sharedValue<T>(key: StorageKey, read: (stored: string | null) => T, show?: (value: T) => void) {
  let value = read(readStored(key));
  const listeners = new Set<() => void>();
  const change = (stored: string | null) => {
    value = read(stored);
    show?.(value);
    for (const listener of listeners) listener();
  };
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  if (!import.meta.env.SSR) watchOtherTabs(key, change);
  return {
    current: () => value,
    set: (stored: string) => {
      store(key, stored);
      change(stored);
    },
    use: () =>
      useSyncExternalStore(
        subscribe,
        () => value,
        () => value,
      ),
  };
}
