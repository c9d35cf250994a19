import { expect } from "chai";
import { glimpse } from "./support/chromium.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

const ENGLISH = { storage: { language: "en" } };

describe("Session", () => {
  const site = useSite();
  it("is not redirected while a slow profile is loading", async () => {
    const wallet = testWallet();
    site.server.signIn(wallet.address);
    const release = site.server.hold("GET /api/me");
    const { page } = await site.openLoggedIn("/dashboard", { wallet, ...ENGLISH, hasOwnClock: true });
    await page.locator("[data-skeleton]").first().waitFor();
    await page.clock.runFor(1_500);
    release();
    await page.getByText("Welcome, Ana Maria Silva!").waitFor();
    expect(new URL(page.url()).pathname).to.equal("/dashboard");
  });

  it("shows 'Login Required', and after 500 ms goes to /auth", async () => {
    const { page } = await site.open("/", ENGLISH);
    await glimpse(page, `${site.server.url}/dashboard`, ["Login Required", "Please login to access your dashboard."]);
    await page.waitForURL("**/auth");
  });

  it("asks for no signature in another tab after logging out", async () => {
    const wallet = testWallet();
    const { page, context } = await site.openLoggedIn("/", { wallet, ...ENGLISH });
    await page.getByRole("button", { name: "View stores" }).click();
    await page.getByText("Wallet connected successfully!").waitFor();
    const other = await context.newPage();
    await other.goto(`${site.server.url}/dashboard`);
    await other.getByText("Welcome, Ana Maria Silva!").waitFor();
    await page.getByRole("button", { name: "Log out", exact: true }).click();
    await other.waitForURL(/\/auth/);
    await other.getByRole("button", { name: "Log in with a signature" }).waitFor();
  });

  it("ends in every tab", async () => {
    const { page, context } = await site.openLoggedIn("/dashboard", ENGLISH);
    const other = await context.newPage();
    await other.goto(`${site.server.url}/`);
    await other.getByRole("button", { name: "Log out", exact: true }).waitFor();
    await page.getByRole("button", { name: "Log out", exact: true }).click();
    await other.getByRole("button", { name: "Log out", exact: true }).waitFor({ state: "detached" });
  });
});
