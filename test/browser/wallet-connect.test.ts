import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Browser, WebSocketRoute } from "playwright-core";
import { build } from "vite";
import { WEB_APP } from "../testing/web-app.ts";
import { launchChromium, type VisitOptions, visit } from "./support/chromium.ts";
import { FixtureServer } from "./support/fixture-server.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

const RELAY = /relay\.walletconnect/;
const ENGLISH = { storage: { language: "en" } };

describe("WalletConnect, if it is not configured", () => {
  const site = useSite();

  it("is not offered, and none of its code is in the build", async () => {
    const { page } = await site.open("/", { wallet: testWallet({ names: ["Lua", "Rio"] }), ...ENGLISH });
    await page.getByRole("button", { name: "View stores" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Lua" }).waitFor();
    expect(await page.getByRole("dialog").getByRole("button", { name: "WalletConnect" }).count()).to.equal(0);
    for (const file of globSync(`${WEB_APP}/assets/*.js`)) {
      expect(readFileSync(file, "utf8"), file).not.to.match(RELAY);
    }
  });
});

describe("WalletConnect, if it is configured @deep", function () {
  this.timeout(300_000);
  let folder: string;
  let server: FixtureServer;
  let browser: Browser;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "torcida-wallet-connect-"));
    process.env.VITE_WALLETCONNECT_PROJECT_ID = "0123456789abcdef0123456789abcdef";
    try {
      await build({ configFile: "vite.config.ts", logLevel: "error", build: { outDir: folder, emptyOutDir: true } });
    } finally {
      delete process.env.VITE_WALLETCONNECT_PROJECT_ID;
    }
    server = await new FixtureServer(folder).start();
    // The api's policy if WalletConnect is configured.
    server.policy = server.policy
      .replace("connect-src 'self'", "connect-src 'self' wss://relay.walletconnect.org")
      .concat("; frame-src https://verify.walletconnect.org https://verify.walletconnect.com");
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The files of the build that connect to the relay. */
  const relayFiles = () =>
    globSync(join(folder, "assets/*.js"))
      .filter((file) => RELAY.test(readFileSync(file, "utf8")))
      .map((file) => file.split("/").at(-1) ?? "");

  /** The relay accepts messages and forwards none: no phone scans the code. */
  function answerAsRelay(socket: WebSocketRoute): void {
    socket.onMessage((text) => {
      const { id, method } = JSON.parse(String(text)) as { id: number; method?: string };
      const result = method === "irn_subscribe" ? "ab".repeat(32) : true;
      if (method) socket.send(JSON.stringify({ id, jsonrpc: "2.0", result }));
    });
  }

  async function open({ relay, ...options }: VisitOptions & { relay?: "answers" } = {}) {
    const opened = await visit(browser, { ...ENGLISH, ...options });
    if (relay) {
      await opened.context.routeWebSocket(RELAY, answerAsRelay);
      await opened.context.route(/verify\.walletconnect/, (route) =>
        route.fulfill({ contentType: "text/html", body: "" }),
      );
    }
    const loaded: string[] = [];
    opened.page.on("request", (request) => loaded.push(request.url().split("/").at(-1) ?? ""));
    await opened.page.goto(server.url);
    await opened.page.getByRole("button", { name: "View stores" }).click();
    const dialog = opened.page.getByRole("dialog");
    return { ...opened, loaded, dialog, option: dialog.getByRole("button", { name: /WalletConnect/ }) };
  }

  it("is offered next to the browser's wallet, which works as before, and loads nothing until it is chosen", async () => {
    const { page, context, dialog, option, loaded } = await open();
    await option.waitFor();
    expect(relayFiles()).to.have.length(1);
    expect(loaded.filter((file) => relayFiles().includes(file))).to.deep.equal([]);
    await dialog.getByRole("button", { name: "Test Wallet" }).click();
    await page.getByText("Wallet connected successfully!").waitFor();
    expect(loaded.filter((file) => relayFiles().includes(file))).to.deep.equal([]);
    await context.close();
  });

  it("is loaded when it is chosen, and says what to do if its relay does not respond", async () => {
    const { page, context, dialog, option, loaded, problems } = await open({
      wallet: testWallet({ presence: "none" }),
    });
    await context.route(/walletconnect\.(org|com)/, (route) => route.abort());
    await option.click();
    await dialog.getByText("Asking WalletConnect for a code...").waitFor();
    await page.getByText("Connection error").waitFor();
    await page.getByText("WalletConnect did not answer. Check your internet and try again").waitFor();
    expect(loaded.filter((file) => relayFiles().includes(file))).to.have.length(1);
    // The choice is open again.
    await option.and(page.locator(":enabled")).waitFor();
    // The browser's message about a failed connection.
    expect(problems.filter((one) => !one.includes("WebSocket"))).to.deep.equal([]);
    await context.close();
  });

  it("shows a code to scan, which can be copied, and a link for the phone itself", async () => {
    const { page, context, dialog, option, problems } = await open({
      wallet: testWallet({ presence: "none" }),
      permissions: ["clipboard-read", "clipboard-write"],
      relay: "answers",
    });
    await option.click();
    await dialog.getByRole("img", { name: "WalletConnect QR code" }).waitFor();
    const uri = await dialog.getByRole("link", { name: "Open in the wallet app" }).getAttribute("href");
    expect(uri).to.match(/^wc:[0-9a-f]{64}@2\?.*symKey=[0-9a-f]{64}/);
    await dialog.getByRole("button", { name: "Copy the code" }).click();
    await page.getByText("Code copied").waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).to.equal(uri);
    expect(problems).to.deep.equal([]);
    await context.close();
  });

  it("can be left while it waits", async () => {
    const { page, context, dialog, option } = await open({ wallet: testWallet({ presence: "none" }) });
    await option.click();
    await dialog.getByText("Asking WalletConnect for a code...").waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "View stores" }).click();
    await option.and(page.locator(":enabled")).waitFor();
    expect(await page.getByText("Connection error").count()).to.equal(0);
    await context.close();
  });
});
