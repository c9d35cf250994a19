/**
 * Pictures of every screen × language × theme × width, over fixed answers:
 * `node scripts/screenshots.ts [folder] [name…]`. They land in `data/screenshots/` unless a folder is named.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchChromium, visit } from "../test/browser/support/chromium.ts";
import { fixturePurchase } from "../test/browser/support/fixture-data.ts";
import { FixtureServer, SESSION_TOKEN } from "../test/browser/support/fixture-server.ts";
import { testWallet } from "../test/browser/support/test-wallet.ts";

const [folder = "data/screenshots", ...wanted] = process.argv.slice(2);
const LANGUAGES = ["pt", "en"] as const;
const THEMES = ["light", "dark"] as const;
const WIDTHS = [360, 1440] as const;

type Shot = {
  name: string;
  path: string;
  isLoggedIn?: boolean;
  isAdmin?: boolean;
  prepare?: (server: FixtureServer) => void;
  act?: (page: Page) => Promise<void>;
};

const SHOTS: Shot[] = [
  { name: "home", path: "/" },
  { name: "stores", path: "/stores" },
  { name: "stores-none", path: "/stores?q=zzz" },
  {
    name: "stores-away",
    path: "/stores",
    prepare: (server) =>
      server.answer("GET /api/stores", { status: 500, body: { success: false, error: "Database away" } }),
  },
  { name: "buy", path: "/stores", isLoggedIn: true, act: openBuyDialog },
  { name: "redirect", path: "/redirect/sample-2" },
  { name: "auth", path: "/auth" },
  { name: "auth-register", path: "/auth", act: register },
  { name: "dashboard", path: "/dashboard", isLoggedIn: true, prepare: addMoving },
  { name: "dashboard-empty", path: "/dashboard", isLoggedIn: true, prepare: empty },
  {
    name: "nft-details",
    path: "/dashboard",
    isLoggedIn: true,
    act: (page) => page.locator(".ticket-stub button").first().click(),
  },
  {
    name: "admin",
    path: "/admin",
    isLoggedIn: true,
    isAdmin: true,
    act: (page) => page.getByRole("tablist").waitFor(),
  },
  { name: "admin-stores", path: "/admin?tab=stores", isLoggedIn: true, isAdmin: true },
  {
    name: "admin-store",
    path: "/admin?tab=stores",
    isLoggedIn: true,
    isAdmin: true,
    act: (page) => page.locator(".admin-list button").first().click(),
  },
  { name: "admin-tokens", path: "/admin?tab=fan-tokens", isLoggedIn: true, isAdmin: true },
  { name: "not-found", path: "/nowhere" },
];

async function openBuyDialog(page: Page): Promise<void> {
  await page.locator(".store-card button").first().click();
  await page.locator(".summary").waitFor();
}

async function register(page: Page): Promise<void> {
  await page.locator(".auth .button").first().click();
  await page.locator(".auth [aria-live] button").click();
}

function addMoving(server: FixtureServer): void {
  const { me } = server;
  if (!me) return;
  const created_at = new Date().toISOString();
  me.purchases.unshift(
    fixturePurchase({
      id: 3,
      store: "Mercado da Bola",
      created_at,
      date: created_at,
      status: "processing",
      cashback_percent: "4",
      cashback_amount: "4",
      cashback_state: "unpaid",
      minted_at: null,
      confirmed_at: null,
      paid_at: null,
      mint_tx: null,
      status_tx: null,
      payment_tx: null,
    }),
  );
}

function empty(server: FixtureServer): void {
  if (server.me)
    Object.assign(server.me, {
      nfts: [],
      purchases: [],
      totals: { total: "0", confirmed: "0", pending: "0", paid: "0", count: 0, confirmed_count: 0, pending_count: 0 },
    });
}

async function shoot(
  browser: Browser,
  server: FixtureServer,
  shot: Shot,
  language: string,
  theme: string,
  width: number,
): Promise<void> {
  server.reset();
  const wallet = testWallet();
  if (shot.isLoggedIn) server.signIn(wallet.address);
  server.isAdmin = shot.isAdmin ?? false;
  shot.prepare?.(server);
  const storage = { language, theme, ...(shot.isLoggedIn && { auth_token: SESSION_TOKEN }) };
  const { page, context, problems } = await visit(browser, {
    wallet,
    storage,
    viewport: { width, height: width < 600 ? 780 : 900 },
    reducedMotion: "reduce",
  });
  await page.goto(`${server.url}${shot.path}`);
  await page.locator("h1").first().waitFor();
  await page.locator(".first-paint").first().waitFor({ state: "detached" });
  await shot.act?.(page);
  await page.waitForFunction(() => document.fonts.status === "loaded" && !document.querySelector("[data-skeleton]"));
  await page.screenshot({ path: join(folder, `${shot.name}-${language}-${theme}-${width}.png`), fullPage: true });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (overflow > 0) console.warn(`${shot.name} ${language} ${width}: ${overflow} px too wide`);
  for (const problem of problems) console.warn(`${shot.name}: ${problem}`);
  await context.close();
}

mkdirSync(folder, { recursive: true });
const server = await new FixtureServer(join(import.meta.dirname, "../dist/frontend")).start();
const browser = await launchChromium();
try {
  for (const shot of SHOTS.filter((one) => wanted.length === 0 || wanted.includes(one.name))) {
    for (const language of LANGUAGES) {
      for (const theme of THEMES) {
        for (const width of WIDTHS) await shoot(browser, server, shot, language, theme, width);
      }
    }
    console.log(shot.name);
  }
} finally {
  await browser.close();
  await server.stop();
}
