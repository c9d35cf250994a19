import type { Browser } from "playwright-core";
import { buildWebApp, WEB_APP } from "../../testing/web-app.ts";
import { launchChromium, type Visit, type VisitOptions } from "./chromium.ts";
import { keepFailedVisits } from "./failed-visits.ts";
import { BLANK, FixtureServer, SESSION_TOKEN } from "./fixture-server.ts";
import { Profiles } from "./profiles.ts";
import { testWallet } from "./test-wallet.ts";

export type Site = {
  readonly server: FixtureServer;
  readonly browser: Browser;
  /** An empty browser profile on a path, ready for use. */
  open(path: string, options?: VisitOptions): Promise<Visit>;
  /** The same, logged in as the wallet's owner. */
  openLoggedIn(path: string, options?: VisitOptions): Promise<Visit>;
};

/** Builds the web app, serves it with fixed responses, and starts a browser, for the tests of one `describe`. */
export function useSite(): Site {
  let server: FixtureServer;
  let browser: Browser;
  let profiles: Profiles;

  before(async function () {
    this.timeout(300_000);
    await buildWebApp();
    server = await new FixtureServer(WEB_APP).start();
    browser = await launchChromium();
    profiles = new Profiles(browser, server.url + BLANK);
  });
  beforeEach(() => server.reset());
  afterEach(async function () {
    if (this.currentTest?.state === "failed") await keepFailedVisits(this.currentTest);
    await profiles.leave({ isClean: this.currentTest?.state === "passed" });
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
  });

  const open: Site["open"] = async (path, options = {}) => {
    const opened = await profiles.visit(options);
    await opened.page.goto(server.url + path, { waitUntil: "domcontentloaded" });
    return opened;
  };
  return {
    get server() {
      return server;
    },
    get browser() {
      return browser;
    },
    open,
    openLoggedIn: (path, { wallet = testWallet(), storage, ...options } = {}) => {
      if (!server.me) server.signIn(wallet.address);
      return open(path, { ...options, wallet, storage: { auth_token: SESSION_TOKEN, ...storage } });
    },
  };
}
