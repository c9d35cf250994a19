import { expect } from "chai";
import type { Page } from "playwright-core";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

/** Tests of this file run in order: each finds the browser profile that the one before left. */
describe("A browser profile that an earlier test used", () => {
  const site = useSite();
  let earlier: Page;

  it("can be filled", async () => {
    const { page, context } = await site.openLoggedIn("/", { storage: { language: "en" } });
    earlier = page;
    await page.addInitScript(() => Object.assign(window, { left: true }));
    await page.exposeFunction("leftFunction", () => {});
    await page.route(/\/api\/stores\?/, (route) => route.abort());
    await context.route("**/api/config", (route) => route.abort());
    await context.newPage();
    await context.addCookies([{ name: "left", value: "yes", url: site.server.url }]);
    await context.grantPermissions(["geolocation"]);
    await page.setViewportSize({ width: 360, height: 640 });
    await page.goto(`${site.server.url}/stores`);
    await page.evaluate(async () => {
      sessionStorage.setItem("left", "yes");
      await caches.open("left");
      const opening = indexedDB.open("left");
      await new Promise((resolve) => Object.assign(opening, { onsuccess: resolve }));
    });
    await context.setOffline(true);
  });

  it("is empty, and as wide as any", async () => {
    const { page, context } = await site.open("/", { wallet: testWallet({ presence: "none" }) });
    expect(page, "the same page").to.equal(earlier);
    await page.getByRole("button", { name: "Ver lojas" }).first().waitFor();
    const found = await page.evaluate(async () => ({
      globals: ["left", "leftFunction", "torcidaTestWallet"].filter((name) => name in window),
      local: localStorage.getItem("auth_token") ?? localStorage.getItem("language"),
      session: sessionStorage.getItem("left"),
      caches: await caches.keys(),
      databases: await indexedDB.databases(),
      permission: (await navigator.permissions.query({ name: "geolocation" })).state,
      isOnline: navigator.onLine,
      history: history.length,
      width: innerWidth,
    }));
    expect(found).to.deep.equal({
      globals: [],
      local: null,
      session: null,
      caches: [],
      databases: [],
      permission: "prompt",
      isOnline: true,
      history: 2,
      width: 1280,
    });
    expect(await context.cookies()).to.deep.equal([]);
    expect(context.pages()).to.have.length(1);
    const calls = await page.evaluate(() =>
      Promise.all(["/api/stores", "/api/config"].map(async (path) => (await fetch(path)).status)),
    );
    expect(calls).to.deep.equal([200, 200]);
  });

  it("can be given a clock that stands still", async () => {
    const { page } = await site.open("/");
    expect(page, "the same page").to.equal(earlier);
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
  });

  it("is then not used again", async () => {
    const { page } = await site.open("/");
    expect(page).to.not.equal(earlier);
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 10)));
  });
});
