import { expect } from "chai";
import type { Page } from "playwright-core";
import { CHAIN_IDS } from "../../core/rules/networks.ts";
import { eventually } from "../testing/until.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

const SPICY = `0x${CHAIN_IDS.spicy.toString(16)}`;
const ENGLISH = { storage: { language: "en" } };

const NEWCOMER = {
  pt: {
    first: "Ver lojas",
    none: "Você ainda não tem carteira?",
    shopper: /Carteira de demonstração/,
    approve: "Aprovar",
    connected: "Carteira conectada com sucesso!",
  },
  en: {
    first: "View stores",
    none: "Wallet not found",
    shopper: /Demo wallet/,
    approve: "Approve",
    connected: "Wallet connected successfully!",
  },
};

/** Runs in the page: announces a wallet between wagmi's creation and the end of its hydration. */
function announceLate(): void {
  const provider = { request: async () => [], on: () => {}, removeListener: () => {} };
  const info = { uuid: "late", name: "Late Wallet", rdns: "test.wallet.late", icon: "data:image/svg+xml,<svg/>" };
  let asked = 0;
  window.addEventListener("eip6963:requestProvider", () => {
    asked++;
    const announce = () =>
      window.dispatchEvent(new CustomEvent("eip6963:announceProvider", { detail: Object.freeze({ info, provider }) }));
    if (asked === 1) queueMicrotask(announce);
    else announce();
  });
}

describe("Wallet", () => {
  const site = useSite();
  const connect = (page: Page) => page.getByRole("button", { name: "View stores" }).click();
  const said = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();

  for (const [language, words] of Object.entries(NEWCOMER)) {
    it(`leads a newcomer's first click to a connected demo wallet, in ${language}`, async () => {
      const { page, problems } = await site.open("/", {
        wallet: testWallet({ presence: "none" }),
        storage: language === "pt" ? {} : { language },
      });
      await page.getByRole("button", { name: words.first }).click();
      const dialog = page.getByRole("dialog");
      const none = dialog.getByText(words.none, { exact: true });
      const shopper = dialog.getByRole("button", { name: words.shopper });
      const admin = dialog.getByRole("button", { name: "Admin (demo)" });
      await none.waitFor();
      // What can be done here comes first, then what would have to be installed.
      const tops = await Promise.all([shopper, admin, none].map(async (one) => (await one.boundingBox())?.y ?? 0));
      expect(tops).to.deep.equal(tops.toSorted((a, b) => a - b));
      expect(await page.locator("[data-sonner-toast]").count()).to.equal(0);
      await shopper.click();
      await dialog.getByRole("button", { name: words.approve }).click();
      await said(page, words.connected);
      await page.getByRole("button", { name: /0x90f7\.\.\.b906/i }).waitFor();
      await page.reload();
      await page.getByRole("button", { name: /0x90f7\.\.\.b906/i }).waitFor();
      expect(problems).to.deep.equal([]);
    });
  }

  it("offers every other wallet where the code of passkeys cannot be loaded", async () => {
    const { page, problems } = await site.open("/", { ...ENGLISH, wallet: testWallet({ presence: "none" }) });
    const asked: string[] = [];
    await page.route(/\/assets\/announce-.*\.js$/, (route) => {
      asked.push(route.request().url());
      return route.abort();
    });
    await connect(page);
    await page.getByRole("dialog").getByRole("button", { name: NEWCOMER.en.shopper }).waitFor();
    expect(asked).to.have.length(1);
    expect(problems.filter((one) => !one.includes("ERR_FAILED"))).to.deep.equal([]);
  });

  it("offers a second demo wallet, the admin's, with an address of its own, also from the header of /auth", async () => {
    const { page } = await site.open("/auth?next=%2Fadmin", { wallet: testWallet({ presence: "none" }) });
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByRole("banner").getByRole("button", { name: "Conectar carteira" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Admin (demo)" }).click();
    expect(new URL(page.url()).search, "where the reader was going").to.equal("?next=%2Fadmin");
    await page.getByRole("dialog").getByRole("button", { name: "Aprovar" }).click();
    await page
      .getByRole("banner")
      .getByRole("button", { name: /^0x15d3/i })
      .waitFor();
    await page.reload();
    await page
      .getByRole("banner")
      .getByRole("button", { name: /^0x15d3/i })
      .waitFor();
  });

  it("takes Escape in a demo wallet as its refusal alone, and gives the focus back", async () => {
    const { page } = await site.open("/", { wallet: testWallet({ presence: "none" }), ...ENGLISH });
    await connect(page);
    const shopper = page.getByRole("button", { name: NEWCOMER.en.shopper });
    await shopper.click();
    await page.getByRole("button", { name: "Approve" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").getByText("The request was declined in the wallet. Nothing changed.").waitFor();
    expect(await page.getByRole("button", { name: "Approve" }).count()).to.equal(0);
    await page.waitForFunction(() => document.activeElement?.textContent?.includes("Demo wallet"));
  });

  it("connects a user's only wallet at once, and also offers the demo wallets on /auth", async () => {
    const { page } = await site.open("/auth", { wallet: testWallet(), ...ENGLISH });
    const main = page.getByRole("main");
    await main.getByRole("button", { name: "Use another wallet" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: NEWCOMER.en.shopper }).waitFor();
    expect(await dialog.getByText("Wallet not found").count()).to.equal(0);
    await page.keyboard.press("Escape");
    await main.getByRole("button", { name: "Connect wallet" }).click();
    await said(page, "Wallet connected successfully!");
  });

  it("has no demo wallet on a public network, even in the development entry", async () => {
    site.server.config.network = "spicy";
    const { page } = await site.open("/", { wallet: testWallet({ presence: "none" }), ...ENGLISH });
    await connect(page);
    await said(page, "Wallet not found");
    await said(page, "A browser wallet is required.");
    await page.getByRole("dialog").getByRole("link", { name: "Install a wallet" }).waitFor();
    expect(await page.getByRole("button", { name: /demo/i }).count()).to.equal(0);
  });

  it("finds a wallet that announces itself while the app starts", async () => {
    const wallet = testWallet();
    const { page } = await site.open("/stores", { wallet, ...ENGLISH });
    // Like an extension that starts slowly: it announces itself late, and then also on request.
    await page.addInitScript(announceLate);
    await page.goto(`${site.server.url}/`);
    await connect(page);
    await page.getByRole("dialog").getByRole("button", { name: "Late Wallet" }).waitFor();
  });

  it("learns its network from the server, even from a page served as a file", async () => {
    site.server.isSilentPage = true;
    site.server.config = { ...site.server.config, chain_id: CHAIN_IDS.chiliz, network: "chiliz" };
    const wallet = testWallet({ chainId: 1, knownChains: [1] });
    const { page } = await site.open("/", { wallet, ...ENGLISH });
    await connect(page);
    await said(page, "Correct network");
    expect(wallet.added).to.have.length(1);
    expect(wallet.added[0]).to.deep.include({
      chainId: "0x15b38",
      rpcUrls: ["https://rpc.chiliz.com", "https://chiliz-rpc.publicnode.com"],
    });
  });

  it("sends the wallet the chain's own URL, whatever its port", async () => {
    site.server.config.rpc_url = "http://127.0.0.1:9645";
    const wallet = testWallet({ chainId: 1, knownChains: [1] });
    const { page } = await site.open("/", { wallet, ...ENGLISH });
    await connect(page);
    await said(page, "Correct network");
    expect(wallet.added[0]).to.deep.include({ chainId: SPICY, rpcUrls: ["http://127.0.0.1:9645"] });
  });

  it("finds a wallet that only sets window.ethereum", async () => {
    const { page } = await site.open("/", { wallet: testWallet({ presence: "legacy" }), ...ENGLISH });
    await connect(page);
    await said(page, "Wallet connected successfully!");
  });

  it("lets the user choose between several wallets", async () => {
    const wallet = testWallet({ names: ["First Wallet", "Second Wallet"] });
    const { page } = await site.open("/", { wallet, ...ENGLISH });
    await connect(page);
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "First Wallet" }).waitFor();
    await dialog.getByRole("button", { name: "Second Wallet" }).click();
    await said(page, "Wallet connected successfully!");
  });

  it("survives a connection that is refused", async () => {
    const wallet = testWallet();
    wallet.rejectNext("wallet_requestPermissions");
    const { page, problems } = await site.open("/", { wallet, ...ENGLISH });
    await connect(page);
    const declined = page.getByText("The request was declined in the wallet. Nothing changed.");
    await declined.waitFor();
    expect(await page.locator("[data-sonner-toast]").count()).to.equal(0);
    await connect(page);
    await said(page, "Wallet connected successfully!");
    await declined.waitFor({ state: "detached" });
    expect(problems).to.deep.equal([]);
  });

  it("reports a connection that fails, and connects at the next click", async () => {
    const wallet = testWallet();
    for (const method of ["wallet_requestPermissions", "eth_requestAccounts"])
      wallet.failNext(method, { code: -32603, message: "no" });
    const { page } = await site.open("/", { wallet, ...ENGLISH });
    await connect(page);
    await said(page, "Connection error");
    await page.locator('main .button[aria-busy="false"]').waitFor();
    await connect(page);
    await said(page, "Wallet connected successfully!");
  });

  it("has its own message for a pending request", async () => {
    const wallet = testWallet();
    wallet.failNext("wallet_requestPermissions", { code: -32002, message: "already pending" });
    const { page } = await site.open("/", { wallet, ...ENGLISH });
    await connect(page);
    await page
      .getByText(/request is already open/)
      .first()
      .waitFor();
  });

  it("asks a wallet on another chain to switch, and does not reload for its own switch", async () => {
    const wallet = testWallet({ chainId: 1 });
    const { page } = await site.open("/", { wallet, ...ENGLISH });
    await page.evaluate(() => Object.assign(window, { stillHere: true }));
    await connect(page);
    await said(page, "Correct network");
    expect(wallet.chainId).to.equal(CHAIN_IDS.spicy);
    await page.waitForTimeout(1_600);
    expect(await page.evaluate(() => "stillHere" in window)).to.equal(true);
  });

  it("asks the wallet to add a chain that it does not know (4902)", async () => {
    const wallet = testWallet({ chainId: 1, knownChains: [1] });
    const { page } = await site.open("/", { wallet, ...ENGLISH });
    await connect(page);
    await said(page, "Correct network");
    expect(wallet.added[0]).to.deep.include({
      chainId: SPICY,
      nativeCurrency: { name: "Chiliz", symbol: "CHZ", decimals: 18 },
    });
  });

  it("asks once more to switch where the wallet has added the chain and stayed on its own", async () => {
    const wallet = testWallet({ chainId: 1, knownChains: [1], addsAlone: true });
    const { page } = await site.open("/", { wallet, ...ENGLISH });
    await connect(page);
    await said(page, "Correct network");
    expect(wallet.added).to.have.length(1);
    expect(wallet.asked.filter((method) => method === "wallet_switchEthereumChain")).to.have.length(2);
    expect(await page.getByText("Error adding network").count()).to.equal(0);
  });

  it("finds 4902 even if a mobile wallet hides it", async () => {
    const wallet = testWallet({ chainId: 1 });
    wallet.failNext("wallet_switchEthereumChain", { code: -32603, data: { originalError: { code: 4902 } } });
    const { page } = await site.open("/", { wallet, ...ENGLISH });
    await connect(page);
    await said(page, "Correct network");
    expect(wallet.added).to.have.length(1);
  });

  it("reports a network that could not be added, and keeps the connection with a button to switch", async () => {
    const wallet = testWallet({ chainId: 1, knownChains: [1] });
    wallet.failNext("wallet_addEthereumChain", { code: -32603, message: "no" });
    const { page } = await site.open("/", { wallet, ...ENGLISH });
    await connect(page);
    await said(page, "Error adding network");
    await page.getByRole("button", { name: /switch/i }).click();
    await said(page, "Correct network");
  });

  it("stays connected, with 'Wrong network', if the switch is refused", async () => {
    const wallet = testWallet({ chainId: 1 });
    wallet.rejectNext("wallet_switchEthereumChain");
    const { page } = await site.open("/", { wallet, ...ENGLISH });
    await connect(page);
    await said(page, "Wrong network");
    await page.getByRole("button", { name: /switch/i }).waitFor();
  });

  it("says it again while the last message is being closed", async () => {
    const wallet = testWallet({ chainId: 1 });
    wallet.rejectNext("wallet_switchEthereumChain");
    const { page } = await site.open("/", { wallet, ...ENGLISH });
    await connect(page);
    const refused = page.locator("[data-sonner-toast][data-removed=false]").filter({ hasText: "The request was" });
    const first = await refused.elementHandle();
    const again = await page.getByRole("button", { name: /switch/i }).elementHandle();
    wallet.rejectNext("wallet_switchEthereumChain");
    await page.evaluate(
      ([toast, button]) => {
        toast?.querySelector<HTMLElement>("[data-close-button]")?.click();
        (button as HTMLElement | null)?.click();
      },
      [first, again] as const,
    );
    await page.waitForFunction((toast) => !toast?.isConnected, first);
    await eventually(async () => expect(await refused.count()).to.equal(1));
  });

  it("adopts another account, with 'Account changed'", async () => {
    const wallet = testWallet();
    const { page } = await site.open("/", { wallet, ...ENGLISH });
    await connect(page);
    await said(page, "Wallet connected successfully!");
    await wallet.changeAccount(1);
    await said(page, "Account changed");
    await page.getByRole("button", { name: new RegExp(`${wallet.address.slice(0, 6)}\\.\\.\\.`) }).waitFor();
  });

  it("is disconnected when the wallet is locked", async () => {
    const wallet = testWallet();
    const { page } = await site.open("/", { wallet, ...ENGLISH });
    await connect(page);
    await said(page, "Wallet connected successfully!");
    await wallet.lock();
    await said(page, "Wallet disconnected");
    await page.getByRole("banner").getByRole("button", { name: "Connect wallet" }).waitFor();
  });

  it("reloads, after its message, when the chain is changed in the wallet", async () => {
    const wallet = testWallet();
    const { page } = await site.open("/", { wallet, ...ENGLISH });
    await connect(page);
    await said(page, "Wallet connected successfully!");
    await page.evaluate(() => Object.assign(window, { stillHere: true }));
    await wallet.changeChain(1);
    await said(page, "Wrong network");
    await page.waitForFunction(() => !("stillHere" in window));
    await page.getByRole("button", { name: /switch/i }).waitFor();
  });

  it("is still connected after a reload", async () => {
    const wallet = testWallet();
    const { page } = await site.open("/", { wallet, ...ENGLISH });
    await connect(page);
    await said(page, "Wallet connected successfully!");
    await page.reload();
    await page.getByRole("button", { name: new RegExp(`${wallet.address.slice(0, 6)}\\.\\.\\.`) }).waitFor();
  });

  it("opens the same page in a wallet's app from a phone's browser, which has no wallet", async () => {
    const { page } = await site.open("/auth?next=%2Fadmin", {
      wallet: testWallet({ presence: "none" }),
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
      ...ENGLISH,
    });
    await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).tap();
    await said(page, "Wallet not found");
    const dialog = page.getByRole("dialog");
    const link = dialog.getByRole("link", { name: "MetaMask" });
    const host = new URL(site.server.url).host;
    expect(await link.getAttribute("href")).to.equal(`https://metamask.app.link/dapp/${host}/auth?next=%2Fadmin`);
    const trust = new URL((await dialog.getByRole("link", { name: "Trust Wallet" }).getAttribute("href")) ?? "");
    expect(trust.origin + trust.pathname).to.equal("https://link.trustwallet.com/open_url");
    expect(trust.searchParams.get("url")).to.equal(page.url());
    expect(await dialog.getByText("WalletConnect").count(), "what this shop does not offer").to.equal(0);
    // The first dialog covers nothing that can be clicked.
    await link.click({ trial: true });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.be.at.most(390);
  });

  it("reports why adding the network was rejected, and does not ask again by itself", async () => {
    const wallet = testWallet({ chainId: 1, knownChains: [1] });
    wallet.rejectNext("wallet_addEthereumChain");
    const { page, problems } = await site.open("/", { wallet, ...ENGLISH });
    await connect(page);
    await said(page, "Error adding network");
    await said(page, "The request was declined in the wallet. Nothing changed.");
    expect(wallet.asked.filter((method) => method === "wallet_addEthereumChain")).to.have.length(1);
    await page.getByRole("button", { name: /^0x/ }).waitFor();
    expect(problems).to.deep.equal([]);
  });

  it("has its own message for a pending switch request", async () => {
    const wallet = testWallet({ chainId: 1 });
    wallet.failNext("wallet_switchEthereumChain", { code: -32002, message: "already pending" });
    const { page, problems } = await site.open("/", { wallet, ...ENGLISH });
    await connect(page);
    await page
      .getByText(/request is already open/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: /switch/i }).click();
    await said(page, "Correct network");
    expect(problems).to.deep.equal([]);
  });

  it("says 'Correct network', then reloads, when the wallet comes back from another chain", async () => {
    const wallet = testWallet({ chainId: 1 });
    wallet.rejectNext("wallet_switchEthereumChain");
    const { page } = await site.open("/", { wallet, ...ENGLISH, hasOwnClock: true });
    await connect(page);
    await said(page, "Wrong network");
    await page.evaluate(() => Object.assign(window, { stillHere: true }));
    // The app's own request counts as over one second after its response.
    await page.clock.runFor(1_100);
    await wallet.changeChain(CHAIN_IDS.spicy);
    await said(page, "Correct network");
    await page.waitForFunction(() => !("stillHere" in window));
    await page.getByRole("button", { name: /^0x/ }).waitFor();
    await page.locator(".notice").waitFor({ state: "detached" });
  });

  it("keeps the session when the wallet is locked, and shows the way to connect again", async () => {
    const wallet = testWallet();
    const { page, problems } = await site.openLoggedIn("/dashboard", { wallet, ...ENGLISH });
    await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
    await page.getByText("10.50 CHZ").waitFor();
    await wallet.lock();
    await said(page, "Wallet disconnected");
    await page.getByText("No wallet connected.").waitFor();
    expect(new URL(page.url()).pathname).to.equal("/dashboard");
    expect(problems).to.deep.equal([]);
  });

  it("copies the address beside the button that disconnects, and the toast leads back", async () => {
    const wallet = testWallet();
    const { page, context } = await site.open("/", { wallet, ...ENGLISH });
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await connect(page);
    await page.getByRole("button", { name: "Copy the address" }).click();
    await said(page, "Address copied");
    expect((await page.evaluate(() => navigator.clipboard.readText())).toLowerCase()).to.equal(wallet.address);
    await page.getByRole("button", { name: /^0x/ }).click();
    await said(page, "Wallet disconnected");
    await page.getByRole("button", { name: "Reconnect" }).click();
    await page.getByRole("button", { name: /^0x/ }).waitFor();
  });
});
