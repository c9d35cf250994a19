import { expect } from "chai";
import { SESSION_TOKEN } from "../../browser/support/fixture-server.ts";
import { testWallet } from "../../browser/support/test-wallet.ts";
import type { ComponentPage as Page } from "./support/component-site.ts";
import { useComponents } from "./support/component-site.ts";

/** The retry interval of the session after a failure. */
const RECOVERY_MS = 10_000;
const ENGLISH = { storage: { language: "en" } };

describe("Session", () => {
  const site = useComponents();
  const tokenOf = (page: Page) => page.evaluate(() => localStorage.getItem("auth_token"));

  it("is restored at startup, with the bearer token on the call", async () => {
    const { page } = await site.openLoggedIn("/dashboard", ENGLISH);
    await page.getByText("Welcome, Ana Maria Silva!").waitFor();
    expect(site.server.callsTo("GET /api/me")[0]?.authorization).to.equal(`Bearer ${SESSION_TOKEN}`);
  });

  it("ends on a 401, once, and clears the token", async () => {
    site.server.answer("GET /api/me", { status: 401, body: { success: false, error: "no" } });
    const { page, problems } = await site.open("/dashboard", { storage: { language: "en", auth_token: "dead" } });
    await page.getByText("Unauthorized: Session expired").waitFor();
    expect(await page.locator("[data-sonner-toast]").count()).to.equal(1);
    await page.waitForURL(/\/auth/);
    expect(await tokenOf(page)).to.equal(null);
    expect(problems).to.deep.equal([]);
  });

  const ENDED = { status: 401, body: { success: false, error: "no" } };
  const ENDINGS: readonly (readonly [path: string, call: string, act?: (page: Page) => Promise<void>])[] = [
    ["/visits", "GET /api/clicks"],
    [
      "/profile",
      "PUT /api/me",
      async (page) => {
        await page.getByLabel("First name").fill("Bia");
        await page.getByRole("button", { name: "Save" }).click();
      },
    ],
    [
      "/stores?country=Brasil",
      "POST /api/register-purchase",
      async (page) => {
        await page.getByRole("button", { name: "Buy now" }).first().click();
        await page.getByRole("button", { name: "Proceed" }).click();
      },
    ],
  ];
  for (const [path, call, act] of ENDINGS) {
    it(`that ends on ${path} is reported there, and leads back after the login`, async () => {
      site.server.answer(call, ENDED);
      const { page } = await site.openLoggedIn(path, ENGLISH);
      await act?.(page);
      const toast = page.locator("[data-sonner-toast]").filter({ hasText: "Unauthorized: Session expired" });
      await toast.waitFor();
      await page.getByRole("button", { name: "Log out", exact: true }).waitFor({ state: "detached" });
      expect(page.url()).to.equal(site.server.url + path);
      await toast.getByRole("button", { name: "Log in again" }).click();
      await page.waitForURL(/\/auth\?next=/);
      site.server.answer(call, undefined);
      await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
      await page.waitForURL(site.server.url + path);
      await page.getByRole("button", { name: "Log out", exact: true }).waitFor();
    });
  }

  for (const status of [400, 403, 404, 429, 500, 503]) {
    it(`is kept if the profile returns ${status}, and recovers by itself`, async () => {
      site.server.answer("GET /api/me", { status, body: { success: false, error: "broken" } });
      const { page } = await site.openLoggedIn("/dashboard", { ...ENGLISH });
      await page.getByRole("alert").getByText("Your account could not be opened").waitFor();
      expect(await tokenOf(page)).to.equal(SESSION_TOKEN);
      expect(new URL(page.url()).pathname).to.equal("/dashboard");
      site.server.answer("GET /api/me", undefined);
      await page.clock.fastForward(RECOVERY_MS);
      await page.getByText("Welcome, Ana Maria Silva!").waitFor();
    });
  }

  for (const path of ["/profile", "/visits"]) {
    it(`is not taken for a visitor's on ${path} while the profile cannot be read`, async () => {
      site.server.answer("GET /api/me", { body: { success: true, data: "cut" } });
      const { page } = await site.openLoggedIn(path, ENGLISH);
      await page.getByRole("alert").getByText("Your account could not be opened").waitFor();
      expect(await page.getByRole("link", { name: "Go to login" }).count()).to.equal(0);
      site.server.answer("GET /api/me", undefined);
      await page.getByRole("button", { name: "Try again" }).click();
      await page.getByRole("alert").waitFor({ state: "detached" });
    });
  }

  it("survives a passing failure", async () => {
    const wallet = testWallet();
    const me = site.server.signIn(wallet.address);
    let asked = 0;
    site.server.answer("GET /api/me", () => (asked++ === 0 ? { status: 503 } : { body: { success: true, data: me } }));
    const { page } = await site.openLoggedIn("/dashboard", { wallet, ...ENGLISH });
    await page.getByText("Welcome, Ana Maria Silva!").waitFor();
  });

  it("ends by the logout button, with the token and the stored wallet gone", async () => {
    const { page } = await site.openLoggedIn("/", ENGLISH);
    await page.getByRole("button", { name: "Log out", exact: true }).click();
    await page.getByText("Signed out").waitFor();
    expect(await tokenOf(page)).to.equal(null);
    expect(await page.evaluate(() => localStorage.getItem("current_wallet"))).to.equal(null);
    await page.getByRole("button", { name: "Log out", exact: true }).waitFor({ state: "detached" });
  });

  it("is not ended by disconnecting the wallet", async () => {
    const { page } = await site.openLoggedIn("/", ENGLISH);
    await page.getByRole("button", { name: "View stores" }).click();
    await page.getByRole("banner").getByRole("button", { name: /^0x/ }).click();
    await page.getByText("Wallet disconnected").waitFor();
    expect(await tokenOf(page)).to.equal(SESSION_TOKEN);
  });

  it("ends when another wallet is picked", async () => {
    const wallet = testWallet();
    const { page } = await site.openLoggedIn("/", { wallet, ...ENGLISH });
    await page.getByRole("button", { name: "View stores" }).click();
    await page.getByText("Wallet connected successfully!").waitFor();
    await wallet.changeAccount(1);
    await page.getByText("Account changed").waitFor();
    await page.waitForFunction(() => localStorage.getItem("auth_token") === null);
  });

  it("can be ended while its profile cannot be read", async () => {
    site.server.answer("GET /api/me", { status: 500, body: { success: false, error: "broken" } });
    const { page } = await site.openLoggedIn("/dashboard", ENGLISH);
    await page.getByRole("alert").getByText("Your account could not be opened").waitFor();
    await page.getByRole("button", { name: "Log out", exact: true }).click();
    await page.getByText("Signed out").waitFor();
    expect(await tokenOf(page)).to.equal(null);
  });
});
