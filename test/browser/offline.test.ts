import { expect } from "chai";
import { useSite } from "./support/site.ts";

describe("Without a connection", () => {
  const site = useSite();

  it("names the connection on a page that was not loaded yet, and opens it when the connection is back", async () => {
    const { page, context } = await site.open("/stores");
    await page.getByRole("article").first().waitFor();
    await context.setOffline(true);
    await page.getByRole("link", { name: "Perguntas frequentes" }).click();
    const failure = page.getByRole("main").getByRole("alert");
    await failure.getByText("Você está sem internet. Ela abre assim que a conexão voltar.").waitFor();
    await context.setOffline(false);
    await page.getByRole("heading", { level: 1, name: "Ajuda" }).waitFor();
  });

  it("says on a list that the reader is offline, and loads it when the connection is back", async () => {
    const { page, context } = await site.open("/stores");
    const cards = page.getByRole("main").getByRole("article");
    await cards.first().waitFor();
    await context.setOffline(true);
    await page.getByLabel("Categoria").selectOption("Viagens");
    await page.getByText("Você está sem internet. Quando a conexão voltar, tente de novo.").waitFor();
    await context.setOffline(false);
    await cards.getByRole("link", { name: "Apito Viagens" }).waitFor();
  });

  for (const [language, theme, title, heading, dashboard] of [
    ["pt", "light", "Você está sem internet · Torcida", "Você está sem internet", "Seu painel"],
    ["en", "dark", "You are offline · Torcida", "You are offline", "Your dashboard"],
  ] as const) {
    it(`shows a page in the reader's language and theme, and caches nothing else (${language})`, async () => {
      const options = { serviceWorkers: "allow", storage: { language, theme } } as const;
      const { page, context } = await site.openLoggedIn("/dashboard", options);
      await page.evaluate(() => navigator.serviceWorker.ready);
      await page.goto(`${site.server.url}/dashboard`);
      await page.getByRole("heading", { level: 1, name: dashboard }).waitFor();
      await context.setOffline(true);
      await page.goto(`${site.server.url}/dashboard`);
      await page.getByRole("heading", { level: 1, name: heading, exact: true }).waitFor();
      expect(await page.title()).to.equal(title);
      expect(await page.evaluate(() => getComputedStyle(document.body).colorScheme)).to.equal(theme);
      expect(await page.getByRole("button").count()).to.equal(1);
      const kept = await page.evaluate(async () => {
        const names = await caches.keys();
        const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
        return requests.flat().map((request) => new URL(request.url).pathname);
      });
      expect(kept.sort()).to.deep.equal([
        ...["/favicon.svg", "/offline.css", "/offline.html", "/offline.js", "/theme.js"],
      ]);
      await context.setOffline(false);
      await page.getByRole("heading", { level: 1, name: dashboard }).waitFor();
    });
  }
});
