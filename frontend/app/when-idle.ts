/** The longest wait after the page has loaded. */
const LATEST_MS = 4_000;

/**
 * Runs work that the first paint does not need: when the loaded page has nothing else to do, or at the user's first
 * action. Returns a function that cancels it.
 */
export function whenIdle(work: () => void): () => void {
  const done = new AbortController();
  const { signal } = done;
  const run = () => {
    if (signal.aborted) return;
    done.abort();
    work();
  };
  const wait = () => {
    // Safari has no `requestIdleCallback`.
    if ("requestIdleCallback" in window) requestIdleCallback(run, { timeout: LATEST_MS });
    else setTimeout(run, LATEST_MS / 4);
  };
  for (const action of ["pointerdown", "keydown"]) addEventListener(action, run, { signal, passive: true });
  if (document.readyState === "complete") wait();
  else addEventListener("load", wait, { signal });
  return () => done.abort();
}
