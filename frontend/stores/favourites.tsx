import { useSyncExternalStore } from "react";
import type { Store } from "../api/shapes.ts";
import { readStored, store as remember, STORAGE_KEYS } from "../app/storage.ts";
import { useText } from "../i18n/language.tsx";

const listeners = new Set<() => void>();
let known = read();

function read(): ReadonlySet<string> {
  try {
    const list: unknown = JSON.parse(readStored(STORAGE_KEYS.favourites) ?? "[]");
    return new Set(Array.isArray(list) ? list.map(String) : []);
  } catch {
    return new Set();
  }
}

function toggle(id: string): void {
  const next = new Set(known);
  if (!next.delete(id)) next.add(id);
  known = next;
  remember(STORAGE_KEYS.favourites, JSON.stringify([...next]));
  for (const listener of listeners) listener();
}

/** The user's favourite stores, stored on this device. */
export function useFavourites(): ReadonlySet<string> {
  return useSyncExternalStore(
    (changed) => {
      listeners.add(changed);
      return () => listeners.delete(changed);
    },
    () => known,
  );
}

export function FavouriteMark({ store }: { store: Pick<Store, "id" | "name"> }) {
  const t = useText();
  const isFavourite = useFavourites().has(store.id);
  return (
    <label className="favourite">
      <input
        type="checkbox"
        checked={isFavourite}
        aria-label={t("favourite.mark", { store: store.name })}
        onChange={() => toggle(store.id)}
      />
      <svg aria-hidden="true" width="22" height="22" viewBox="0 0 24 24" strokeWidth="2" stroke="currentColor">
        <path
          fill={isFavourite ? "currentColor" : "none"}
          d="M12 3l2.700 5.900 6.300.700-4.700 4.300 1.300 6.300L12 17l-5.600 3.200 1.300-6.300L3 9.600l6.300-.700z"
        />
      </svg>
    </label>
  );
}
