import { sharedValue } from "./shared-value.ts";
import { STORAGE_KEYS } from "./storage.ts";

type Theme = "light" | "dark";

const page = document.documentElement;

/** The theme on screen; `public/theme.js` chose it before the first paint. */
export const theme = sharedValue<Theme>(
  STORAGE_KEYS.theme,
  (stored) => ((stored ?? page.dataset.theme) === "dark" ? "dark" : "light"),
  (shown) => {
    page.dataset.theme = shown;
  },
);
