import { expect } from "chai";
import type { Page } from "playwright-core";
import { accountOf } from "../../frontend/wallet/passkey/derivation.ts";
import { giveAuthenticator } from "./support/authenticator.ts";
import { SESSION_TOKEN } from "./support/fixture-server.ts";
import { passkeyProvider } from "./support/passkey-screens.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

const CREATE = /Criar carteira com rosto ou digital/;
const FIND = /Já tenho uma carteira assim/;
const ANOTHER = /Criar outra carteira mesmo assim/;
const REFUSED = "O pedido foi recusado ou ninguém respondeu.";
const PHONE = { viewport: { width: 360, height: 740 } };
/** The script of the derivation, by itself. */
const WORKER = /\/assets\/worker-[^/]+\.js$/;

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
describe("Attacks on the wallet behind a passkey @deep", () => {
  const site = useSite();
  const kept = (page: Page) =>
    page.evaluate(() => (JSON.parse(localStorage.getItem("passkey_wallet") ?? "null")?.address ?? "") as string);
  const choose = async (page: Page) => {
    await page.goto(site.server.url);
    await page
      .getByRole("main")
      .getByRole("button", { name: /^(Ver lojas|Conectar carteira)$/ })
      .first()
      .click();
    return page.getByRole("dialog");
  };

  /** A page with its authenticator and a wallet. */
  async function owner() {
    const { page } = await site.open("/help", { ...PHONE, wallet: testWallet({ presence: "none" }) });
    return { page, ...(await makeWallet(page)) };
  }
  async function makeWallet(page: Page) {
    const authenticator = await giveAuthenticator(page);
    await (await choose(page)).getByRole("button", { name: CREATE }).click();
    await page.waitForURL("**/auth?next=%2Fstores");
    return { authenticator, address: await kept(page) };
  }

  /** The dialog of the words in the profile, before they are shown. */
  async function wordsOf(page: Page, address: string) {
    site.server.signIn(address as `0x${string}`);
    await page.evaluate((token) => localStorage.setItem("auth_token", token), SESSION_TOKEN);
    await page.goto(`${site.server.url}/profile`);
    await page.getByRole("button", { name: "Guardar as 24 palavras" }).click();
    const dialog = page.getByRole("dialog");
    return { dialog, show: () => dialog.getByRole("button", { name: "Mostrar as palavras" }).click() };
  }

  it("that answers otherwise later shows no words of another wallet, and signs nothing by it", async () => {
    const { page, address } = await owner();
    const { dialog, show } = await wordsOf(page, address);
    await page.evaluate(forgetful);
    await show();
    await dialog.getByText(/respondeu com outra carteira/).waitFor();
    expect(await dialog.getByRole("listitem").count(), "words").to.equal(0);
    await page.keyboard.press("Escape");
    const ask = await passkeyProvider(page);
    const signature = ask("personal_sign", "Olá, torcida", address);
    await page.getByRole("button", { name: "Assinar" }).click();
    expect(await signature).to.equal(-32603);
  });

  it("whose worker dies or is silent says so, and works at the next try", async () => {
    const { page, address } = await owner();
    const { dialog, show } = await wordsOf(page, address);
    await page.route(WORKER, (route) => route.abort());
    await show();
    await dialog.getByText(/A carteira parou no meio/).waitFor();
    await page.unroute(WORKER);
    await page.clock.install();
    await page.route(WORKER, (route) => route.fulfill({ contentType: "text/javascript", body: "" }));
    const asked = page.waitForResponse(WORKER);
    await show();
    await asked;
    await dialog.getByText(/A carteira parou no meio/).waitFor({ state: "detached" });
    for (let second = 0; second < 60 && (await dialog.getByText(/A carteira parou no meio/).count()) === 0; second++)
      await page.clock.runFor(1_000);
    await dialog.getByText(/A carteira parou no meio/).waitFor();
    await page.unroute(WORKER);
    await page.clock.resume();
    await show();
    await dialog.getByRole("button", { name: "Já anotei" }).waitFor();
    expect(await dialog.getByRole("listitem").count()).to.equal(24);
  });

  it("signs no text that shows nothing", async () => {
    const { page, address } = await owner();
    const ask = await passkeyProvider(page);
    for (const blank of ["", "0x", "   ", "\n\n", "0x20", "\u00a0", "\u3164", "\u2800", "\u115f\u1160", "\ufe0f"])
      expect(await ask("personal_sign", blank, address), JSON.stringify(blank)).to.equal(-32602);
  });

  it("overwrites no wallet: this browser's is found before a second one is made here", async () => {
    const { page, authenticator, address } = await owner();
    await page.evaluate(() => localStorage.removeItem("wagmi.recentConnectorId"));
    const dialog = await choose(page);
    await authenticator.recognise(false);
    await dialog.getByRole("button", { name: CREATE }).click();
    await dialog.getByText(REFUSED).waitFor();
    await authenticator.recognise(true);
    await dialog.getByRole("button", { name: ANOTHER }).click();
    await dialog.getByRole("button", { name: ANOTHER }).waitFor({ state: "detached" });
    await dialog.getByText(/Este aparelho já tem a sua carteira|O pedido foi recusado/).waitFor();
    expect(await authenticator.passkeys()).to.have.length(1);
    expect(await kept(page)).to.equal(address);
  });

  it("signs nothing where a second tab has opened another wallet meanwhile", async () => {
    const context = await site.browser.newContext(PHONE);
    const page = await context.newPage();
    await page.goto(`${site.server.url}/help`);
    const { address } = await makeWallet(page);
    const ask = await passkeyProvider(page);
    const signature = ask("personal_sign", "Olá, torcida", address);
    await page.getByRole("button", { name: "Assinar" }).waitFor();
    const other = await context.newPage();
    await other.goto(`${site.server.url}/help`);
    await giveAuthenticator(other);
    await other.evaluate(() => localStorage.removeItem("wagmi.recentConnectorId"));
    const dialog = await choose(other);
    await dialog.getByRole("button", { name: CREATE }).click();
    await dialog.getByRole("button", { name: ANOTHER }).click();
    await other.waitForURL("**/auth?next=%2Fstores");
    expect(await kept(other)).to.not.equal(address);
    await page.getByRole("button", { name: "Assinar" }).click();
    expect(await signature).to.equal(4100);
    await context.close();
  });

  it("is announced to no page in a frame, and shows a private window nothing of another", async () => {
    const { page, address } = await owner();
    const frame = await page.evaluateHandle(() => {
      const frame = document.createElement("iframe");
      frame.src = "/stores";
      document.body.append(frame);
      return frame;
    });
    const inside = await frame.asElement()?.contentFrame();
    await inside?.waitForLoadState();
    const announced = await inside?.evaluate(() => {
      const names: string[] = [];
      window.addEventListener("eip6963:announceProvider", (event) =>
        names.push((event as CustomEvent).detail.info.rdns),
      );
      window.dispatchEvent(new Event("eip6963:requestProvider"));
      return names;
    });
    expect(announced ?? []).to.not.include("torcida.passkey");
    const secret = await site.browser.newContext(PHONE);
    const unknown = await secret.newPage();
    await unknown.goto(`${site.server.url}/help`);
    await giveAuthenticator(unknown);
    const dialog = await choose(unknown);
    await dialog.getByRole("button", { name: FIND }).click();
    await dialog.getByText(REFUSED).waitFor();
    expect(await unknown.getByText(address.slice(0, 6)).count()).to.equal(0);
    await secret.close();
  });

  it("is opened by no page at another host, and by an address by number neither", async () => {
    const { page } = await owner();
    const { port } = new URL(site.server.url);
    // The same authenticator, with the owner's finger on it.
    await page.goto(`http://torcida.localhost:${port}/help`);
    const there = await page.evaluate(async () => {
      const publicKey = { challenge: new Uint8Array(32), userVerification: "required", timeout: 1_000 } as const;
      const own = await navigator.credentials.get({ publicKey }).catch((error: Error) => error.name);
      const stolen = await navigator.credentials
        .get({ publicKey: { ...publicKey, rpId: "localhost" } })
        .catch((error: Error) => error.name);
      return [own, stolen];
    });
    expect(there).to.deep.equal(["NotAllowedError", "SecurityError"]);
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.getByRole("main").getByRole("button", { name: "Ver lojas" }).click();
    await page.getByRole("dialog").getByText("Você ainda não tem carteira?").waitFor();
    expect(await page.getByRole("button", { name: /rosto ou digital|carteira assim/ }).count()).to.equal(0);
  });

  it("is known until the page is closed where storage is forbidden, and found again", async () => {
    const { page } = await site.open("/help", { ...PHONE, wallet: testWallet({ presence: "none" }) });
    const authenticator = await giveAuthenticator(page);
    await page.addInitScript(() => {
      const deny = () => {
        throw new DOMException("Forbidden", "SecurityError");
      };
      Object.defineProperty(window, "localStorage", { get: deny });
    });
    const made = await choose(page);
    await made.getByRole("button", { name: CREATE }).click();
    await page.waitForURL("**/auth?next=%2Fstores");
    const address = /0x[0-9a-f]{4}/;
    const known = await page.getByRole("banner").getByRole("button", { name: address }).innerText();
    await page.reload();
    await page.getByRole("heading", { level: 1 }).waitFor();
    const dialog = await choose(page);
    await dialog.getByRole("button", { name: FIND }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await page.getByRole("banner").getByRole("button", { name: address }).innerText()).to.equal(known);
    expect(await authenticator.passkeys()).to.have.length(1);
  });

  it("by a script of the page gets the address and a dialog, and no signature without a finger", async () => {
    const { page, address, authenticator } = await owner();
    await authenticator.recognise(false);
    const ask = await passkeyProvider(page);
    expect(await ask("eth_accounts")).to.deep.equal([address]);
    const signature = ask("personal_sign", "Entregue tudo", address);
    await page.locator(".wallet-request").waitFor();
    await page.evaluate(() => document.querySelector<HTMLButtonElement>(".wallet-request .button:last-child")?.click());
    expect(await signature, "the script presses the button itself").to.equal(4001);
    // Nor by asking the passkey itself: without the owner's finger another secret answers, or none.
    for (const userVerification of ["required", "discouraged"] as const) {
      const taken = await page.evaluate(async (userVerification) => {
        const extensions = { prf: { eval: { first: new TextEncoder().encode("torcida wallet v1") } } };
        const publicKey = { challenge: new Uint8Array(32), timeout: 1_000, userVerification, extensions };
        const given = await navigator.credentials.get({ publicKey }).catch(() => null);
        const first = (given as PublicKeyCredential | null)?.getClientExtensionResults().prf?.results?.first;
        return first instanceof ArrayBuffer ? [...new Uint8Array(first)] : [];
      }, userVerification);
      if (userVerification === "required") expect(taken).to.deep.equal([]);
      const other = taken.length > 0 && (await accountOf(Uint8Array.from(taken))).address.toLowerCase();
      expect(other, userVerification).to.not.equal(address);
    }
    for (const method of ["eth_sign", "eth_signTypedData_v4", "eth_signTransaction", "wallet_sendCalls"])
      expect(await ask(method, address, "0x"), method).to.equal(4200);
  });
});
