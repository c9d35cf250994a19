import { readFileSync } from "node:fs";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../testing/until.ts";
import { fixtureClub, fixtureNft, fixturePurchase } from "./support/fixture-data.ts";
import { useSite } from "./support/site.ts";
import { addAllSituations } from "./support/states.ts";
import { testWallet } from "./support/test-wallet.ts";

const PHONE = { width: 360, height: 780 };
const SEASONS = [
  ["2026-11-20", "palmeiras"],
  ["2026-11-02", undefined],
  ["2026-05-02", "palmeiras"],
  ["2026-03-02", "vasco-da-gama"],
  ["2025-12-02", "palmeiras"],
] as const;

/** docs/product.md#album */
describe("The album", () => {
  const site = useSite();

  function collect() {
    const wallet = testWallet();
    const purchases = SEASONS.map(([day, _], index) =>
      fixturePurchase({ id: 9 - index, date: `${day}T12:00:00.000Z`, created_at: `${day}T12:00:00.000Z` }),
    );
    const nfts = purchases.map((one, index) => ({
      ...fixtureNft(one, wallet.address),
      club_slug: SEASONS[index]?.[1] ?? null,
    }));
    site.server.signIn(wallet.address, { purchases, nfts });
    const clubs = ["palmeiras", "vasco-da-gama"].map(fixtureClub);
    site.server.answer("GET /api/clubs", { body: { success: true, clubs } });
    return wallet;
  }
  const titles = (page: Page, level: number) =>
    page.getByRole("region", { name: "Seus ingressos" }).getByRole("heading", { level }).allInnerTexts();
  const season = (page: Page, year: number) => page.getByRole("region", { name: `Temporada ${year}` });

  it("has a season a year, by month or by club, each ticket as its contract draws it", async () => {
    const { page, problems } = await site.openLoggedIn("/dashboard", { wallet: collect() });
    await season(page, 2025).waitFor();
    expect(await titles(page, 3)).to.deep.equal(["Temporada 2026", "Temporada 2025"]);
    expect(await titles(page, 4)).to.deep.equal([
      ...["Novembro de 2026", "Maio de 2026", "Março de 2026", "Dezembro de 2025"],
    ]);
    const first = season(page, 2026).getByRole("article").first();
    await first.getByRole("img", { name: "Imagem do ingresso Compra nº 9" }).waitFor();
    await eventually(async () =>
      expect(await first.locator("img").evaluate((image: HTMLImageElement) => image.naturalWidth)).to.be.above(0),
    );
    await page.getByRole("button", { name: "Por clube" }).click();
    await page.getByRole("button", { name: "Por clube", pressed: true }).waitFor();
    await eventually(async () =>
      expect(await titles(page, 4)).to.deep.equal(["Palmeiras", "Vasco da Gama", "Sem clube", "Palmeiras"]),
    );
    expect(await season(page, 2026).getByRole("article").count()).to.equal(4);
    expect(problems).to.deep.equal([]);
  });

  it("has the place of the next ticket, which leads to the stores, and before the first one places alone", async () => {
    const { page } = await site.openLoggedIn("/dashboard", { wallet: collect() });
    await season(page, 2026).getByRole("link", { name: "Seu próximo ingresso" }).click();
    await page.waitForURL("**/stores");
    const wallet = testWallet();
    site.server.signIn(wallet.address, { purchases: [], nfts: [] });
    const { page: empty } = await site.openLoggedIn("/dashboard", { wallet });
    await empty.getByText("A sua primeira compra aparece aqui como um ingresso.").waitFor();
    expect(await empty.getByRole("navigation", { name: "Álbum ou extrato" }).count()).to.equal(0);
    const [album, total] = await Promise.all(
      ["Seus ingressos", "Cashback total"].map((name) => empty.getByRole("heading", { name }).boundingBox()),
    );
    expect(album?.y, "the first step stands above what is not there yet").to.be.lessThan(total?.y ?? 0);
    // The best of the featured stores for this reader, who has 12.5 PSG.
    await empty.getByText("Ingresso de exemplo").waitFor();
    expect(await empty.locator("dd").first().textContent()).to.equal("até 9,5%");
    await empty.getByRole("button", { name: "Explorar lojas" }).click();
    await empty.waitForURL("**/stores");
  });

  it("gives way to the statement while all that there is is a sale in review", async () => {
    const wallet = testWallet();
    const at = "2026-11-20T12:00:00.000Z";
    const review = { id: 7, store_id: 3, store: "Loja do Palmeiras", order: "2026-118", amount: "50.00", at };
    const reviews = [{ ...review, cashback_amount: "2.5" }];
    site.server.signIn(wallet.address, { purchases: [], nfts: [], reviews });
    const { page } = await site.openLoggedIn("/dashboard", { wallet });
    await page.getByRole("article").filter({ hasText: "Loja do Palmeiras" }).waitFor();
    expect(await page.getByText("A sua primeira compra aparece aqui como um ingresso.").count()).to.equal(0);
    expect(await page.getByRole("navigation", { name: "Álbum ou extrato" }).count()).to.equal(0);
  });

  it("stands beside the statement, each at an address of its own, by keyboard", async () => {
    const wallet = collect();
    addAllSituations(site.server);
    const { page } = await site.openLoggedIn("/dashboard", { wallet });
    const views = page.getByRole("navigation", { name: "Álbum ou extrato" });
    await views.getByRole("link", { name: "Álbum" }).and(page.locator("[aria-current=page]")).waitFor();
    await eventually(async () => expect(await page.getByRole("article").count()).to.equal(11));
    await views.getByRole("link", { name: "Extrato" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/dashboard?view=statement#tickets");
    // Debts and sales in review have no ticket.
    await page.getByRole("region", { name: "Extrato" }).getByText("13 lançamentos").waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).to.equal("Extrato");
    await page.reload();
    await page.getByRole("region", { name: "Extrato" }).getByText("13 lançamentos").waitFor();
    await page.goBack();
    await season(page, new Date().getFullYear()).waitFor();
  });

  it("shows twelve tickets, and more on request", async () => {
    const wallet = testWallet();
    const purchases = Array.from({ length: 20 }, (_, index) => fixturePurchase({ id: 40 - index }));
    site.server.signIn(wallet.address, { purchases, nfts: purchases.map((one) => fixtureNft(one, wallet.address)) });
    const { page } = await site.openLoggedIn("/dashboard", { wallet });
    const shows = (count: number) =>
      eventually(async () => expect(await season(page, 2026).getByRole("article").count()).to.equal(count));
    await shows(12);
    await page.getByRole("button", { name: "Mostrar mais" }).click();
    await shows(20);
    await page.getByRole("button", { name: "Mostrar mais" }).waitFor({ state: "detached" });
  });

  it("fits a phone, two tickets beside each other, with targets for a finger", async () => {
    const { page } = await site.openLoggedIn("/dashboard", { wallet: collect(), viewport: PHONE });
    const tickets = season(page, 2026).getByRole("listitem");
    await tickets.nth(2).waitFor();
    const [first, second] = await tickets.evaluateAll((found) => found.map((one) => one.getBoundingClientRect().top));
    expect(first).to.equal(second);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.equal(PHONE.width);
    const small = await season(page, 2026)
      .locator("a, button")
      .evaluateAll((found) =>
        found.flatMap((one) => {
          const { width, height } = one.getBoundingClientRect();
          return height < 44 || width < 44 ? [`${one.textContent} ${width}×${height}`] : [];
        }),
      );
    expect(small).to.deep.equal([]);
  });

  it("gives a picture of a season to show, without the cancelled ones, and says so where it cannot be drawn", async () => {
    const wallet = collect();
    const { me, server } = { me: site.server.me, server: site.server };
    if (me?.nfts[1] && me.purchases[1]) {
      Object.assign(me.purchases[1], { status: "cancelled", situation: "declined", stored_status: "Cancelado" });
      me.nfts[1] = fixtureNft(me.purchases[1], wallet.address);
    }
    const { page, problems } = await site.openLoggedIn("/dashboard", { wallet, viewport: PHONE });
    const share = season(page, 2026).getByRole("button", { name: "Mostrar para um amigo Temporada 2026" });
    const [file] = await Promise.all([page.waitForEvent("download"), share.click()]);
    expect(file.suggestedFilename()).to.equal("torcida-2026.png");
    const png = readFileSync(await file.path());
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).to.deep.equal([1_080, 1_920]);
    const drawn = server.calls.filter(
      ({ path }) => /^\/api\/nfts\/\d+\/image$/.test(path) && path !== "/api/nfts/8/image",
    );
    expect(new Set(drawn.map(({ path }) => path)).size).to.be.at.least(3);
    expect(problems).to.deep.equal([]);
    for (const { id } of me?.purchases ?? []) server.answer(`GET /api/nfts/${id}/image`, { status: 503, body: {} });
    await share.click();
    await page.getByText("A imagem não ficou pronta").waitFor();
  });
});
