import { expect } from "chai";
import type { Page } from "playwright-core";
import { glimpse } from "./support/chromium.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

const ENGLISH = { storage: { language: "en" } };

describe("Auth", () => {
  const site = useSite();

  async function fillForm(page: Page, fields: { first?: string; last?: string; email?: string }) {
    await page.getByLabel("First name").fill(fields.first ?? "Ana");
    await page.getByLabel("Last name").fill(fields.last ?? "Maria Silva");
    await page.getByRole("textbox", { name: "Email" }).fill(fields.email ?? "ana@example.com");
  }

  async function openForm(wallet = testWallet()) {
    const visit = await site.open("/auth", { wallet, ...ENGLISH });
    await visit.page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
    await visit.page.getByRole("button", { name: "Continue to registration" }).click();
    return visit;
  }

  it("logs a registered wallet in by signature and goes to the dashboard", async () => {
    const wallet = testWallet();
    site.server.signIn(wallet.address);
    const { page, problems } = await site.open("/auth", { wallet });
    await page.getByRole("main").getByRole("button", { name: "Conectar carteira" }).click();
    await page.waitForURL("**/dashboard");
    await page.getByText("Login realizado com sucesso").waitFor();
    await page.getByRole("main").getByText("Ana Maria Silva").waitFor();
    expect(wallet.signed).to.deep.equal([`Login Torcida para ${wallet.address}`]);
    expect(site.server.callsTo("POST /api/login")[0]?.body.address).to.equal(wallet.address);
    expect(problems).to.deep.equal([]);
  });

  it("hands the focus on from the button that connected", async () => {
    const { page } = await site.open("/auth", { wallet: testWallet(), storage: { language: "en" } });
    await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).press("Enter");
    const wayOn = page.getByRole("button", { name: "Continue to registration" });
    await wayOn.waitFor();
    expect(await wayOn.evaluate((button) => button === document.activeElement)).to.equal(true);
  });

  it("keeps what was typed over a reload, until the account exists", async () => {
    const { page } = await openForm();
    await fillForm(page, {});
    await page.reload();
    await page.getByRole("button", { name: "Continue to registration" }).click();
    expect(await page.getByLabel("First name").inputValue()).to.equal("Ana");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("Account created successfully!").waitFor();
    expect(await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.includes("registration")))).to.be
      .empty;
  });

  it("has its own message for a pending signature request", async () => {
    const wallet = testWallet();
    site.server.signIn(wallet.address);
    wallet.failNext("personal_sign", { code: -32002, message: "already pending" });
    const { page } = await site.open("/auth", { wallet, ...ENGLISH });
    await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
    await page
      .getByRole("alert")
      .getByText(/request is already open/)
      .waitFor();
    expect(await page.getByText("Signature failed").count()).to.equal(0);
  });

  it("welcomes a logged-in user and leads to the dashboard", async () => {
    const { page } = await site.openLoggedIn("/");
    await glimpse(page, `${site.server.url}/auth`, ["Você já está na sua conta"]);
    await page.waitForURL("**/dashboard");
  });
});
