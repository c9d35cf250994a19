import { STORES_BY_ID_MAX } from "../../core/rules/product.ts";
import type { Store } from "../api/shapes.ts";
import { sharedValue } from "../app/shared-value.ts";
import { STORAGE_KEYS } from "../app/storage.ts";
import { useText } from "../i18n/language.tsx";
import style from "./favourites.module.css";

const favourites = sharedValue(STORAGE_KEYS.favourites, read);

/** The last marked: the API lists so many, and the newest must not be the ones that are missing. */
function read(stored: string | null): ReadonlySet<string> {
  try {
    const list: unknown = JSON.parse(stored ?? "[]");
    return new Set(Array.isArray(list) ? list.map(String).slice(-STORES_BY_ID_MAX) : []);
  } catch {
    return new Set();
  }
}

function toggle(id: string): void {
  const next = new Set(favourites.current());
  if (!next.delete(id)) next.add(id);
  favourites.set(JSON.stringify([...next]));
}

/** The user's favourite stores, stored on this device. */
export const useFavourites = favourites.use;

export function FavouriteMark({ store }: { store: Pick<Store, "id" | "name"> }) {
  const t = useText();
  const isFavourite = useFavourites().has(store.id);
  return (
    <label className={style.mark}>
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
