import { useSyncExternalStore } from "react";

/** The width at which the styles move the navigation to the bottom. */
const phone = () => matchMedia("(width <= 44rem)");

export function useIsPhone(): boolean {
  return useSyncExternalStore(
    (changed) => {
      const list = phone();
      list.addEventListener("change", changed);
      return () => list.removeEventListener("change", changed);
    },
    () => phone().matches,
    () => false,
  );
}
