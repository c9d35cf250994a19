import { readFileSync } from "node:fs";
import { expect } from "chai";
import { fixtureMe } from "./support/fixture-data.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

const DRAWING = readFileSync("test/contracts/pictures/paid.svg", "utf8");

/** docs/product.md#paid-moment */
describe("The moment of payment", () => {
  const site = useSite();

  function pay() {
    const wallet = testWallet();
    const { purchases } = fixtureMe(wallet.address);
    const paid = purchases.map((one) => (one.id === 1 ? { ...one, paid_at: new Date().toISOString() } : one));
    site.server.signIn(wallet.address, { purchases: paid });
    site.server.answer("GET /api/nfts/1/image", { text: DRAWING });
    return wallet;
  }

  for (const [language, texts] of Object.entries({
    pt: { title: "Caiu na carteira!", close: "Fechar", friend: "Mostrar para um amigo" },
    en: { title: "It is in your wallet!", close: "Close", friend: "Show it to a friend" },
  })) {
    it(`fills the screen of a phone once, and gives a picture of 1080 by 1920 to show (${language})`, async () => {
      const wallet = pay();
      const options = { wallet, viewport: { width: 360, height: 740 }, storage: { language } };
      const { page, problems } = await site.openLoggedIn("/dashboard", options);
      const card = page.getByRole("region", { name: texts.title });
      await card.waitFor();
      await card
        .getByText(/7[.,]00 CHZ/)
        .first()
        .waitFor();
      const flash = card.locator("> [aria-hidden=true]");
      expect(await flash.evaluate((element: HTMLElement) => [element.offsetWidth, element.offsetHeight])).to.deep.equal(
        [360, 740],
      );
      // The page below is not held up, and the flash passes by itself.
      await page.getByRole("heading", { level: 1 }).click();
      await flash.waitFor({ state: "hidden" });
      const download = page.waitForEvent("download");
      await card.getByRole("button", { name: texts.friend }).click();
      const file = await download;
      expect(file.suggestedFilename()).to.equal("torcida-1.png");
      const png = readFileSync(await file.path());
      expect([png.readUInt32BE(16), png.readUInt32BE(20)]).to.deep.equal([1_080, 1_920]);
      await card.getByRole("button", { name: texts.close }).click();
      await card.waitFor({ state: "detached" });
      await page.reload();
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.waitForTimeout(800);
      expect(await card.count()).to.equal(0);
      // Every server that was asked is this one.
      expect(problems).to.deep.equal([]);
    });
  }

  it("says so where the picture cannot be drawn, and leaves the link", async () => {
    const wallet = pay();
    site.server.answer("GET /api/nfts/1/image", { status: 404, body: { success: false } });
    const { page } = await site.openLoggedIn("/dashboard", { wallet });
    const card = page.getByRole("region", { name: "Caiu na carteira!" });
    await card.getByRole("button", { name: "Mostrar para um amigo" }).click();
    await page.getByText("A imagem não ficou pronta").waitFor();
    await card.getByRole("button", { name: "Copiar link" }).waitFor();
  });

  it("is not moved where its reader wants no motion", async () => {
    const wallet = pay();
    const { page } = await site.openLoggedIn("/dashboard", { wallet, reducedMotion: "reduce" });
    const card = page.getByRole("region", { name: "Caiu na carteira!" });
    await card.waitFor();
    const flash = card.locator("> [aria-hidden=true]");
    const seconds = await flash.evaluate((element) => Number.parseFloat(getComputedStyle(element).animationDuration));
    expect(seconds).to.be.at.most(0.001);
    await flash.waitFor({ state: "hidden" });
  });

  it("is drawn as the contract draws it on the ticket's own page", async () => {
    site.server.answer("GET /api/nfts/2/image", { text: DRAWING });
    const { page } = await site.open("/ticket/2", { viewport: { width: 360, height: 740 } });
    const art = page.locator("img[src='/api/nfts/2/image']");
    await art.waitFor();
    await page.getByRole("heading", { level: 2, name: "Verdão Store" }).waitFor();
    const box = await art.boundingBox();
    expect(box?.width, "as wide as the phone's page").to.be.greaterThan(300);
    await page.getByRole("button", { name: "Mostrar para um amigo" }).waitFor();
  });
});
