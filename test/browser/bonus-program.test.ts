import { expect } from "chai";
import { eventually } from "../testing/until.ts";
import { useSite } from "./support/site.ts";

const ENGLISH = { storage: { language: "en" } };

/** `BONUS_PROGRAM=tiers`: the program of the home page is active, and every page that states the rules follows it. */
describe("The bonus program", () => {
  const site = useSite();

  it("is `club` by default: the home page's tiers are illustrative", async () => {
    const { page } = await site.open("/", ENGLISH);
    await page.getByText("Illustrative figures.").waitFor();
    await page.getByRole("link", { name: "See the rule that applies today" }).click();
    await page.getByText(/the fan token of the store's club earns 2%/).waitFor();
  });

  describe("of tiers", () => {
    beforeEach(() => {
      site.server.config.bonus_program = "tiers";
    });

    it("is named as the rule on the home page and in the questions", async () => {
      const { page } = await site.open("/", ENGLISH);
      await page.getByText("This is the rule that applies today.").waitFor();
      expect(await page.getByText("Illustrative figures.").count()).to.equal(0);
      await page.getByRole("link", { name: "See the rule that applies today" }).click();
      await page.getByText(/holding any fan token earns 1%/).waitFor();
      expect(await page.getByRole("main").textContent()).not.to.include("10, 30 or 50");
    });

    it("is what the buy dialog computes", async () => {
      const { page } = await site.openLoggedIn("/stores", ENGLISH);
      const total = page.getByRole("dialog").getByRole("definition").last();
      const buyAt = (store: string) =>
        page.getByRole("article").filter({ hasText: store }).getByRole("button", { name: "Buy now" }).click();
      // 50 VERDAO: 1% anywhere, 3% at the club's store.
      await buyAt("Mercado da Bola");
      await page.getByRole("radio", { name: /VERDAO/ }).check();
      await eventually(async () => expect(await total.textContent()).to.equal("+1%"));
      await page.keyboard.press("Escape");
      await buyAt("Verdão Store");
      await page.getByRole("radio", { name: /VERDAO/ }).check();
      await eventually(async () => expect(await total.textContent()).to.equal("+3%"));
    });

    it("gives the dashboard's badges: gold above 100, basic above nothing", async () => {
      const { page } = await site.openLoggedIn("/dashboard", ENGLISH);
      if (site.server.me) site.server.me.tokens = [{ symbol: "VERDAO", balance: "100.5", decimals: 0, contract: "" }];
      await page.getByRole("button", { name: "Refresh wallet data" }).click();
      await page.getByText("Gold +5%").waitFor();
      const row = (symbol: string) => page.getByRole("row").filter({ hasText: symbol }).textContent();
      expect(await row("VERDAO")).to.include("Highest tier");
      expect(await row("PSG"))
        .to.include("No tier")
        .and.to.include("More than 100 tokens earn +5%");
      await page.getByText("3% extra with tokens of the store's club.").waitFor();
    });
  });
});
