import { expect } from "chai";
import { testWallet } from "../../browser/support/test-wallet.ts";
import { eventually } from "../../testing/until.ts";
import type { ComponentPage as Page } from "./support/component-site.ts";
import { useComponents } from "./support/component-site.ts";

const english = (storage: Record<string, string> = {}) => ({ storage: { language: "en", ...storage } });

describe("Stores", () => {
  const site = useComponents();
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
});
