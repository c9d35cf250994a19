import { AxeBuilder } from "@axe-core/playwright";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { useSite } from "./support/site.ts";

type Screen = {
  name: string;
  path: string;
  isLoggedIn?: boolean;
  isAdmin?: boolean;
  act?: (page: Page) => Promise<void>;
};

const SCREENS: Screen[] = [
  { name: "home", path: "/" },
  { name: "stores", path: "/stores" },
  { name: "no stores", path: "/stores?q=zzz" },
  { name: "buy dialog", path: "/stores", isLoggedIn: true, act: openBuyDialog },
  { name: "redirect", path: "/redirect/sample-1" },
  { name: "auth", path: "/auth" },
  { name: "registration", path: "/auth", act: openRegistration },
  { name: "dashboard", path: "/dashboard", isLoggedIn: true },
  { name: "NFT details", path: "/dashboard", isLoggedIn: true, act: openDetails },
  { name: "not found", path: "/nowhere" },
  { name: "footer's questions", path: "/?info=faq" },
  { name: "admin overview", path: "/admin", isAdmin: true, act: openTab(/Dashboard/) },
  { name: "admin stores", path: "/admin", isAdmin: true, act: openTab(/Lojas/) },
  { name: "admin fan tokens", path: "/admin", isAdmin: true, act: openTab(/Fan Tokens/) },
  { name: "admin users", path: "/admin", isAdmin: true, act: openTab(/Usuários/) },
];

function openTab(name: RegExp) {
  return async (page: Page): Promise<void> => {
    await page.getByRole("tab", { name }).first().click();
    await page.getByRole("tabpanel").first().waitFor();
    await page.locator("[data-skeleton]").first().waitFor({ state: "detached" });
  };
}

async function openBuyDialog(page: Page): Promise<void> {
  await page.locator(".store-card button").first().click();
  await page.locator(".summary").waitFor();
}

async function openRegistration(page: Page): Promise<void> {
  await page.locator("main .button").first().click();
  await page.locator("main [aria-live] button").click();
  await page.locator("form").waitFor();
}

async function openDetails(page: Page): Promise<void> {
  await page.locator(".ticket-stub button").first().click();
  await page.getByRole("dialog").waitFor();
}

/** WCAG 2.2 A and AA, by axe, on every screen, language and theme. */
describe("Accessibility", () => {
  const site = useSite();

  for (const screen of SCREENS) {
    for (const language of screen.isAdmin ? (["pt"] as const) : (["pt", "en"] as const)) {
      it(`finds nothing to object to on ${screen.name} in ${language}, light and dark`, async () => {
        site.server.isAdmin = screen.isAdmin ?? false;
        const open = screen.isLoggedIn || screen.isAdmin ? site.openLoggedIn : site.open;
        const { page } = await open(screen.path, { storage: { language, theme: "light" }, reducedMotion: "reduce" });
        await page.locator("h1").first().waitFor();
        await page.locator("[data-skeleton]").first().waitFor({ state: "detached" });
        await screen.act?.(page);
        for (const theme of ["light", "dark"]) {
          await page.evaluate(async (name) => {
            document.documentElement.dataset.theme = name;
            // The new colours are there from the second frame on.
            await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
            const passing = document
              .getAnimations()
              .filter((one) => one.effect?.getComputedTiming().iterations !== Infinity);
            await Promise.all(passing.map((one) => one.finished.catch(() => {})));
          }, theme);
          const { violations } = await new AxeBuilder({ page })
            .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
            .exclude("[data-sonner-toaster]")
            .analyze();
          const found = violations.map(
            (one) => `${one.id}: ${one.nodes.map((node) => node.target.join(" ")).join(", ")}`,
          );
          expect(found, theme).to.deep.equal([]);
        }
      });
    }
  }

  for (const path of ["/", "/stores", "/auth", "/dashboard", "/redirect/sample-1", "/nowhere"]) {
    it(`fits ${path} into 320 px`, async () => {
      const { page } = await site.openLoggedIn(path, { viewport: { width: 320, height: 640 } });
      await page.locator("h1").first().waitFor();
      await page.locator("[data-skeleton]").first().waitFor({ state: "detached" });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.be.at.most(320);
    });
  }

  it("moves the focus to the heading on navigation", async () => {
    const { page } = await site.open("/");
    await page.getByRole("link", { name: "Lojas", exact: true }).click();
    await page.waitForFunction(() => document.activeElement?.tagName === "H1");
    expect(await page.title()).to.include("Lojas");
  });
});
