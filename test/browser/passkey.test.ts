import { expect } from "chai";
import type { Page } from "playwright-core";
import { recoverMessageAddress } from "viem";
import { signInSentence } from "../../core/rules/session.ts";
import { giveAuthenticator } from "./support/authenticator.ts";
import { objections } from "./support/axe.ts";
import { passkeyProvider } from "./support/passkey-screens.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

const CREATE = /Criar carteira com rosto ou digital/;
const FIND = /Já tenho uma carteira assim/;
const PHONE = { viewport: { width: 360, height: 740 } };

type Kept = { version: number; address: string; credential_id: string };

/** Runs in the page: each later answer of PRF differs from the one before. */
function forgetful(): void {
  const original = PublicKeyCredential.prototype.getClientExtensionResults;
  let asked = 0;
  PublicKeyCredential.prototype.getClientExtensionResults = function answer() {
    const results = original.call(this);
    const first = results.prf?.results?.first;
    if (first instanceof ArrayBuffer) new Uint8Array(first)[0] = ++asked;
    return results;
  };
}

/** docs/product.md#wallet-passkey */
describe("The wallet behind a passkey", () => {
  const site = useSite();
  const none = () => ({ ...PHONE, wallet: testWallet({ presence: "none" }) });
  const kept = (page: Page) =>
    page.evaluate(() => JSON.parse(localStorage.getItem("passkey_wallet") ?? "null") as Kept | null);

  /** A page with its authenticator, and the chooser open. */
  async function choosing(options: { hasPrf?: boolean; path?: string } = {}) {
    const opened = await site.open("/help", none());
    const authenticator = await giveAuthenticator(opened.page, options);
    await opened.page.goto(site.server.url + (options.path ?? "/"));
    const open = () =>
      opened.page
        .getByRole("main")
        .getByRole("button", { name: /^(Ver lojas|Conectar carteira)$/ })
        .first()
        .click();
    await open();
    const dialog = opened.page.getByRole("dialog");
    return { ...opened, authenticator, dialog, open };
  }

  it("is first where nothing is installed, is kept only when it answered twice, and opens again by itself, by finger and after storage is cleared", async () => {
    const { page, authenticator, dialog, problems, open } = await choosing();
    const entries = dialog.getByRole("button", { name: /rosto ou digital|assim|demonstração/ });
    await dialog.getByRole("button", { name: CREATE }).waitFor();
    expect(await entries.allInnerTexts()).to.satisfy(([first, second, third]: string[]) =>
      [CREATE.test(first ?? ""), FIND.test(second ?? ""), /demonstração/.test(third ?? "")].every(Boolean),
    );
    expect(await objections(page)).to.deep.equal([]);
    await dialog.getByRole("button", { name: CREATE }).click();
    await page.waitForURL("**/auth?next=%2Fstores");
    // Who has just made a wallet is asked for the name at once.
    await page.getByLabel(/^Nome$/).waitFor();
    const wallet = await kept(page);
    expect(wallet).to.include({ version: 1 }).and.to.have.all.keys("version", "address", "credential_id");
    expect(await authenticator.passkeys()).to.have.length(1);
    await page.reload();
    await page
      .getByRole("banner")
      .getByRole("button", { name: `${wallet?.address.slice(0, 6)}` })
      .waitFor();

    // Storage is cleared, as by a browser that forgets: the passkey is still there, and a second one overwrites nothing.
    await page.evaluate(() => localStorage.clear());
    await page.goto(site.server.url);
    await open();
    await dialog.getByRole("button", { name: FIND }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await kept(page)).to.deep.equal(wallet);
    await page.evaluate(() => localStorage.clear());
    await page.goto(site.server.url);
    await open();
    await dialog.getByRole("button", { name: CREATE }).click();
    await page.waitForURL("**/auth?next=%2Fstores");
    expect(await authenticator.passkeys()).to.have.length(2);
    expect((await kept(page))?.address).to.not.equal(wallet?.address);
    expect(problems).to.deep.equal([]);
  });

  it("opens the known wallet instead of making a second one, and says so when that is gone @deep", async () => {
    const { page, authenticator, dialog, open } = await choosing();
    await dialog.getByRole("button", { name: CREATE }).click();
    await page.waitForURL("**/auth?next=%2Fstores");
    const wallet = await kept(page);
    await page.evaluate(() => localStorage.removeItem("wagmi.recentConnectorId"));
    await page.goto(site.server.url);
    await open();
    await dialog.getByRole("button", { name: CREATE }).waitFor();
    expect(
      await dialog
        .getByRole("button", { name: /rosto ou digital|assim/ })
        .first()
        .innerText(),
    ).to.match(FIND);
    await dialog.getByRole("button", { name: CREATE }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await authenticator.passkeys(), "no second passkey").to.have.length(1);
    expect(await kept(page)).to.deep.equal(wallet);

    const [passkey = ""] = await authenticator.passkeys();
    await authenticator.remove(passkey);
    await page.evaluate(() => localStorage.removeItem("wagmi.recentConnectorId"));
    await page.goto(site.server.url);
    await open();
    await authenticator.recognise(false);
    await dialog.getByRole("button", { name: CREATE }).click();
    await dialog.getByText("O pedido foi recusado ou ninguém respondeu.").waitFor();
    await dialog.getByRole("button", { name: /Criar outra carteira mesmo assim/ }).waitFor();
    expect(await kept(page)).to.deep.equal(wallet);
  });

  it("makes nothing where PRF is missing, refused, or answers otherwise the second time @deep", async () => {
    const without = await choosing({ hasPrf: false });
    await without.dialog.getByRole("button", { name: CREATE }).click();
    await without.dialog.getByText(/não tem a função necessária/).waitFor();
    expect(await kept(without.page)).to.equal(null);

    const { page, dialog, authenticator } = await choosing();
    await page.evaluate(forgetful);
    await dialog.getByRole("button", { name: CREATE }).click();
    await dialog.getByText(/não respondeu duas vezes igual/).waitFor();
    await authenticator.recognise(false);
    await dialog.getByRole("button", { name: CREATE }).click();
    await dialog.getByText("O pedido foi recusado ou ninguém respondeu.").waitFor();
    expect(await kept(page)).to.equal(null);
    expect(await dialog.getByText(/0x/).count(), "no address is shown").to.equal(0);
  });

  it("signs what it shows in words, one request at a time, for this site alone @deep", async () => {
    const { page, dialog, authenticator } = await choosing();
    await dialog.getByRole("button", { name: CREATE }).click();
    await page.waitForURL("**/auth?next=%2Fstores");
    const { address = "" } = (await kept(page)) ?? {};
    const ask = await passkeyProvider(page);
    expect(await ask("eth_accounts")).to.deep.equal([address]);
    expect(await ask("wallet_switchEthereumChain", { chainId: "0x15b32" })).to.equal(null);
    expect(await ask("wallet_switchEthereumChain", { chainId: "0x1" })).to.equal(4902);
    expect(await ask("eth_sign", address, "0x00")).to.equal(4200);
    expect(await ask("personal_sign", "0xff00ff", address), "bytes that are no text").to.equal(-32602);
    expect(await ask("personal_sign", "Olá \u202e", address), "text that hides its direction").to.equal(-32602);
    expect(await ask("personal_sign", "Olá", `0x${"12".repeat(20)}`)).to.equal(4100);
    const phishing = "torcida.example wants you to sign in with your Ethereum account:\n0x";
    expect(await ask("personal_sign", phishing, address)).to.equal(4100);

    const signature = ask("personal_sign", "Olá, torcida", address);
    await dialog.getByText("Olá, torcida").waitFor();
    expect(await objections(page)).to.deep.equal([]);
    expect(await ask("personal_sign", "Outra", address), "while one is open").to.equal(-32002);
    await dialog.getByRole("button", { name: "Assinar" }).click();
    expect(
      (
        await recoverMessageAddress({ message: "Olá, torcida", signature: (await signature) as `0x${string}` })
      ).toLowerCase(),
    ).to.equal(address);

    const { host } = new URL(site.server.url);
    const wish = signInSentence("erase", address as `0x${string}`);
    const erased = ask(
      "personal_sign",
      `${host} wants you to sign in with your Ethereum account:\n${address}\n\n${wish}\n`,
      address,
    );
    await dialog.getByRole("heading", { name: `Apagar a conta em ${host}` }).waitFor();
    await dialog.getByRole("button", { name: "Recusar" }).click();
    expect(await erased).to.equal(4001);

    const refused = ask("personal_sign", "Não", address);
    await dialog.getByText("Não", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    expect(await refused).to.equal(4001);
    await authenticator.recognise(false);
    const notTheOwner = ask("personal_sign", "Dedo errado", address);
    await dialog.getByRole("button", { name: "Assinar" }).click();
    expect(await notTheOwner).to.equal(4001);
  });

  it("is opened by a second and a third answer where PRF is silent at the creation, each passkey a wallet of its own @deep", async () => {
    const { page, dialog, authenticator, open } = await choosing();
    // Some authenticators answer PRF only when they are asked.
    const silence = () => {
      const original = PublicKeyCredential.prototype.getClientExtensionResults;
      PublicKeyCredential.prototype.getClientExtensionResults = function answer() {
        const results = original.call(this);
        return this.response instanceof AuthenticatorAttestationResponse ? { prf: { enabled: true } } : results;
      };
      const get = navigator.credentials.get.bind(navigator.credentials);
      navigator.credentials.get = (options) => {
        Object.assign(window, { gets: ((window as unknown as { gets?: number }).gets ?? 0) + 1 });
        return get(options);
      };
    };
    await page.evaluate(silence);
    await dialog.getByRole("button", { name: CREATE }).click();
    await page.waitForURL("**/auth?next=%2Fstores");
    expect(await page.evaluate(() => (window as unknown as { gets: number }).gets)).to.equal(2);
    const first = await kept(page);

    await page.evaluate(() => localStorage.clear());
    await page.goto(site.server.url);
    await open();
    await dialog.getByRole("button", { name: CREATE }).click();
    await page.waitForURL("**/auth?next=%2Fstores");
    const second = await kept(page);
    expect(second?.address).to.not.equal(first?.address);
    const { credentials } = await authenticator.cdp.send("WebAuthn.getCredentials", {
      authenticatorId: authenticator.id,
    });
    expect(credentials.every((one) => one.isResidentCredential)).to.equal(true);
    const users = credentials.map((one) => Buffer.from(one.userHandle ?? "", "base64"));
    expect(users.map((one) => one.length)).to.deep.equal([32, 32]);
    expect(users[0]?.equals(users[1] ?? Buffer.alloc(0)), "the same user overwrites").to.equal(false);
    // Both are there, and each opens its own.
    for (const wallet of [first, second]) {
      await page.evaluate((text) => localStorage.setItem("passkey_wallet", text), JSON.stringify(wallet));
      await page.goto(site.server.url);
      const ask = await passkeyProvider(page);
      const signature = ask("personal_sign", "Olá", wallet?.address);
      await page.getByRole("button", { name: "Assinar" }).click();
      const signer = await recoverMessageAddress({ message: "Olá", signature: (await signature) as `0x${string}` });
      expect(signer.toLowerCase()).to.equal(wallet?.address);
    }
  });

  it("costs nobody who has a wallet a tap, and stands after all of the reader's own", async () => {
    const visit = await site.open("/help", { ...PHONE, wallet: testWallet() });
    await giveAuthenticator(visit.page);
    await visit.page.goto(site.server.url);
    const hero = (page: Page) => page.getByRole("main").getByRole("button", { name: /^Ver lojas$/ });
    await hero(visit.page).click();
    await visit.page.getByText("Carteira conectada com sucesso!").waitFor();
    await visit.page.getByRole("button", { name: visit.wallet.address.slice(0, 6) }).waitFor();
    expect(await visit.page.getByRole("dialog").count(), "no chooser").to.equal(0);

    const { page } = await site.open("/help", { ...PHONE, wallet: testWallet({ names: ["Lua", "Rio"] }) });
    await giveAuthenticator(page);
    await page.goto(site.server.url);
    await hero(page).click();
    const entries = page.getByRole("dialog").locator(".option .font-semibold");
    await page.getByRole("dialog").getByRole("button", { name: CREATE }).waitFor();
    expect((await entries.allInnerTexts()).slice(0, 4)).to.deep.equal([
      "Lua",
      "Rio",
      "Criar carteira com rosto ou digital",
      "Já tenho uma carteira assim",
    ]);
  });

  it("is not offered where there are no passkeys, and it is said where there are @deep", async () => {
    const { page } = await site.open("/help", none());
    await page.addInitScript(() => {
      Reflect.deleteProperty(window, "PublicKeyCredential");
    });
    await page.goto(site.server.url);
    await page.getByRole("main").getByRole("button", { name: "Ver lojas" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText(/Chrome, Edge e Safari/).waitFor();
    expect(await dialog.getByRole("button", { name: /rosto ou digital|assim/ }).count()).to.equal(0);
  });

  it("makes nothing while nobody answers, and says so when the time is over @deep", async () => {
    const { page, dialog, authenticator } = await choosing();
    await authenticator.cdp.send("WebAuthn.setAutomaticPresenceSimulation", {
      ...{ authenticatorId: authenticator.id, enabled: false },
    });
    await page.evaluate(() => {
      const create = navigator.credentials.create.bind(navigator.credentials);
      navigator.credentials.create = (options) => {
        // Two minutes, that a test has not.
        Object.assign(window, { timeout: options?.publicKey?.timeout });
        if (options?.publicKey) options.publicKey.timeout = 1;
        return create(options);
      };
    });
    await dialog.getByRole("button", { name: CREATE }).click();
    await dialog.getByText("O pedido foi recusado ou ninguém respondeu.").waitFor();
    expect(await page.evaluate(() => (window as unknown as { timeout: number }).timeout)).to.equal(120_000);
    expect(await kept(page)).to.equal(null);
    expect(await authenticator.passkeys()).to.deep.equal([]);
  });
});
