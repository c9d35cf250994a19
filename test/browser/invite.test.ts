import { expect } from "chai";
import en from "../../core/rules/languages/en.json" with { type: "json" };
import pt from "../../core/rules/languages/pt.json" with { type: "json" };
import { useSite } from "./support/site.ts";

const URL_OF_ANA = "https://torcida.example/c/abcdefgh23456722";

/** docs/product.md#invite */
describe("Bringing a friend, on screen", () => {
  const site = useSite();
  const own = (next_percent: string | null) => ({
    body: { success: true, url: URL_OF_ANA, used: 3, left: 7, bonus_percent: "2", next_percent },
  });
  const isOn = () => {
    site.server.config = { ...site.server.config, invite_bonus_percent: "2" };
  };

  for (const [language, texts] of Object.entries({ pt, en })) {
    for (const width of [language === "pt" ? 360 : 1440]) {
      const options = { viewport: { width, height: 740 }, storage: { language } };

      it(`keeps a link's code, and leads to the registration, in ${language} on ${width} px`, async () => {
        isOn();
        const { page, problems } = await site.open("/c/abcdefgh23456722", options);
        await page.getByText(texts["invitePage.text"].replace("{percent}", "2%")).waitFor();
        expect(await page.evaluate(() => localStorage.getItem("invite"))).to.equal("abcdefgh23456722");
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.be.at.most(width);
        await page.getByRole("button", { name: texts["invitePage.go"] }).click();
        await page.waitForURL("**/auth?next=**");
        expect(problems).to.deep.equal([]);
      });

      it(`shows one's own link and what the next visit carries, in ${language} on ${width} px`, async () => {
        isOn();
        site.server.answer("GET /api/me/invite", own("2"));
        const { page, problems } = await site.openLoggedIn("/profile", options);
        await page.getByText(URL_OF_ANA).waitFor();
        await page.getByText(texts["inviteCard.next"].replace("{percent}", "2%")).waitFor();
        await page
          .getByText(language === "pt" ? /3 pessoas vieram.*7 convites/ : /3 people came.*7 invitations/)
          .waitFor();
        await page.getByRole("button", { name: texts["share.copy"] }).waitFor();
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.be.at.most(width);
        await page.goto(`${site.server.url}/stores/1?buy`);
        await page.getByRole("dialog").getByText(texts["inviteCard.visit"].replace("{percent}", "2%")).waitFor();
        expect(problems).to.deep.equal([]);
      });
    }
  }

  it("is nowhere while it is off: no card, no note, no call; the link says so", async () => {
    const { page, problems } = await site.openLoggedIn("/profile");
    await page
      .getByText("Onde você está conectado")
      .or(page.getByRole("button", { name: "Salvar" }))
      .first()
      .waitFor();
    expect(await page.getByText(pt["inviteCard.title"]).count()).to.equal(0);
    await page.goto(`${site.server.url}/c/abcdefgh23456722`);
    await page.getByText(pt["invitePage.off"]).waitFor();
    expect(await page.evaluate(() => localStorage.getItem("invite"))).to.equal(null);
    expect(site.server.callsTo("GET /api/me/invite")).to.have.length(0);
    expect(problems).to.deep.equal([]);
  });
});
