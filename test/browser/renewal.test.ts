import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Page } from "playwright-core";
import { eventually } from "../testing/until.ts";
import { WEB_APP } from "../testing/web-app.ts";
import { buildAgain } from "./support/another-build.ts";
import { useSite } from "./support/site.ts";

/** How often the tab has loaded a page. */
const loads = (page: Page) => page.evaluate(() => Number(sessionStorage.getItem("loads")));

describe("A tab of another build than the server's @deep", () => {
  const site = useSite();
  let later: string;
  before(() => {
    later = join(mkdtempSync(join(tmpdir(), "torcida-later-")), "web");
    buildAgain(later);
  });
  after(() => rmSync(join(later, ".."), { recursive: true, force: true }));

  function serve(build: "one" | "two"): void {
    site.server.build = build;
    site.server.root = build === "one" ? WEB_APP : later;
    site.server.shared = undefined;
  }

  async function openTab(path: string): Promise<Page> {
    serve("one");
    const { page, context } = await site.open("/blank");
    await context.addInitScript(() => {
      if (location.pathname === "/blank") return;
      sessionStorage.setItem("loads", String(Number(sessionStorage.getItem("loads")) + 1));
    });
    await page.goto(site.server.url + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    return page;
  }

  /** Not from the browser's cache, where an earlier test may have left it. */
  const forgetPart = (page: Page) =>
    page.route("**/assets/buy-dialog-*", (route) =>
      /Z\.(?:js|css)$/.test(route.request().url()) ? route.continue() : route.fulfill({ status: 404 }),
    );

  const go = async (page: Page, link: string, path: string) => {
    await page.getByRole("link", { name: link, exact: true }).first().click();
    await page.waitForURL((url) => url.pathname === path);
    await page.getByRole("heading", { level: 1 }).waitFor();
  };

  it("stays as it is until its next page, which it loads anew once", async () => {
    const page = await openTab("/stores");
    await page.getByRole("article").first().waitFor();
    serve("two");
    await page.getByLabel("Categoria").selectOption("Viagens");
    await page.getByText("Apito Viagens").first().waitFor();
    expect(await loads(page)).to.equal(1);
    await go(page, "Perguntas frequentes", "/help");
    await eventually(async () => expect(await loads(page)).to.equal(2));
    await page.getByRole("heading", { level: 1, name: "Ajuda" }).waitFor();
    const script = await page.locator("script[type=module]").first().getAttribute("src");
    expect(script).to.match(/Z\.js$/);
    await go(page, "Lojas", "/stores");
    await page.getByRole("article").first().waitFor();
    expect(await loads(page)).to.equal(2);
  });

  it("reloads once for each build at most, while two answer in turn", async () => {
    const page = await openTab("/stores");
    let turn = 0;
    site.server.alter = (_route, body) => {
      // The next answer is the other process's, and so is the next page; each has the parts of both.
      serve(turn++ % 2 === 0 ? "two" : "one");
      site.server.shared = site.server.root === later ? WEB_APP : later;
      return body;
    };
    for (let round = 0; round < 4; round++) {
      const answered = page.waitForResponse(/api\/stores/);
      await page.getByRole("searchbox").first().fill(`round ${round}`);
      await answered;
      await go(page, "Perguntas frequentes", "/help");
      await go(page, "Lojas", "/stores");
    }
    expect(await loads(page)).to.be.within(2, 3);
  });

  it("renews itself where a part is gone, and opens it", async () => {
    const page = await openTab("/stores");
    const buy = page
      .getByRole("article")
      .first()
      .getByRole("button", { name: /Comprar/ });
    await buy.waitFor();
    serve("two");
    await forgetPart(page);
    await buy.click();
    await eventually(async () => expect(await loads(page)).to.equal(2));
    await buy.click();
    await page.getByRole("dialog").waitFor();
    expect(await loads(page)).to.equal(2);
  });

  for (const [what, path] of [
    ["that could not be fetched", "**/assets/buy-dialog-*"],
    ["while the server does not answer at all", "**/{assets/buy-dialog-*,api/config}"],
  ] as const)
    it(`says so of a dialog ${what}, keeps the page and never reloads by itself`, async () => {
      const page = await openTab("/stores");
      const buy = page
        .getByRole("article")
        .first()
        .getByRole("button", { name: /Comprar/ });
      await buy.waitFor();
      await page.route(path, (route) => route.abort("connectionreset"));
      await buy.click();
      await page.getByText("Esta parte da página falhou").waitFor();
      await page.waitForLoadState("networkidle");
      expect(await loads(page)).to.equal(1);
      expect(await buy.isVisible()).to.equal(true);
      // A second time it is asked for, and told of, again.
      await buy.click();
      await page.getByText("Esta parte da página falhou").last().waitFor();
      await page.unroute(path);
      await page.getByRole("button", { name: "Recarregar a página" }).first().click();
      await buy.click();
      await page.getByRole("dialog").waitFor();
    });

  it("does not reload over what was typed on the page", async () => {
    const page = await openTab("/stores");
    await page.getByRole("article").first().waitFor();
    await page.getByRole("searchbox").first().fill("Apito");
    await page.getByText("Apito Viagens").first().waitFor();
    serve("two");
    await forgetPart(page);
    await page
      .getByRole("article")
      .first()
      .getByRole("button", { name: /Comprar/ })
      .click();
    // Not by a toast, whose code is gone, too.
    await page.getByRole("alert").getByText("Esta página não carregou").waitFor();
    await page.waitForLoadState("networkidle");
    expect(await loads(page)).to.equal(1);
    expect(await page.getByRole("searchbox").first().inputValue()).to.equal("Apito");
  });
});
