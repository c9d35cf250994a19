import type { ReactNode } from "react";
import { type ExternalToast, toast as show } from "sonner";

type ToastOptions = {
  /** A toast replaces the one with the same id. */
  id: string;
  description?: ReactNode;
  action?: { label: string; onClick: () => void };
};

/** How long a toast stays, unless somebody points at it. */
const SHOWN_MS = 5_000;

/** Sets every option each time, because the library keeps the options of the previous toast with the same id. */
function whole({ id, description, action }: ToastOptions): ExternalToast {
  shownAt.set(id, performance.now());
  return { id, description, action, duration: SHOWN_MS };
}

const shownAt = new Map<string, number>();
/** A toast younger than this belongs to the navigation itself. */
const OF_THE_NAVIGATION_MS = 1_500;

/** Dismisses the toasts of the previous screen. */
export function dismissStaleToasts(): void {
  for (const [id, at] of shownAt) {
    if (performance.now() - at < OF_THE_NAVIGATION_MS) continue;
    show.dismiss(id);
    shownAt.delete(id);
  }
}

/** A short message, outside the routes. */
export const toast = Object.assign(
  (title: string, options: ToastOptions) => show(title, Object.assign(whole(options), { type: "default" })),
  {
    success: (title: string, options: ToastOptions) => show.success(title, whole(options)),
    warning: (title: string, options: ToastOptions) => show.warning(title, whole(options)),
    error: (title: string, options: ToastOptions) => show.error(title, whole(options)),
  },
);
