import { expect } from "chai";
import type { Page } from "playwright-core";
import { CHAIN_IDS } from "../../core/rules/networks.ts";
import { eventually } from "../testing/until.ts";
import { PASSKEY_SCREENS } from "./support/passkey-screens.ts";
import { SCREENS } from "./support/screens.ts";
import { useSite } from "./support/site.ts";
import { type TestWalletOptions, testWallet } from "./support/test-wallet.ts";
import { installTranslator } from "./support/translator.ts";

const ENGLISH = { storage: { language: "en" } };

/** Whether a late wallet has appeared in the page. */
function isThere(): boolean {
  return window.walletIsThere === true;
}

/** Other people's browsers and wallets, as simulators that whole journeys are run against. */
describe("A wallet of its own kind @deep", () => {
  const site = useSite();
  const said = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();

  /** From the first page, with the wallet on another network, to the registered buyer's way to a shop. */
  async function newcomer(options: TestWalletOptions) {
    const wallet = testWallet(options);
    const opened = await site.open("/auth", { wallet, ...ENGLISH });
    const { page } = opened;
    await page.evaluate(() => Object.assign(window, { stillHere: true }));
    await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
    return { ...opened, wallet };
  }

  const WORDS: Record<string, TestWalletOptions["unknownChain"]> = {
    "an internal error": { code: -32603, message: "Internal JSON-RPC error." },
    "invalid parameters": { code: -32602, message: "chainId is not supported" },
    "a method it does not have": { code: -32601, message: "Method not found" },
    "a code of its own": { code: -31_000, message: "Chain not configured" },
    unauthorised: { code: 4100, message: "The requested chain is unknown" },
  };
  for (const [words, unknownChain] of Object.entries(WORDS)) {
    it(`is offered our network where it reports an unknown one as ${words}`, async () => {
      const { page, wallet, problems } = await newcomer({
        chainId: 1,
        knownChains: [1],
        ...(unknownChain && { unknownChain }),
      });
      await said(page, "Correct network");
      expect(wallet.added, "offered once").to.have.length(1);
      expect(wallet.added[0]).to.deep.include({ chainId: `0x${CHAIN_IDS.spicy.toString(16)}` });
      expect(wallet.chainId).to.equal(CHAIN_IDS.spicy);
      expect(problems).to.deep.equal([]);
    });
  }

  it("is offered no network after its owner's no, or while a request waits", async () => {
    for (const code of [4001, -32002]) {
      const wallet = testWallet({ chainId: 1, knownChains: [1] });
      wallet.failNext("wallet_switchEthereumChain", { code });
      const { page } = await site.open("/auth", { wallet, ...ENGLISH });
      await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
      await page.getByRole("button", { name: /switch/i }).waitFor();
      expect(wallet.added, String(code)).to.deep.equal([]);
    }
  });

  it("is believed by the network that it is on, not by its answer", async () => {
    const { page, wallet } = await newcomer({
      ...{ chainId: 1, switchesLate: { afterMs: 0, error: { code: -32603, message: "Timed out" } } },
    });
    await said(page, "Correct network");
    expect(wallet.chainId).to.equal(CHAIN_IDS.spicy);
    expect(await page.getByText("Connection error").count()).to.equal(0);
  });

  for (const error of [undefined, { code: -32603, message: "Timed out" }]) {
    it(`does not reload the page where it tells of our own switch late, after ${error ? "an error" : "an answer"}`, async () => {
      const { page, wallet } = await newcomer({
        ...{ chainId: 1, switchesLate: { afterMs: 2_500, ...(error && { error }) } },
      });
      await eventually(async () => expect(wallet.chainId).to.equal(CHAIN_IDS.spicy));
      await said(page, "Correct network");
      await page.waitForTimeout(1_600);
      expect(await page.evaluate(() => "stillHere" in window)).to.equal(true);
    });
  }

  for (const [kind, options] of Object.entries({
    "an extension that announces itself after half a second": { comesAfterMs: 500 },
    "an extension that announces itself after four seconds": { comesAfterMs: 4_000 },
    "a plain window.ethereum after two and a half seconds": { comesAfterMs: 2_500, presence: "legacy" },
  } satisfies Record<string, TestWalletOptions>)) {
    it(`comes back by itself after a reload: ${kind}`, async () => {
      const wallet = testWallet(options);
      const { page, problems } = await site.open("/", { wallet, ...ENGLISH });
      await page.waitForFunction(isThere);
      await page.getByRole("button", { name: "View stores" }).click();
      const address = page.getByRole("button", { name: new RegExp(`${wallet.address.slice(0, 6)}\\.\\.\\.`) });
      await address.first().waitFor();
      await page.reload();
      await address.first().waitFor();
      const asked = wallet.asked.filter(
        (method) => method === "eth_requestAccounts" || method === "wallet_requestPermissions",
      );
      expect(asked, "its owner is asked once").to.have.length(1);
      expect(problems).to.deep.equal([]);
    });
  }

  it("does not come back, however late, where its owner has disconnected it", async () => {
    const wallet = testWallet({ comesAfterMs: 500 });
    const { page } = await site.open("/", { wallet, ...ENGLISH });
    await page.waitForFunction(isThere);
    await page.getByRole("button", { name: "View stores" }).click();
    const address = page.getByRole("button", { name: new RegExp(`${wallet.address.slice(0, 6)}\\.\\.\\.`) });
    await address.first().click();
    await said(page, "Wallet disconnected");
    await page.reload();
    await page.waitForTimeout(1_500);
    expect(await address.count()).to.equal(0);
  });
});

describe("A page that a browser translates @deep", () => {
  const site = useSite();

  it("leads a visitor to a wallet, and a user through a purchase", async () => {
    const wallet = testWallet();
    site.server.signIn(wallet.address);
    const { page, context, problems } = await site.open("/blank", { wallet, ...ENGLISH });
    await context.addInitScript(installTranslator);
    await context.route("https://**", (route) => route.fulfill({ body: "the store" }));
    await page.goto(`${site.server.url}/`);
    await page.locator("font").first().waitFor({ state: "attached" });
    await page.getByRole("button", { name: "View stores" }).click();
    await page.waitForURL("**/stores");
    await page.getByRole("button", { name: "Buy now" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("radio").first().waitFor();
    await dialog.getByRole("radio").nth(1).check();
    await dialog.getByRole("button", { name: "Log in and earn" }).click();
    await page.waitForURL("**/auth**");
    await page.getByRole("button", { name: "Português" }).click();
    await page.locator("html[lang=pt-BR]").waitFor();
    expect(problems).to.deep.equal([]);
  });

  for (const [index, part] of [0, 1].entries()) {
    it(`keeps every screen and what can be done on it (${part + 1} of 2)`, async function () {
      this.timeout(300_000);
      const screens = SCREENS.filter(
        (one, at) => !one.isVariant && !one.isLoading && !PASSKEY_SCREENS.includes(one) && at % 2 === index,
      );
      for (const { name, path, isLoggedIn, isAdmin, wallet, prepare, act } of screens) {
        site.server.reset();
        site.server.isAdmin = isAdmin ?? false;
        prepare?.(site.server);
        const options = { wallet: testWallet(wallet), storage: { language: "pt" } };
        const { page, context, problems } = await (isLoggedIn || isAdmin ? site.openLoggedIn : site.open)(
          "/blank",
          options,
        );
        await context.addInitScript(installTranslator);
        await page.goto(site.server.url + path);
        await page.locator("font").first().waitFor({ state: "attached" });
        await act?.(page);
        await page.waitForTimeout(400);
        expect(await page.locator("h1, h2, [role=dialog]").count(), name).to.be.greaterThan(0);
        expect(await page.getByText(/Algo não saiu|Recarregar a página/).count(), name).to.equal(0);
        expect(
          problems.filter((one) => /NotFoundError|removeChild|insertBefore/.test(String(one))),
          name,
        ).to.deep.equal([]);
        await context.close();
      }
    });
  }
});
