import { expect } from "chai";
import type { Page } from "playwright-core";
import en from "../../core/rules/languages/en.json" with { type: "json" };
import pt from "../../core/rules/languages/pt.json" with { type: "json" };
import { useSite } from "./support/site.ts";
import { refuseLink } from "./support/states.ts";

const PAGE = "https://www.loja.com/tv?cor=azul";

describe("A product's link", () => {
  const site = useSite();
  const linkCalls = () => site.server.calls.filter(({ path }) => path === "/api/links");

  for (const [language, texts] of Object.entries({ pt, en })) {
    for (const width of [language === "pt" ? 360 : 1280]) {
      const options = { viewport: { width, height: 740 }, storage: { language } };
      const fits = async (page: Page) =>
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.be.at.most(width);

      it(`leads from where it is pasted to the shop, in ${language} on ${width} px`, async () => {
        site.server.config = { ...site.server.config, simulated: false };
        const out = "https://rede.example/?to=tv&click=abc";
        site.server.answer("POST /api/links", ({ body }) => ({
          body: {
            ...{ success: true, message: "", purchase: null, store: { id: 1, name: "Verdão Store" }, url: body.url },
            ...{ leads_to_page: true, is_short: false, was_referral: false },
            ...(body.user
              ? { click: { id: "abc", store_id: 1, expires_at: "2027-01-01T00:00:00Z", affiliate_url: out } }
              : {}),
          },
        }));
        const { page, context, problems } = await site.openLoggedIn("/stores", options);
        await context.route("https://rede.example/**", (route) => route.fulfill({ body: "the store" }));
        if (width === 360) await page.getByRole("link", { name: texts["go.field"] }).click();
        await page.getByLabel(texts["go.field"]).fill(` ${PAGE} `);
        await page.getByRole("button", { name: texts["go.open"], exact: true }).click();
        await page.getByRole("dialog").getByRole("button", { name: texts["buy.proceed"] }).click();
        await page.waitForURL("**/redirect/1");
        await page.getByRole("heading", { name: texts["redirect.title"] }).waitFor();
        await fits(page);
        await page.getByRole("button", { name: texts["store.buy"] }).click();
        await page.waitForURL(out);
        const asked = linkCalls().map(({ body }) => [body.url, Boolean(body.user)]);
        expect(asked, "recorded once").to.deep.equal([
          [PAGE, false],
          [PAGE, true],
        ]);
        expect(problems).to.deep.equal([]);
      });

      it(`that is shared, ambiguous or unknown is answered in ${language} on ${width} px`, async () => {
        const shared = `/go?text=${encodeURIComponent(`TV: ${PAGE}`)}`;
        refuseLink("LINK_UNKNOWN")(site.server);
        const { page } = await site.open(shared, options);
        await page.getByText(texts["goPage.unknown"]).waitFor();
        await page.getByText(texts["goPage.unknown.like"]).waitFor();
        await fits(page);
        refuseLink("LINK_AMBIGUOUS")(site.server);
        await page.reload();
        await page.getByText(texts["goPage.which"]).waitFor();
        await fits(page);
        site.server.answer("POST /api/links", undefined);
        await page.getByRole("button", { name: "Outra loja" }).click();
        await page.getByRole("dialog", { name: "Verdão Store" }).waitFor();
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: texts["goPage.buy"] }).waitFor();
        await fits(page);
        expect(linkCalls().at(-1)?.body).to.deep.equal({ url: PAGE, store_id: "2" });
      });
    }
  }

  it("is where a user goes, in live mode by the click that stands for it", async () => {
    site.server.config = { ...site.server.config, simulated: false };
    const out = "https://rede.example/?to=tv&click=abc";
    site.server.answer("POST /api/links", ({ body }) => ({
      body: {
        ...{ success: true, message: "", purchase: null, store: { id: 1, name: "Verdão Store" }, url: PAGE },
        ...{ leads_to_page: true, is_short: false, was_referral: true },
        ...(body.user
          ? { click: { id: "abc", store_id: 1, expires_at: "2027-01-01T00:00:00Z", affiliate_url: out } }
          : {}),
      },
    }));
    const { page, context } = await site.openLoggedIn(`/go?url=${encodeURIComponent(PAGE)}`);
    await context.route("https://rede.example/**", (route) => route.fulfill({ body: "the store" }));
    await page.getByText("Este link rendia comissão para outra pessoa").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Prosseguir" }).click();
    await page.waitForURL("**/redirect/1");
    await page.getByRole("button", { name: "Comprar agora" }).click();
    await page.waitForURL(out);
    const [, asked] = linkCalls();
    expect(asked?.body).to.include({ url: PAGE, store_id: 1 });
    expect(site.server.calls.some(({ path }) => path === "/api/register-purchase")).to.equal(false);
  });
});
