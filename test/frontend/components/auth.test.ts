import { expect } from "chai";
import { testWallet } from "../../browser/support/test-wallet.ts";
import type { ComponentPage as Page } from "./support/component-site.ts";
import { useComponents } from "./support/component-site.ts";

const ENGLISH = { storage: { language: "en" } };

describe("Auth", () => {
  const site = useComponents();

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

  it("signs the server's challenge, with its nonce, if it contains the sentence", async () => {
    const wallet = testWallet();
    site.server.signIn(wallet.address);
    const message = `${new URL(site.server.url).host} wants you to sign in\n\nLogin Torcida para ${wallet.address}\n\nNonce: n1`;
    site.server.answer("POST /api/check-user", {
      body: { success: true, exists: true, challenge: { nonce: "n1", message, expires_at: "2099-01-01T00:00:00Z" } },
    });
    const { page } = await site.open("/auth", { wallet });
    await page.getByRole("main").getByRole("button", { name: "Conectar carteira" }).click();
    await page.waitForURL("**/dashboard");
    expect(wallet.signed).to.deep.equal([message]);
    expect(site.server.callsTo("POST /api/login")[0]?.body.nonce).to.equal("n1");
  });

  it("registers a new wallet, says so, and goes to the dashboard a second later", async () => {
    const wallet = testWallet();
    const { page, problems } = await openForm(wallet);
    const short = `${wallet.address.slice(0, 6)}...${wallet.address.slice(-4)}`;
    await page.locator("form").getByText(short).waitFor();
    await fillForm(page, { first: " Ana ", email: "ana@example.com" });
    // Timed in the page: on a busy machine the test learns late what was shown.
    const pending = page.evaluate(async () => {
      const until = (isThere: () => boolean) =>
        new Promise<number>((resolve) => {
          const look = () => (isThere() ? resolve(performance.now()) : requestAnimationFrame(look));
          look();
        });
      const shownAt = await until(() => document.body.textContent?.includes("Account created successfully!") ?? false);
      return (await until(() => location.pathname === "/dashboard")) - shownAt;
    });
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("Account created successfully", { exact: true }).waitFor();
    expect(await pending).to.be.at.least(900);
    await page.waitForURL("**/dashboard");
    expect(wallet.signed).to.deep.equal([`Cadastro Torcida para ${wallet.address}`]);
    expect(site.server.callsTo("POST /api/register-user-data")[0]?.body).to.include({
      address: wallet.address,
      first_name: "Ana",
      last_name: "Maria Silva",
      email: "ana@example.com",
    });
    expect(problems).to.deep.equal([]);
  });

  it("signs no challenge for another site", async () => {
    const wallet = testWallet();
    site.server.registered.add(wallet.address);
    const challengeFor = (host: string) => {
      const message = `${host} wants you to sign in with your Ethereum account:\n\nLogin Torcida para ${wallet.address}`;
      const challenge = { nonce: "nonce12345", message, expires_at: new Date(Date.now() + 300_000).toISOString() };
      site.server.answer("POST /api/check-user", { body: { success: true, exists: true, challenge } });
      return message;
    };
    challengeFor("torcida.example");
    const { page } = await site.open("/auth", { wallet });
    await page.getByRole("main").getByRole("button", { name: "Conectar carteira" }).click();
    await page.getByText("O pedido de assinatura é de outro site").first().waitFor();
    expect(wallet.signed).to.deep.equal([]);
    const own = challengeFor(new URL(site.server.url).host);
    await page.getByRole("button", { name: "Tentar de novo" }).click();
    await page.waitForURL("**/dashboard");
    expect(wallet.signed).to.deep.equal([own]);
  });

  it("says that the whole name is too long before it asks the wallet for a signature", async () => {
    const wallet = testWallet();
    const { page } = await openForm(wallet);
    await fillForm(page, { last: "a".repeat(80) });
    await page.getByLabel("First name").fill("Ana Maria");
    await page.getByRole("button", { name: "Create account" }).click();
    const whole = { name: "Last name", description: "The whole name is too long. Shorten one of the names." };
    await page.getByRole("textbox", whole).waitFor();
    expect(await page.getByText("Please fill all fields").count()).to.equal(0);
    expect(wallet.signed).to.deep.equal([]);
  });

  it("splits the whole name at its first space", async () => {
    const { page } = await openForm(testWallet());
    await page.getByLabel("First name").fill("Ana  Maria");
    await page.getByLabel("Last name").fill("da Silva");
    await page.getByRole("textbox", { name: "Email" }).fill("ana@example.com");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.waitForURL("**/dashboard");
    expect(site.server.callsTo("POST /api/register-user-data")[0]?.body).to.include({
      first_name: "Ana",
      last_name: "Maria da Silva",
    });
  });

  it("waits for a click after logging out, even after a reload", async () => {
    const wallet = testWallet();
    site.server.signIn(wallet.address);
    const { page } = await site.open("/auth", { wallet, storage: { language: "en" } });
    await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
    await page.waitForURL("**/dashboard");
    await page.getByRole("banner").getByRole("button", { name: "Log out" }).click();
    await page.waitForURL("**/auth");
    await page.reload();
    const enter = page.getByRole("button", { name: "Log in with a signature" });
    await enter.waitFor();
    expect(wallet.signed).to.have.length(1);
    expect(site.server.callsTo("POST /api/login")).to.have.length(1);
    await enter.click();
    await page.waitForURL("**/dashboard");
  });

  it("asks for every field", async () => {
    const { page } = await openForm();
    await fillForm(page, { last: "" });
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("Please fill all fields and ensure your wallet is connected.").first().waitFor();
    expect(site.server.callsTo("POST /api/register-user-data")).to.have.length(0);
    const field = page.getByRole("textbox", { name: "Last name", description: "Enter your last name." });
    expect(await field.getAttribute("aria-invalid")).to.equal("true");
    expect(await page.getByLabel("First name").getAttribute("aria-describedby")).to.equal(null);
    await page.getByRole("textbox", { name: "Email" }).fill("ana@");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("textbox", { name: "Email", description: /it should look like ana@example.com/ }).waitFor();
  });

  it("keeps what was typed when the wallet disconnects, and cannot be sent without one", async () => {
    const wallet = testWallet();
    const { page } = await openForm(wallet);
    await fillForm(page, {});
    await wallet.lock();
    await page.getByText("Wallet disconnected").waitFor();
    await page.getByRole("button", { name: "Create account", disabled: true }).waitFor();
    await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
    await page.getByRole("button", { name: "Create account", disabled: false }).waitFor();
    expect(await page.getByLabel("First name").inputValue()).to.equal("Ana");
  });

  it("reads 'Creating...' and is disabled while it works", async () => {
    const wallet = testWallet();
    const { page } = await openForm(wallet);
    site.server.answer("POST /api/register-user-data", "hang");
    await fillForm(page, {});
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("button", { name: "Creating...", disabled: true }).waitFor();
  });

  it("says that a wallet is already registered", async () => {
    const wallet = testWallet();
    const { page } = await openForm(wallet);
    site.server.answer("POST /api/register-user-data", {
      status: 409,
      body: { success: false, error: "This wallet is already registered" },
    });
    await fillForm(page, {});
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("This wallet is already registered").first().waitFor();
    await page.getByText("Registration failed").waitFor();
  });

  it("reports a rejected signature at registration, and allows a retry", async () => {
    const wallet = testWallet();
    const { page } = await openForm(wallet);
    wallet.rejectNext("personal_sign");
    await fillForm(page, {});
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("Failed to sign registration message").first().waitFor();
    await page.getByText("Signature failed").waitFor();
    await page.getByText("Failed to sign message with your wallet").waitFor();
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("Account created successfully!").waitFor();
  });

  it("rejects the signature of another wallet", async () => {
    const wallet = testWallet();
    wallet.signWithIndex = 1;
    const { page } = await openForm(wallet);
    await fillForm(page, {});
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByText("Address mismatch").waitFor();
    await page.getByText("Please use the same wallet address that's connected").waitFor();
    expect(site.server.callsTo("POST /api/register-user-data")).to.have.length(0);
  });

  it("reports a login that the server rejects", async () => {
    const wallet = testWallet();
    site.server.signIn(wallet.address);
    const error = "The signature is wrong";
    site.server.answer("POST /api/login", { status: 400, body: { success: false, error, code: "SIGNATURE_INVALID" } });
    const { page } = await site.open("/auth", { wallet });
    await page.getByRole("main").getByRole("button", { name: "Conectar carteira" }).click();
    await page.getByText("Falha no login").first().waitFor();
    await page.getByText("A assinatura não é desta carteira. Assine com a carteira conectada.").waitFor();
    site.server.answer("POST /api/login", undefined);
    await page.getByRole("button", { name: "Tentar de novo" }).click();
    await page.waitForURL("**/dashboard");
  });

  it("reports a login signature that the user rejects, without asking again automatically", async () => {
    const wallet = testWallet();
    site.server.signIn(wallet.address);
    wallet.rejectNext("personal_sign");
    const { page, problems } = await site.open("/auth", { wallet, ...ENGLISH });
    await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
    await page.getByText("Signature failed").waitFor();
    expect(wallet.asked.filter((method) => method === "personal_sign")).to.have.length(1);
    expect(site.server.callsTo("POST /api/login")).to.have.length(0);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.waitForURL("**/dashboard");
    expect(problems).to.deep.equal([]);
  });

  it("starts over if another account is selected while the form is open", async () => {
    const wallet = testWallet();
    const { page } = await openForm(wallet);
    await wallet.changeAccount(1);
    await page.getByText("Account changed").waitFor();
    await page.getByRole("button", { name: "Continue to registration" }).click();
    const short = `${wallet.address.slice(0, 6)}...${wallet.address.slice(-4)}`;
    await page.locator("form").getByText(short).waitFor();
  });

  it("reports a failed check", async () => {
    site.server.answer("POST /api/check-user", { status: 500, body: { success: false, error: "No database" } });
    const { page } = await site.open("/auth");
    await page.getByRole("main").getByRole("button", { name: "Conectar carteira" }).click();
    const toast = page.locator("[data-sonner-toast]");
    await toast.getByText("Falha ao verificar o registro da carteira", { exact: true }).waitFor();
    // What failed and why, each said once beside the toast, which goes away.
    await page
      .getByRole("main")
      .getByRole("alert")
      .getByText("Não deu para ver se esta carteira já tem cadastro. Algo deu errado do nosso lado. Tente de novo.")
      .waitFor();
    expect(await page.getByText("Falha ao verificar o registro da carteira").count()).to.equal(1);
    expect(await page.getByText("Algo deu errado do nosso lado. Tente de novo.").count()).to.equal(1);
  });

  it("shows skeletons while the session is restored", async () => {
    const wallet = testWallet();
    site.server.signIn(wallet.address);
    site.server.answer("GET /api/me", "hang");
    const { page } = await site.openLoggedIn("/auth", { wallet });
    await page.locator("[data-skeleton]").first().waitFor();
  });

  it("responds to e-mail sign-in with 'Wallet authentication required'", async () => {
    const { page } = await site.open("/auth", ENGLISH);
    await page.getByRole("button", { name: /email/ }).click();
    await page.getByText("Wallet authentication required").waitFor();
  });
});
