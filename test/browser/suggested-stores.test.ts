import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { AwinSimulator } from "../../scripts/rehearse/simulators/awin.ts";
import { Shopper } from "../testing/shopper.ts";
import { removeData, startTorcida, systemEnvironment, type Torcida } from "../testing/torcida.ts";
import { until } from "../testing/until.ts";
import { launchChromium } from "./support/chromium.ts";
import { enterAs } from "./support/enter-as.ts";
import { fillPanel } from "./support/panel-data.ts";
import { useSite } from "./support/site.ts";

const STORES = 50;
/** Of the panel's list. */
const A_PAGE = 25;
/** Of the network; in a test nobody waits for its minutes. */
const CALLS = { ofAwin: 20, here: 1_000 };
const TEN_MINUTES = 10;
/** The second half is more than one wallet may have kept in a minute: the dialog waits for the next one. */
const MINUTES_OF_PURSE_MS = 150_000;

/** An admin who has one account of a network, and no store. docs/product.md#suggested-stores */
describe("A shop without stores, and an account of a network @deep", function () {
  this.timeout(600_000);
  const network = new AwinSimulator({ publisherId: "45628", token: "awin-token" }, CALLS.here);
  let torcida: Torcida;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  before(async () => {
    for (let index = 0; index < STORES; index++) {
      const [id, percent] = [String(17_000 + index), 4 + (index % 7)];
      const groups = [{ code: "DEFAULT", name: "Todos os produtos", percent }];
      network.programmes.join({ id, name: `Loja ${id}`, groups });
    }
    const account = {
      ...{ network: "awin", account: "br", publisher_id: "45628", token: "awin-token" },
      ...{ api_url: await network.listen(), calls_per_minute: CALLS.here },
    };
    const file = join(mkdtempSync(join(tmpdir(), "torcida-awin-")), "accounts.json");
    writeFileSync(file, JSON.stringify([account]), { mode: 0o600 });
    const own = await systemEnvironment();
    torcida = await startTorcida({
      ...own,
      ...{ SIMULATED_PURCHASES: "false", AFFILIATE_ACCOUNTS: file, RATE_LIMIT_SCALE: "1" },
    });
    browser = await launchChromium();
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    context.setDefaultTimeout(60_000);
    page = await context.newPage();
    await enterAs(page, torcida.url, "Admin (demo)");
    await deleteSamples();
  });
  after(async () => {
    await browser?.close();
    await torcida?.stop();
    await network.close();
    if (torcida) removeData(torcida);
  });

  async function deleteSamples(): Promise<void> {
    await page.evaluate(async () => {
      const token = Object.values(localStorage).find((value) => /^[\w-]{40,}$/.test(value));
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const { stores } = await (await fetch("/api/stores?limit=500")).json();
      for (const { id } of stores) await fetch(`/api/store/${id}`, { method: "DELETE", headers });
    });
    expect(await listStores()).to.deep.equal([]);
  }
  async function listStores(): Promise<{ id: number; name: string; cashback_max: string }[]> {
    const answer = (await (await fetch(`${torcida.url}/api/stores?limit=500`)).json()) as {
      stores: { id: number; name: string; cashback_max: string }[];
    };
    return answer.stores;
  }

  it("has fifty stores that sell, by few clicks, within what the network lets be asked in ten minutes", async () => {
    await until("the rates are read", async () => network.calls.filter(isRates).length >= STORES, 120_000);
    expect(network.calls.length / CALLS.ofAwin, "minutes of calls").to.be.below(TEN_MINUTES);
    await page.goto(`${torcida.url}/admin`);
    let clicks = 0;
    const click = async (target: Locator) => {
      await target.click();
      clicks += 1;
    };
    await click(page.getByRole("tab", { name: "Lojas", exact: true }));
    await click(page.getByRole("tab", { name: "Sugeridas" }));
    for (let made = 0; made < STORES; made += A_PAGE) {
      const all = page.getByRole("button", { name: `Criar as ${A_PAGE} lojas desta página` });
      await all.waitFor();
      await click(all);
      await click(page.getByRole("dialog").getByRole("button", { name: `Criar ${A_PAGE} lojas` }));
      await page.getByRole("dialog").waitFor({ state: "hidden", timeout: MINUTES_OF_PURSE_MS });
    }
    expect(clicks).to.equal(6);
    const stores = await until("they are on offer", async () => {
      const offered = await listStores();
      return offered.length === STORES && offered;
    });
    // 60 % of 4 %, and of 10 %, in quarters.
    const percents = stores.map((store) => Number(store.cashback_max));
    expect([Math.min(...percents), Math.max(...percents)]).to.deep.equal([2.25, 6]);
    const buyer = new Shopper(torcida.url);
    await buyer.signUp();
    for (const { id, name } of [stores[0], stores[STORES - 1]].flatMap((one) => one ?? [])) {
      const { click: bought } = await until("its name is on the chain", async () => {
        const answer = await buyer.call("POST", "/api/register-purchase", {
          user: buyer.address,
          store_id: id,
          amount: 100,
        });
        return answer.status === 200 && answer.body;
      });
      expect(bought.affiliate_url, name).to.match(
        /^https:\/\/www\.awin1\.com\/cread\.php\?awinmid=170\d\d&awinaffid=45628&clickref=/,
      );
    }
  });

  const isRates = ({ path, status }: { path: string; status: number }) =>
    status === 200 && path.includes("/commissiongroups");
});

/** docs/product.md#suggested-stores */
describe("What a network says, in the panel", () => {
  const site = useSite();

  it("is in words: no suggestions, a list too large, a paused store, who paused it", async () => {
    const { server } = site;
    server.isAdmin = true;
    fillPanel(server, "owner", "");
    const round = {
      network: "admitad",
      account: "br",
      read_at: null,
      next_at: "2026-12-01T03:00:00.000Z",
      withheld: null,
    };
    const programmes = [{ ...round, problem: "The answer is larger than 8 MiB", is_too_large: true }];
    const networks = { success: true, failing: [], unread_rows: [], doubtful_rates: [], programmes };
    server.answer("GET /api/admin/networks", { body: networks });
    const none = { success: true, rows: [], next_before: null, total: 0 };
    server.answer("GET /api/admin/suggested-stores", { body: none });
    const [store] = server.stores;
    const paused = { since: "2026-11-29T10:00:00.000Z", reason: "paused" };
    Object.assign(store ?? {}, { paused });
    const act = {
      id: 1,
      at: paused.since,
      actor: "network:awin/br",
      action: "store.pause",
      subject: "store:1",
      hash: "0",
    };
    const row = { ...act, params: { store: "Verdão Store" }, detail: "{}" };
    server.answer("GET /api/admin/audit-log", { body: { ...none, rows: [row], total: 1 } });
    const { page } = await site.openLoggedIn("/admin?tab=stores");
    await page.getByRole("tab", { name: "Sugeridas" }).click();
    await page.getByText("Nenhuma sugestão").waitFor();
    await page.getByText(/^Admitad \(br\): a lista passa de 8 MiB/).waitFor();
    await page.goto(`${server.url}/admin?tab=stores&row=1`);
    const steps = page.getByRole("region", { name: "O que falta" });
    await steps.getByText("Pausada", { exact: true }).waitFor();
    await steps.getByText("Pausada pela rede. Volta a vender sozinha.").waitFor();
    await page.goto(`${server.url}/admin?view=log`);
    await page.getByText("Awin (br) pausou a loja Verdão Store").waitFor();
    await page.goto(`${server.url}/stores`);
    await page.getByText("Em pausa: as compras voltam quando a loja voltar.").waitFor();
  });
});
