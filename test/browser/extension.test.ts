/// <reference types="chrome" />
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createPlainServer, type IncomingMessage } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { strFromU8, strToU8 } from "fflate";
import { type BrowserContext, chromium, type Page, type Worker } from "playwright-core";
import { extensionFiles } from "../../scripts/developer/build-extension.ts";
import { skipWithout } from "../testing/skip.ts";
import { eventually } from "../testing/until.ts";
import { buildWebApp, WEB_APP } from "../testing/web-app.ts";
import { FixtureServer } from "./support/fixture-server.ts";

/** Debian's; the one from npm has no extensions. */
const CHROMIUM = "/usr/bin/chromium";
const SHOP = "https://www.loja-um.com/tv?cor=azul";

/** docs/extension.md */
describe("The extension in a real Chromium @deep", function () {
  this.timeout(120_000);
  const directory = mkdtempSync(join(tmpdir(), "torcida-extension-"));
  const key = join(directory, "key.pem");
  const certificate = join(directory, "certificate.pem");
  let context: BrowserContext;
  let worker: Worker;
  let page: Page;
  let isAway = false;
  let attempts = 0;
  const asked: Pick<IncomingMessage, "url" | "headers">[] = [];
  /** The list for the extension, and behind it the web app. */
  const site = createPlainServer(async (request, response) => {
    attempts++;
    if (isAway) return void request.socket.destroy();
    asked.push({ url: request.url, headers: request.headers });
    response.setHeader("access-control-allow-origin", "*");
    if (request.url === "/api/stores/domains")
      return void response.end(
        JSON.stringify({ stores: [{ id: 7, name: "<b>Loja Um</b>", domains: ["loja-um.com"], claim_days: 7 }] }),
      );
    const headers = new Headers();
    for (const name of ["content-type", "authorization"] as const) headers.set(name, request.headers[name] ?? "");
    const body = request.method === "POST" ? await text(request) : undefined;
    const { method = "GET", url = "/" } = request;
    const answer = await fetch(webApp.url + url, { method, headers, ...(body !== undefined && { body }) });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  const webApp = new FixtureServer(WEB_APP);
  let shop: ReturnType<typeof createServer>;

  before(async function () {
    if (!existsSync(CHROMIUM)) skipWithout(this, "Debian's Chromium");
    const names = ["-subj", "/CN=localhost", "-keyout", key, "-out", certificate];
    execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...names], {
      stdio: "ignore",
    });
    shop = createServer({ key: readFileSync(key), cert: readFileSync(certificate) }, (_request, response) => {
      response.setHeader("content-type", "text/html").end("<h1>The shop</h1>");
    });
    const ports = [];
    for (const server of [site, shop]) {
      await once(server.listen(0, "127.0.0.1"), "listening");
      ports.push((server.address() as AddressInfo).port);
    }
    await buildWebApp();
    await webApp.start();
    await install(`http://127.0.0.1:${ports[0]}`);
    const flags = ["--headless=new", "--no-sandbox", "--ignore-certificate-errors", "--disable-gpu"];
    context = await chromium.launchPersistentContext(join(directory, "profile"), {
      executablePath: CHROMIUM,
      headless: false,
      locale: "en",
      ignoreHTTPSErrors: true,
      args: [
        ...[...flags, "--lang=en", "--disable-features=DisableLoadExtensionCommandLineSwitch"],
        ...["--load-extension", "--disable-extensions-except"].map((flag) => `${flag}=${join(directory, "extension")}`),
        `--host-resolver-rules=MAP *:443 127.0.0.1:${ports[1]}`,
      ],
    });
    worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
    await eventually(async () => expect((await rules()).length).to.equal(2));
  });
  beforeEach(async () => {
    page = await context.newPage();
  });
  afterEach(() => page?.close());
  after(async () => {
    await context?.close();
    await webApp.stop();
    site.close();
    shop?.close();
    rmSync(directory, { recursive: true, force: true });
  });

  /** As it is built, with `tabs` in the place of the click on the toolbar, which no program can make. */
  async function install(origin: string): Promise<void> {
    const files = (await extensionFiles(origin)).chromium as Record<string, Uint8Array>;
    const manifest = JSON.parse(strFromU8(files["manifest.json"] ?? new Uint8Array()));
    manifest.permissions.push("tabs");
    files["manifest.json"] = strToU8(JSON.stringify(manifest));
    for (const [name, bytes] of Object.entries(files)) {
      const path = join(directory, "extension", name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, bytes);
    }
  }

  const rules = () =>
    worker.evaluate(
      () => new Promise<chrome.events.Rule[]>((resolve) => chrome.declarativeContent.onPageChanged.getRules(resolve)),
    );

  /** The popup over the page in front: as a tab behind it, because headless there is no toolbar to open it from. */
  async function popup(): Promise<Page> {
    await page.bringToFront();
    const opened = context.waitForEvent("page");
    await worker.evaluate(() => chrome.tabs.create({ url: chrome.runtime.getURL("popup.html"), active: false }));
    return opened;
  }

  /** Over the page in front. */
  async function press(): Promise<void> {
    const opened = await popup();
    const closed = opened.waitForEvent("close");
    // The popup is gone before the key is up.
    await opened
      .getByRole("button", { name: /^Activate/ })
      .press("Enter")
      .catch(() => undefined);
    await closed;
  }

  it("asks its site for the public list alone, and tells it of no page", async () => {
    await page.goto(SHOP);
    await page.goto("https://other.example/secret");
    expect(asked.map(({ url }) => url)).to.deep.equal(["/api/stores/domains"]);
    expect(asked[0]?.headers).to.not.have.any.keys("cookie", "referer", "authorization");
  });

  it("leaves it to the browser to light the icon at the stores' own domains", async () => {
    const [light, grey] = await rules();
    const hosts = (rule?: chrome.events.Rule) =>
      rule?.conditions?.map(({ pageUrl }: { pageUrl: object }) => pageUrl) ?? [];
    const own = [
      { hostEquals: "loja-um.com", schemes: ["https"] },
      { hostSuffix: ".loja-um.com", schemes: ["https"] },
    ];
    expect(hosts(light)).to.deep.equal(own);
    const [first] = hosts(grey) as [{ urlMatches: string; hostEquals: string }];
    expect(first.hostEquals).to.equal("loja-um.com");
    const matches = new RegExp(first.urlMatches.replace("(?i)", ""), "i");
    expect(
      ["https://loja-um.com/?a=1&IRCLICKID=2", "https://loja-um.com/?cor=azul"].map((url) => matches.test(url)),
    ).to.deep.equal([true, false]);
  });

  it("goes to the page with cashback at one press, and says for how long it counts", async () => {
    await page.goto(SHOP);
    const first = await popup();
    await first.getByRole("heading", { name: "<b>Loja Um</b> gives cashback" }).waitFor();
    await first.close();
    await press();
    await page.waitForURL("**/go?*");
    const { searchParams } = new URL(page.url());
    expect(Object.fromEntries(searchParams)).to.deep.equal({ url: SHOP, store: "7" });
    // Back by the network's link, which leaves a trace in the address.
    await page.goto(`${SHOP}&awc=1_2`);
    const second = await popup();
    await second.getByRole("heading", { name: "Cashback is active at <b>Loja Um</b>" }).waitFor();
    const said = await second.getByText("it counts until").innerText();
    const week = Date.now() + 7 * 86_400_000;
    // A minute ago it may have been another day.
    const days = [week, week - 60_000].map((at) => new Date(at).toLocaleDateString("en"));
    expect(
      days.some((day) => said.includes(`until ${day},`)),
      said,
    ).to.equal(true);
    await second.close();
  });

  it("says where somebody else is named, and where there is nothing to do", async () => {
    await worker.evaluate(() => chrome.storage.local.remove("started"));
    await page.goto(`${SHOP}&irclickid=1`);
    const foreign = await popup();
    await foreign.getByText("already credits somebody else").waitFor();
    await foreign.close();
    await page.goto("https://loja-um.com.evil.example/");
    const none = await popup();
    await none.getByText("This page is not a partner store's").waitFor();
    expect(await none.getByRole("button").allInnerTexts()).to.deep.equal(["See the stores"]);
    await none.close();
  });

  it("keeps its list while its site is away", async () => {
    isAway = true;
    const before = attempts;
    await worker.evaluate(() => chrome.alarms.create("refresh", { when: Date.now() }));
    await eventually(async () => expect(attempts).to.be.above(before));
    await page.goto(SHOP);
    const kept = await popup();
    await kept.getByRole("button", { name: "Activate cashback" }).press("Enter");
    await kept.getByRole("heading", { name: "Torcida did not answer" }).waitFor();
    expect(page.url(), "the reader stays where they were").to.equal(SHOP);
    await kept.close();
    isAway = false;
    const again = await popup();
    await again.getByRole("heading", { name: "<b>Loja Um</b> gives cashback" }).waitFor();
    await again.close();
  });

  it("leads who is logged out to the login, and back to the product", async () => {
    await page.goto(SHOP);
    await press();
    await page.getByRole("dialog").getByRole("button", { name: "Entrar e ganhar" }).click();
    await page.waitForURL("**/auth?next=*");
    const next = new URL(new URL(page.url()).searchParams.get("next") ?? "", page.url());
    expect([next.pathname, next.searchParams.get("url")]).to.deep.equal(["/go", SHOP]);
  });

  it("opens a tab of its own where the store's was closed meanwhile", async () => {
    await page.goto(SHOP);
    const over = await popup();
    await over.getByRole("button", { name: /^Activate/ }).waitFor();
    const opened = context.waitForEvent("page");
    await page.close();
    await over
      .getByRole("button", { name: /^Activate/ })
      .press("Enter")
      .catch(() => undefined);
    const there = await opened;
    await there.waitForURL("**/go?*");
    expect(new URL(there.url()).searchParams.get("url")).to.equal(SHOP);
    await there.close();
  });

  it("lights up as before once it was switched off and on again", async () => {
    const conditions = async () => (await rules()).map(({ conditions }) => conditions);
    const before = await conditions();
    const id = new URL(worker.url()).host;
    await page.goto("chrome://extensions");
    const set = (isEnabled: boolean) =>
      page.evaluate(([id, on]) => chrome.management.setEnabled(id, on), [id, isEnabled] as const);
    await set(false);
    await eventually(async () => expect(context.serviceWorkers()).to.not.include(worker));
    const restarted = context.waitForEvent("serviceworker");
    await set(true);
    worker = await restarted;
    await eventually(async () => expect(await conditions()).to.deep.equal(before));
    await page.goto(SHOP);
    const active = await popup();
    await active.getByRole("heading", { name: "Cashback is active at <b>Loja Um</b>" }).waitFor();
    await active.close();
  });

  it("is needed no more once the way has begun: who takes it out meanwhile still arrives", async () => {
    await page.goto(SHOP);
    await press();
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    const gone = worker.evaluate(() => chrome.management.uninstallSelf({ showConfirmDialog: false }));
    await gone.catch(() => undefined);
    await eventually(async () => expect(context.serviceWorkers()).to.not.include(worker));
    await dialog.getByRole("link", { name: "Sem cashback" }).waitFor();
    await page.reload();
    await dialog.getByRole("button", { name: "Entrar e ganhar" }).click();
    await page.waitForURL("**/auth?next=*");
  });
});
