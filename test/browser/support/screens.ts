import type { Page } from "playwright-core";
import { ADMIN_DIALOGS } from "./admin-dialogs.ts";
import type { FixtureServer } from "./fixture-server.ts";
import { PASSKEY_SCREENS } from "./passkey-screens.ts";
import {
  addAllSituations,
  addEvents,
  addMoving,
  addOffers,
  closeDialog,
  empty,
  fail,
  hang,
  invite,
  openAccountMenu,
  openBuyDialog,
  openBuyFailure,
  openChooser,
  openEvents,
  openRegistration,
  refuseLink,
  seeDialog,
  seeOtherNetwork,
  withoutFans,
  withoutNfts,
} from "./states.ts";
import type { TestWalletOptions } from "./test-wallet.ts";

const LINK = "/go?url=https%3A%2F%2Fwww.loja.com%2Ftv";

/** A screen, in a state that fixed responses and a few clicks lead to. */
export type Screen = {
  name: string;
  path: string;
  isLoggedIn?: boolean;
  isAdmin?: boolean;
  /** Pending responses stay pending. */
  isLoading?: boolean;
  /** A picture has only what the window shows: something lies over the page. */
  isViewport?: boolean;
  /** Another screen is built of the same parts: axe looks at this one in depth only. */
  isVariant?: boolean;
  wallet?: TestWalletOptions;
  prepare?: (server: FixtureServer) => void;
  act?: (page: Page) => Promise<void>;
};

export const SCREENS: readonly Screen[] = [
  { name: "home", path: "/" },
  { name: "home with its stores on the way", path: "/", isLoading: true, prepare: hang("GET /api/stores") },
  {
    name: "toasts, and the notice of another network",
    isViewport: true,
    path: "/",
    wallet: { chainId: 1 },
    act: seeOtherNetwork,
  },
  { name: "choice of wallets", isViewport: true, path: "/", wallet: { names: ["Lua", "Rio"] }, act: openChooser },
  {
    name: "help without a wallet, and its toast",
    isViewport: true,
    path: "/",
    wallet: { presence: "none" },
    act: openChooser,
  },
  { name: "account menu", isViewport: true, path: "/", isLoggedIn: true, act: openAccountMenu },
  { name: "stores", path: "/stores" },
  { name: "stores on the way", path: "/stores", isLoading: true, prepare: hang("GET /api/stores") },
  { name: "stores away", path: "/stores", prepare: fail("GET /api/stores"), act: seeAlert },
  { name: "no stores", path: "/stores?q=zzz" },
  { name: "buy dialog", isViewport: true, path: "/stores", isLoggedIn: true, act: openBuyDialog },
  {
    name: "buy dialog without tokens",
    isViewport: true,
    path: "/stores",
    prepare: fail("GET /api/fan-tokens"),
    act: openBuyFailure,
  },
  { name: "redirect", path: "/redirect/sample-1" },
  { name: "redirect without a link", path: "/redirect/1", prepare: withoutLinks },
  { name: "auth", path: "/auth" },
  { name: "auth after a failed check", path: "/auth", prepare: fail("POST /api/check-user"), act: failToSignIn },
  { name: "registration", path: "/auth", act: openRegistration },
  { name: "dashboard", path: "/dashboard", isLoggedIn: true },
  { name: "album by club", path: "/dashboard", isLoggedIn: true, isVariant: true, act: orderByClub },
  { name: "statement", path: "/dashboard?view=statement", isLoggedIn: true, prepare: addAllSituations },
  { name: "dashboard on the way", path: "/dashboard", isLoggedIn: true, isLoading: true, prepare: hang("GET /api/me") },
  { name: "dashboard with a purchase on its way", path: "/dashboard", isLoggedIn: true, prepare: addMoving },
  { name: "stored records", path: "/dashboard", isLoggedIn: true, prepare: withoutNfts },
  { name: "empty dashboard", path: "/dashboard", isLoggedIn: true, prepare: empty },
  { name: "NFT details", isViewport: true, path: "/dashboard", isLoggedIn: true, act: openDetails },
  { name: "not found", path: "/nowhere" },
  { name: "help", path: "/help/bonus" },
  { name: "store page", path: "/stores/1" },
  { name: "a product's link", path: "/go" },
  { name: "no offers", path: "/offers" },
  { name: "offers", path: "/offers", prepare: addOffers },
  { name: "a store's page with offers", path: "/stores/1", prepare: addOffers },
  { name: "a product's link and the way there", isViewport: true, isVariant: true, path: LINK, act: seeDialog },
  { name: "a product's link and its store", path: LINK, act: closeDialog },
  { name: "a link of an unknown shop", isVariant: true, path: LINK, prepare: refuseLink("LINK_UNKNOWN") },
  { name: "a link of two programmes", isVariant: true, path: LINK, prepare: refuseLink("LINK_AMBIGUOUS") },
  { name: "a club's page", path: "/clubs/palmeiras" },
  { name: "a club's page without stores and figures", path: "/clubs/mirassol", prepare: withoutFans("mirassol") },
  { name: "ticket", path: "/ticket/2" },
  { name: "proof", path: "/proof" },
  { name: "profile", path: "/profile", isLoggedIn: true },
  { name: "an invitation", path: "/c/abcdefgh23456722", prepare: invite },
  { name: "profile with an invitation", isVariant: true, path: "/profile", isLoggedIn: true, prepare: invite },
  { name: "visits", path: "/visits", isLoggedIn: true },
  { name: "events", isViewport: true, path: "/", isLoggedIn: true, prepare: addEvents, act: openEvents },
  ...PASSKEY_SCREENS,
  { name: "admin overview", path: "/admin", isAdmin: true, act: openTab(/Dashboard/) },
  { name: "admin stores", path: "/admin", isAdmin: true, act: openTab(/Lojas/) },
  { name: "admin fan tokens", path: "/admin", isAdmin: true, act: openTab(/Fan Tokens/) },
  { name: "admin users", path: "/admin", isAdmin: true, act: openTab(/Usuários/) },
  { name: "admin settings", path: "/admin", isAdmin: true, act: openTab(/Configurações/) },
  { name: "admin check", path: "/admin", isAdmin: true, isLoading: true, prepare: hang("GET /api/is-admin") },
  { name: "store's details", path: "/admin?tab=stores", isAdmin: true, act: openStore },
  ...ADMIN_DIALOGS.map(({ name, tab, isVariant = false, act }) => ({
    isVariant,
    name: `admin's ${name}`,
    path: `/admin?tab=${tab}`,
    isAdmin: true,
    isViewport: true,
    act,
  })),
];

async function orderByClub(page: Page): Promise<void> {
  await page.getByRole("button", { name: /^(Por clube|By club)$/ }).click();
}

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
  await page.getByRole("tabpanel").getByRole("listitem").getByRole("button").first().click();
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
  await page
    .getByRole("article")
    .first()
    .getByRole("button", { name: /^(Detalhes|Details)/ })
    .click();
  await page.getByRole("dialog").waitFor();
}
