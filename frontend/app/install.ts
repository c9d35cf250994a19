import { useSyncExternalStore } from "react";
import { readStored, STORAGE_KEYS, store } from "./storage.ts";

/** What Chromium offers; not in the DOM's types. */
type InstallOffer = Event & { prompt(): Promise<unknown> };

/** After so long without a page, the next one is another visit. */
const VISIT_ENDS_MS = 30 * 60_000;
const VISITS = 2;

let offer: InstallOffer | undefined;
let isOver = readStored(STORAGE_KEYS.install) !== null;
const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};

/** Counts this visit, and keeps the browser's offer to install for the second. docs/product.md#install */
export function watchInstall(): void {
  const [count = 0, at = 0] = (readStored(STORAGE_KEYS.visits) ?? "").split(" ").map(Number);
  const isNext = !(Date.now() - at < VISIT_ENDS_MS);
  store(STORAGE_KEYS.visits, `${(count || 0) + (isNext ? 1 : 0)} ${Date.now()}`);
  // After a refusal too: the browser's own bar would ask again.
  addEventListener("beforeinstallprompt", (event) => {
    event.preventDefault();
    offer = event as InstallOffer;
    tell();
  });
  addEventListener("appinstalled", endInstall);
}

/** For good. */
export function endInstall(): void {
  store(STORAGE_KEYS.install, "over");
  isOver = true;
  tell();
}

/** Shows the browser's own question, whose answer is the last. */
export async function install(): Promise<void> {
  await offer?.prompt().catch(() => {});
  endInstall();
}

/** How the app can be installed from the second visit on: by the browser's question, or by hand on iOS. */
export function useInstallable(): "browser" | "ios" | undefined {
  return useSyncExternalStore((changed) => {
    listeners.add(changed);
    return () => listeners.delete(changed);
  }, installable);
}

function installable(): "browser" | "ios" | undefined {
  const visits = Number.parseInt(readStored(STORAGE_KEYS.visits) ?? "", 10);
  if (isOver || !(visits >= VISITS) || matchMedia("(display-mode: standalone)").matches) return undefined;
  if (offer) return "browser";
  // An iPad says that it is a Mac.
  const isIos =
    /iPhone|iPad/.test(navigator.userAgent) || (/Macintosh/.test(navigator.userAgent) && navigator.maxTouchPoints > 1);
  return isIos ? "ios" : undefined;
}
