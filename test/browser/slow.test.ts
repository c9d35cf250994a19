import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../testing/until.ts";
import { fillPanel } from "./support/panel-data.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

const SLOWDOWN = 20;

/** What a processor twenty times slower shows: answers and renders that arrive after the user went on. */
describe("On a slow device", function () {
  this.timeout(180_000);
  const site = useSite();

  async function slowDown(page: Page): Promise<void> {
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  }
  async function openPanel(search: string) {
    const wallet = testWallet();
    site.server.isAdmin = true;
    fillPanel(site.server, "owner", wallet.address);
    const visit = await site.openLoggedIn(`/admin${search}`, { wallet });
    await visit.page.getByRole("heading", { level: 1, name: "Painel de Administração" }).waitFor();
    return visit;
  }

  describe("a search field", () => {
    /** Around the debounce, so that the address changes between letters. */
    const TYPING_MS = 230;
    const TYPED = "camisa do verdao 2026";

    it("keeps every letter in a list of the panel, and the address follows", async () => {
      const { page } = await openPanel("?view=purchases");
      const field = page.getByRole("searchbox");
      await field.waitFor();
      await slowDown(page);
      await field.pressSequentially(TYPED, { delay: TYPING_MS });
      expect(await field.inputValue()).to.equal(TYPED);
      await eventually(async () => expect(new URL(page.url()).searchParams.get("query")).to.equal(TYPED));
      expect(await field.inputValue()).to.equal(TYPED);
    });

    it("keeps every letter among the stores, and the address follows", async () => {
      const { page } = await site.open("/stores");
      const field = page.getByRole("searchbox");
      await field.waitFor();
      await slowDown(page);
      await field.pressSequentially(TYPED, { delay: TYPING_MS });
      expect(await field.inputValue()).to.equal(TYPED);
      await eventually(async () => expect(new URL(page.url()).searchParams.get("q")).to.equal(TYPED));
      expect(await field.inputValue()).to.equal(TYPED);
    });

    it("takes over an address that changes by other means", async () => {
      const { page } = await site.open("/stores?q=verdao");
      const field = page.getByRole("searchbox");
      await eventually(async () => expect(await field.inputValue()).to.equal("verdao"));
      await page.getByRole("link", { name: "Lojas" }).first().click();
      await eventually(async () => expect(await field.inputValue()).to.equal(""));
    });

    it("is cleared with the filters, also before the address has what was typed", async () => {
      const { page } = await site.open("/stores?country=Brasil");
      const field = page.getByRole("searchbox");
      const clear = page.getByRole("button", { name: "Limpar filtros" });
      await clear.waitFor();
      await slowDown(page);
      // In one task of the page, so that no debounce can end in between.
      await page.evaluate(() => {
        const input = document.querySelector<HTMLInputElement>("input[type=search]");
        const button = [...document.querySelectorAll("button")].find((one) => one.textContent === "Limpar filtros");
        if (!input || !button) throw new Error("no field or button");
        Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(input, "zzz");
        input.dispatchEvent(new InputEvent("input", { bubbles: true }));
        button.click();
      });
      await clear.waitFor({ state: "detached" });
      expect(await field.inputValue()).to.equal("");
      expect(new URL(page.url()).search).to.equal("");
    });
  });
});
