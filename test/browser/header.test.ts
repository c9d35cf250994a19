import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../testing/until.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

describe("The header on a phone and a tablet", () => {
  const site = useSite();

  /** The rows of what can be pressed in the header, by their upper edges. */
  const rows = (page: Page) =>
    page.getByRole("banner").evaluate((header) => {
      const targets = [...header.querySelectorAll<HTMLElement>("a, button")];
      const seen = targets.filter((one) => one.checkVisibility() && !one.closest("nav, .notice-count"));
      return new Set(seen.map((one) => Math.round(one.getBoundingClientRect().top / 20))).size;
    });
  const fits = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

  for (const language of ["pt", "en"]) {
    for (const [who, width, most] of [
      ["a visitor", 360, 1],
      ["a shopper", 360, 1],
      ["an admin", 360, 2],
      ["an admin", 320, 2],
      ["a visitor", 720, 1],
      ["a shopper", 720, 1],
      ["a shopper", 768, 1],
    ] as const) {
      it(`takes at most ${most} rows for ${who} at ${width} px (${language})`, async () => {
        site.server.isAdmin = who === "an admin";
        const options = { viewport: { width, height: 740 }, storage: { language } };
        const { page } = await (who === "a visitor" ? site.open("/stores", options) : site.openLoggedIn("/", options));
        if (who !== "a visitor") {
          await page.getByRole("main").getByRole("button").first().click();
          // Its end is what tells one wallet from another where there is no room for all of it.
          const address = page.getByRole("banner").getByRole("button", { name: /^0x\w{4}\s?\.\.\.\w{4}$/ });
          await address.waitFor();
        }
        if (who === "an admin") await page.getByRole("button", { name: "Painel de Admin" }).waitFor();
        await eventually(async () => expect(await rows(page)).to.be.at.most(most));
        expect(await fits(page)).to.equal(true);
      });
    }
  }
});

describe("A message on a phone", () => {
  const site = useSite();

  for (const language of ["pt", "en"]) {
    it(`covers nothing that is to be pressed, of the header neither (${language})`, async () => {
      const wallet = testWallet({ chainId: 1 });
      wallet.rejectNext("wallet_switchEthereumChain");
      const { page } = await site.open("/auth", {
        ...{ wallet, viewport: { width: 360, height: 740 }, storage: { language }, reducedMotion: "reduce" },
      });
      await page
        .getByRole("main")
        .getByRole("button", { name: /^(Connect wallet|Conectar carteira)$/ })
        .click();
      const toast = page
        .locator("[data-sonner-toast][data-mounted=true]")
        .filter({ hasText: /request was|pedido foi/ });
      await toast.waitFor();
      await page.locator(".notice").getByRole("button").waitFor();
      const covered = await toast.evaluate((one) => {
        const { top, bottom } = one.getBoundingClientRect();
        const others = [...document.querySelectorAll(":is(main, .notice, header) :is(a, button)")];
        const isUnder = (other: Element) => {
          const box = other.getBoundingClientRect();
          return other.checkVisibility() && box.top < bottom && box.bottom > top;
        };
        return others.filter(isUnder).map((other) => other.textContent);
      });
      expect(covered).to.deep.equal([]);
      // What comes before the notice is there stands higher: it lies over that neither.
      await toast.getByRole("button", { name: /^(Fechar|Close)$/ }).click();
      await page.getByRole("banner").getByRole("button").first().click({ trial: true });
    });
  }
});

describe("The account menu", () => {
  const site = useSite();
  const button = (page: Page) => page.getByRole("button", { name: "Your account" });
  const menu = (page: Page) => page.getByRole("navigation", { name: "Your account" });
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim());

  async function open() {
    const visit = await site.openLoggedIn("/stores", { storage: { language: "en", theme: "light" } });
    await button(visit.page).click();
    await menu(visit.page).waitFor();
    return visit;
  }

  it("leads to what is the user's own, and changes the theme", async () => {
    const { page } = await open();
    await menu(page).getByRole("button", { name: "Use the dark theme" }).click();
    expect(await page.evaluate(() => document.documentElement.dataset.theme)).to.equal("dark");
    await menu(page).getByRole("link", { name: "My store visits" }).click();
    await page.waitForURL("**/visits");
    await menu(page).waitFor({ state: "hidden" });
    await page.getByRole("heading", { level: 1, name: "My store visits" }).waitFor();
    await page.goBack();
    await page.waitForURL("**/stores");
  });

  it("moves by arrows, around its ends, and gives the focus back on Escape", async () => {
    const { page } = await open();
    const isBack = () => button(page).evaluate((one) => one === document.activeElement);
    const close = async () => {
      await page.keyboard.press("Escape");
      await menu(page).waitFor({ state: "hidden" });
      await eventually(async () => expect(await isBack()).to.equal(true));
    };
    await close();
    const press = async (key: string) => {
      await page.keyboard.press(key);
      return focused(page);
    };
    expect(await press("ArrowDown")).to.equal("Your profile");
    expect(await press("ArrowUp")).to.equal("Use the dark theme");
    expect(await press("ArrowDown")).to.equal("Your profile");
    expect(await press("ArrowDown")).to.equal("My store visits");
    await close();
    expect(await press("ArrowUp")).to.equal("Use the dark theme");
    await page.keyboard.press("Tab");
    await menu(page).waitFor({ state: "hidden" });
  });

  it("closes on Back, which then leads to the page before", async () => {
    const { page } = await site.openLoggedIn("/", { storage: { language: "en" } });
    await page.getByRole("link", { name: "Stores", exact: true }).click();
    await button(page).click();
    await page.waitForFunction(() => history.state?.dialog);
    await page.goBack();
    await menu(page).waitFor({ state: "hidden" });
    await page.waitForFunction(() => !history.state?.dialog);
    expect(new URL(page.url()).pathname).to.equal("/stores");
    await page.goBack();
    await page.waitForURL(`${site.server.url}/`);
  });

  it("is nobody's without a session", async () => {
    const { page } = await site.open("/stores", { storage: { language: "en" } });
    await page.getByRole("button", { name: /^Use the (dark|light) theme$/ }).waitFor();
    expect(await button(page).count()).to.equal(0);
  });
});

describe("A link", () => {
  const site = useSite();

  for (const how of ["the pointer", "the keyboard", "a finger"] as const) {
    it(`loads its page's code as soon as ${how} is on it, before it is followed`, async () => {
      const { page } = await site.open("/help", { hasTouch: how === "a finger" });
      await page.waitForLoadState("networkidle");
      const isLoaded = () =>
        page.evaluate(() => performance.getEntriesByType("resource").some(({ name }) => /\/stores-page-\w/.test(name)));
      expect(await isLoaded()).to.equal(false);
      const link = page.locator('a[href="/stores"]:visible').first();
      await link.scrollIntoViewIfNeeded();
      if (how === "the pointer") await link.hover();
      if (how === "the keyboard") await link.focus();
      if (how === "a finger") {
        const box = await link.boundingBox();
        if (!box) throw new Error("The link is not on the page");
        const at = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
        // It is put down, and not lifted.
        const session = await page.context().newCDPSession(page);
        await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [at] });
      }
      await eventually(async () => expect(await isLoaded()).to.equal(true));
      expect(new URL(page.url()).pathname).to.equal("/help");
    });
  }
});
