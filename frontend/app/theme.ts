import { sharedValue } from "./shared-value.ts";
import { STORAGE_KEYS } from "./storage.ts";

type Theme = "light" | "dark";

/** The theme on screen; `public/theme.js` chose it before the first paint. */
export const theme = sharedValue<Theme>(
  STORAGE_KEYS.theme,
  (stored) =>
    (stored ?? (!import.meta.env.SSR && document.documentElement.dataset.theme)) === "dark" ? "dark" : "light",
  (shown) => {
    document.documentElement.dataset.theme = shown;
  },
);
