import { expect } from "chai";
import type { Page } from "playwright-core";
import type { Language } from "../../domain/languages.ts";
import { ADMIN_DIALOGS } from "./support/admin-dialogs.ts";
import { objections } from "./support/axe.ts";
import type { FixtureServer } from "./support/fixture-server.ts";
import { useSite } from "./support/site.ts";
import {
  addEvents,
  addMoving,
  empty,
  fail,
  hang,
  openBuyDialog,
  openBuyFailure,
  openChooser,
  openEvents,
  openRegistration,
  seeOtherNetwork,
  withoutNfts,
} from "./support/states.ts";
import { type TestWalletOptions, testWallet } from "./support/test-wallet.ts";

type Screen = {
  name: string;
  path: string;
  isLoggedIn?: boolean;
  isAdmin?: boolean;
  /** Pending responses stay pending. */
  isLoading?: boolean;
  wallet?: TestWalletOptions;
  prepare?: (server: FixtureServer) => void;
  act?: (page: Page) => Promise<void>;
};

const SCREENS: Screen[] = [
  { name: "home", path: "/" },
  { name: "home with its stores on the way", path: "/", isLoading: true, prepare: hang("GET /api/stores") },
  { name: "toasts, and the notice of another network", path: "/", wallet: { chainId: 1 }, act: seeOtherNetwork },
  { name: "choice of wallets", path: "/", wallet: { names: ["Lua", "Rio"] }, act: openChooser },
  { name: "help without a wallet, and its toast", path: "/", wallet: { presence: "none" }, act: openChooser },
  { name: "stores", path: "/stores" },
  { name: "stores on the way", path: "/stores", isLoading: true, prepare: hang("GET /api/stores") },
  { name: "stores away", path: "/stores", prepare: fail("GET /api/stores"), act: seeAlert },
  { name: "no stores", path: "/stores?q=zzz" },
  { name: "buy dialog", path: "/stores", isLoggedIn: true, act: openBuyDialog },
  { name: "buy dialog without tokens", path: "/stores", prepare: fail("GET /api/fan-tokens"), act: openBuyFailure },
  { name: "redirect", path: "/redirect/sample-1" },
  { name: "redirect without a link", path: "/redirect/1", prepare: withoutLinks },
  { name: "auth", path: "/auth" },
  { name: "auth after a failed check", path: "/auth", prepare: fail("POST /api/check-user"), act: failToSignIn },
  { name: "registration", path: "/auth", act: openRegistration },
  { name: "dashboard", path: "/dashboard", isLoggedIn: true },
  { name: "dashboard on the way", path: "/dashboard", isLoggedIn: true, isLoading: true, prepare: hang("GET /api/me") },
  { name: "dashboard with a purchase on its way", path: "/dashboard", isLoggedIn: true, prepare: addMoving },
  { name: "stored records", path: "/dashboard", isLoggedIn: true, prepare: withoutNfts },
  { name: "empty dashboard", path: "/dashboard", isLoggedIn: true, prepare: empty },
  { name: "NFT details", path: "/dashboard", isLoggedIn: true, act: openDetails },
  { name: "not found", path: "/nowhere" },
  { name: "help", path: "/help/bonus" },
  { name: "store page", path: "/stores/1" },
  { name: "ticket", path: "/ticket/2" },
  { name: "proof", path: "/proof" },
  { name: "profile", path: "/profile", isLoggedIn: true },
  { name: "visits", path: "/visits", isLoggedIn: true },
  { name: "events", path: "/", isLoggedIn: true, prepare: addEvents, act: openEvents },
  { name: "admin overview", path: "/admin", isAdmin: true, act: openTab(/Dashboard/) },
  { name: "admin stores", path: "/admin", isAdmin: true, act: openTab(/Lojas/) },
  { name: "admin fan tokens", path: "/admin", isAdmin: true, act: openTab(/Fan Tokens/) },
  { name: "admin users", path: "/admin", isAdmin: true, act: openTab(/Usuários/) },
  { name: "admin settings", path: "/admin", isAdmin: true, act: openTab(/Configurações/) },
  { name: "admin check", path: "/admin", isAdmin: true, isLoading: true, prepare: hang("GET /api/is-admin") },
  { name: "store's details", path: "/admin?tab=stores", isAdmin: true, act: openStore },
  ...ADMIN_DIALOGS.map(({ name, tab, act }) => ({
    name: `admin's ${name}`,
    path: `/admin?tab=${tab}`,
    isAdmin: true,
    act,
  })),
];

function withoutLinks(server: FixtureServer): void {
  server.stores = server.stores.map((store) => ({ ...store, affiliate_link: null }));
}

async function seeAlert(page: Page): Promise<void> {
  await page.getByRole("alert").waitFor();
}

async function failToSignIn(page: Page): Promise<void> {
  await page.locator("main .button").first().click();
  await seeAlert(page);
}

async function openStore(page: Page): Promise<void> {
  await page.locator(".admin-list button").first().click();
  await page.getByRole("button", { name: "Adicionar cashback" }).waitFor();
}

function openTab(name: RegExp) {
  return async (page: Page): Promise<void> => {
    await page.getByRole("tab", { name }).first().click();
    await page.getByRole("tabpanel").first().waitFor();
    await page.locator("[data-skeleton]").first().waitFor({ state: "detached" });
  };
}

async function openDetails(page: Page): Promise<void> {
  await page.locator(".ticket-stub button").first().click();
  await page.getByRole("dialog").waitFor();
}

/**
 * The languages of each visit. A screen that is itself a page is read in both on one visit; what was opened on it might not
 * outlast the change.
 */
function visitsTo(screen: Screen): Language[][] {
  if (screen.isAdmin) return [["pt"]];
  return screen.act ? [["pt"], ["en"]] : [["pt", "en"]];
}

type Analyses = Record<Language, Partial<Record<"light" | "dark", Parameters<typeof objections>[1]>>>;
/** The colours of both themes are analysed in Portuguese, everything else in both languages. */
const FIRST: Analyses = { pt: { light: "all" }, en: {} };
const OTHERS: Analyses = { pt: { dark: "colours" }, en: { light: "all but colours" } };

async function expectNoObjections(page: Page, themes: Analyses[Language]): Promise<void> {
  for (const [theme, rules] of Object.entries(themes)) {
    await page.evaluate(async (name) => {
      document.documentElement.dataset.theme = name;
      // The new colours appear with the second frame.
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      const passing = document.getAnimations().filter((one) => one.effect?.getComputedTiming().iterations !== Infinity);
      await Promise.all(passing.map((one) => one.finished.catch(() => {})));
    }, theme);
    expect(await objections(page, rules), theme).to.deep.equal([]);
  }
}

/** WCAG 2.2 A and AA, by axe, on every screen, in both languages and themes. */
describe("Accessibility", () => {
  const site = useSite();

  for (const screen of SCREENS) {
    it(`finds no violation on ${screen.name}`, () => analyse(screen, ["pt"], FIRST));
    for (const languages of visitsTo(screen)) {
      const name = `${screen.name} in ${languages.join(" and ")}`;
      it(`finds none on ${name}, in the other theme or language @deep`, () => analyse(screen, languages, OTHERS));
    }
  }

  async function analyse(screen: Screen, [language = "pt", ...others]: Language[], analyses: Analyses): Promise<void> {
    const wallet = testWallet(screen.wallet);
    // The notice of another network is visible while the wallet refuses to switch.
    if (screen.wallet?.chainId) wallet.rejectNext("wallet_switchEthereumChain");
    const isLoggedIn = screen.isLoggedIn || screen.isAdmin;
    if (isLoggedIn) site.server.signIn(wallet.address);
    site.server.isAdmin = screen.isAdmin ?? false;
    screen.prepare?.(site.server);
    const open = isLoggedIn ? site.openLoggedIn : site.open;
    const storage = { language, theme: "light" };
    const { page } = await open(screen.path, { wallet, storage, reducedMotion: "reduce" });
    await page.locator(".first-paint").first().waitFor({ state: "detached" });
    await seeContent();
    await screen.act?.(page);
    // What it did may have opened another page.
    await seeContent();
    await expectNoObjections(page, analyses[language]);
    for (const other of others) {
      await page.getByRole("button", { name: other === "en" ? "English" : "Português" }).click();
      await page.locator(`html[lang=${other}]`).waitFor();
      await seeContent();
      await expectNoObjections(page, analyses[other]);
    }

    async function seeContent(): Promise<void> {
      await page.locator("h1").first().waitFor();
      if (!screen.isLoading) await page.locator("[data-skeleton]").first().waitFor({ state: "detached" });
    }
  }

  for (const path of ["/", "/stores", "/auth", "/dashboard", "/redirect/sample-1", "/nowhere"]) {
    it(`fits ${path} into 320 px`, async () => {
      const { page } = await site.openLoggedIn(path, { viewport: { width: 320, height: 640 } });
      await page.locator("h1").first().waitFor();
      await page.locator("[data-skeleton]").first().waitFor({ state: "detached" });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.be.at.most(320);
    });
  }

  it("moves the focus to the heading on navigation", async () => {
    const { page } = await site.open("/");
    await page.getByRole("link", { name: "Lojas", exact: true }).click();
    await page.waitForFunction(() => document.activeElement?.tagName === "H1");
    await page.waitForFunction(() => document.title.includes("Lojas"));
  });
});
