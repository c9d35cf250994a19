import { expect } from "chai";
import en from "../../core/rules/languages/en.json" with { type: "json" };
import pt from "../../core/rules/languages/pt.json" with { type: "json" };
import { eventually } from "../testing/until.ts";
import { useSite } from "./support/site.ts";
import { withoutFans } from "./support/states.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** docs/product.md#club-page */
describe("A club's page", () => {
  const site = useSite();

  for (const [language, texts] of Object.entries({ pt, en })) {
    for (const width of [360, 1440]) {
      it(`has its stands, stores, fans and token in ${language} on ${width} px`, async () => {
        const options = { viewport: { width, height: 740 }, storage: { language } };
        const { page, problems } = await site.open("/clubs/palmeiras", options);
        await page.getByRole("heading", { level: 1, name: "Palmeiras" }).waitFor();
        await page.getByRole("article").getByRole("link", { name: "Verdão Store" }).waitFor();
        const colours = await page
          .locator("main svg")
          .first()
          .locator("path")
          .evaluateAll((all) => all.map((one) => one.getAttribute("fill")));
        expect(colours).to.include.members(["#006437", "#ffffff"]);
        await page
          .locator("main strong")
          .first()
          .getByText(/^(até|up to) \d/)
          .waitFor();
        const board = page.locator("main dl");
        expect(await board.textContent()).to.include(language === "pt" ? "18.450 CHZ" : "18,450 CHZ");
        await page.getByRole("heading", { name: texts["clubPage.token"] }).waitFor();
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.be.at.most(width);
        expect(await page.title()).to.equal("Palmeiras · Torcida");
        expect(problems).to.deep.equal([]);
      });
    }
  }

  it("says where there is no store, and tells nothing of too few fans", async () => {
    withoutFans("mirassol")(site.server);
    const { page, problems } = await site.open("/clubs/mirassol");
    await page.getByText(pt["clubPage.none"]).waitFor();
    await page.getByRole("heading", { name: pt["clubPage.few"] }).waitFor();
    expect(await page.locator("main dl").count()).to.equal(0);
    expect(await page.locator("main section").first().locator("strong").count()).to.equal(0);
    expect(problems).to.deep.equal([]);
  });

  it("is none of a club that nobody knows", async () => {
    for (const slug of ["nobody", "No%20Body", "palmeiras'--"]) {
      const { page } = await site.open(`/clubs/${slug}`);
      await page.getByText(pt["missing.club"]).waitFor();
    }
  });

  it("dresses the whole site in the club's shirt, and undresses it", async () => {
    const clubs = [{ slug: "palmeiras", name: "Palmeiras", colours: ["#006437", "#ffffff"], pattern: "plain" }];
    site.server.answer("GET /api/clubs", {
      body: { success: true, clubs: clubs.map((club) => ({ ...club, aliases: [], country: "BR", token_slug: null })) },
    });
    const { page } = await site.open("/clubs/palmeiras");
    const accent = () => page.evaluate(() => document.documentElement.style.getPropertyValue("--accent"));
    await page.getByRole("button", { name: pt["clubPage.wear"] }).click();
    await eventually(async () => expect(await accent()).to.equal("#006437"));
    await page.getByRole("button", { name: "Seu clube: Palmeiras. Trocar" }).click();
    await page.getByRole("dialog").getByRole("link", { name: "Ver a página do clube: Palmeiras" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: pt["clubPage.worn"] }).click();
    await eventually(async () => expect(await accent()).to.equal(""));
  });

  it("gives its picture to the phone's share sheet, with its link", async () => {
    const { page } = await site.open("/clubs/palmeiras");
    await page.route("**/share/club/palmeiras/pt.png", (route) =>
      route.fulfill({ contentType: "image/png", body: Buffer.from(PNG, "base64") }),
    );
    await page.evaluate(() => {
      Object.assign(navigator, { canShare: () => true });
      Object.assign(navigator, {
        share: async ({ files, text }: { files: File[]; text: string }) => {
          document.title = `${files[0]?.name} ${files[0]?.type} ${text}`;
        },
      });
    });
    await page.getByRole("button", { name: pt["clubPage.share"] }).click();
    await eventually(async () =>
      expect(await page.title()).to.match(
        /^torcida-palmeiras\.png image\/png Palmeiras na Torcida.* http.*\/clubs\/palmeiras$/,
      ),
    );
  });

  it("is where the table, a store and the fans' home lead", async () => {
    const row = { slug: "palmeiras", name: "Palmeiras", fans: 120, purchases: 340, cashback: "4210", month: "2026-10" };
    site.server.answer("GET /api/clubs/table", {
      body: { success: true, month: "2026-10", clubs: [{ ...row, cashback_per_fan: "35.1" }] },
    });
    const { page } = await site.open("/stores/1");
    await page.locator("main :has(> div > h1)").getByRole("link", { name: "Palmeiras" }).click();
    await page.getByRole("link", { name: "1º no placar das torcidas" }).click();
    await page.getByRole("main").getByRole("link", { name: "Palmeiras" }).click();
    await page.getByRole("heading", { level: 1, name: "Palmeiras" }).waitFor();
  });
});
