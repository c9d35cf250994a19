import { expect } from "chai";
import en from "../../core/rules/languages/en.json" with { type: "json" };
import pt from "../../core/rules/languages/pt.json" with { type: "json" };
import { until } from "../testing/until.ts";
import { useSite } from "./support/site.ts";

const row = (slug: string, name: string, perFan: string) => ({
  ...{ slug, name, fans: 120, purchases: 340, cashback: "4210", month: "2026-10", cashback_per_fan: perFan },
});
const ROWS = [
  row("palmeiras", "Palmeiras", "35.1"),
  row("atletico-mineiro", "Clube Atlético Mineiro de Belo Horizonte e Região Metropolitana", "30"),
  row("santos", "Santos", "21.4"),
  row("remo", "Remo", "20"),
];
const LOOK = { aliases: [], colours: ["#000000", "#ffffff"], pattern: "plain" };

/** docs/product.md#fans */
describe("A club's fans, on screen", () => {
  const site = useSite();

  for (const [language, texts] of Object.entries({ pt, en })) {
    for (const width of [language === "pt" ? 360 : 1440]) {
      it(`the first three are on the home page and all on their own, in ${language} on ${width} px`, async () => {
        site.server.answer("GET /api/clubs/table", { body: { success: true, month: "2026-10", clubs: ROWS } });
        const options = { viewport: { width, height: 740 }, storage: { language } };
        const { page, problems } = await site.open("/", options);
        const month = language === "pt" ? "outubro de 2026" : "October 2026";
        const placar = page.getByRole("region", { name: texts["fansTable.home"].replace("{month}", month) });
        await page.getByRole("heading", { name: texts["home.tiers.title"] }).scrollIntoViewIfNeeded();
        await placar.getByText("3. Santos").waitFor();
        expect(await placar.getByText("Remo").count()).to.equal(0);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.be.at.most(width);
        await placar.getByRole("link", { name: texts["fansTable.all"] }).click();
        await page.getByText("4. Remo").waitFor();
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.be.at.most(width);
        expect(problems).to.deep.equal([]);
      });
    }
  }

  it("are who says so in the profile, and can leave there", async () => {
    const { server } = site;
    server.answer("GET /api/clubs", { body: { success: true, clubs: ROWS.map((club) => ({ ...club, ...LOOK })) } });
    server.answer("PUT /api/me/club", ({ body }) => ({ body: { success: true, slug: body.slug } }));
    const { page, problems } = await site.openLoggedIn("/profile");
    const choice = page.getByLabel(pt["fanClub.label"], { exact: true });
    await choice.selectOption("santos");
    await page.waitForFunction(() => document.querySelector("select")?.disabled === false);
    await choice.selectOption("");
    await until("both are said", () => server.callsTo("PUT /api/me/club").length > 1);
    expect(server.callsTo("PUT /api/me/club").map(({ body }) => body)).to.deep.equal([
      { slug: "santos" },
      { slug: null },
    ]);
    expect(problems).to.deep.equal([]);
  });

  it("can leave a club that was deleted", async () => {
    const { server } = site;
    server.answer("GET /api/clubs", { body: { success: true, clubs: ROWS.map((club) => ({ ...club, ...LOOK })) } });
    server.answer("GET /api/me/club", { body: { success: true, slug: "gone" } });
    server.answer("PUT /api/me/club", ({ body }) => ({ body: { success: true, slug: body.slug } }));
    const { page, problems } = await site.openLoggedIn("/profile");
    const choice = page.getByLabel(pt["fanClub.label"], { exact: true });
    expect(await choice.locator("option:checked").textContent()).to.equal(pt["fanClub.gone"]);
    await choice.selectOption("");
    await until("it is said", () => server.callsTo("PUT /api/me/club").length > 0);
    await page.waitForFunction(() => document.querySelector("select")?.disabled === false);
    expect(server.callsTo("PUT /api/me/club").map(({ body }) => body)).to.deep.equal([{ slug: null }]);
    expect(await choice.locator("option", { hasText: pt["fanClub.gone"] }).count()).to.equal(0);
    expect(problems).to.deep.equal([]);
  });

  it("have no table on the home page while no club has enough of them", async () => {
    const { page, problems } = await site.open("/");
    await page.getByRole("heading", { name: pt["home.how.title"] }).waitFor();
    expect(await page.getByText(pt["fansTable.all"]).count()).to.equal(0);
    await page.goto(`${site.server.url}/clubs/table`);
    await page.getByText(pt["fansTable.none"]).waitFor();
    await page.getByRole("button", { name: pt["fanClub.title"] }).click();
    await page.waitForURL("**/profile");
    expect(problems).to.deep.equal([]);
  });
});
