import type { Browser, CDPSession, Page } from "playwright-core";
import { DESKTOP, moveIn, newProfile, type Profile, type Visit, type VisitOptions, visit } from "./chromium.ts";

type UsedProfile = Profile & {
  devtools: CDPSession;
  /** Undo what the visit's scripts, functions and sessions of developer tools do to the profile. */
  undo: (() => Promise<void>)[];
  /** A page's own clock cannot be taken away, and stands still for the next test. */
  hasOwnClock: boolean;
};

/**
 * The browser profiles of a site's tests. One that a test left is emptied and used again: a new one takes half a second of
 * processor time, for its process and for the compilation of the app.
 */
export class Profiles {
  readonly #browser: Browser;
  readonly #blank: URL;
  readonly #free: UsedProfile[] = [];
  /** How the visits of this test end. */
  readonly #ends: ((isClean: boolean) => Promise<void>)[] = [];

  /** `blank` is the address of an empty page of the site. */
  constructor(browser: Browser, blank: string) {
    this.#browser = browser;
    this.#blank = new URL(blank);
  }

  /** Any other option takes a profile of its own: another clock, another device, the worker that shows the offline page. */
  async visit(options: VisitOptions): Promise<Visit> {
    const { wallet, storage, viewport = DESKTOP, reducedMotion = "no-preference", ...others } = options;
    if (Object.keys(others).length > 0 || !viewport) {
      const own = await visit(this.#browser, options);
      this.#ends.push(() => own.context.close());
      return own;
    }
    const profile = this.#free.pop() ?? (await this.#start());
    this.#ends.push((isClean) => this.#end(profile, isClean));
    await profile.page.setViewportSize(viewport);
    await profile.page.emulateMedia({ colorScheme: "light", reducedMotion });
    return moveIn(profile, { ...(wallet && { wallet }), ...(storage && { storage }) });
  }

  /** Ends all visits. Of those of a failed test, nothing is used again. */
  async leave({ isClean }: { isClean: boolean }): Promise<void> {
    await Promise.all(this.#ends.splice(0).map((end) => end(isClean)));
  }

  async #start(): Promise<UsedProfile> {
    const profile = await newProfile(this.#browser, { serviceWorkers: "block" });
    const { context, page } = profile;
    const devtools = await context.newCDPSession(page);
    const undo: UsedProfile["undo"] = [];
    const dispose = (made: { dispose: () => Promise<void> }) => undo.push(() => made.dispose());
    for (const one of [context, page]) {
      one.addInitScript = track(one.addInitScript.bind(one), dispose) as Page["addInitScript"];
      one.exposeFunction = track(one.exposeFunction.bind(one), dispose);
    }
    context.newCDPSession = track(context.newCDPSession.bind(context), (session) => undo.push(() => session.detach()));
    const used = Object.assign(profile, { devtools, undo, hasOwnClock: false });
    const { clock } = context;
    for (const name of ["install", "pauseAt", "setFixedTime", "setSystemTime"] as const) {
      const call = clock[name].bind(clock) as (...args: unknown[]) => Promise<void>;
      const noted = track(call, () => {
        used.hasOwnClock = true;
      });
      Object.assign(clock, { [name]: noted });
    }
    return used;
  }

  async #end(profile: UsedProfile, isClean: boolean): Promise<void> {
    const { context, page, devtools, undo } = profile;
    profile.onProblem = () => {};
    if (!isClean || profile.hasOwnClock || page.isClosed()) return context.close();
    await Promise.all([
      ...context.pages().map((one) => (one === page ? one.unrouteAll() : one.close())),
      ...undo.splice(0).map((step) => step()),
      context.unrouteAll(),
      context.setOffline(false),
      context.clearPermissions(),
      page.mouse.move(-1, -1),
    ]);
    // A dialog that closed just now may still be taking its entry out of the history, which ends a navigation.
    await page.goto(this.#blank.href).catch(() => page.goto(this.#blank.href));
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await devtools.send("Storage.clearDataForOrigin", { origin: this.#blank.origin, storageTypes: "all" });
    await devtools.send("Page.resetNavigationHistory");
    await context.tracing.stopChunk();
    await context.tracing.startChunk();
    this.#free.push(profile);
  }
}

/** Tells of the result of every later call of a method. */
function track<Args extends unknown[], Result>(
  call: (...args: Args) => Promise<Result>,
  onResult: (result: Result) => void,
): (...args: Args) => Promise<Result> {
  return async (...args) => {
    const result = await call(...args);
    onResult(result);
    return result;
  };
}
