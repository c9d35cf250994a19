import { expect } from "chai";
import type { Page } from "playwright-core";
import { MAIL_TOPIC_NAMES } from "../../core/rules/events.ts";
import { eventually } from "../testing/until.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

const KEY = `B${"A".repeat(86)}`;

/**
 * Headless Chromium has no push service to subscribe at: the subscription is made up here, and everything else is real:
 * page, worker, and the message, which the browser gives to the worker as a service would.
 */
function pretend({ permission }: { permission: string }) {
  const subscription = {
    get endpoint() {
      return localStorage.getItem("test_subscription");
    },
    toJSON: () => ({ endpoint: localStorage.getItem("test_subscription"), keys: { p256dh: "p", auth: "a" } }),
    async unsubscribe() {
      localStorage.removeItem("test_subscription");
      localStorage.setItem("test_ended", "true");
      return true;
    },
  };
  const find = async () => (localStorage.getItem("test_subscription") ? subscription : null);
  PushManager.prototype.subscribe = async () => {
    localStorage.setItem("test_subscription", "https://push.example/send/1");
    return subscription as never;
  };
  PushManager.prototype.getSubscription = find as never;
  Object.defineProperty(Notification, "permission", { get: () => permission });
  Notification.requestPermission = async () => permission as NotificationPermission;
}

describe("Messages to this device", () => {
  const site = useSite();
  const ON = { pt: "Ligar neste aparelho", en: "Turn on for this device" };
  const OFF = { pt: "Desligar neste aparelho", en: "Turn off for this device" };
  const choice = { topics: [] as string[], language: "pt", show_amounts: false, devices: [] as number[] };

  beforeEach(() => {
    const { server } = site;
    Object.assign(choice, { topics: [], language: "pt", show_amounts: false, devices: [] });
    server.config.vapid_public_key = KEY;
    server.answer("GET /api/me/push", () => ({ body: { success: true, ...choice } }));
    server.answer("PUT /api/me/push", ({ body }) => ({ body: { success: true, ...Object.assign(choice, body) } }));
    server.answer("POST /api/me/push/devices", () => {
      choice.devices = [7];
      return { body: { success: true, id: 7 } };
    });
    server.answer("DELETE /api/me/push/devices/7", () => {
      choice.devices = [];
      return { body: { success: true, message: "ok" } };
    });
  });

  const open = async (language: "pt" | "en", permission = "granted", width = 360) => {
    const wallet = testWallet();
    const visit = await site.openLoggedIn("/help", {
      ...{ wallet, serviceWorkers: "allow", viewport: { width, height: 800 }, storage: { language } },
    });
    await visit.page.addInitScript(pretend, { permission });
    await visit.page.goto(`${site.server.url}/profile`);
    return { ...visit, wallet };
  };
  const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key);

  for (const language of ["pt", "en"] as const) {
    it(`are switched on and off by one tap, topic by topic (${language})`, async () => {
      const { page, wallet, problems } = await open(language);
      await page.getByRole("button", { name: ON[language] }).click();
      await page.getByRole("button", { name: OFF[language] }).waitFor();
      const [added] = site.server.callsTo("POST /api/me/push/devices");
      expect(added?.body).to.deep.equal({ endpoint: "https://push.example/send/1", keys: { p256dh: "p", auth: "a" } });
      expect(choice).to.deep.include({ topics: [...MAIL_TOPIC_NAMES], language, show_amounts: false });
      expect(await stored(page, "push")).to.equal(`${wallet.address} 7 https://push.example/send/1`);
      const card = page.getByRole("region", {
        name: language === "pt" ? "Avisos no celular" : "Notifications on your",
      });
      await card.getByLabel(language === "pt" ? "Mostrar valores" : "Show amounts").click();
      await card.getByLabel(language === "pt" ? "Compra registrada" : "Purchase recorded").click();
      await page.waitForFunction(() => !document.querySelector("fieldset:disabled"));
      expect(choice.show_amounts).to.equal(true);
      expect(choice.topics).to.not.include("tracked");
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(wide).to.be.at.most(360);
      await page.getByRole("button", { name: OFF[language] }).click();
      await page.getByRole("button", { name: ON[language] }).waitFor();
      expect(site.server.callsTo("DELETE /api/me/push/devices/7")).to.have.length(1);
      expect([await stored(page, "push"), await stored(page, "test_ended")]).to.deep.equal([null, "true"]);
      expect(problems).to.deep.equal([]);
    });
  }

  it("end at the service, too, when their reader logs out", async () => {
    const { page } = await open("pt", "granted", 1280);
    await page.getByRole("button", { name: ON.pt }).click();
    await page.getByRole("button", { name: OFF.pt }).waitFor();
    await page.getByRole("button", { name: "Sair" }).first().click();
    await page.waitForFunction(() => localStorage.getItem("test_ended") === "true");
    expect(await stored(page, "push")).to.equal(null);
  });

  it("end where another wallet signs in in this browser", async () => {
    const { page } = await open("pt");
    await page.evaluate(() => {
      localStorage.setItem("push", `0x${"9".repeat(40)} 4 https://push.example/send/9`);
      localStorage.setItem("test_subscription", "https://push.example/send/9");
    });
    await page.reload();
    await page.waitForFunction(() => localStorage.getItem("test_ended") === "true");
    expect(await stored(page, "push")).to.equal(null);
    await page.getByRole("button", { name: ON.pt }).waitFor();
    expect(site.server.calls.some(({ path }) => path.startsWith("/api/me/push/devices"))).to.equal(false);
  });

  it("go on at the address that the browser has changed, once a page is opened", async () => {
    const { page, wallet } = await open("pt");
    await page.getByRole("button", { name: ON.pt }).click();
    await page.getByRole("button", { name: OFF.pt }).waitFor();
    site.server.answer("POST /api/me/push/devices", () => {
      choice.devices = [8, 7];
      return { body: { success: true, id: 8 } };
    });
    const ended = () => site.server.callsTo("DELETE /api/me/push/devices/7").length;
    await page.reload();
    await page.getByRole("button", { name: OFF.pt }).waitFor();
    expect([ended(), site.server.callsTo("POST /api/me/push/devices").length], "no change").to.deep.equal([0, 1]);
    const next = "https://push.example/send/2";
    await page.evaluate((endpoint) => localStorage.setItem("test_subscription", endpoint), next);
    await page.goto(`${site.server.url}/help`);
    await eventually(async () => expect(ended()).to.equal(1));
    expect(await stored(page, "push")).to.equal(`${wallet.address} 8 ${next}`);
    expect(site.server.callsTo("POST /api/me/push/devices").at(-1)?.body).to.include({ endpoint: next });
    await page.evaluate(() => localStorage.removeItem("test_subscription"));
    await page.reload();
    await eventually(async () => expect(site.server.callsTo("DELETE /api/me/push/devices/8")).to.have.length(1));
    expect(await stored(page, "push"), "the browser took them back").to.equal(null);
  });

  it("say that they are blocked, or that this browser has none, and are not shown without a key", async () => {
    const denied = await open("pt", "denied");
    await denied.page.getByText("bloqueados neste navegador").waitFor();
    expect(await denied.page.getByRole("button", { name: ON.pt }).count()).to.equal(0);
    await denied.page.addInitScript(() => Reflect.deleteProperty(window, "PushManager"));
    await denied.page.reload();
    await denied.page.getByText("Este navegador não recebe avisos.").waitFor();
    await denied.page.addInitScript(() => Object.defineProperty(navigator, "standalone", { value: false }));
    await denied.page.reload();
    await denied.page.getByText("No iPhone e no iPad").waitFor();
    site.server.config.vapid_public_key = null;
    await denied.page.reload();
    await denied.page.getByRole("heading", { name: "Avisos por e-mail" }).waitFor();
    expect(await denied.page.getByRole("heading", { name: "Avisos no celular" }).count()).to.equal(0);
  });

  it("are shown by the worker with their tag, by which a repeat takes its own place", async () => {
    const { page, context } = await open("pt");
    await context.grantPermissions(["notifications"], { origin: site.server.url });
    await page.evaluate(() => navigator.serviceWorker.ready);
    // Headless Chromium has nowhere to show them.
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
    await worker.evaluate(
      `shown = []; registration.showNotification = async (title, { tag, data }) => shown.push([title, tag, data])`,
    );
    const session = await context.newCDPSession(page);
    const found = new Promise<string>((resolve) =>
      session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [one] }) => {
        if (one) resolve(one.registrationId);
      }),
    );
    await session.send("ServiceWorker.enable");
    const registrationId = await found;
    const data = JSON.stringify({ title: "Compra registrada: Loja", tag: "event-1", path: "/dashboard" });
    for (const _ of ["sent", "and sent again"])
      await session.send("ServiceWorker.deliverPushMessage", { origin: site.server.url, registrationId, data });
    const told = ["Compra registrada: Loja", "event-1", "/dashboard"];
    await eventually(async () => expect(await worker.evaluate("shown")).to.deep.equal([told, told]));
  });

  it("open their page by a tap: where it is shown, in a tab that is open, or in a new one", async () => {
    const { page, context } = await open("pt");
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.reload();
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
    // Only a real tap on a notification, which nobody can make headless, may raise a window or open one.
    await worker.evaluate(`
      opened = []; raised = [];
      WindowClient.prototype.focus = async function () { raised.push(new URL(this.url).pathname); return this; };
      clients.openWindow = async (url) => { opened.push(url); };
    `);
    const tap = (path: string) =>
      worker.evaluate(
        `new Promise((resolve) => {
          const event = new ExtendableEvent("notificationclick");
          event.notification = { data: ${JSON.stringify(path)}, close: resolve };
          dispatchEvent(event);
        })`,
      );
    const did = () => worker.evaluate("({ opened, raised })");
    await tap("/visits");
    await page.waitForURL(`${site.server.url}/visits`);
    await eventually(async () => expect(await did()).to.deep.equal({ opened: [], raised: ["/visits"] }));
    await page.evaluate(() => Object.assign(window, { isSame: true }));
    await tap("/visits");
    await eventually(async () => expect(await did()).to.deep.equal({ opened: [], raised: ["/visits", "/visits"] }));
    expect(await page.evaluate("isSame"), "not loaded again").to.equal(true);
    await tap("https://evil.example/visits");
    await page.goto("about:blank");
    await tap("/dashboard");
    await eventually(async () => expect(await did()).to.deep.include({ opened: [`${site.server.url}/dashboard`] }));
  });

  it("come from the address that their service gives instead of the one it ends", async () => {
    const { page, context } = await open("pt");
    await page.evaluate(() => navigator.serviceWorker.ready);
    const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent("serviceworker"));
    const subscribed = await worker.evaluate(`
      asked = [];
      PushManager.prototype.subscribe = async (options) => { asked.push(options); };
      for (const newSubscription of [null, {}])
        dispatchEvent(Object.assign(new ExtendableEvent("pushsubscriptionchange"), {
          oldSubscription: { options: { userVisibleOnly: true } }, newSubscription,
        }));
      asked
    `);
    expect(subscribed).to.deep.equal([{ userVisibleOnly: true }]);
  });
});
