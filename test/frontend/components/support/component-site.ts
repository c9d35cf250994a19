import "./built-react.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { GlobalRegistrator } from "@happy-dom/global-registrator";
import { DESKTOP } from "../../../browser/support/chromium.ts";
import { FixtureServer, SESSION_TOKEN } from "../../../browser/support/fixture-server.ts";
import { type TestWallet, testWallet } from "../../../browser/support/test-wallet.ts";
import { loadReactDom } from "./built-react.ts";
import { newPageModules } from "./frontend-loader.ts";
import { clearTimers, fastForward, PAGE_TIMERS, settle } from "./page-timers.ts";
import { Part, press, type, waitUntil } from "./screen.ts";

/** Ignored by git. */
const FAILED = join(import.meta.dirname, "../../../../data/failed-tests");

type Options = {
  wallet?: TestWallet;
  storage?: Record<string, string>;
  viewport?: { width: number; height: number };
};

/** The web app without a browser: the real one, from its entry, in a document that has neither layout nor styles. */
export function useComponents() {
  // Asked for answers alone: no file of a build.
  const server = new FixtureServer("");
  let page: ComponentPage | undefined;

  before(() => server.start());
  beforeEach(() => server.reset());
  afterEach(async function () {
    if (this.currentTest?.state === "failed") keep(this.currentTest.fullTitle(), page?.problems);
    await page?.close();
    page = undefined;
  });
  after(() => server.stop());

  const open = async (path: string, { wallet = testWallet(), storage = {}, viewport = DESKTOP }: Options = {}) => {
    await page?.close();
    page = new ComponentPage(server, wallet, viewport);
    for (const [key, value] of Object.entries(storage)) localStorage.setItem(key, value);
    await page.goto(path);
    return { page, wallet, problems: page.problems };
  };
  return {
    server,
    open,
    /** The same, logged in as the wallet's owner. */
    openLoggedIn: (path: string, { wallet = testWallet(), storage, ...options }: Options = {}) => {
      if (!server.me) server.signIn(wallet.address);
      return open(path, { ...options, wallet, storage: { auth_token: SESSION_TOKEN, ...storage } });
    },
  };
}

function keep(title: string, problems: readonly string[] = []): void {
  if (!GlobalRegistrator.isRegistered) return;
  mkdirSync(FAILED, { recursive: true });
  const file = join(FAILED, `${title.replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 120)}.html`);
  writeFileSync(file, document.documentElement.outerHTML);
  process.stderr.write(`${[`${title}: ${file}`, ...problems].join("\n")}\n`);
}

/** A tab of a browser, in this process: its names are global while it is open. */
export class ComponentPage extends Part {
  readonly problems: string[] = [];
  readonly keyboard = { press, type };
  readonly clock = { fastForward: async (ms: number) => fastForward(ms) };
  readonly #server: FixtureServer;
  readonly #wallet: TestWallet;
  readonly #restoreConsole: () => void;
  #leave = async () => {};
  #isClosed = false;

  constructor(server: FixtureServer, wallet: TestWallet, viewport: typeof DESKTOP) {
    super(() => [document.body], "the page");
    this.#server = server;
    this.#wallet = wallet;
    const nodes = {
      AbortController,
      AbortSignal,
      Headers,
      Request,
      Response,
      URL,
      URLSearchParams,
      performance,
      queueMicrotask,
    };
    const { fetch } = globalThis;
    GlobalRegistrator.register({ url: `${server.url}/`, ...viewport, settings: SETTINGS });
    Object.assign(globalThis, nodes, PAGE_TIMERS, {
      // The document's own keeps no connection, and gives up the one that it has.
      fetch: async (asked: string, options?: RequestInit) => {
        const answer = await fetch(new URL(asked, location.href), options);
        return this.#isClosed ? new Promise(() => {}) : answer;
      },
    });
    const { error } = console;
    console.error = (...said: unknown[]) =>
      this.problems.push(said.map((one) => (one instanceof Error ? one.stack : String(one))).join(" "));
    this.#restoreConsole = () => {
      console.error = error;
    };
  }

  /** Loads the page anew, with modules of its own. */
  async goto(to: string): Promise<void> {
    await this.#leave();
    history.replaceState(null, "", new URL(to, this.#server.url).href);
    document.head.innerHTML = `<script id="deployment" type="application/json">${JSON.stringify(this.#server.config)}</script>`;
    document.body.innerHTML = `<div id="root"></div>`;
    document.documentElement.lang = "pt-BR";
    await this.#installWallet();
    this.#leave = await start(newPageModules());
  }

  reload(): Promise<void> {
    return this.goto(location.href);
  }

  url(): string {
    return location.href;
  }

  async waitForURL(wanted: string | RegExp): Promise<void> {
    const escaped = String(wanted).replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&");
    const glob = () => new RegExp(`^${escaped.replaceAll("**", ".+").replaceAll(/(?<!\.)\*/g, "[^/]*")}$`);
    const pattern = wanted instanceof RegExp ? wanted : glob();
    await waitUntil(
      () => `${wanted} (${location.href})`,
      () => pattern.test(location.href) || undefined,
    );
  }

  async waitForFunction<Argument>(look: (argument: Argument) => unknown, argument?: Argument): Promise<void> {
    await waitUntil(
      () => String(look),
      () => look(argument as Argument) || undefined,
    );
  }

  override async evaluate<Result, Argument>(look: (argument: never, ...rest: never[]) => Result, argument?: Argument) {
    return (look as unknown as (argument?: Argument) => Result)(argument);
  }

  async goBack(): Promise<void> {
    history.back();
    await delay(0);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#leave();
    this.#restoreConsole();
    clearTimers();
    await GlobalRegistrator.unregister();
  }

  /** What a wallet needs of a context of Playwright. */
  async #installWallet(): Promise<void> {
    const run = async (act: (argument: unknown) => unknown, argument: unknown) => act(argument);
    const context = {
      exposeFunction: async (name: string, answer: unknown) => Object.assign(globalThis, { [name]: answer }),
      addInitScript: run,
      pages: () => [{ evaluate: run }],
    };
    await this.#wallet.install(context as never);
  }
}

const SETTINGS = {
  disableJavaScriptFileLoading: true,
  disableCSSFileLoading: true,
  handleDisabledFileLoadingAsSuccess: true,
  navigation: { disableMainFrameNavigation: true },
};

/** As `frontend/main.tsx`, but that it can end. */
async function start(load: ReturnType<typeof newPageModules>): Promise<() => Promise<void>> {
  loadReactDom();
  const [{ createRoot }, { createElement, StrictMode }] = await Promise.all([
    import("react-dom/client"),
    import("react"),
  ]);
  const [{ App }, { askAhead, fetchScreen }, { queryClient }, language, { showClub }, wallets, { wagmiConfig }] =
    await Promise.all([
      load<typeof import("../../../../frontend/app/app.tsx")>("frontend/app/app.tsx"),
      load<typeof import("../../../../frontend/app/screens.tsx")>("frontend/app/screens.tsx"),
      load<typeof import("../../../../frontend/api/queries.ts")>("frontend/api/queries.ts"),
      load<typeof import("../../../../frontend/i18n/language.tsx")>("frontend/i18n/language.tsx"),
      load<typeof import("../../../../frontend/club/club.ts")>("frontend/club/club.ts"),
      load<typeof import("../../../../frontend/wallet/offer-passkeys.ts")>("frontend/wallet/offer-passkeys.ts"),
      load<typeof import("../../../../frontend/wallet/config.ts")>("frontend/wallet/config.ts"),
    ]);
  askAhead(location);
  const [chosen] = await Promise.all([
    language.restoreLanguage(),
    fetchScreen(location.pathname),
    wallets.offerEarlierPasskey(),
  ]);
  showClub();
  const root = createRoot(document.getElementById("root") as HTMLElement);
  root.render(createElement(StrictMode, null, createElement(App, { language: chosen })));
  // Nobody clicks before wagmi has heard of a wallet that announces itself, which is after the first render.
  const isAnnounced = () => window.walletIsThere === true && !("ethereum" in window);
  await waitUntil(
    () => "the wallet",
    () => !isAnnounced() || wagmiConfig.connectors.length > 1 || undefined,
  );
  return async () => {
    root.unmount();
    queryClient.clear();
    await settle();
  };
}
