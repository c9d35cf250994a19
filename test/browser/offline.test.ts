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

  it("shows a page that says what is safe, and caches nothing else", async () => {
    const { page, context } = await site.openLoggedIn("/dashboard", { serviceWorkers: "allow" });
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.goto(`${site.server.url}/dashboard`);
    await page.getByRole("heading", { level: 1, name: "Seu painel" }).waitFor();
    await context.setOffline(true);
    await page.goto(`${site.server.url}/dashboard`);
    await page.getByRole("heading", { name: "Você está sem internet" }).waitFor();
    await page.getByRole("heading", { name: "You are offline" }).waitFor();
    const kept = await page.evaluate(async () => {
      const names = await caches.keys();
      const requests = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return requests.flat().map((request) => new URL(request.url).pathname);
    });
    expect(kept.sort()).to.deep.equal(["/favicon.svg", "/offline.css", "/offline.html", "/offline.js"]);
    await context.setOffline(false);
    await page.getByRole("heading", { level: 1, name: "Seu painel" }).waitFor();
  });
});
