import { listenForBuild } from "../api/http.ts";
import { queryClient } from "../api/queries.ts";
import { deployment } from "./deployment.ts";

/** The builds that this tab has renewed itself for: each once, so that no two servers can keep it reloading. */
const RENEWED = "renewed_for";

/** The last answer's, if it is another one than this tab's. */
let other: string | undefined;
/** The page on which something was typed last. */
let typedOn: string | undefined;
let shownPath = location.pathname;
let isRenewing = false;

/** Follows the server's build from now on. docs/upgrading.md#several-processes */
export function watchBuild(): void {
  const { build: own } = deployment;
  // A page of a server that does not say it.
  if (own === undefined) return;
  listenForBuild((build) => {
    other = build === own ? undefined : build;
  });
  addEventListener("input", () => {
    typedOn = location.pathname;
  });
  addEventListener("vite:preloadError", () => void renewIfGone(own));
}

/** Whether the tab loads its next page anew instead of showing it: what was typed belongs to the page before. */
export function renewsAt(path: string): boolean {
  if (path !== shownPath && other !== undefined && queryClient.isMutating() === 0) renewFor(other);
  shownPath = path;
  return isRenewing;
}

/** A part of the page could not be loaded: it is gone only if the server answers, and has another build. */
async function renewIfGone(own: string): Promise<void> {
  const response = await fetch("/api/config", { cache: "no-store" }).catch(() => undefined);
  if (!response?.ok || typedOn === location.pathname) return;
  // 1.0.0 does not say its build.
  const build = response.headers.get("x-torcida-build") ?? "1.0.0";
  if (build !== own) renewFor(build);
}

function renewFor(build: string): void {
  try {
    const renewed = (sessionStorage.getItem(RENEWED) ?? "").split(" ");
    if (isRenewing || renewed.includes(build)) return;
    sessionStorage.setItem(RENEWED, [...renewed, build].join(" "));
    isRenewing = true;
    location.reload();
  } catch {
    // Without storage it would not know that it has.
  }
}
