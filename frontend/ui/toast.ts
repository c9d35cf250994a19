import type { ReactNode } from "react";
import type { ExternalToast } from "sonner";

type Library = typeof import("sonner");

type ToastOptions = {
  /** A toast replaces the one with the same id. */
  id: string;
  description?: ReactNode;
  action?: { label: string; onClick: () => void };
};

/** How long a toast stays, unless somebody points at it. */
const SHOWN_MS = 5_000;

let library: Promise<Library> | undefined;
let nowLoaded: (library: Library) => void;
/** Pending until a toast is asked for, or somebody acts. */
export const toastsLoaded = new Promise<Library>((resolve) => {
  nowLoaded = resolve;
});

/**
 * A page that says nothing does without the library (9 kB with its styles). One that could not be fetched is fetched
 * again by the next toast.
 */
export async function loadToasts(): Promise<Library> {
  // `design/last-word.css` overrides its styles.
  library ??= Promise.all([import("sonner"), import("sonner/dist/styles.css")]).then(([scripts]) => scripts);
  try {
    const loaded = await library;
    nowLoaded(loaded);
    return loaded;
  } catch (error) {
    library = undefined;
    throw error;
  }
}

/** In the order of the calls. The library keeps toasts until its layer is drawn. */
function withLibrary(act: (show: Library["toast"]) => void): void {
  loadToasts().then(
    ({ toast: show }) => act(show),
    () => {
      // The connection is gone, and nobody has touched the page: there is nobody to tell.
    },
  );
}

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
    withLibrary((show) => show.dismiss(id));
    shownAt.delete(id);
  }
}

const shown = (kind: "message" | "success" | "warning" | "error") => (title: string, options: ToastOptions) => {
  const all = whole(options);
  withLibrary((show) => show[kind](title, kind === "message" ? Object.assign(all, { type: "default" }) : all));
};

/** A short message, outside the routes. */
export const toast = Object.assign(shown("message"), {
  success: shown("success"),
  warning: shown("warning"),
  error: shown("error"),
});
