import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../testing/until.ts";
import { fixtureStores } from "./support/fixture-data.ts";
import { useSite } from "./support/site.ts";
import { boost } from "./support/states.ts";
import { testWallet } from "./support/test-wallet.ts";

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

  it("shows every store with its facts", async () => {
    const { page, problems } = await site.open("/stores", english());
    const card = page.getByRole("article").filter({ hasText: "Boutique Parisienne" });
    await card.waitFor();
    for (const text of ["Sportswear", "France", "Paris Saint-Germain", "7%"]) {
      await card.getByText(text, { exact: true }).first().waitFor();
    }
    await lists(page, 8);
    expect(problems).to.deep.equal([]);
  });

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

  it("shows more than a page of stores on request, and finds one of a later page by its name", async () => {
    const [first] = site.server.stores;
    if (!first) throw new Error("No stores");
    site.server.stores = Array.from({ length: 60 }, (_, index) => ({
      ...first,
      id: index + 1,
      name: `Loja ${String(index + 1).padStart(2, "0")}`,
    }));
    const { page, problems } = await site.open("/stores", english());
    await lists(page, 24);
    const more = page.getByRole("button", { name: "Show more stores" });
    await more.click();
    await lists(page, 48);
    await more.click();
    await lists(page, 60);
    expect(await more.count()).to.equal(0);
    await page.getByRole("searchbox").fill("loja 59");
    await lists(page, ["Loja 59"]);
    expect(problems).to.deep.equal([]);
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

  it("offers sorted, distinct options, filters by them, and keeps the filter in the URL", async () => {
    const { page } = await site.open("/stores", english());
    const country = page.getByLabel("Country");
    await country.waitFor();
    await eventually(async () =>
      expect((await country.locator("option").allTextContents()).slice(1)).to.deep.equal([
        "Brazil",
        "France",
        "Italy",
        "Portugal",
        "Spain",
        "United Kingdom",
      ]),
    );
    await country.selectOption("Brasil");
    await lists(page, ["Verdão Store", "Mercado da Bola", "Gramado Eletrônicos"]);
    await page.getByRole("combobox", { name: /^Club/ }).selectOption("Palmeiras");
    await lists(page, ["Verdão Store"]);
    await page.reload();
    await lists(page, ["Verdão Store"]);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await lists(page, 8);
  });

  it("offers each category, and the user's club, as a chip that holds the filter's own choice", async () => {
    const { page } = await site.open("/stores", english({ club: "Palmeiras" }));
    const chips = page.getByRole("list", { name: "Shortcuts" });
    await chips.getByRole("button", { name: "Your club's: Palmeiras" }).click();
    await lists(page, ["Verdão Store"]);
    expect(new URL(page.url()).searchParams.get("club")).to.equal("Palmeiras");
    await chips.getByRole("button", { name: "Your club's: Palmeiras", pressed: true }).click();
    await chips.getByRole("button", { name: "Travel" }).click();
    await lists(page, ["Apito Viagens"]);
    expect(await page.getByLabel("Category").inputValue()).to.equal("Viagens");
    await page.getByLabel("Category").selectOption("");
    await chips.getByRole("button", { name: "Travel", pressed: false }).waitFor();
    await lists(page, 8);
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

  it("says what earns no cashback, on the store's page and before buying", async () => {
    const { page } = await site.open("/stores/4", english());
    const excluded = page.getByRole("region", { name: "What earns no cashback" });
    await excluded.getByText("No cashback on phones, consoles or gift cards.").waitFor();
    await page.getByRole("region", { name: "Cashback by category" }).getByText("Sound").waitFor();
    await page.getByRole("button", { name: "Buy now" }).click();
    await page.getByRole("dialog").getByText("No cashback on phones, consoles or gift cards.").waitFor();
  });

  it("calls the conversion an estimate while today's rate is not known", async () => {
    site.server.config = { ...site.server.config, is_rate_known: false };
    const { page } = await site.open("/stores/4", english());
    await page.getByRole("button", { name: "Buy now" }).click();
    await page.getByRole("dialog").getByText("Today's rate is not known yet").waitFor();
  });

  it("keeps every letter that is typed into the search", async () => {
    const { page } = await site.open("/stores", english());
    await page.getByLabel("Search").pressSequentially("verdao st");
    expect(await page.getByLabel("Search").inputValue()).to.equal("verdao st");
    await lists(page, ["Verdão Store"]);
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

  it("hides the club filter if no store has a club", async () => {
    site.server.stores = site.server.stores.map((store) => ({ ...store, club: null }));
    const { page } = await site.open("/stores", english());
    await page.getByLabel("Country").waitFor();
    expect(await page.getByRole("combobox", { name: /^Club/ }).count()).to.equal(0);
  });

  it("says that no store was found, with a hint", async () => {
    const { page } = await site.open("/stores?country=Brasil&category=Viagens", english());
    await page.getByText("No stores found").waitFor();
    await page.getByText("Adjust the filters or the search to see other stores.").waitFor();
    await page.getByRole("button", { name: "Clear filters" }).click();
    await lists(page, 8);
  });

  it("says that there are no stores yet where the catalogue is empty, and leads on", async () => {
    site.server.stores = [];
    const { page } = await site.open("/stores", english());
    await page.getByText("There are no stores here yet. Come back soon.").waitFor();
    expect(await page.getByRole("button", { name: "Clear filters" }).count()).to.equal(0);
    await page.getByRole("main").getByRole("button", { name: "How it works" }).click();
    await page.getByRole("heading", { level: 1, name: "How it works" }).waitFor();
  });

  it("offers no store without a link or a percent, on this page or among the featured ones", async () => {
    const [noLink, noRate] = site.server.stores;
    if (!noLink || !noRate) throw new Error("no stores");
    Object.assign(noLink, { is_draft: true, affiliate_link: null, featured: true });
    Object.assign(noRate, {
      is_draft: true,
      cashbacks: [],
      cashback_max: 0,
      max_cashback: 0,
      cashback_min: 0,
      featured: true,
    });
    const { page } = await site.open("/stores", english());
    await page.getByRole("heading", { name: site.server.stores[2]?.name ?? "" }).waitFor();
    for (const { name } of [noLink, noRate]) expect(await page.getByRole("heading", { name }).count()).to.equal(0);
    await page.getByRole("link", { name: "Home" }).click();
    await page.getByRole("heading", { name: "Featured stores" }).waitFor();
    // Samples stand there until the featured stores have arrived.
    for (const { name } of [noLink, noRate])
      await eventually(async () =>
        expect(await page.getByRole("main").getByText(name, { exact: true }).count()).to.equal(0),
      );
  });

  it("leads with what the buyer receives, by token and category", async () => {
    const wallet = testWallet();
    const { page } = await site.openLoggedIn("/stores", { wallet, ...english() });
    await buyAt(page, "Verdão Store");
    const dialog = page.getByRole("dialog");
    const receive = dialog.locator("div[aria-live]");
    const store = site.server.stores.find((one) => one.name === "Verdão Store");
    const highest = Number(store?.max_cashback) + 4;
    await receive.getByText(`R$${highest.toFixed(2)}`).waitFor();
    await receive.getByText(new RegExp(`${highest}%\\s· ${highest.toFixed(2)} CHZ`)).waitFor();
    await dialog.getByRole("radio", { name: /PSG/ }).check();
    await receive.getByText(`R$${(highest - 4).toFixed(2)}`).waitFor();
    const lowest = store?.cashbacks.toSorted((a, b) => Number(a.cashback_percent) - Number(b.cashback_percent))[0];
    await receive.getByRole("combobox").selectOption(lowest?.category ?? "");
    await receive.getByText(`R$${Number(lowest?.cashback_percent).toFixed(2)}`).waitFor();
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

  it("keep the favourites that were marked last, where they are more than one list has", async () => {
    const marked = Array.from({ length: 100 }, (_, index) => String(1_000 + index));
    const favourites = JSON.stringify([...marked, "1"]);
    const { page } = await site.open("/stores", english({ favourite_stores: favourites }));
    await page.getByRole("button", { name: "Favourites only (100)" }).click();
    await lists(page, ["Verdão Store"]);
    const asked = site.server.callsTo("GET /api/stores").at(-1)?.query.ids?.split(",");
    expect(asked).to.deep.equal([...marked.slice(1), "1"]);
  });

  it("opens the buy dialog again after a login from it, once", async () => {
    const wallet = testWallet();
    site.server.signIn(wallet.address);
    const { page, problems } = await site.open("/stores", { wallet, ...english() });
    await buyAt(page, "Verdão Store");
    await page.getByRole("dialog").getByRole("button", { name: "Log in and earn" }).click();
    await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
    const dialog = page.getByRole("dialog", { name: "Buy at Verdão Store" });
    await dialog.getByRole("button", { name: "Proceed", disabled: false }).waitFor();
    await page.waitForFunction(() => history.state?.dialog);
    expect(page.url()).to.equal(`${site.server.url}/stores/1`);
    await page.goBack();
    await dialog.waitFor({ state: "detached" });
    await page.waitForFunction(() => !history.state?.dialog);
    expect(page.url()).to.equal(`${site.server.url}/stores/1`);
    await page.reload();
    await page.getByRole("button", { name: "Buy now" }).waitFor();
    expect(await dialog.count()).to.equal(0);
    expect(problems).to.deep.equal([]);
  });

  it("says on a store's page how long it usually takes, where that is known", async () => {
    site.server.config = { ...site.server.config, simulated: false };
    site.server.answer("GET /api/stores/1/pace", {
      body: { success: true, pace: { report: 2, confirm: 30, pay: 1 } },
    });
    const { page } = await site.open("/stores/1", english());
    await page.getByText("Usually pays within 33 days of the purchase.").waitFor();
    for (const step of [/reports it within 2 days\./, /usually takes 30 days\./, /arrives within 1 day\./]) {
      await page.getByRole("listitem").filter({ hasText: step }).waitFor();
    }
    await page.goto(`${site.server.url}/stores/2`);
    await page.getByText("What earns no cashback").waitFor();
    expect(await page.getByText(/usually/i).count()).to.equal(0);
  });

  it("finds a store by its description and its categories", async () => {
    const { page } = await site.open("/stores", english());
    await page.getByLabel("Search").fill("cafe torrado");
    await page.getByText("1 store", { exact: true }).waitFor();
    await page.getByRole("heading", { name: "Terrace Coffee" }).waitFor();
    await page.getByLabel("Search").fill("passagens");
    await page.getByRole("heading", { name: "Apito Viagens" }).waitFor();
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

  it("shows a loading state first", async () => {
    site.server.answer("GET /api/stores", "hang");
    const { page } = await site.open("/stores", english());
    await page.locator("[data-skeleton]").first().waitFor();
  });

  it("never shows an error as an empty list, and offers a retry", async () => {
    site.server.answer("GET /api/stores", { status: 503, text: "<html>" });
    const { page } = await site.open("/stores", english());
    await page.getByText("API Error: 503 Service Unavailable").waitFor();
    expect(await page.getByText("No stores found").count()).to.equal(0);
    site.server.answer("GET /api/stores", undefined);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Verdão Store" }).waitFor();
  });

  it("records the purchase of 100 with the chosen token, and goes to the redirect page", async () => {
    const wallet = testWallet();
    const { page, problems } = await site.openLoggedIn("/stores", { wallet, ...english() });
    await buyAt(page, "Verdão Store");
    const dialog = page.getByRole("dialog");
    // The best stands first and is chosen.
    await eventually(async () => {
      expect(await dialog.getByRole("radio").first().isChecked()).to.equal(true);
      expect(await dialog.getByRole("radio", { name: /VERDAO/ }).isChecked()).to.equal(true);
    });
    await dialog.getByText("+4%").first().waitFor();
    await dialog.getByRole("button", { name: "Proceed" }).click();
    await page.waitForURL("**/redirect/1");
    expect(site.server.callsTo("POST /api/register-purchase")[0]?.body).to.deep.equal({
      user: wallet.address,
      store_id: 1,
      amount: 100,
      token_slug: "verdao",
    });
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(problems).to.deep.equal([]);
  });

  it("gives no bonus if the token is not of the store's club", async () => {
    const { page } = await site.openLoggedIn("/stores", english());
    await buyAt(page, "Mercado da Bola");
    const total = page.getByRole("dialog").getByRole("definition").last();
    await eventually(async () => expect(await total.textContent()).to.equal("+0%"));
  });

  it("tells a visitor without a session that nothing is recorded, and records nothing", async () => {
    const { page } = await site.open("/stores", english());
    await buyAt(page, "Mercado da Bola");
    await page
      .getByRole("dialog")
      .getByText(/without logging in|not logged in/i)
      .waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Without cashback" }).click();
    await page.waitForURL("**/redirect/3");
    expect(site.server.callsTo("POST /api/register-purchase")).to.have.length(0);
  });

  it("shows a spinner, then says that there are no tokens, and offers to continue without a bonus", async () => {
    const release = site.server.hold("GET /api/fan-tokens", { body: { success: true, data: [] } });
    const { page } = await site.openLoggedIn("/stores", english());
    await buyAt(page, "Mercado da Bola");
    await page.getByRole("dialog").locator(".spinner").waitFor();
    release();
    await page
      .getByRole("dialog")
      .getByText(/no fan tokens/i)
      .waitFor();
    await page.getByRole("button", { name: "Proceed", disabled: true }).waitFor();
    await page.getByRole("button", { name: "Continue without bonus" }).click();
    await page.waitForURL("**/redirect/3");
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

  it("says why a purchase was not recorded, and stays", async () => {
    site.server.answer("POST /api/register-purchase", {
      status: 409,
      body: { success: false, error: "Store 3 is closed" },
    });
    const { page } = await site.openLoggedIn("/stores", english());
    await buyAt(page, "Mercado da Bola");
    await page.getByRole("button", { name: "Proceed" }).click();
    await page.getByText("Store 3 is closed").waitFor();
    expect(page.url()).to.match(/\/stores$/);
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
