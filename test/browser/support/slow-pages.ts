import type { Browser } from "playwright-core";

/** Of each tenth of a second, a page runs for a twentieth. */
const RUNNING_MS = 5;
const STOPPED_MS = 95;

/**
 * A processor twenty times slower: the processes of a browser's pages are stopped most of the time. Chromium's own emulation
 * computes in a loop instead, and takes a whole processor from the other tests.
 */
export class SlowPages {
  #end: (() => void) | undefined;

  /** Slows all pages down, until the returned function is called. */
  async begin(browser: Browser): Promise<() => void> {
    // Otherwise pages that were slowed down before would never run again.
    this.end();
    const devtools = await browser.newBrowserCDPSession();
    const { processInfo } = await devtools.send("SystemInfo.getProcessInfo");
    await devtools.detach();
    const pids = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id);
    let timer: NodeJS.Timeout;
    const stop = () => {
      signal(pids, "SIGSTOP");
      timer = setTimeout(run, STOPPED_MS);
    };
    const run = () => {
      signal(pids, "SIGCONT");
      timer = setTimeout(stop, RUNNING_MS);
    };
    stop();
    this.#end = () => {
      clearTimeout(timer);
      signal(pids, "SIGCONT");
    };
    return this.#end;
  }

  end(): void {
    this.#end?.();
    this.#end = undefined;
  }
}

function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      // It has ended.
      if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
    }
  }
}
