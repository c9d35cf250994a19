import { expect } from "chai";
import en from "../../core/rules/languages/panel/en.json" with { type: "json" };
import pt from "../../core/rules/languages/panel/pt.json" with { type: "json" };
import { BUYER, fillPanel, purchases, sales } from "./support/panel-data.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

const VIEWS = [
  ...["purchases", "payments", "approvals", "sales", "claims", "accounts", "margin", "operations", "log"].map(
    (view) => `view=${view}`,
  ),
  ...["", "tab=stores", "tab=stores&row=1", "tab=fan-tokens", "tab=users", `tab=users&row=${BUYER}`, "tab=settings"],
  `view=purchases&row=${purchases[0]?.id}`,
  `view=sales&row=${sales[0]?.id}`,
];

/** What only the Portuguese catalogue says, without values. */
const SAID = new Set<string>(Object.values(en));
const PORTUGUESE = Object.values(pt).filter((text) => !/[{'<]/.test(text) && !SAID.has(text));

describe("The panel in its second language @deep", function () {
  this.timeout(120_000);
  const site = useSite();

  async function openPanel(path: string, storage: Record<string, string> = {}) {
    const wallet = testWallet();
    site.server.isAdmin = true;
    site.server.signIn(wallet.address);
    fillPanel(site.server, "owner", wallet.address.toLowerCase());
    const { page } = await site.openLoggedIn(`/admin?${path}`, { wallet, storage });
    await page.locator("[role=tab]").nth(4).waitFor();
    return page;
  }

  it("is chosen under settings, and stays, whatever the site's language is", async () => {
    const page = await openPanel("tab=settings");
    await page.getByLabel("Idioma do painel").selectOption("en");
    await page.getByRole("heading", { name: "Administration panel" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Administration panel" }).waitFor();
    await page.getByRole("link", { name: "Lojas" }).first().waitFor();
    await page.getByLabel("Panel language").selectOption("pt");
    await page.getByRole("heading", { name: "Painel de Administração" }).waitFor();
  });

  for (const view of VIEWS)
    it(`leaves no text of the first on ${view || "the overview"}`, async () => {
      const page = await openPanel(view, { panel_language: "en" });
      await page.waitForLoadState("networkidle");
      await page.locator("[aria-busy=true]").first().waitFor({ state: "detached" });
      const said = await page.evaluate(() => {
        const roots = [...document.querySelectorAll("main, [role=dialog]")];
        const elements = roots.flatMap((root) => [...root.querySelectorAll("*")]);
        const texts = elements
          .flatMap((element) => [...element.childNodes])
          .map((node) => node.nodeType === 3 && node.textContent);
        const names = ["aria-label", "title", "placeholder", "data-label"];
        return [...texts, ...elements.flatMap((element) => names.map((name) => element.getAttribute(name)))]
          .map((text) => (text || "").trim())
          .filter(Boolean);
      });
      expect(said).to.include.members(["Stores", "Settings"]);
      expect(said.filter((text) => PORTUGUESE.includes(text))).to.deep.equal([]);
    });
});
