import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { Caller } from "../api/support/caller.ts";
import { freePorts } from "../testing/free-port.ts";
import { Shopper } from "../testing/shopper.ts";
import { removeData, startTorcida, systemEnvironment, type Torcida } from "../testing/torcida.ts";
import { until } from "../testing/until.ts";

const MINIMUM_SECONDS = 1;
const AWIN_STORE = 1;
const ADMITAD_STORE = 2;
const DIRECT_STORE = 3;
const ADMIN = privateKeyToAccount(generatePrivateKey());

describe("npm run rehearse @deep", function () {
  this.timeout(300_000);
  let torcida: Torcida;
  let shopUrl: string;
  const start = (environment: Record<string, string>) => startTorcida(environment, [], "scripts/rehearse.ts");

  before(async () => {
    const [shopPort] = await freePorts(1);
    shopUrl = `http://localhost:${shopPort}`;
    const own = { SHOP_PORT: String(shopPort), SALE_MIN_SECONDS: String(MINIMUM_SECONDS) };
    const environment = { ...(await systemEnvironment()), ...own, ADMIN_WALLETS: `${ADMIN.address}:owner` };
    torcida = await start(environment);
  });
  after(async () => {
    await torcida?.stop();
    if (torcida) removeData(torcida);
  });

  const post = async (path: string, form: Record<string, string>) => {
    const body = new URLSearchParams(form);
    const response = await fetch(`${shopUrl}${path}`, { method: "POST", body, redirect: "manual" });
    expect(response.status).to.equal(303);
    return (response.headers.get("location") ?? "").split("#")[1] ?? "";
  };
  /** Visits a store and is led to its shop; returns how to buy there. */
  const visit = async (shopper: Shopper, storeId: number) => {
    const { body } = await shopper.call("POST", "/api/register-purchase", {
      user: shopper.address,
      store_id: storeId,
      amount: 100,
    });
    const { id, affiliate_url } = body.click as { id: string; affiliate_url: string };
    expect(affiliate_url).to.equal(`${shopUrl}/shop/${storeId}?click=${id}`);
    expect((await fetch(affiliate_url)).status).to.equal(200);
    // Networks count in whole seconds.
    await delay((MINIMUM_SECONDS + 1) * 1_000);
    return (form: Record<string, string>) =>
      post("/buy", { store: String(storeId), click: id, currency: "BRL", commission: "usual", ...form });
  };
  const decide = (key: string, verb: string, form = {}) => post(`/sales/${key.replace("-", "/")}/${verb}`, form);
  const received = (shopper: Shopper, chz: string) =>
    until(`${chz} CHZ are received`, async () => (await shopper.me()).nativeBalance === chz);
  const shown = async (key: string, language = "en") => {
    const { sales } = (await (await fetch(`${shopUrl}/now?lang=${language}`)).json()) as {
      sales: { key: string; html: string }[];
    };
    return sales.find((sale) => sale.key === key)?.html ?? "";
  };

  it("prints the URL of the shop, which works in both languages", async () => {
    expect(torcida.output()).to.match(new RegExp(`ready after .*: ${shopUrl}\n`));
    expect(torcida.output().match(/http:\/\//g)).to.have.length(1);
    expect(await (await fetch(`${shopUrl}/?lang=pt`)).text()).to.contain("Ensaio geral");
    const page = await (await fetch(`${shopUrl}/?lang=en`)).text();
    expect(page).to.contain("Dress rehearsal");
    const shop = await (await fetch(`${shopUrl}/shop/${AWIN_STORE}?lang=en`)).text();
    expect(shop).to.contain("Shirts · 5%").and.not.contain("Camisas");
    const css = await (await fetch(`${shopUrl}/page.css`)).text();
    const files = [page.matchAll(/(?:href|src)="(\/[^"?#]+)"/g), css.matchAll(/url\("([^"]+)"\)/g)].flatMap((found) =>
      [...found].map(([, path]) => path ?? ""),
    );
    expect(files).to.include("/design/seats.svg");
    for (const path of files) expect((await fetch(shopUrl + path)).status, path).to.equal(200);
    expect(css, "resolved from where it is used, which is another folder").not.to.contain("var(--seats)");
  });

  it("says in the page's language why a sale is held or declined", async () => {
    const shopper = new Shopper(torcida.url);
    await shopper.signUp();
    // More than an account may lose in a month.
    const key = await (await visit(shopper, AWIN_STORE))({ group1: "CAMISAS", amount1: "20000", commission: "thin" });
    await until(`${key} is held`, async () => (await shown(key)).includes("state-held"));
    expect(await shown(key)).to.contain("The commission is below the cashback");
    expect(await shown(key, "pt")).to.contain("A comissão (R$ 200,00) é menor que o cashback (R$ 1.000,00)");
    await post(`/sales/${key.replace("-", "/")}/decline?lang=pt`, {});
    await until("the decline is read", async () => (await shown(key, "pt")).includes("O pedido foi devolvido"));
  });

  it("pays what the networks report, through corrections, a return and dollars", async () => {
    const shopper = new Shopper(torcida.url);
    await shopper.signUp();
    // 5 % of 200 and 3.5 % of 100, two groups in one sale.
    const buyAtAwin = await visit(shopper, AWIN_STORE);
    const mixed = await buyAtAwin({ group1: "CAMISAS", amount1: "200,00", group2: "ACESSORIOS", amount2: "100" });
    const returned = await buyAtAwin({ group1: "CAMISAS", amount1: "1000" });
    // 7 % of US$ 10 at R$ 5.
    const dollars = await (await visit(shopper, ADMITAD_STORE))({ group1: "CAMISAS", amount1: "10", currency: "USD" });
    // 4 % of 50, reported by the shop itself.
    const direct = await (await visit(shopper, DIRECT_STORE))({ group1: "TUDO", amount1: "50" });
    for (const key of [mixed, returned, dollars, direct]) {
      await until(`${key} is read`, async () => (await shown(key)).includes("state-open"));
      await decide(key, "approve");
      await decide(key, "pay");
    }
    await received(shopper, "69");
    await decide(returned, "decline");
    await until("the return is read", async () => (await shown(returned)).includes("state-declined"));
    // The next sale settles part of the debt.
    const next = await buyAtAwin({ group1: "CAMISAS", amount1: "400" });
    await decide(next, "approve");
    await decide(next, "pay");
    await until("the debt is settled", async () => (await shown(next)).includes("state-settled"));
    expect((await shopper.me()).nativeBalance).to.equal("69");
    await decide(returned, "restore");
    await decide(returned, "approve");
    await decide(returned, "pay");
    await received(shopper, "89");
  });

  it("shows a programme that arrives, whose commission falls, and that pauses and comes back", async () => {
    const admin = new Caller(torcida.url, ADMIN);
    await admin.enter();
    const turn = (id: string, what: string) => post(`/programmes/admitad/${id}/${what}`, {});
    await turn("new", "arrive");
    const suggested = await until("it is suggested", async () => {
      const { body } = await admin.call("GET", "/api/admin/suggested-stores?state=open");
      return body.rows[0];
    });
    expect(suggested).to.deep.include({ network: "admitad", account: "main" });
    expect(suggested.categories).to.deep.include({
      ...{ group_code: "DEFAULT", name: "Todos os produtos", commission_percent: "8", percent: "4.75" },
    });
    const { body } = await admin.call("POST", "/api/admin/suggested-stores/accept", { ids: [suggested.id] });
    const [{ store_id }] = body.stores;
    const store = async () => (await admin.call("GET", `/api/stores/${store_id}`)).body.store;
    await turn(suggested.advertiser_id, "less");
    await until("its percent follows", async () => (await store()).cashbacks[0].cashback_percent === "2.25");
    await turn(suggested.advertiser_id, "pause");
    await until("it is paused", async () => (await store()).paused?.reason === "paused");
    const buyer = new Shopper(torcida.url);
    await buyer.signUp();
    const bought = await buyer.call("POST", "/api/register-purchase", { user: buyer.address, store_id, amount: 1 });
    expect([bought.status, bought.body.code]).to.deep.equal([409, "STORE_PAUSED"]);
    await turn(suggested.advertiser_id, "resume");
    await until("it sells again", async () => (await store()).paused === null);
  });

  it("continues with the same sales at the next start", async () => {
    const { environment } = torcida;
    expect(await torcida.stop()).to.equal(0);
    torcida = await start(environment);
    const shopper = new Shopper(torcida.url);
    await shopper.signUp();
    const key = await (await visit(shopper, AWIN_STORE))({ group1: "CAMISAS", amount1: "10" });
    expect(key).to.equal("awin-900000005");
    await decide(key, "approve");
    await decide(key, "pay");
    await received(shopper, "0.5");
  });

  it("rejects an invalid amount and a port in use, in one sentence", async () => {
    const response = await fetch(`${shopUrl}/buy`, {
      method: "POST",
      body: new URLSearchParams({ store: "1", click: "", group1: "CAMISAS", amount1: "a lot" }),
    });
    expect(await response.text()).to.contain("Informe um valor");
    const other = await systemEnvironment();
    const failure = await start({ ...other, SHOP_PORT: torcida.environment.SHOP_PORT ?? "" }).catch(String);
    removeData({ dataDirectory: other.DATA_DIR ?? join("data", "none") } as Torcida);
    expect(failure).to.contain("set SHOP_PORT");
  });
});
