import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { build } from "vite";
import { launchChromium, visit } from "./support/chromium.ts";
import { FixtureServer } from "./support/fixture-server.ts";

describe("Web analytics", function () {
  this.timeout(300_000);
  let folder: string;
  let server: FixtureServer;
  let browser: Browser;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "torcida-web-"));
    process.env.VITE_ANALYTICS_URL = "/measure.js";
    try {
      await build({ configFile: "vite.config.ts", logLevel: "error", build: { outDir: folder, emptyOutDir: true } });
    } finally {
      delete process.env.VITE_ANALYTICS_URL;
    }
    server = await new FixtureServer(folder).start();
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function open(storage: Record<string, string> = {}): Promise<{ page: Page; asked: string[] }> {
    const { page, context } = await visit(browser, { storage });
    const asked: string[] = [];
    await context.route("**/measure.js", (route) => {
      asked.push(route.request().url());
      return route.fulfill({ contentType: "text/javascript", body: "globalThis.isMeasured = true" });
    });
    await page.goto(server.url);
    await page.getByRole("heading", { level: 1 }).waitFor();
    return { page, asked };
  }

  it("are loaded after consent, and the question is not asked again", async () => {
    const { page, asked } = await open();
    await page.waitForLoadState("networkidle");
    expect(asked).to.have.length(0);
    await page.getByRole("button", { name: "Sim, pode" }).click();
    await page.waitForFunction(() => "isMeasured" in globalThis);
    await page.reload();
    await page.waitForFunction(() => "isMeasured" in globalThis);
    expect(await page.getByRole("button", { name: "Sim, pode" }).count()).to.equal(0);
  });

  it("are never loaded after a refusal", async () => {
    const { page, asked } = await open();
    await page.getByRole("button", { name: "Não", exact: true }).click();
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.waitForLoadState("networkidle");
    expect(asked).to.have.length(0);
    expect(await page.getByRole("button", { name: "Sim, pode" }).count()).to.equal(0);
  });
});
