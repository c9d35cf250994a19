import { DOMParser, onErrorStopParsing } from "@xmldom/xmldom";
import { expect } from "chai";
import type { Browser } from "playwright-core";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { Caller } from "../api/support/caller.ts";
import { launchChromium, visit } from "../browser/support/chromium.ts";
import { testWallet } from "../browser/support/test-wallet.ts";
import { buildWebApp, WEB_APP } from "../testing/web-app.ts";
import { ADMIN_KEY, type FaultSystem, startFaultSystem } from "./support/fault-system.ts";

declare global {
  interface Window {
    /** Set only by injected markup that ran. */
    pwned?: unknown;
    violations?: string[];
  }
}

/** Within the contract's 40 letters; each would run a script, break out of an attribute, or reverse the text around it. */
const STORE_NAMES = ["<script>window.pwned=1</script>", '"><img src=x onerror=pwned=1>', "]]> & 'Co' \\u202E"];
const TURNED_NAME = "\u202Eexe.ajol\u202C & 'Co'";
const PERSON = {
  first_name: '<img src=x onerror="window.pwned=2">',
  last_name: "\u202E</title><script>pwned=3</script>",
};
const TOKEN_NAME = "<svg onload=window.pwned=4>";
const TEN_KB = "a".repeat(10_240);
const LOGO = "https://cdn.example/logo.png";
const LINK = "https://example.com/loja";

describe("Names with markup (F27) @deep", function () {
  this.timeout(300_000);
  let system: FaultSystem;
  let browser: Browser;
  let admin: Caller;
  before(async () => {
    await buildWebApp();
    system = await startFaultSystem({ environment: { RATE_LIMIT_SCALE: "1000", WEB_DIR: WEB_APP } });
    browser = await launchChromium();
    admin = new Caller(system.url, privateKeyToAccount(ADMIN_KEY));
    await admin.enter();
  });
  after(async () => {
    await browser?.close();
    await system?.stop();
  });

  const store = (name: string) => ({
    name,
    country: name,
    club: name,
    category: name,
    description: name,
    logo: LOGO,
    affiliate_link: LINK,
  });

  it("are rejected at ten kilobytes in a store, a fan token and a profile, and with right-to-left marks in a store, naming the field (F27)", async () => {
    const image = LOGO;
    for (const [path, body, field] of [
      ["/api/store", store(TEN_KB), "name"],
      ["/api/store", { ...store("Loja"), description: TEN_KB }, "description"],
      ["/api/store", store(TURNED_NAME), "name"],
      ["/api/admin/fan-token", { name: TEN_KB, slug: "long", image }, "name"],
    ] as const) {
      const answer = await admin.post(path, body);
      expect([answer.status, answer.body.success], `${path}: ${answer.text}`).to.deep.equal([400, false]);
      expect(answer.text).to.include(field);
    }
    const stranger = new Caller(system.url);
    const signature = await stranger.signSentence("register");
    const profile = {
      address: stranger.address,
      first_name: TEN_KB,
      last_name: "B",
      email: "a@example.com",
      signature,
    };
    const answer = await stranger.post("/api/register-user-data", profile);
    expect([answer.status, answer.text.includes("first_name")]).to.deep.equal([400, true]);
  });

  it("are plain text in responses, on the ticket and on every page, and violate no content policy (F27)", async () => {
    const stores: { id: number; name: string }[] = [];
    for (const name of STORE_NAMES) {
      const made = await admin.post("/api/store", { ...store(name), featured: true });
      expect(made.status, made.text).to.be.oneOf([200, 201]);
      const { id } = made.body;
      const cashback = await admin.post(`/api/store/${id}/cashback`, { category: name, cashback_percent: 5 });
      expect(cashback.status, cashback.text).to.be.oneOf([200, 201]);
      stores.push({ id, name });
    }
    const token = { name: TOKEN_NAME, slug: "markup", image: LOGO, symbol: "<b>&" };
    const saved = await admin.post("/api/admin/fan-token", token);
    expect(saved.status, saved.text).to.be.oneOf([200, 201]);

    const key = generatePrivateKey();
    const buyer = new Caller(system.url, privateKeyToAccount(key));
    const signature = await buyer.signSentence("register");
    const profile = { address: buyer.address, ...PERSON, email: "a@example.com", signature };
    const registered = await buyer.post("/api/register-user-data", profile);
    expect(registered.status, registered.text).to.equal(200);
    buyer.token = registered.body.token;
    const me = await buyer.me();
    expect([me.first_name, me.last_name]).to.deep.equal([PERSON.first_name, PERSON.last_name]);

    const ids: number[] = [];
    for (const { id } of stores) ids.push(await buyer.buy(id, 100, "markup"));
    await system.settled();
    const ledger = await system.ledger();
    for (const [index, id] of ids.entries()) {
      const uri = await ledger.tokenUri(id);
      const json = JSON.parse(Buffer.from(uri.split(",")[1] ?? "", "base64").toString("utf8"));
      const shop = json.attributes.find((one: { trait_type: string }) => one.trait_type === "Loja");
      expect(shop.value).to.equal(STORE_NAMES[index]);
      const svg = Buffer.from(json.image.split(",")[1], "base64").toString("utf8");
      const drawing = new DOMParser({ onError: onErrorStopParsing }).parseFromString(svg, "image/svg+xml");
      for (const tag of ["script", "img", "image", "foreignObject"]) {
        expect(drawing.getElementsByTagName(tag).length, `${tag} in the ticket of ${STORE_NAMES[index]}`).to.equal(0);
      }
    }

    const wallet = testWallet({ keys: [key], rpcUrl: system.anvil.rpcUrl });
    const opened = await visit(browser, { wallet, storage: { auth_token: buyer.token, language: "en" } });
    const { page, context, problems } = opened;
    await context.route("https://cdn.example/**", (route) => route.abort());
    await context.addInitScript(() => {
      const seen: string[] = [];
      window.violations = seen;
      document.addEventListener("securitypolicyviolation", (event) =>
        seen.push(`${event.violatedDirective} ${event.blockedURI}`),
      );
    });
    for (const [path, text] of [
      ["/stores", STORE_NAMES[1] ?? ""],
      [`/redirect/${stores[0]?.id}`, STORE_NAMES[0] ?? ""],
      ["/dashboard", STORE_NAMES[0] ?? ""],
      ["/dashboard", PERSON.first_name],
    ] as const) {
      await page.goto(system.url + path, { waitUntil: "domcontentloaded" });
      await page.getByText(text).filter({ visible: true }).first().waitFor();
      const found = await page.evaluate(() => ({
        pwned: window.pwned ?? null,
        violations: window.violations,
        foreign: document.querySelectorAll("img[src='x'], svg[onload], body script:not([src])").length,
      }));
      expect(found, path).to.deep.equal({ pwned: null, violations: [], foreign: 0 });
    }
    expect(problems.filter((one) => /content security policy/i.test(one))).to.deep.equal([]);
    await context.close();
  });
});
