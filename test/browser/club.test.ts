import { expect } from "chai";
import type { Page } from "playwright-core";
import { BUILT_IN_CLUBS } from "../../core/database/built-in-clubs.ts";
import { eventually } from "../testing/until.ts";
import { fixtureMe, fixtureNft, fixturePurchase, fixtureTicket } from "./support/fixture-data.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

describe("The user's club", () => {
  const site = useSite();
  /** The home page's first section, and the head of a store's page. */
  const HERO = "main section";
  const BANNER = "main :has(> div > h1)";
  const answerClubs = (clubs: readonly object[]) =>
    site.server.answer("GET /api/clubs", { body: { success: true, clubs } });
  beforeEach(() => answerClubs(BUILT_IN_CLUBS));

  it("colours stubs and stands, puts its stores first, and stays on the device", async () => {
    const { page, problems } = await site.open("/");
    const stub = () =>
      page
        .locator(HERO)
        .first()
        .evaluate((element) => getComputedStyle(element).backgroundColor);
    await page.getByRole("heading", { name: "Qual é o seu clube?" }).waitFor();
    const before = await stub();
    await page.getByRole("button", { name: "Palmeiras" }).click();
    await page.getByRole("heading", { name: "Qual é o seu clube?" }).waitFor({ state: "detached" });
    await eventually(async () => expect(await stub()).not.to.equal(before));
    await page.getByRole("link", { name: "Lojas", exact: true }).click();
    await eventually(async () => expect(await page.getByRole("article").first().textContent()).to.include("Palmeiras"));
    await page.reload();
    await page.getByRole("button", { name: "Seu clube: Palmeiras. Trocar" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sem clube" }).click();
    // The dialog's entry of the history goes last, and would take the next page with it.
    await page.waitForFunction(() => !history.state?.dialog);
    await page.goto(site.server.url);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await eventually(async () => expect(await stub()).to.equal(before));
    expect(await page.getByRole("heading", { name: "Qual é o seu clube?" }).count()).to.equal(0);
    expect(problems).to.deep.equal([]);
  });

  const groundOf = (page: Page, selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate((element) => {
        const { backgroundColor, color } = getComputedStyle(element);
        return [backgroundColor, color];
      });
  const BLACK = "rgb(0, 0, 0)";
  const CHALK = "rgb(247, 244, 234)";

  it("draws the shirt of its row, and one with initials for a club that nobody knows", async () => {
    site.server.stores = [
      { ...site.server.stores[0], id: 1, club: "Atlético Mineiro", club_slug: "atletico-mineiro" },
      { ...site.server.stores[1], id: 2, club: "Clube Fantasma", club_slug: null },
    ] as typeof site.server.stores;
    const { page, problems } = await site.open("/");
    const shirt = page.getByRole("button", { name: "Atlético Mineiro" });
    await eventually(async () =>
      expect(
        await shirt
          .locator("svg g path")
          .evaluateAll((paths) => paths.map((one) => one.getAttribute("fill") ?? one.getAttribute("stroke"))),
      ).to.deep.equal(["#000000", "#ffffff"]),
    );
    const unknown = page.getByRole("button", { name: "Clube Fantasma" });
    expect(await unknown.locator("svg text").textContent()).to.equal("CF");
    const brand = await groundOf(page, HERO);
    await unknown.click();
    await page.getByRole("button", { name: "Seu clube: Clube Fantasma. Trocar" }).waitFor();
    expect(await groundOf(page, HERO), "no colours are made up").to.deep.equal(brand);
    await page.goto(`${site.server.url}/stores/1`);
    await eventually(async () => expect(await groundOf(page, BANNER)).to.deep.equal([BLACK, CHALK]));
    await page.goto(`${site.server.url}/stores/2`);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(await groundOf(page, BANNER)).to.deep.equal(brand);
    expect(problems).to.deep.equal([]);
  });

  it("leaves a ticket in the colours of its store's club, on the dashboard and on its own page", async () => {
    const { server } = site;
    server.answer("GET /api/nfts/7", {
      body: { success: true, data: { ...fixtureTicket("7"), club_slug: "mirassol" } },
    });
    server.answer("GET /api/nfts/7/image", { status: 404, body: {} });
    const { page } = await site.open("/ticket/7", { storage: { club: "Palmeiras" } });
    const [ground, ink] = ["rgb(255, 212, 0)", "rgb(18, 32, 26)"];
    const drawing = page.locator("main img[src^='data:']");
    const wears = async (colour: string) =>
      decodeURIComponent((await drawing.getAttribute("src")) ?? "").includes(
        `Units="userSpaceOnUse"><path fill="${colour}"`,
      );
    await eventually(async () => expect([await wears("#ffd400"), await wears("#006633")]).to.deep.equal([true, true]));
    const wallet = testWallet();
    const purchase = fixturePurchase({ id: 7 });
    const nft = { ...fixtureNft(purchase, wallet.address), club_slug: "vasco-da-gama" };
    server.me = fixtureMe(wallet.address, { nfts: [nft], purchases: [purchase] });
    const { page: own } = await site.openLoggedIn("/dashboard", { wallet, storage: { club: "Palmeiras" } });
    await eventually(async () => expect(await groundOf(own, "main article > span")).to.deep.equal([BLACK, CHALK]));
    const stored = { ...fixturePurchase({ id: 8, token_id: null }), club_slug: "mirassol" };
    server.me = fixtureMe(wallet.address, { nfts: [], purchases: [stored] });
    await own.reload();
    await eventually(async () =>
      expect(await groundOf(own, "main article > span"), "not minted").to.deep.equal([ground, ink]),
    );
  });

  it("keeps its colours without the list of clubs, follows a changed row, and forgets those of a club that went", async () => {
    const { page } = await site.open("/");
    const choose = async (name: string) => {
      await page.evaluate((club) => localStorage.setItem("club", club), name);
      await page.reload();
      await page.getByRole("heading", { level: 1 }).waitFor();
    };
    await choose("Verdão");
    await eventually(async () => expect(await groundOf(page, HERO)).to.deep.equal(["rgb(0, 100, 55)", CHALK]));
    await page.route("**/api/clubs", (route) => route.abort());
    await choose("Verdão");
    expect(await groundOf(page, HERO), "as last seen").to.deep.equal(["rgb(0, 100, 55)", CHALK]);
    await page.unroute("**/api/clubs");
    answerClubs(
      BUILT_IN_CLUBS.map((one) =>
        one.slug === "palmeiras" ? { ...one, colours: ["#ffd400", "#006633"], pattern: "zigzag" } : one,
      ),
    );
    await choose("Verdão");
    await eventually(async () =>
      expect(await groundOf(page, HERO)).to.deep.equal(["rgb(255, 212, 0)", "rgb(18, 32, 26)"]),
    );
    answerClubs(BUILT_IN_CLUBS.map((one) => ({ ...one, colours: ["red;}", "url(x)"] })));
    await choose("Verdão");
    await eventually(async () => expect(await groundOf(page, HERO)).to.deep.equal(["rgb(11, 61, 46)", CHALK]));
    await page.evaluate(() => localStorage.setItem("club_colours", "red;} x"));
    await choose("Verdão");
    expect(await groundOf(page, HERO)).to.deep.equal(["rgb(11, 61, 46)", CHALK]);
  });
});
