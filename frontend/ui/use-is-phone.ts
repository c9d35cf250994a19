import { useSyncExternalStore } from "react";

/** As narrow as the styles' bar at the bottom. */
const PHONE = matchMedia("(max-width: 44rem)");

export function useIsPhone(): boolean {
  return useSyncExternalStore(
    (changed) => {
      PHONE.addEventListener("change", changed);
      return () => PHONE.removeEventListener("change", changed);
    },
    () => PHONE.matches,
  );
}
