import type { ReactNode } from "react";

type Library = typeof import("sonner");

type ToastOptions = {
  /** Names its kind: a toast replaces the last one of its name. */
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

/** The toast of each name that was shown last: the library's id of it, and when. */
const last = new Map<string, { id: string; at: number }>();
let count = 0;
/** A toast younger than this belongs to the navigation itself. */
const OF_THE_NAVIGATION_MS = 1_500;

/** Dismisses the toasts of the previous screen. */
export function dismissStaleToasts(): void {
  for (const [name, { id, at }] of last) {
    if (performance.now() - at < OF_THE_NAVIGATION_MS) continue;
    withLibrary((show) => show.dismiss(id));
    last.delete(name);
  }
}

/** What stays at the top of the screen, with buttons. */
const AT_THE_TOP = ".site-header, .notice, .dialog-head";
/** Of the screen's height: whatever reaches further down does not stay at the top. */
const TOP_SHARE = 0.4;
const GAP_PX = 8;

/** On a phone a toast lies over the page's first lines, and over no button of the header, a notice or a dialog. */
function keepBelow(): void {
  const most = innerHeight * TOP_SHARE;
  const ends = [...document.querySelectorAll(AT_THE_TOP)]
    .map((one) => one.getBoundingClientRect().bottom)
    .filter((bottom) => bottom <= most);
  document.documentElement.style.setProperty("--toast-top", `${Math.max(0, ...ends) + GAP_PX}px`);
}

const shown =
  (kind: "message" | "success" | "warning" | "error") =>
  (title: string, { id: name, ...options }: ToastOptions) => {
    const previous = last.get(name);
    // Its own id: the library loses a toast that updates one that is being closed.
    const id = `${name}-${++count}`;
    last.set(name, { id, at: performance.now() });
    withLibrary((show) => {
      if (previous) show.dismiss(previous.id);
      keepBelow();
      show[kind](title, { ...options, id, duration: SHOWN_MS });
    });
  };

/** A short message, outside the routes. */
export const toast = Object.assign(shown("message"), {
  success: shown("success"),
  warning: shown("warning"),
  error: shown("error"),
});
