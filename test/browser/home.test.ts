import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../testing/until.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

describe("Home", () => {
  const site = useSite();
  const featured = (page: Page) => page.getByRole("region", { name: "Lojas em destaque" }).locator("li > a");

  it("is in Portuguese whatever the browser's language is, and in English after the toggle, even after a reload", async () => {
    const { page } = await site.open("/", { locale: "en-US" });
    await page.getByRole("button", { name: "Ver lojas" }).waitFor();
    await page.locator('html[lang="pt-BR"]').waitFor();
    await page.getByRole("button", { name: "English" }).click();
    await page.getByRole("button", { name: "View stores" }).waitFor();
    await page.locator("html[lang=en]").waitFor();
    await page.reload();
    await page.getByRole("button", { name: "View stores" }).waitFor();
    await page.getByRole("button", { name: "Português" }).waitFor();
  });

  it("reports a language that cannot be loaded", async () => {
    const { page, problems } = await site.open("/");
    await page.getByRole("button", { name: "Ver lojas" }).waitFor();
    await page.route("**/assets/en-*.js", (route) => route.abort());
    await page.getByRole("button", { name: "English" }).click();
    await page.getByText("Não foi possível mudar de idioma").waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("offers a retry if a dialog's code cannot be loaded", async () => {
    const { page } = await site.open("/", { wallet: testWallet({ names: ["Lua", "Rio"] }) });
    await page.route("**/assets/wallet-chooser-*.js", (route) => route.abort());
    await page.getByRole("button", { name: "Ver lojas" }).click();
    await page.getByRole("button", { name: "Recarregar a página" }).waitFor();
  });

  it("shows the first four featured stores that the server returns", async () => {
    site.server.stores = site.server.stores.map((store, index) => ({ ...store, featured: index >= 2 }));
    const { page } = await site.open("/");
    await page.getByText("Mercado da Bola").last().waitFor();
    await eventually(async () =>
      expect(await featured(page).locator("> span:first-of-type").allTextContents()).to.deep.equal([
        "Mercado da Bola",
        "Gramado Eletrônicos",
        "Curva Sud Moda",
        "La Grada Deportes",
      ]),
    );
  });

  it("promises in its first ticket what the first featured store pays", async () => {
    site.server.stores = site.server.stores.map((store, index) => ({ ...store, featured: index >= 2 }));
    const { page } = await site.open("/");
    const hero = page.getByRole("figure");
    await hero.getByText("Mercado da Bola").waitFor();
    const card = featured(page).filter({ hasText: "Mercado da Bola" });
    const promised = (await card.locator("[data-percent]").textContent()) ?? "no percent";
    expect(await hero.textContent()).to.include(promised);
    site.server.stores = [];
    await page.reload();
    const samples = await featured(page).locator("[data-percent]").first().textContent();
    await eventually(async () => expect(await hero.textContent()).to.include(samples));
  });

  it("shows four sample stores if the server returns none", async () => {
    site.server.stores = [];
    const { page } = await site.open("/");
    await page.getByText("Lojas de exemplo.").waitFor();
    await eventually(async () => expect(await featured(page).count()).to.equal(4));
  });

  it("ends with the way to the login, for a user with the one to the stores", async () => {
    const { page } = await site.open("/");
    await page.getByRole("button", { name: "Começar agora" }).waitFor();
    const user = await site.openLoggedIn("/");
    await user.page.getByRole("heading", { name: "Seu lugar na arquibancada está guardado" }).waitFor();
    // Until the session is restored it is a visitor's page.
    const stores = user.page.getByRole("button", { name: "Explorar lojas" });
    await stores.waitFor();
    expect(await user.page.getByRole("button", { name: "Começar agora" }).count()).to.equal(0);
    await stores.click();
    await user.page.waitForURL("**/stores");
  });

  it("connects the wallet by its primary button, and then leads to the stores", async () => {
    const { page, problems } = await site.open("/");
    await page.getByRole("button", { name: "Ver lojas" }).click();
    await page.getByText("Carteira conectada com sucesso!").waitFor();
    await page.waitForURL("**/stores");
    await page.getByRole("link", { name: "Início" }).click();
    await page.getByRole("button", { name: "Ver lojas" }).click();
    await page.waitForURL("**/stores");
    expect(problems).to.deep.equal([]);
  });

  it("leads from the steps to the page that explains them", async () => {
    const { page } = await site.open("/");
    await page.getByRole("region", { name: "Como funciona" }).getByRole("link", { name: "Entenda cada passo" }).click();
    await page.waitForURL("**/help/how-it-works");
  });

  it("shows the three tiers and the worked example", async () => {
    const { page } = await site.open("/", { storage: { language: "en" } });
    for (const text of [
      "1% extra with any fan token",
      "3% extra with tokens of the store's club",
      "5% extra for holding more than 100 tokens of a club",
    ]) {
      await page.getByText(text).waitFor();
    }
    expect(await page.locator(".example").textContent()).to.match(/100.*5%.*3%.*8/);
  });

  it("says above the tiers' copy what the same tiers pay today, and marks the copy as an example", async () => {
    const { page } = await site.open("/", { storage: { language: "en" } });
    const now = page.locator("[aria-labelledby=tiers] > div");
    await now.getByText("The rule that applies today").waitFor();
    for (const rule of [/^Basic.*10 tokens: \+0\.5%/, /^Silver.*30 tokens: \+1%/, /^Gold.*50 tokens: \+2%/]) {
      await now.getByRole("listitem").filter({ hasText: rule }).waitFor();
    }
    const cards = page.locator("[aria-labelledby=tiers] > ul > li");
    expect(await cards.getByText("Example").count()).to.equal(3);
    expect((await now.boundingBox())?.y ?? 0).to.be.lessThan((await cards.first().boundingBox())?.y ?? 0);
    site.server.config = { ...site.server.config, bonus_program: "tiers" };
    await page.reload();
    await page.getByText("This is the rule that applies today.").waitFor();
    expect(await now.count()).to.equal(0);
    expect(await cards.getByText("Example").count()).to.equal(0);
  });

  it("shows the shortened address, and disconnects by a click on it", async () => {
    const wallet = testWallet();
    const { page } = await site.open("/", { wallet });
    await page.getByRole("button", { name: "Ver lojas" }).click();
    const short = `${wallet.address.slice(0, 6)}...${wallet.address.slice(-4)}`;
    await page.getByRole("button", { name: short }).click();
    await page.getByText("Carteira desconectada").waitFor();
    await page.getByRole("button", { name: "Conectar carteira" }).waitFor();
  });

  it("leads to /auth by the header's button while no wallet is connected", async () => {
    const { page } = await site.open("/");
    await page.getByRole("button", { name: "Conectar carteira" }).click();
    await page.waitForURL("**/auth");
  });

  it("shows 404, a message and a link home for an unknown address, in both languages", async () => {
    const { page } = await site.open("/no/such/page");
    await page.getByRole("heading", { name: "404" }).waitFor();
    await page.getByRole("button", { name: "English" }).click();
    await page.getByText("Page not found").first().waitFor();
    await page.getByRole("button", { name: "Back to home" }).click();
    await page.waitForURL((url) => url.pathname === "/");
  });
});
