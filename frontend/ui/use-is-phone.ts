import { useSyncExternalStore } from "react";

/** The width at which the styles move the navigation to the bottom. */
const PHONE = matchMedia("(width <= 44rem)");

export function useIsPhone(): boolean {
  return useSyncExternalStore(
    (changed) => {
      PHONE.addEventListener("change", changed);
      return () => PHONE.removeEventListener("change", changed);
    },
    () => PHONE.matches,
  );
}
