import { expect } from "chai";
import type { Page } from "playwright-core";
import { objections } from "./support/axe.ts";
import { SCREENS, type Screen } from "./support/screens.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

/**
 * The languages of each visit. A screen that is itself a page is read in both on one visit; what was opened on it might not
 * outlast the change.
 */
function visitsTo(screen: Screen): Language[][] {
  if (screen.isAdmin) return [["pt"]];
  return screen.act ? [["pt"], ["en"]] : [["pt", "en"]];
}

type Language = "pt" | "en";
type Analyses = Record<Language, Partial<Record<"light" | "dark", Parameters<typeof objections>[1]>>>;
/** The colours of both themes are analysed in Portuguese, everything else in both languages. */
const FIRST: Analyses = { pt: { light: "all" }, en: {} };
const OTHERS: Analyses = { pt: { dark: "colours" }, en: { light: "all but colours" } };

async function expectNoObjections(page: Page, themes: Analyses[Language]): Promise<void> {
  for (const [theme, rules] of Object.entries(themes)) {
    await page.evaluate(async (name) => {
      document.documentElement.dataset.theme = name;
      // The new colours appear with the second frame.
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
      const passing = document.getAnimations().filter((one) => one.effect?.getComputedTiming().iterations !== Infinity);
      await Promise.all(passing.map((one) => one.finished.catch(() => {})));
    }, theme);
    expect(await objections(page, rules), theme).to.deep.equal([]);
  }
}

/** WCAG 2.2 A and AA, by axe, on every screen, in both languages and themes. */
describe("Accessibility @deep", () => {
  const site = useSite();

  for (const screen of SCREENS) {
    const tag = screen.isVariant ? " @release" : "";
    it(`finds no violation on ${screen.name}${tag}`, () => analyse(screen, ["pt"], FIRST));
    for (const languages of visitsTo(screen)) {
      const name = `${screen.name} in ${languages.join(" and ")}`;
      it(`finds none on ${name}, in the other theme or language @release`, () => analyse(screen, languages, OTHERS));
    }
  }

  async function analyse(screen: Screen, [language = "pt", ...others]: Language[], analyses: Analyses): Promise<void> {
    const wallet = testWallet(screen.wallet);
    // The notice of another network is visible while the wallet refuses to switch.
    if (screen.wallet?.chainId) wallet.rejectNext("wallet_switchEthereumChain");
    const isLoggedIn = screen.isLoggedIn || screen.isAdmin;
    if (isLoggedIn) site.server.signIn(wallet.address);
    site.server.isAdmin = screen.isAdmin ?? false;
    screen.prepare?.(site.server);
    const open = isLoggedIn ? site.openLoggedIn : site.open;
    const storage = { language, theme: "light" };
    const { page } = await open(screen.path, { wallet, storage, reducedMotion: "reduce" });
    await page.locator(".first-paint").first().waitFor({ state: "detached" });
    await seeContent();
    await screen.act?.(page);
    // What it did may have opened another page.
    await seeContent();
    await expectNoObjections(page, analyses[language]);
    for (const other of others) {
      await page.getByRole("button", { name: other === "en" ? "English" : "Português" }).click();
      await page.locator(`html[lang=${other}]`).waitFor();
      await seeContent();
      await expectNoObjections(page, analyses[other]);
    }

    async function seeContent(): Promise<void> {
      await page.locator("h1").first().waitFor();
      if (!screen.isLoading) await page.locator("[data-skeleton]").first().waitFor({ state: "detached" });
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

  it("has targets for a finger on a phone, but for links within a sentence", async () => {
    const found: string[] = [];
    for (const path of [
      "/",
      "/stores",
      "/stores/1",
      "/dashboard",
      "/dashboard?view=statement",
      "/ticket/2",
      "/profile",
    ]) {
      const { page } = await site.openLoggedIn(path, { viewport: { width: 360, height: 780 } });
      await page.locator("h1").first().waitFor();
      await page.waitForLoadState("networkidle");
      const small = await page.locator("a[href], button, input, select, summary").evaluateAll((targets) =>
        targets.flatMap((one) => {
          const words = one.parentElement?.textContent?.trim();
          const isInSentence = one.matches("a") && words !== one.textContent?.trim() && one.closest("p") !== null;
          if (isInSentence || !one.checkVisibility() || one.closest(".sr-only, .skip-link")) return [];
          const target = one.closest("label") ?? one;
          target.scrollIntoView({ block: "center" });
          const { height, x, y, width } = target.getBoundingClientRect();
          const hit = document.elementFromPoint(x + width / 2, y + height / 2);
          const isOther = hit !== null && !target.contains(hit) && !hit.contains(target);
          return [
            ...(height < 43.5 ? [`${one.textContent} ${height}`] : []),
            ...(isOther ? [`${one.textContent} lies below ${hit.textContent}`] : []),
          ];
        }),
      );
      found.push(...small.map((one) => `${path} ${one}`));
    }
    expect(found).to.deep.equal([]);
  });

  it("tells what is chosen where the reader's own colours take all grounds away", async () => {
    const { page } = await site.openLoggedIn("/dashboard", { forcedColors: "active" });
    const ground = (name: string) =>
      page.getByText(name, { exact: true }).evaluate((one) => getComputedStyle(one).backgroundColor);
    await page.getByRole("button", { name: "Por mês", pressed: true }).waitFor();
    expect(await ground("Por mês")).not.to.equal(await ground("Por clube"));
    expect(await ground("Álbum")).not.to.equal(await ground("Extrato"));
  });

  it("moves the focus to the heading on navigation", async () => {
    const { page } = await site.open("/");
    await page.getByRole("link", { name: "Lojas", exact: true }).click();
    await page.waitForFunction(() => document.activeElement?.tagName === "H1");
    await page.waitForFunction(() => document.title.includes("Lojas"));
  });
});
