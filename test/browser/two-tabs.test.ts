import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../testing/until.ts";
import { fixturePurchase } from "./support/fixture-data.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

/** What is done in one tab of a browser, and what the other one then shows without a reload. */
describe("Two tabs @deep", () => {
  const site = useSite();
  const ENGLISH = { storage: { language: "en", theme: "light" } };
  const themeOf = (page: Page) => page.evaluate(() => document.documentElement.dataset.theme);
  /** As the browser tells a tab that it is looked at again. */
  const lookAt = (page: Page) =>
    page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));

  it("share a login and its end", async () => {
    const wallet = testWallet();
    site.server.registered.add(wallet.address.toLowerCase());
    const { page, context } = await site.open("/auth", { wallet, ...ENGLISH });
    const other = await context.newPage();
    await other.goto(`${site.server.url}/visits`);
    await other.getByRole("main").getByRole("button", { name: "Go to login" }).waitFor();
    await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
    await page.waitForURL("**/dashboard");
    await other.getByRole("button", { name: "Log out" }).waitFor();
    await other.getByRole("heading", { level: 2 }).first().waitFor();
    await other.getByRole("button", { name: "Log out" }).click();
    await page.waitForURL(/\/auth/);
    await page.getByRole("button", { name: "Log in with a signature" }).waitFor();
  });

  it("share the language, the theme, the club and the favourite stores", async () => {
    const { page, context } = await site.open("/stores", { storage: { ...ENGLISH.storage, club: "" } });
    const other = await context.newPage();
    await other.goto(`${site.server.url}/stores`);
    const heart = (at: Page, index: number) => at.getByRole("article").getByRole("checkbox").nth(index);
    await heart(other, 0).waitFor();
    await page.getByRole("button", { name: "Use the dark theme" }).click();
    await eventually(async () => expect(await themeOf(other)).to.equal("dark"));
    await other.getByRole("button", { name: "Use the light theme" }).waitFor();
    await heart(page, 0).check();
    await eventually(async () => expect(await heart(other, 0).isChecked()).to.equal(true));
    await heart(other, 1).check();
    await eventually(async () => expect(await heart(page, 1).isChecked()).to.equal(true));
    expect(await heart(page, 0).isChecked()).to.equal(true);
    await page.getByRole("banner").getByRole("button", { name: "Português" }).click();
    await other.getByRole("link", { name: "Lojas", exact: true }).waitFor();
    expect(await other.evaluate(() => document.documentElement.lang)).to.equal("pt-BR");
  });

  for (const path of ["/dashboard", "/visits"]) {
    it(`show on ${path} a purchase made in the other one`, async () => {
      const { page, wallet } = await site.openLoggedIn(path, ENGLISH);
      const main = page.getByRole("main");
      await main.getByRole("heading", { level: 2 }).first().waitFor();
      expect(await main.getByText("Loja da outra aba").count()).to.equal(0);
      const created_at = new Date().toISOString();
      site.server.me?.purchases.unshift(
        fixturePurchase({
          id: 9,
          store: "Loja da outra aba",
          destination: wallet.address,
          created_at,
          date: created_at,
        }),
      );
      // Again, because a look while the first answer is on its way asks for nothing.
      await eventually(async () => {
        await lookAt(page);
        expect(await main.getByText("Loja da outra aba").count()).to.be.greaterThan(0);
      });
    });
  }
});
