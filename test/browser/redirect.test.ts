import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../testing/until.ts";
import { BUYER } from "./support/panel-data.ts";
import { useSite } from "./support/site.ts";

/** Stops the page's clock, so that the test decides when ten seconds have passed. */
async function holdClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
}

describe("Redirect", () => {
  const site = useSite();

  async function openWithClock(path: string) {
    const visit = await site.open("/not-yet");
    await visit.context.route("https://example.com/**", (route) => route.fulfill({ body: "the store" }));
    await holdClock(visit.page);
    await visit.page.goto(site.server.url + path);
    await eventually(async () => {
      // The page's loading code waits for timers of zero length.
      await visit.page.clock.runFor(1);
      expect(await visit.page.getByRole("progressbar").count()).to.equal(1);
    });
    return visit;
  }

  it("counts from 10 once a second, then leaves for the store", async () => {
    const { page } = await openWithClock("/redirect/sample-2");
    await page.getByText("Redirecionando em 10 segundos").first().waitFor();
    await page.getByText("Boutique Parisienne").waitFor();
    await page.clock.runFor(3_000);
    await page.getByText("Redirecionando em 7 segundos").waitFor();
    await page.clock.runFor(6_000);
    await page.getByText("Redirecionando em 1 segundo", { exact: true }).first().waitFor();
    expect(page.url()).to.include("/redirect/");
    await page.clock.runFor(1_100);
    await page.waitForURL("https://example.com/boutique-parisienne");
  });

  it("loads a store that is not a sample from the server", async () => {
    const { page } = await openWithClock("/redirect/1");
    await page.getByText("Verdão Store").waitFor();
    await page.getByRole("button", { name: "Comprar agora" }).click();
    await page.waitForURL("https://example.com/verdao-store?from=api");
  });

  it("offers a visitor the login, and says nothing that only a recorded visit can keep", async () => {
    const { page } = await openWithClock("/redirect/1");
    await page.getByText("sem login, nada é registrado").waitFor();
    await page.getByText("Vamos levar você ao site da loja parceira.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Entrar e ganhar" }).click();
    await page.waitForURL("**/auth?next=%2Fredirect%2F1");
    const sample = await openWithClock("/redirect/sample-2");
    await sample.page.getByText("Esta visita não foi registrada e não rende cashback.").waitFor();
    expect(await sample.page.getByRole("button", { name: "Entrar e ganhar" }).count(), "nothing to earn").to.equal(0);
  });

  it("goes to the stores if the store is unknown", async () => {
    const { page } = await site.open("/redirect/4711");
    await page.waitForURL("**/stores");
  });

  it("returns to the stores by Cancel, and does not leave afterwards", async () => {
    const { page } = await openWithClock("/redirect/sample-1");
    await page.getByRole("button", { name: "Cancelar" }).click();
    await page.waitForURL("**/stores");
    await page.clock.runFor(12_000);
    expect(page.url()).to.match(/\/stores$/);
  });

  for (const [width, height] of [
    [360, 568],
    [360, 740],
    [390, 664],
  ] as const)
    it(`has its buttons above the bar at the bottom on ${width} × ${height} px`, async () => {
      for (const language of ["pt", "en"]) {
        const { page } = await site.open("/redirect/1", { viewport: { width, height }, storage: { language } });
        const button = page.getByRole("button", { name: language === "pt" ? "Comprar agora" : "Buy now" });
        await button.waitFor();
        const bar = await page.getByRole("navigation").first().boundingBox();
        const shown = await button.boundingBox();
        expect((shown?.y ?? height) + (shown?.height ?? 0), language).to.be.at.most(bar?.y ?? 0);
      }
    });

  it("stops while it is paused", async () => {
    const { page } = await openWithClock("/redirect/sample-1");
    await page.clock.runFor(2_000);
    await page.getByRole("button", { name: "Pausar" }).click();
    await page.clock.runFor(20_000);
    await page.getByText("Redirecionando em 8 segundos").waitFor();
    await page.getByRole("button", { name: "Continuar" }).click();
    await page.clock.runFor(8_200);
    await page.waitForURL("https://example.com/verdao-store");
  });

  for (const link of ["javascript:alert(1)", "http://shop.example/", "http://localhost.shop.example/"]) {
    it(`never leaves for ${link}, which is not https`, async () => {
      site.server.stores = site.server.stores.map((store) => ({ ...store, affiliate_link: link }));
      const { page } = await site.open("/redirect/1");
      await page.getByText("Esta loja ainda não tem link de compra").waitFor();
      expect(await page.getByRole("button", { name: "Comprar agora" }).count()).to.equal(0);
      expect(await page.getByText("Vamos levar você").count()).to.equal(0);
      await page.getByRole("button", { name: "Todas as lojas" }).click();
      await page.waitForURL("**/stores");
    });
  }

  it("leaves for another page on this machine, as in a rehearsal, and for a store whose links are built per visit", async () => {
    const links = [`${site.server.url}/api?click={click}`, null];
    site.server.stores = site.server.stores.map((store, index) => ({
      ...store,
      affiliate_link: links[index] ?? null,
      store_url: "https://example.com/home",
    }));
    const rehearsal = await openWithClock("/redirect/1");
    await rehearsal.page.getByRole("button", { name: "Comprar agora" }).click();
    await rehearsal.page.waitForURL(`${site.server.url}/api?click=`);
    const built = await openWithClock("/redirect/2");
    await built.page.getByRole("button", { name: "Comprar agora" }).click();
    await built.page.waitForURL("https://example.com/home");
  });

  describe("of a user", () => {
    const PROMISE = /^(Até )?\d+% de cashback: (até )?R\$\s\d+,00 a cada R\$\s100,00\s· com VERDAO$/;
    const register = "POST /api/register-purchase";
    const openWith = async (path: string, isSimulated: boolean) => {
      site.server.config = { ...site.server.config, simulated: isSimulated };
      site.server.signIn(BUYER);
      const visit = await site.openLoggedIn("/not-yet");
      await visit.context.route("https://example.com/**", (route) => route.fulfill({ body: "the store" }));
      await visit.page.goto(site.server.url + path);
      return visit;
    };

    it("who opens it directly registers one visit first in live mode, with the promise", async () => {
      const { page } = await openWith("/redirect/1", false);
      await page.getByText(PROMISE).waitFor();
      expect(site.server.callsTo(register).map(({ body }) => [body.store_id, body.token_slug])).to.deep.equal([
        [1, "verdao"],
      ]);
      await page.reload();
      await page.getByText(PROMISE).waitFor();
      await page.goto(`${site.server.url}/redirect/1`);
      await page.getByText(PROMISE).waitFor();
      expect(site.server.callsTo(register), "a reload, and the same page opened again").to.have.lengthOf(1);
      await page.getByRole("button", { name: "Comprar agora" }).click();
      await page.waitForURL("https://example.com/click?id=99");
    });

    it("is never told that a way out counts if its visit could not be registered", async () => {
      site.server.answer(register, { status: 500, body: { success: false, error: "Broken", code: "INTERNAL" } });
      const { page } = await openWith("/redirect/1", false);
      await page.getByRole("alert").getByText("Esta visita não foi registrada").waitFor();
      expect(await page.getByRole("progressbar").count()).to.equal(0);
      await page.getByRole("button", { name: "Ir sem cashback" }).click();
      await page.getByRole("progressbar").waitFor();
      await page.getByText("Esta visita não foi registrada").waitFor();
      expect(await page.getByText(/% de cashback/).count()).to.equal(0);
    });

    it("records a simulated purchase by its button only, and withdraws it by Cancel", async () => {
      const { page } = await openWith("/redirect/1", true);
      const button = page.getByRole("button", { name: "Registrar a compra" });
      await button.waitFor();
      await page.getByText(PROMISE).waitFor();
      expect(site.server.callsTo(register)).to.have.lengthOf(0);
      site.server.answer("POST /api/purchases/99/withdraw", { body: { success: true, message: "Withdrawn" } });
      await button.click();
      await page.getByRole("progressbar").waitFor();
      await page.getByRole("button", { name: "Cancelar" }).click();
      await page.waitForURL("**/stores");
      await page.getByText("Compra cancelada").waitFor();
      expect(site.server.callsTo("POST /api/purchases/99/withdraw")).to.have.lengthOf(1);
    });
  });
});
