import { type ChildProcess, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { buildAgain } from "../browser/support/another-build.ts";
import { launchChromium, newProfile } from "../browser/support/chromium.ts";
import { type FaultSystem, startFaultSystem } from "../faults/support/fault-system.ts";
import type { Supervised } from "../faults/support/supervised.ts";
import { freePorts } from "../testing/free-port.ts";
import { type Postgres, startPostgres } from "../testing/postgres.ts";
import { skipWithout } from "../testing/skip.ts";
import { until } from "../testing/until.ts";
import { buildWebApp, WEB_APP } from "../testing/web-app.ts";
import { startNginx } from "./support/nginx.ts";

const LOADS = 10;

/** docs/upgrading.md#several-processes */
describe("A rolling upgrade in a browser, with two builds behind nginx @release", function () {
  this.timeout(300_000);
  const folder = mkdtempSync(join(tmpdir(), "torcida-builds-"));
  const later = join(folder, "later");
  let postgres: Postgres;
  let system: FaultSystem;
  let apis: Supervised[] = [];
  let nginx: ChildProcess;
  let browser: Browser;
  let url = "";
  let open: { page: Page; missing: string[] };
  before(async function () {
    if (spawnSync("nginx", ["-v"]).status !== 0) skipWithout(this, "nginx: Debian's package");
    await buildWebApp();
    buildAgain(later);
    postgres = await startPostgres();
    const environment = { TRUST_PROXY: "loopback", RATE_LIMIT_SCALE: "1000", DRAIN_SECONDS: "1", WEB_DIR: WEB_APP };
    system = await startFaultSystem({
      environment,
      databaseUrl: await postgres.createDatabase(),
      withoutIndexer: true,
    });
    apis = [system.api, await system.anotherApi()];
    const [port = 0] = await freePorts(1);
    url = `http://127.0.0.1:${port}`;
    nginx = startNginx(folder, port, apis);
    await until("nginx answers", async () => (await fetch(`${url}/healthz`)).ok);
    browser = await launchChromium();
    open = await openTab();
  });
  after(async () => {
    await browser?.close();
    nginx?.kill("SIGKILL");
    await system?.stop();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A visitor whose browser has nothing of the site yet; the page's files that were not answered. */
  async function openTab(): Promise<{ page: Page; missing: string[] }> {
    const { page, context } = await newProfile(browser, { locale: "pt-BR" });
    const missing: string[] = [];
    page.on("response", (response) => {
      if (response.url().includes("/assets/") && !response.ok()) missing.push(`${response.status()} ${response.url()}`);
    });
    context.on("weberror", (error) => missing.push(String(error.error())));
    await page.goto(`${url}/stores`);
    await page.getByRole("article").first().waitFor();
    return { page, missing };
  }

  /** A page, another one, and a part that is fetched at a click. */
  async function use({ page, missing }: { page: Page; missing: string[] }): Promise<string[]> {
    await page.getByRole("link", { name: "Perguntas frequentes", exact: true }).first().click();
    await page.getByRole("heading", { level: 1, name: "Ajuda" }).waitFor();
    await page.getByRole("link", { name: "Lojas", exact: true }).first().click();
    const store = page.getByRole("article").first();
    await store.getByRole("button", { name: /Comprar/ }).click();
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    return missing;
  }

  async function serve(api: Supervised | undefined, build: string): Promise<void> {
    expect(await api?.stop("SIGTERM"), api?.output()).to.equal(0);
    api?.start({ WEB_DIR: build });
    await api?.ready();
  }

  for (const [stage, change] of Object.entries({
    "while both have the same build": async () => {},
    "while one has the next build": () => serve(apis[1], later),
    "when both have it": () => serve(apis[0], later),
    "on the way back": () => serve(apis[0], WEB_APP),
  }))
    it(`gives ${LOADS} of ${LOADS} visitors a whole page ${stage}, and the tab that has been open all along`, async () => {
      const search = open.page.getByRole("searchbox").first();
      await search.fill("Apito");
      await open.page.getByText("1 loja", { exact: true }).waitFor();
      await change();
      const failed: string[] = [];
      for (let load = 0; load < LOADS; load++) {
        const tab = await openTab();
        failed.push(...(await use(tab)));
        await tab.page.context().close();
      }
      expect(failed).to.deep.equal([]);
      expect(await search.inputValue(), "what was typed").to.equal("Apito");
      // The list that comes back moves what is below it.
      await search.fill("");
      await open.page.getByText("8 lojas", { exact: true }).waitFor();
      expect(await use(open)).to.deep.equal([]);
    });
});
