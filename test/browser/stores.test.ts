import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../testing/until.ts";
import { fixtureStores } from "./support/fixture-data.ts";
import { useSite } from "./support/site.ts";
import { boost } from "./support/states.ts";

const english = (storage: Record<string, string> = {}) => ({ storage: { language: "en", ...storage } });

describe("Stores", () => {
  const site = useSite();
  /** Waits until exactly these stores, or so many, are listed. */
  const lists = (page: Page, stores: readonly string[] | number) =>
    eventually(async () => {
      const names = await page.getByRole("article").getByRole("heading").allTextContents();
      if (typeof stores === "number") expect(names).to.have.length(stores);
      else expect(names).to.have.members(stores);
    });
  const buyAt = (page: Page, store: string) =>
    page
      .getByRole("article")
      .filter({ hasText: store })
      .getByRole("button", { name: /Buy now/ })
      .click();

  it("badges a store that pays more for a time, and asks for it again when that is over", async () => {
    boost(site.server, 62 * 60_000);
    const { page, problems } = await site.open("/stores/1", { ...english(), hasOwnClock: true });
    await page.getByText("Boosted: ends in 1 h", { exact: true }).waitFor();
    const rates = page.getByRole("main").locator("dl");
    expect(await rates.locator("dd").allTextContents()).to.deep.equal(["Before:5% 10%", "Before:3.5% 10%"]);
    await page.getByRole("button", { name: "Buy now" }).click();
    await page.getByRole("dialog").getByText("Boosted: ends in 1 h", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await page.clock.fastForward(10 * 60_000);
    await page.getByText("Boosted: ends in 52 min", { exact: true }).waitFor();
    site.server.stores = fixtureStores();
    await page.clock.fastForward(53 * 60_000);
    await page.locator("main :has(> div > h1)").getByText("5%", { exact: true }).waitFor();
    expect(await page.locator(".badge-boost").count()).to.equal(0);
    expect(problems).to.deep.equal([]);
  });

  it("names the last day of a boost in São Paulo, wherever it is read", async () => {
    const end = new Date(Date.now() + 3 * 86_400_000).setUTCHours(2, 59, 0, 0);
    boost(site.server, end - Date.now());
    const { page } = await site.open("/stores/1", { timezoneId: "Europe/Lisbon" });
    const options = { weekday: "long", day: "2-digit", month: "2-digit", timeZone: "America/Sao_Paulo" } as const;
    const day = new Intl.DateTimeFormat("pt-BR", options).format(end);
    await page.getByText(`Turbinado até ${day}`, { exact: true }).waitFor();
  });

  it("leaves a boosted store's name on one line of a phone, and its button last", async () => {
    boost(site.server, 62 * 60_000);
    const { page } = await site.open("/stores", { viewport: { width: 360, height: 900 } });
    const card = page.getByRole("article").filter({ has: page.locator(".badge-boost") });
    await card.getByRole("heading").waitFor();
    const boxes = (parts: string) =>
      card.locator(parts).evaluateAll((found) => found.map((one) => one.getBoundingClientRect().toJSON()));
    await eventually(async () => expect((await boxes("h2"))[0].height).to.be.below(40));
    const [badge, worth, button] = await boxes(".badge-boost, p.figures, .button");
    expect([badge.bottom < worth.top, worth.bottom < button.top]).to.deep.equal([true, true]);
  });

  it("lines up the tear lines of a row's cards, with a range of percents or without", async () => {
    const { page } = await site.open("/stores", { ...english(), viewport: { width: 1440, height: 900 } });
    await lists(page, 8);
    const lines = () =>
      page
        .getByRole("article")
        .evaluateAll((cards) =>
          cards.slice(0, 4).map((card) => card.querySelector(".perforation")?.getBoundingClientRect().top),
        );
    await eventually(async () => expect(new Set(await lines()).size).to.equal(1));
  });

  it("lines up the names of a row's cards, with a boosted store among them", async () => {
    boost(site.server, 4 * 86_400_000);
    const { page } = await site.open("/stores", { ...english(), viewport: { width: 1440, height: 900 } });
    await page.locator("article .badge-boost").waitFor();
    const names = () =>
      page
        .getByRole("article")
        .getByRole("heading")
        .evaluateAll((found) => found.slice(0, 4).map((name) => name.getBoundingClientRect().top));
    await eventually(async () => expect(new Set(await names()).size).to.equal(1));
  });

  it("is in the reader's language, keeps a filter when it changes, and finds words of both languages", async () => {
    const { page } = await site.open("/stores", english());
    await page.getByLabel("Category").selectOption({ label: "Travel" });
    await lists(page, ["Apito Viagens"]);
    await page.getByRole("button", { name: "Português" }).click();
    await eventually(async () =>
      expect(await page.getByLabel("Categoria").locator("option:checked").textContent()).to.equal("Viagens"),
    );
    await lists(page, ["Apito Viagens"]);
    await page.getByText("Hotel e passagem para ver o jogo de perto.").waitFor();
    await page.getByRole("button", { name: "Limpar filtros" }).click();
    await page.getByLabel("Buscar").fill("roasted");
    await lists(page, ["Terrace Coffee"]);
  });

  it("keeps the search that is typed when the server cannot be reached", async () => {
    const { page, context } = await site.open("/stores", english());
    await lists(page, 8);
    await context.setOffline(true);
    await page.getByLabel("Search").pressSequentially("verdao");
    await page.getByText("You are offline. When the connection is back, try again.").waitFor();
    await page.keyboard.type(" st");
    expect(await page.getByLabel("Search").inputValue()).to.equal("verdao st");
    await context.setOffline(false);
    await lists(page, ["Verdão Store"]);
  });

  it("says that there are no stores yet where the catalogue is empty, and leads on", async () => {
    site.server.stores = [];
    const { page } = await site.open("/stores", english());
    await page.getByText("There are no stores here yet. Come back soon.").waitFor();
    expect(await page.getByRole("button", { name: "Clear filters" }).count()).to.equal(0);
    await page.getByRole("main").getByRole("button", { name: "How it works" }).click();
    await page.getByRole("heading", { level: 1, name: "How it works" }).waitFor();
  });

  it("has a page of its own for each store, and favourites that stay on the device", async () => {
    const { page, problems } = await site.open("/stores", english());
    await page.getByRole("checkbox", { name: "Mark Verdão Store as a favourite" }).check();
    await page.getByRole("button", { name: "Favourites only (1)" }).click();
    await lists(page, ["Verdão Store"]);
    await page.reload();
    await page.getByRole("link", { name: "Verdão Store" }).click();
    await page.getByRole("heading", { level: 1, name: "Verdão Store" }).waitFor();
    await page.getByRole("checkbox", { name: "Mark Verdão Store as a favourite", checked: true }).waitFor();
    await page.getByText(/you receive up to/).waitFor();
    await page.goto(`${site.server.url}/stores/3`);
    await page.getByText("On a purchase of R$100.00 you receive", { exact: true }).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Buy now" }).click();
    const login = page.getByRole("dialog").getByRole("button", { name: "Log in and earn" });
    expect(await login.getAttribute("href")).to.equal("/auth?next=%2Fstores%2F1%3Fbuy");
    await page.goto(`${site.server.url}/stores/999`);
    await page.getByRole("heading", { name: "404" }).waitFor();
    await page.getByText(/^There is no such store/).waitFor();
    await page.getByRole("button", { name: "All stores" }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("is asked for while its code is fetched, begins at its top, and leads back to where the list was left", async () => {
    const { page, problems } = await site.open("/stores", { ...english(), viewport: { width: 360, height: 740 } });
    await page.getByRole("link", { name: "Verdão Store" }).waitFor();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/assets/store-page-*.js", async (call) => {
      await released;
      await call.continue();
    });
    await page.evaluate(() => scrollTo(0, 900));
    const left = await page.evaluate(() => scrollY);
    expect(left).to.be.above(300);
    const link = page.locator("main a[href^='/stores/']").last();
    const path = await link.getAttribute("href");
    // Not by the mouse, which would fetch the code first.
    await link.evaluate((one) => (one as HTMLElement).click());
    await eventually(async () => expect(site.server.callsTo(`GET /api${path}`)).to.have.length(1));
    expect(await page.locator("h1:visible").count()).to.equal(0);
    release();
    await page.getByRole("button", { name: "Buy now" }).waitFor();
    expect(await page.evaluate(() => scrollY)).to.equal(0);
    expect(site.server.callsTo(`GET /api${path}`)).to.have.length(1);
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Partner stores" }).waitFor();
    expect(await page.evaluate(() => scrollY)).to.equal(left);
    expect(problems).to.deep.equal([]);
  });

  it("shows skeletons before any of its code has loaded", async () => {
    const { page, context } = await site.open("/auth");
    await context.route("**/assets/*.js", () => {});
    for (const path of ["/stores", "/auth", "/dashboard"]) {
      await page.goto(site.server.url + path, { waitUntil: "commit" });
      await page.locator(".first-paint .skeleton").first().waitFor();
    }
  });

  it("shows its first words in the user's language before any of its code has loaded", async () => {
    const { page, context } = await site.open("/");
    await context.route("**/assets/*.js", () => {});
    for (const [path, shown, hidden] of [
      ["/stores?lang=en", "Partner stores", "Lojas parceiras"],
      ["/stores?lang=pt", "Lojas parceiras", "Partner stores"],
    ] as const) {
      await page.goto(site.server.url + path, { waitUntil: "commit" });
      await page.locator(".first-paint").getByText(shown).first().waitFor();
      expect(await page.locator(".first-paint").getByText(hidden).first().isVisible()).to.equal(false);
    }
  });

  it("keeps three columns of tiles on the narrowest phone", async () => {
    const { page } = await site.open("/stores", { ...english(), viewport: { width: 320, height: 640 } });
    await buyAt(page, "Mercado da Bola");
    const columns = await page
      .getByRole("radiogroup")
      .locator("div")
      .evaluate((grid) => getComputedStyle(grid).gridTemplateColumns.split(" ").length);
    expect(columns).to.equal(3);
  });

  it("allows buying by keyboard only, and Escape returns the focus", async () => {
    const { page } = await site.openLoggedIn("/stores", english());
    const buy = page
      .getByRole("article")
      .filter({ hasText: "Verdão Store" })
      .getByRole("button", { name: /Buy now/ });
    await buy.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByText("Total bonus").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await eventually(async () =>
      expect(await buy.evaluate((element) => element === document.activeElement)).to.equal(true),
    );
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.activeElement?.closest('[role="dialog"]'));
    await page.getByRole("radio").first().press("ArrowRight");
    await page.waitForFunction(() => document.querySelectorAll<HTMLInputElement>("[type=radio]")[1]?.checked);
    const proceed = page.getByRole("button", { name: "Proceed" });
    for (
      let press = 0;
      press < 8 && !(await proceed.evaluate((element) => element === document.activeElement));
      press++
    ) {
      await page.keyboard.press("Tab");
    }
    await page.keyboard.press("Enter");
    await page.waitForURL("**/redirect/1");
    expect(site.server.callsTo("POST /api/register-purchase")[0]?.body.token_slug).to.equal("psg");
  });
});
