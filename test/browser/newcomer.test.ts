import { expect } from "chai";
import type { Page } from "playwright-core";
import { useSite } from "./support/site.ts";

const steps = (page: Page) => page.getByRole("region", { name: "Os primeiros passos" });
const isStored = (page: Page, key: string) =>
  page.waitForFunction((name) => localStorage.getItem(name) === "over", key);

/** docs/product.md#home */
describe("The first steps", () => {
  const site = useSite();

  it("begin after the club, say what is done and what is next, and end for good at the first store", async () => {
    const { page, problems } = await site.open("/");
    await page.getByRole("button", { name: "Palmeiras" }).click();
    await steps(page).getByText("Escolha o seu clube (feito)").waitFor();
    await steps(page).getByRole("button", { name: "Conecte uma carteira" }).click();
    await page.waitForURL("**/auth");
    expect(problems).to.deep.equal([]);
    const me = site.server.signIn(`0x${"ab".repeat(20)}`, { nfts: [], purchases: [] });
    expect(me.purchases).to.deep.equal([]);
    const entered = await site.openLoggedIn("/", { storage: { club: "Palmeiras" } });
    await steps(entered.page).getByText("Faça o cadastro (feito)").waitFor();
    await steps(entered.page).getByRole("button", { name: "Visite sua primeira loja" }).click();
    await entered.page.waitForURL("**/stores");
    await entered.page
      .getByRole("button", { name: /Comprar/ })
      .first()
      .click();
    await entered.page.getByRole("dialog").getByRole("radio", { name: /PSG/ }).check();
    await entered.page
      .getByRole("dialog")
      .getByRole("button", { name: /Continuar|Prosseguir/ })
      .click();
    await isStored(entered.page, "first_steps");
    await entered.page.goto(site.server.url);
    await entered.page.getByRole("heading", { level: 1 }).waitFor();
    await entered.page.getByRole("button", { name: "Sair" }).waitFor();
    expect(await steps(entered.page).count()).to.equal(0);
  });

  it("are not shown again to who refused them, nor to who has bought", async () => {
    const { page } = await site.open("/", { storage: { club: "Palmeiras" } });
    await steps(page).getByRole("button", { name: "Não mostrar mais" }).click();
    await steps(page).waitFor({ state: "detached" });
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(await steps(page).count()).to.equal(0);
    const buyer = await site.openLoggedIn("/", { storage: { club: "Palmeiras" } });
    await isStored(buyer.page, "first_steps");
    expect(await steps(buyer.page).count()).to.equal(0);
  });
});

/** docs/product.md#install */
describe("Installing the app", () => {
  const site = useSite();
  const bar = (page: Page) => page.getByRole("region", { name: "Instalar a Torcida" });
  const anHourAgo = () => String(Date.now() - 3_600_000);
  const offer = (page: Page) =>
    page.evaluate(() => {
      const event = Object.assign(new Event("beforeinstallprompt", { cancelable: true }), {
        prompt: async () => Object.assign(globalThis, { isAsked: true }),
      });
      dispatchEvent(event);
      return event.defaultPrevented;
    });
  const ready = (page: Page) => page.getByRole("heading", { level: 1 }).waitFor();

  it("is not offered on the first visit, however many pages it has", async () => {
    const { page } = await site.open("/");
    await ready(page);
    await page.reload();
    await ready(page);
    expect(await offer(page)).to.equal(true);
    expect(await bar(page).count()).to.equal(0);
  });

  it("is offered on the second, by the browser's question, once", async () => {
    const { page, problems } = await site.open("/", { storage: { visits: `1 ${anHourAgo()}` } });
    await ready(page);
    await offer(page);
    await bar(page).getByRole("button", { name: "Instalar" }).click();
    await page.waitForFunction(() => "isAsked" in globalThis);
    await bar(page).waitFor({ state: "detached" });
    await page.reload();
    await ready(page);
    expect(await offer(page), "nor does the browser by itself").to.equal(true);
    expect(await bar(page).count()).to.equal(0);
    expect(problems).to.deep.equal([]);
  });

  it("is gone for good once refused", async () => {
    const viewport = { width: 360, height: 780 };
    const { page } = await site.open("/stores", { viewport, storage: { visits: `1 ${anHourAgo()}` } });
    await ready(page);
    await offer(page);
    await bar(page).waitFor();
    const [end, start] = await page
      .locator(".consent, .site-nav")
      .evaluateAll((found) => found.map((one) => one.getBoundingClientRect()).sort((a, b) => a.top - b.top))
      .then(([above, below]) => [above?.bottom ?? 0, below?.top ?? 0]);
    expect(end, "above the navigation").to.be.below(start);
    await bar(page).getByRole("button", { name: "Agora não" }).click();
    await bar(page).waitFor({ state: "detached" });
    await isStored(page, "install");
  });

  it("is said how on iOS, which has no question", async () => {
    const userAgent = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1";
    const { page } = await site.open("/", { userAgent, storage: { visits: `1 ${anHourAgo()}` } });
    await bar(page).getByText("Adicionar à Tela de Início").waitFor();
    await bar(page).getByRole("button", { name: "Entendi" }).click();
    await isStored(page, "install");
  });
});
