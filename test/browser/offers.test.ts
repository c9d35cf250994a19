import { expect } from "chai";
import type { Page } from "playwright-core";
import en from "../../core/rules/languages/en.json" with { type: "json" };
import pt from "../../core/rules/languages/pt.json" with { type: "json" };
import { useSite } from "./support/site.ts";
import { addOffers } from "./support/states.ts";

/** docs/product.md#offers */
describe("Offers on screen", () => {
  const site = useSite();
  const fits = async (page: Page, width: number) =>
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.be.at.most(width);

  for (const [language, texts] of Object.entries({ pt, en })) {
    for (const width of [language === "pt" ? 360 : 1280]) {
      it(`say their code, time and cashback, in ${language} on ${width} px`, async () => {
        addOffers(site.server);
        const options = { viewport: { width, height: 740 }, storage: { language } };
        const { page, problems } = await site.open("/stores", options);
        await page.getByRole("link", { name: texts["offers.all"] }).click();
        await page.getByRole("heading", { name: texts["offers.title"], exact: true }).waitFor();
        const [first, second] = [page.getByRole("article").nth(0), page.getByRole("article").nth(1)];
        await first.getByText("TORCIDA10", { exact: true }).first().waitFor();
        await first.getByText(texts["offersPage.hours"].replace("{count}", "5")).waitFor();
        await first.getByText(texts["offersPage.withCashback"]).waitFor();
        await second.getByText(texts["offersPage.withoutCashback"]).waitFor();
        await second.getByText(texts["offersPage.terms"]).click();
        await second.getByText("Sem trocas.").waitFor();
        await page.getByText("<b>a</b><b>a</b>").first().waitFor();
        await page.getByText(texts["offersPage.words"]).waitFor();
        await fits(page, width);
        await page.goto(`${new URL(page.url()).origin}/stores/1`);
        await page.getByRole("heading", { name: texts["offersPage.ofStore"] }).waitFor();
        await page.getByText("Só no app").waitFor();
        await fits(page, width);
        expect(problems).to.deep.equal([]);
      });
    }
  }

  it("copy their code by keyboard, and say so", async () => {
    addOffers(site.server);
    const { page, context } = await site.open("/offers");
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copiar código TORCIDA10" }).focus();
    await page.keyboard.press("Enter");
    await page.getByText(pt["offersPage.copied"]).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).to.equal("TORCIDA10");
  });

  it("lead through the store's buy dialog, to their own page where they have one", async () => {
    site.server.config = { ...site.server.config, simulated: false };
    addOffers(site.server);
    const { page } = await site.openLoggedIn("/offers");
    await page.getByRole("button", { name: "Comprar em Verdão Store" }).nth(2).click();
    await page.getByRole("dialog").getByRole("button", { name: pt["buy.proceed"] }).click();
    const asked = () => site.server.calls.filter(({ path }) => path === "/api/links").map(({ body }) => body.url);
    for (let tries = 0; tries < 50 && asked().length === 0; tries++) await page.waitForTimeout(50);
    expect(asked()).to.deep.equal(["https://www.loja.com/tv"]);
  });

  it("go at their minute while somebody reads", async () => {
    addOffers(site.server);
    const ends_at = new Date(Date.now() + 3_000).toISOString();
    const offer = {
      id: 9,
      store_id: 1,
      store: "Verdão Store",
      kind: "deal",
      title: "Acaba já",
      code: null,
      terms: null,
    };
    const last = { ...offer, url: null, starts_at: "2026-01-01T00:00:00Z", ends_at, with_cashback: true };
    site.server.answer("GET /api/offers", { body: { success: true, offers: [last], next_after: null } });
    const { page } = await site.open("/offers");
    await page.getByText("Acaba já").waitFor();
    site.server.answer("GET /api/offers", { body: { success: true, offers: [], next_after: null } });
    await page.getByText(pt["offersPage.none"]).waitFor({ timeout: 8_000 });
  });

  it("that cannot be loaded say so, and are asked again", async () => {
    site.server.answer("GET /api/offers", { status: 500, body: { success: false, error: "no", code: "INTERNAL" } });
    const { page } = await site.open("/offers");
    await page.getByText(pt["offersPage.failed"]).waitFor();
    addOffers(site.server);
    await page.getByRole("button", { name: pt["common.retry"] }).click();
    await page.getByText("10% em tudo").waitFor();
  });
});
