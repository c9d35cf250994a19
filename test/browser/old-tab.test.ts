import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { type FaultSystem, startFaultSystem } from "../faults/support/fault-system.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { until } from "../testing/until.ts";
import { WEB_APP_THEN } from "../upgrade/release.ts";
import { launchChromium, visit } from "./support/chromium.ts";
import { BLANK, FixtureServer, SESSION_TOKEN } from "./support/fixture-server.ts";
import { fillPanel, purchases, sales } from "./support/panel-data.ts";
import { Profiles } from "./support/profiles.ts";
import { addAllSituations, addEvents, openEvents } from "./support/states.ts";
import { testWallet } from "./support/test-wallet.ts";

const PAGES = ["/", "/stores", "/stores/1", "/redirect/1", "/ticket/2", "/proof", "/help", "/help/bonus", "/auth"];
const OWN_PAGES = ["/dashboard", "/profile", "/visits", "/"];
const VIEWS = [
  ...["purchases", "payments", "approvals", "sales", "claims", "margin", "operations", "log"].map(
    (view) => `view=${view}`,
  ),
  ...["", "tab=stores", "tab=stores&row=1", "tab=fan-tokens", "tab=users", "tab=settings"],
  ...[`view=purchases&row=${purchases[0]?.id}`, `view=sales&row=${sales[0]?.id}`],
];

/** The table of pages of a build: today's api fills their HTML as 1.0.0's filled its own. */
const PAGES_FILE = ".vite/pages.json";

/**
 * The web app of 1.0.0, as a tab that was open before an upgrade, or a phone that kept the page: it reads what today's api
 * answers. It cannot be mended any more. docs/upgrading.md#what-holds-from-100-on
 */
describe("A tab of 1.0.0 @deep", function () {
  this.timeout(300_000);
  const folder = mkdtempSync(join(tmpdir(), "torcida-then-"));
  let browser: Browser;
  before(async () => {
    const files: Record<string, string> = JSON.parse(brotliDecompressSync(readFileSync(WEB_APP_THEN)).toString("utf8"));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const pages: object[] = JSON.parse(files[PAGES_FILE] ?? "");
    const html = (files["index.html"] ?? "").split(/(?<=id="deployment">)(?=<)/).toSpliced(1, 0, "deployment");
    writeFileSync(
      join(folder, PAGES_FILE),
      JSON.stringify({ pages: pages.map((page) => ({ ...page, html })), missing: html }),
    );
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  describe("reads today's answers", () => {
    let server: FixtureServer;
    let profiles: Profiles;
    before(async () => {
      server = await new FixtureServer(folder).start();
      profiles = new Profiles(browser, server.url + BLANK);
    });
    beforeEach(() => server.reset());
    afterEach(async function () {
      await profiles.leave({ isClean: this.currentTest?.state === "passed" });
    });
    after(() => server?.stop());

    async function open(path: string, isLoggedIn: boolean) {
      const wallet = testWallet();
      server.signIn(wallet.address);
      addAllSituations(server);
      addEvents(server);
      const { page, problems } = await profiles.visit(
        isLoggedIn ? { wallet, storage: { auth_token: SESSION_TOKEN } } : {},
      );
      await page.goto(server.url + path, { waitUntil: "domcontentloaded" });
      // Not by its role: behind an open sheet it has none.
      await page.locator("h1").first().waitFor();
      return { page, problems };
    }

    async function expectWhole(page: Page, problems: readonly string[]): Promise<void> {
      await page.waitForLoadState("networkidle");
      await page.locator("[aria-busy=true], [data-skeleton]").first().waitFor({ state: "detached" });
      // There is no chain to read a ticket from.
      const alerts = page.getByRole("alert").filter({ hasNotText: "A rede Chiliz não está respondendo" });
      expect(await alerts.allTextContents()).to.deep.equal([]);
      expect(server.callsTo("POST /api/faults").map(({ body }) => body)).to.deep.equal([]);
      expect(problems).to.deep.equal([]);
    }

    for (const path of PAGES)
      it(`on ${path}`, async () => {
        const { page, problems } = await open(path, false);
        await expectWhole(page, problems);
      });

    for (const path of OWN_PAGES)
      it(`on ${path}, logged in`, async () => {
        const { page, problems } = await open(path, true);
        if (path === "/") await openEvents(page);
        await expectWhole(page, problems);
      });

    for (const view of VIEWS)
      it(`in the panel (${view || "overview"})`, async () => {
        server.isAdmin = true;
        const wallet = testWallet();
        fillPanel(server, "owner", wallet.address.toLowerCase());
        const { page, problems } = await open(`/admin?${view}`, true);
        await expectWhole(page, problems);
      });
  });

  onEitherEngine(({ name, open }) => {
    it(`registers, buys, and sees the cashback arrive, while today's api starts anew (${name})`, async () => {
      const { url: databaseUrl } = await open();
      const environment = { WEB_DIR: folder, RATE_LIMIT_SCALE: "100" };
      const system: FaultSystem = await startFaultSystem({ databaseUrl, environment });
      const wallet = testWallet({ rpcUrl: system.anvil.rpcUrl });
      const { page, context, problems } = await visit(browser, { locale: "pt-BR", wallet });
      try {
        await context.route("https://example.com/**", (route) =>
          route.fulfill({ contentType: "text/html", body: "<h1>A loja</h1>" }),
        );
        await page.goto(`${system.url}/auth`);
        await page.getByRole("tabpanel").getByRole("button", { name: "Conectar carteira" }).click();
        await page.getByRole("button", { name: "Continuar para o cadastro" }).click();
        await page.getByLabel(/^Nome$/).fill("Ana");
        await page.getByLabel(/^Sobrenome$/).fill("Maria Silva");
        await page.getByLabel(/^E-mail$/).fill("ana@example.com");
        await page.getByRole("button", { name: "Criar conta" }).click();
        await page.waitForURL("**/dashboard");
        await page.goto(`${system.url}/stores`);
        await page.getByRole("article").filter({ hasText: "Boutique Parisienne" }).getByRole("button").click();
        await page.getByRole("radio", { name: /PSG/ }).check({ force: true });
        await system.api.kill();
        await system.api.ready();
        await page.getByRole("dialog").getByRole("button", { name: "Prosseguir" }).click();
        await page.getByRole("heading", { name: "A loja" }).waitFor();
        await page.goto(`${system.url}/dashboard`);
        await page
          .getByText(/já na sua carteira/)
          .first()
          .waitFor();
        await until("the purchase is paid once", async () => {
          const { differences } = await system.settled();
          return differences.length === 0;
        });
        // The chaos proxy, unlike a public node, is not read by pages.
        expect(problems.filter((one) => !one.includes("CORS"))).to.deep.equal([]);
      } finally {
        await context.close();
        await system.stop();
      }
    });
  });
});
