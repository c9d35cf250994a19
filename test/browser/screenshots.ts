/**
 * Screenshots of every screen and state × language × theme × width, with fixed responses and a fixed clock:
 * `node test/browser/screenshots.ts [folder] [name…] [--language pt] [--theme dark] [--width 360] [--against folder]`.
 * Writes to `data/screenshots/` unless a folder is given. `--against` compares each with the one of the same name that was
 * taken before, says which share of its pixels differs, and fails if one does.
 */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { mock } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { Hex } from "viem";
import { choicesOption, readOptions, refuseOptions } from "../../scripts/developer/read-options.ts";
import { buildWebApp, WEB_APP } from "../testing/web-app.ts";
import { launchChromium, visit } from "./support/chromium.ts";
import { fixtureNft, fixturePurchase } from "./support/fixture-data.ts";
import { FixtureServer, SESSION_TOKEN } from "./support/fixture-server.ts";
import { BUYER, boostRow, fillPanel, manyPurchases, percentApproval, preview } from "./support/panel-data.ts";
import { SCREENS, type Screen } from "./support/screens.ts";
import { addAllSituations, boost, hang, openBuyDialog, openEvents, withoutNfts } from "./support/states.ts";
import { testWallet } from "./support/test-wallet.ts";

const several = { type: "string", multiple: true } as const;
const { values, positionals } = readOptions({
  allowPositionals: true,
  options: { language: several, theme: several, width: several, against: { type: "string" } },
});
const [folder = "data/screenshots", ...wanted] = positionals;
const LANGUAGES = choicesOption(values.language, "language", ["pt", "en"]);
const THEMES = choicesOption(values.theme, "theme", ["light", "dark"]);
const WIDTHS = values.width?.map(Number) ?? [360, 768, 1440];
if (!WIDTHS.every((width) => width >= 1 && Number.isInteger(width))) refuseOptions("--width must be a whole number");
const ADMIN = { isAdmin: true } as const;

/** The moment of every picture, for the fixed responses as for the pages. */
const NOW = new Date("2026-11-30T15:00:00.000Z");
mock.timers.enable({ apis: ["Date"], now: NOW });
/** The accounts of every picture's wallet. */
const KEYS = [`0x${"1".repeat(64)}`, `0x${"2".repeat(64)}`] as const satisfies readonly Hex[];

const live = (server: FixtureServer) => {
  server.config = { ...server.config, simulated: false };
};
const AWAY = { success: false, error: "Database away", message: "Database away", code: "UNAVAILABLE" };
const NO_ROWS = { success: true, rows: [], next_before: null, total: 0 };
const NO_MARGIN = {
  ...{ sales: 0, amount: "0", commission_pending: "0", commission_earned: "0" },
  ...{ cashback_promised: "0", cashback_paid: "0", margin: "0" },
};

type PanelList = { name: string; path: string; call: string; answer?: object };
/** The screens of the panel that are a list. */
const PANEL_LISTS: readonly PanelList[] = [
  ...["approvals", "purchases", "payments", "sales", "claims", "operations"].map((name) => ({
    ...{ name, path: `view=${name}`, call: name },
  })),
  { name: "log", path: "view=log", call: "audit-log" },
  { name: "stores", path: "tab=stores", call: "stores" },
  { name: "users", path: "tab=users", call: "users" },
  {
    ...{ name: "margin", path: "view=margin", call: "margin" },
    answer: { success: true, from: "2026-01", to: "2026-11", rows: [], totals: NO_MARGIN },
  },
];

/** Sheets and decisions of the panel: the address, and the buttons that lead there. */
const PANEL_STEPS: readonly (readonly [name: string, path: string, ...buttons: (string | RegExp)[]])[] = [
  ["purchase", "view=purchases&row=9"],
  ["purchase-release", "view=purchases&row=9", "Liberar compra"],
  ["sale", "view=sales&row=12"],
  ["sale-release", "view=sales&row=12", "Liberar venda"],
  ["sale-decline", "view=sales&row=12", "Recusar venda"],
  ["sale-assign", "view=sales&row=11", "Ligar a uma visita"],
  ["user", `tab=users&row=${BUYER}`],
  ["user-erase", `tab=users&row=${BUYER}`, "Apagar cadastro"],
  ["claim-match", "view=claims", /^Ligar a uma venda/],
  ["claim-refuse", "view=claims", /^Recusar/],
  ["pause", "view=payments", "Pausar pagamentos"],
  ["retry", "view=payments", /^Tentar de novo – compra nº 9/],
  ["approve", "view=approvals", "Aprovar – pedido nº 5"],
  ["approve-all", "view=approvals", /^Aprovar todos/],
  ["import", "tab=stores", "Importar catálogo"],
];

/** The screens that axe reads, and more. */
const SHOTS: readonly Screen[] = [
  ...SCREENS,
  { name: "home-connected", path: "/", isLoggedIn: true, isAdmin: true, isViewport: true, act: connectByHero },
  { name: "home-user", path: "/", isLoggedIn: true },
  { name: "store-page-loading", path: "/stores/1", isLoading: true, prepare: hang("GET /api/stores/1") },
  { name: "store-page-boosted", path: "/stores/1", prepare: forDays },
  { name: "stores-boosted", path: "/stores", isViewport: true, prepare: forDays },
  { name: "buy-boosted", path: "/stores", isLoggedIn: true, isViewport: true, prepare: forHours, act: openBuyDialog },
  { name: "admin-percents", path: "/admin?view=approvals", ...ADMIN, prepare: fillPercents, act: seePanel },
  {
    name: "admin-boosts",
    path: "/admin?tab=stores&row=1",
    ...ADMIN,
    prepare: fillBoosts,
    act: (page) => page.getByRole("button", { name: "Turbinar" }).waitFor(),
  },
  {
    name: "admin-boost-plan",
    path: "/admin?tab=stores&row=1",
    ...ADMIN,
    isViewport: true,
    act: (page) => page.getByRole("button", { name: "Turbinar" }).click(),
  },
  { name: "redirect-boosted", path: "/redirect/1", isLoggedIn: true, prepare: forDays },
  { name: "contact", path: "/help/contact", prepare: withContact },
  { name: "profile-visitor", path: "/profile" },
  {
    name: "profile-erase",
    path: "/profile",
    isLoggedIn: true,
    isViewport: true,
    async act(page) {
      await page.locator(".button-danger").click();
      await page.getByRole("dialog").waitFor();
    },
  },
  { name: "visits-visitor", path: "/visits" },
  { name: "events-none", path: "/", isLoggedIn: true, isViewport: true, act: openEvents },
  {
    name: "visits-claim",
    path: "/visits",
    isLoggedIn: true,
    isViewport: true,
    async act(page) {
      await page.getByRole("article").getByRole("button").first().click();
      await page.getByRole("dialog").waitFor();
    },
  },
  { name: "stores-filters", path: "/stores", isViewport: true, act: openFilters },
  { name: "buy-visitor", path: "/stores", isViewport: true, prepare: manyTokens, act: openBuyDialog },
  { name: "redirect-visitor", path: "/redirect/1" },
  { name: "redirect-direct", path: "/redirect/1", isLoggedIn: true },
  { name: "redirect-user", path: "/redirect/1", isLoggedIn: true, prepare: live },
  { name: "dashboard-login", path: "/dashboard" },
  { name: "dashboard-situations", path: "/dashboard", isLoggedIn: true, prepare: addAllSituations },
  { name: "dashboard-figure", path: "/dashboard?figure=to_offset", isLoggedIn: true, prepare: addAllSituations },
  { name: "dashboard-full", path: "/dashboard", isLoggedIn: true, prepare: fill },
  { name: "dashboard-records", path: "/dashboard", isLoggedIn: true, prepare: fillRecords },
  { name: "dashboard-live", path: "/dashboard", isLoggedIn: true, prepare: live },
  { name: "admin", path: "/admin", ...ADMIN, act: seePanel },
  {
    name: "admin-store",
    path: "/admin?tab=stores",
    ...ADMIN,
    act: (page) => page.getByRole("tabpanel").getByRole("listitem").getByRole("button").first().click(),
  },
  { name: "admin-store-new", path: "/admin?tab=stores&row=1", ...ADMIN, prepare: bareStore, act: seeSteps },
  { name: "admin-tokens", path: "/admin?tab=fan-tokens", ...ADMIN, act: seePanel },
  ...PANEL_LISTS.flatMap(({ name, path, call, answer }) => {
    const shot = { path: `/admin?${path}`, ...ADMIN, act: seePanel };
    const withAnswer = (response: Parameters<FixtureServer["answer"]>[1]) => (server: FixtureServer) => {
      fillOwnersPanel(server);
      server.answer(`GET /api/admin/${call}`, response);
    };
    return [
      { ...shot, name: `panel-${name}`, prepare: fillOwnersPanel },
      { ...shot, name: `panel-${name}-empty`, prepare: withAnswer({ body: answer ?? NO_ROWS }) },
      { ...shot, name: `panel-${name}-loading`, isLoading: true, prepare: withAnswer("hang") },
      { ...shot, name: `panel-${name}-away`, prepare: withAnswer({ status: 503, body: AWAY }) },
    ];
  }),
  { name: "admin-many", path: "/admin?view=purchases", ...ADMIN, prepare: fillLongList, act: seePanel },
  ...PANEL_STEPS.map(([name, path, ...buttons]) => ({
    name: `panel-${name}`,
    path: `/admin?${path}`,
    ...ADMIN,
    isViewport: true,
    prepare: fillOwnersPanel,
    async act(page: Page) {
      for (const button of buttons) await page.getByRole("button", { name: button }).first().click();
      await page.getByRole("dialog").last().waitFor();
    },
  })),
  {
    name: "panel-claim-match-chosen",
    path: "/admin?view=claims",
    ...ADMIN,
    isViewport: true,
    prepare: fillOwnersPanel,
    async act(page) {
      await page
        .getByRole("button", { name: /^Ligar a uma venda/ })
        .first()
        .click();
      await page.getByRole("radio").first().check();
      await seePreview(page);
    },
  },
  {
    name: "panel-rate-accept",
    path: "/admin?view=sales",
    ...ADMIN,
    isViewport: true,
    prepare(server) {
      fillOwnersPanel(server);
      const rate = { currency: "EUR", day: "2026-11-20", rate: "6.95", previous: "6.15" };
      const networks = { failing: [], unread_rows: [], doubtful_rates: [rate], preview: preview(12) };
      server.answer("GET /api/admin/networks", { body: { success: true, ...networks } });
    },
    async act(page) {
      await page.getByRole("button", { name: "Aceitar cotação" }).click();
      await seePreview(page);
    },
  },
  { name: "panel-overview", path: "/admin", ...ADMIN, prepare: fillOwnersPanel, act: seePanel },
  { name: "panel-settings", path: "/admin?tab=settings", ...ADMIN, prepare: fillOwnersPanel, act: seePanel },
  { name: "offline", path: "/offline.html" },
];

const seePreview = (page: Page) => page.getByRole("region", { name: "O que isto muda" }).scrollIntoViewIfNeeded();

/** Resizes the viewport to the whole page, so that elements fixed to an edge are at the page's edge. */
async function seeWholePage(page: Page, width: number): Promise<void> {
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height });
  await page.locator("[aria-labelledby=club-question] [data-skeleton]").waitFor({ state: "detached" });
}

function forDays(server: FixtureServer): void {
  boost(server, 4 * 86_400_000);
}

function forHours(server: FixtureServer): void {
  boost(server, 5 * 3_600_000 + 60_000);
}

function fillPercents(server: FixtureServer): void {
  fillOwnersPanel(server);
  const rows = [
    percentApproval(2, {}),
    percentApproval(1, { kind: "category", category: "Camisas", from_percent: "5" }),
  ];
  server.answer("GET /api/admin/percent-approvals", { body: { success: true, rows, next_before: null, total: 2 } });
}

/** A store that was only named. */
function bareStore(server: FixtureServer): void {
  fillOwnersPanel(server);
  const [store] = server.stores;
  if (store)
    Object.assign(store, {
      affiliate_link: null,
      logo: null,
      cashback_min: 0,
      cashback_max: 0,
      cashbacks: [],
      is_draft: true,
    });
}

function seeSteps(page: Page): Promise<void> {
  return page.getByRole("region", { name: "O que falta" }).waitFor();
}

function fillBoosts(server: FixtureServer): void {
  forDays(server);
  const boosts = (["waiting", "planned", "running", "over", "refused", "withdrawn"] as const).map((state, id) =>
    boostRow(9 - id, { state }),
  );
  server.answer("GET /api/admin/stores/1/boosts", { body: { success: true, boosts, next_before: null } });
}

function withContact(server: FixtureServer): void {
  server.config.support_contact = "ajuda@loja.example";
}

/** Only phones show them in a sheet. */
async function openFilters(page: Page): Promise<void> {
  const button = page.locator("main label:has([type=search]) + .button");
  if ((await button.count()) > 0) await button.click();
}

function pressHero(page: Page): Promise<void> {
  return page.getByRole("main").getByRole("button").first().click();
}

async function connectByHero(page: Page): Promise<void> {
  await pressHero(page);
  await page.locator("[data-sonner-toast]").first().waitFor();
}

function manyTokens(server: FixtureServer): void {
  const names = ["Barcelona", "Juventus", "Atlético Mineiro", "Flamengo", "Corinthians", "Independiente"];
  server.tokens.push(
    ...names.map((name, index) => ({
      id: index + 10,
      name,
      slug: name.slice(0, 4).toLowerCase(),
      image: "",
      symbol: name.slice(0, 4).toUpperCase(),
      contract: null,
    })),
  );
}

function seePanel(page: Page): Promise<void> {
  return page.getByRole("tabpanel").first().waitFor();
}

/** A picture with the shape and detail of the contract's. */
const ART = `data:image/svg+xml;base64,${btoa('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600 600"><rect width="600" height="600" fill="#0b3d2e"/><rect x="60" y="90" width="480" height="420" rx="24" fill="#f7f4ea"/><rect x="60" y="390" width="480" height="120" fill="#0a6b3d"/><text x="100" y="320" font-family="sans-serif" font-size="150" font-weight="700" fill="#0b3d2e">10%</text></svg>')}`;

/** 36 purchases over several months, in every state. */
function fill(server: FixtureServer): void {
  const { me } = server;
  if (!me) return;
  const stores = server.stores.map((store) => store.name);
  me.purchases = Array.from({ length: 36 }, (_, index) => {
    const date = new Date(Date.UTC(2026, 9 - Math.floor(index / 5), 28 - (index % 5) * 5)).toISOString();
    const status = index % 5 === 3 ? "cancelled" : index % 3 === 2 ? "pending" : "confirmed";
    const percent = 2.5 + (index % 4) * 1.5;
    return fixturePurchase({
      id: 36 - index,
      store: stores[index % stores.length] ?? "",
      destination: me.wallet,
      amount: `${(index + 1) * 137}.90`,
      cashback_percent: String(percent),
      cashback_amount: (((index + 1) * 137.9 * percent) / 100).toFixed(2),
      created_at: date,
      date,
      status,
    });
  });
  me.nfts = me.purchases.map((one) => fixtureNft(one, me.wallet));
  for (const nft of me.nfts) nft.metadata.image = ART;
  me.nativeBalance = "12345.678";
  me.totals = {
    total: "12034.55",
    confirmed: "11000",
    pending: "1034.55",
    paid: "9000",
    count: 36,
    confirmed_count: 21,
    pending_count: 15,
  };
}

function fillOwnersPanel(server: FixtureServer): void {
  fillPanel(server, "owner", server.me?.wallet ?? "");
}

/** The second page of many. */
function fillLongList(server: FixtureServer): void {
  fillOwnersPanel(server);
  server.answer("GET /api/admin/purchases", {
    body: { success: true, rows: manyPurchases(50), next_before: 1, total: 10_001 },
  });
}

function fillRecords(server: FixtureServer): void {
  fill(server);
  withoutNfts(server);
}

function fileName({ name }: Screen): string {
  return name.toLowerCase().replaceAll(/[^a-z]+/g, "-");
}

async function shoot(
  browser: Browser,
  server: FixtureServer,
  shot: Screen,
  language: string,
  theme: string,
  width: number,
): Promise<void> {
  server.reset();
  const wallet = testWallet({ keys: [...KEYS], ...shot.wallet });
  if (shot.wallet?.chainId) wallet.rejectNext("wallet_switchEthereumChain");
  const isLoggedIn = shot.isLoggedIn || shot.isAdmin;
  if (isLoggedIn) server.signIn(wallet.address);
  server.isAdmin = shot.isAdmin ?? false;
  shot.prepare?.(server);
  const storage = { language, theme, ...(isLoggedIn && { auth_token: SESSION_TOKEN }) };
  const { page, context, problems } = await visit(browser, {
    wallet,
    storage,
    viewport: { width, height: width < 600 ? 780 : 900 },
    reducedMotion: "reduce",
  });
  await context.clock.setFixedTime(NOW);
  await page.goto(`${server.url}${shot.path}`);
  await page.locator(".first-paint").first().waitFor({ state: "detached" });
  if (!shot.isLoading) await page.locator("h1").first().waitFor();
  await shot.act?.(page);
  // Brings lazy content into view.
  if (!shot.isViewport) await seeWholePage(page, width);
  await page.waitForFunction(
    (isLoading) => document.fonts.status === "loaded" && (isLoading || !document.querySelector("[data-skeleton]")),
    shot.isLoading ?? false,
  );
  if (!shot.isViewport) await seeWholePage(page, width);
  const file = `${fileName(shot)}-${language}-${theme}-${width}.png`;
  await page.screenshot({ path: join(folder, file), fullPage: !shot.isViewport, animations: "disabled" });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  if (overflow > 0) console.warn(`${shot.name} ${language} ${width}: ${overflow} px too wide`);
  for (const problem of problems) console.warn(`${shot.name}: ${problem}`);
  await context.close();
  if (values.against) await compare(browser, values.against, file);
}

/** A picture as a page can read it. */
const dataUrl = (path: string) => `data:image/png;base64,${readFileSync(path).toString("base64")}`;

/** Says which share of a picture's pixels differs from the earlier one's; a row that only one of them has differs whole. */
async function compare(browser: Browser, earlier: string, file: string): Promise<void> {
  if (!existsSync(join(earlier, file))) {
    console.warn(`${file}: not taken before`);
    return;
  }
  const page = await browser.newPage();
  const { share, sizes } = await page.evaluate(
    async (urls) => {
      const images = await Promise.all(urls.map(async (url) => createImageBitmap(await (await fetch(url)).blob())));
      const width = Math.max(...images.map((one) => one.width));
      const height = Math.max(...images.map((one) => one.height));
      const [before, after] = images.map((one) => {
        const canvas = new OffscreenCanvas(width, height).getContext("2d", { willReadFrequently: true });
        canvas?.drawImage(one, 0, 0);
        return new Uint32Array(canvas?.getImageData(0, 0, width, height).data.buffer ?? new ArrayBuffer(0));
      });
      const differing = before?.reduce((sum, pixel, index) => sum + (pixel === after?.[index] ? 0 : 1), 0) ?? 0;
      return { share: differing / (width * height), sizes: images.map((one) => `${one.width} × ${one.height}`) };
    },
    [join(earlier, file), join(folder, file)].map(dataUrl),
  );
  await page.close();
  if (share === 0) return;
  process.exitCode = 1;
  const [before, after] = sizes;
  console.warn(
    `${file}: ${(share * 100).toFixed(3)} % differs${before === after ? "" : `, ${before} became ${after}`}`,
  );
}

const names = SHOTS.map(fileName);
const unknown = wanted.find((name) => !names.includes(name));
if (unknown) refuseOptions(`There is no screen ${unknown}; the screens are ${names.join(", ")}`);
mkdirSync(folder, { recursive: true });
await buildWebApp();
const server = await new FixtureServer(WEB_APP).start();
const browser = await launchChromium();
try {
  for (const shot of SHOTS.filter((one) => wanted.length === 0 || wanted.includes(fileName(one)))) {
    for (const language of LANGUAGES) {
      for (const theme of THEMES) {
        for (const width of WIDTHS) await shoot(browser, server, shot, language, theme, width);
      }
    }
    console.log(fileName(shot));
  }
} finally {
  await browser.close();
  await server.stop();
}
