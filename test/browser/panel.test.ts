import { createHmac } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect } from "chai";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";
import { directAccountsFile } from "../testing/direct-accounts.ts";
import { Shopper } from "../testing/shopper.ts";
import { removeData, startTorcida, systemEnvironment, type Torcida } from "../testing/torcida.ts";
import { eventually, until } from "../testing/until.ts";
import { unfold } from "./support/admin-dialogs.ts";
import { objections } from "./support/axe.ts";
import { launchChromium } from "./support/chromium.ts";
import { enterAs } from "./support/enter-as.ts";

const SCREENSHOTS = "data/panel";
const SECRET = "a-direct-secret-that-is-long-enough-12";
const SLOW = { timeout: 60_000 };

/** An operator's day in the panel, on the real system in live mode with a direct shop that reports sales. */
describe("Daily work in the panel", function () {
  this.timeout(240_000);
  let torcida: Torcida;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let buyer: Shopper;
  let reports = 0;

  before(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    torcida = await startTorcida({
      ...(await systemEnvironment()),
      SIMULATED_PURCHASES: "false",
      AFFILIATE_ACCOUNTS: directAccountsFile(`acme:${SECRET}`),
      CLAIM_AFTER_DAYS: "0",
    });
    browser = await launchChromium();
    context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    context.setDefaultTimeout(60_000);
    page = await context.newPage();
    await enterAs(page, torcida.url, "Admin (demo)");
    buyer = new Shopper(torcida.url);
    await buyer.signUp();
  });
  after(async () => {
    await browser?.close();
    await torcida?.stop();
    if (torcida) removeData(torcida);
  });

  /** Reports a sale as the shop does. */
  async function report(sale: Record<string, unknown>): Promise<void> {
    const occurred_at = new Date(Date.now() + 60_000).toISOString();
    const changed_at = new Date(Date.now() + 1_000 * ++reports).toISOString();
    const event = { event_id: `event-${reports}`, currency: "BRL", occurred_at, changed_at, ...sale };
    const body = JSON.stringify(event);
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const signature = createHmac("sha256", SECRET).update(`${timestamp}.${body}`).digest("hex");
    const headers = { "x-torcida-timestamp": timestamp, "x-torcida-signature": signature };
    const response = await fetch(`${torcida.url}/api/hooks/affiliate/acme`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
    });
    expect(response.status, await response.text()).to.equal(200);
  }
  const open = async (search: string) => {
    await page.goto(`${torcida.url}/admin${search}`);
    await page.getByRole("heading", { level: 1, name: "Painel de Administração" }).waitFor();
  };
  const row = (text: string) => page.getByRole("row").filter({ hasText: text });
  const dialog = () => page.getByRole("dialog").last();
  const toast = (text: string) => page.locator("[data-sonner-toast]").getByText(text, { exact: true }).waitFor();
  /** Gives a reason, and decides. */
  async function decide(action: string, reason: string): Promise<void> {
    await dialog().getByLabel("Motivo").fill(reason);
    await dialog().getByRole("button", { name: action }).click();
  }
  /** Ages every sign-in of the admin beyond the limit for calls that move money. */
  function ageSessions(): void {
    const database = new BetterSqlite3(join(torcida.dataDirectory, "torcida.db"));
    database.exec("update sessions set created_at = created_at - 1200000");
    database.close();
  }
  async function expectAccessible(where: string): Promise<void> {
    for (const [theme, rules] of [
      ["light", "all"],
      ["dark", "colours"],
    ] as const) {
      await page.evaluate((name) => {
        document.documentElement.dataset.theme = name;
      }, theme);
      await page.waitForFunction(() =>
        document
          .getAnimations()
          .every((one) => one.playState !== "running" || one.effect?.getComputedTiming().iterations === Infinity),
      );
      expect(await objections(page, rules), `${where}, ${theme}`).to.deep.equal([]);
    }
  }

  it("imports a catalogue, its changes shown first", async () => {
    await open("?tab=stores");
    await page.getByRole("button", { name: "Importar catálogo" }).click();
    const send = (text: string) =>
      dialog()
        .getByLabel(/Arquivo do catálogo/)
        .setInputFiles({ name: "lojas.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
    await send("type,store,name,country,category,cashback_percent\nstore,,Arena Livros,,,");
    await dialog()
      .getByRole("alert")
      .getByText(/Linha 2: País não pode ficar vazio/)
      .waitFor();
    await send(
      [
        "type,store,name,country,category,cashback_percent",
        "store,,Arena Livros,Brasil,,",
        "cashback,Arena Livros,,,Livros,5",
      ].join("\n"),
    );
    await dialog().getByText("loja Arena Livros (Brasil)").waitFor();
    await dialog().getByText("categoria Arena Livros, Livros: 5%").waitFor();
    await dialog().getByRole("button", { name: "Aplicar 2 mudanças" }).click();
    await toast("2 mudanças feitas");
    const card = page.getByRole("listitem").filter({ hasText: "Arena Livros" });
    await card.getByText("Rascunho").waitFor();
    await card.getByText(/Falta o link de afiliado/).waitFor();
  });

  it("gets a store ready: network, account, and a percent", async () => {
    await open("?tab=stores&row=4");
    await page.getByRole("button", { name: "Editar loja" }).click();
    expect(
      await dialog().locator("input:visible, textarea:visible").count(),
      "two fields are required, and what a store is shows",
    ).to.equal(5);
    await unfold(dialog());
    await dialog().getByLabel("Rede", { exact: true }).fill("direct");
    await dialog().getByLabel("Conta na rede").fill("acme");
    await dialog().getByRole("button", { name: "Salvar alterações" }).click();
    await toast("Loja atualizada com sucesso!");
    await page.getByText("Direta", { exact: true }).waitFor();
    await page.getByText("acme", { exact: true }).waitFor();
    await page.getByText(/^Aparece no site, e vende/).waitFor();
    await page.getByRole("button", { name: "Testar o link" }).click();
    await dialog()
      .getByText(/O link leva o código da visita/)
      .waitFor();
    await page.keyboard.press("Escape");

    await page
      .getByRole("button", { name: /^Editar – / })
      .first()
      .click();
    await dialog().getByLabel("Percentual de cashback").fill("");
    await dialog().getByRole("button", { name: "Salvar alterações" }).click();
    await dialog().getByRole("alert").getByText("Este campo é obrigatório").waitFor();
    await dialog().getByLabel("Percentual de cashback").fill("6");
    await dialog().getByRole("button", { name: "Salvar alterações" }).click();
    await toast("Cashback atualizado com sucesso!");
    await expectAccessible("store");
  });

  it("leads from a new store to one where a shopper earns, by a list of steps that shrinks", async () => {
    await open("?tab=stores");
    await page.getByRole("button", { name: "Nova loja" }).click();
    await dialog().getByLabel("Nome *").fill("Canto da Torcida");
    await dialog().getByLabel("País *").fill("Brasil");
    await dialog().getByRole("button", { name: "Criar loja" }).click();
    const steps = page.getByRole("region", { name: "O que falta" });
    const left = (text: string) => steps.getByText(text, { exact: true }).waitFor();
    await left("Só o painel a mostra: faltam 3 passos para o torcedor ganhar aqui.");
    const id = new URL(page.url()).searchParams.get("row");
    expect((await fetch(`${torcida.url}/api/stores/${id}`)).status, "no shopper sees it yet").to.equal(404);

    await steps.getByRole("button", { name: "Preencher – o percentual" }).click();
    await dialog().getByLabel("Categoria", { exact: true }).fill("Camisas");
    await dialog().getByLabel("Percentual de cashback").fill("7,5");
    await dialog().getByRole("button", { name: "Adicionar" }).click();
    await left("Só o painel a mostra: faltam 2 passos para o torcedor ganhar aqui.");

    await steps.getByRole("button", { name: "Preencher – o link" }).click();
    await dialog().getByLabel("Link de afiliado").fill("https://example.com/?c={click}");
    await dialog().getByRole("button", { name: "Salvar alterações" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await steps.getByText(/^Falta seguir o link/).waitFor();
    expect(await page.evaluate(() => document.activeElement === document.body), "the focus is kept").to.equal(false);

    const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 64, height: 64 } });
    await steps.getByLabel("Enviar logo").setInputFiles({ name: "logo.png", mimeType: "image/png", buffer: picture });
    await toast("Logo enviado.");
    await left("Aparece no site, e vende; falta 1 passo.");

    await steps.getByRole("button", { name: "Testar o link" }).click();
    const shop = context.waitForEvent("page");
    await dialog().getByRole("button", { name: "Abrir em outra aba" }).click();
    await (await shop).close();
    await page.keyboard.press("Escape");
    await left("Aparece no site, e vende.");
    expect(await steps.getByRole("listitem").count()).to.equal(0);
    await page.reload();
    await left("Aparece no site, e vende.");

    await steps.getByRole("link", { name: "Ver no site" }).click();
    await page.getByRole("heading", { level: 1, name: "Canto da Torcida" }).waitFor();
    await page.getByText("7,5%").first().waitFor();
    expect(await buyer.visit(Number(id)), "a shopper's visit there counts").to.be.a("string");
  });

  it("matches a claim to an unmatched sale", async () => {
    const click = await buyer.visit(4);
    await report({
      sale_key: "lost",
      click_id: "unknown-click",
      status: "approved",
      payable: true,
      amount: "200.00",
      order_ref: "PED-77",
    });
    const claim = await buyer.call("POST", "/api/claims", {
      store_id: 4,
      click_id: click,
      order_ref: "PED-77",
      amount: "200.00",
      date: new Date().toISOString().slice(0, 10),
    });
    expect(claim.status, JSON.stringify(claim.body)).to.equal(200);
    const attached = await fetch(`${torcida.url}/api/claims/${claim.body.claim.id}/picture`, {
      method: "POST",
      headers: { "content-type": "image/jpeg", authorization: `Bearer ${buyer.token}` },
      body: new Uint8Array(await page.screenshot({ type: "jpeg" })),
    });
    expect(attached.status, await attached.text()).to.equal(200);

    await open("?view=claims");
    await row("PED-77").getByRole("button", { name: "Ver foto – pedido PED-77" }).click();
    const picture = page.getByRole("dialog", { name: "Foto do pedido PED-77" }).getByRole("img");
    await picture.waitFor();
    await until("the buyer's picture is drawn", () =>
      picture.evaluate((one) => one instanceof HTMLImageElement && one.complete && one.naturalWidth === 1440),
    );
    expect(await picture.getAttribute("alt")).to.equal(`Anexada por ${buyer.address}`);
    await expectAccessible("a claim's picture");
    await page.screenshot({ path: join(SCREENSHOTS, "claim-picture.png") });
    await dialog().getByRole("button", { name: "Fechar" }).last().click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await row("PED-77")
      .getByRole("button", { name: /Ligar a uma venda/ })
      .click();
    await dialog().getByRole("radio").check();
    await decide("Ligar à venda", "Mesmo pedido e mesmo valor");
    await toast("Reclamação resolvida.");
    await row("PED-77").getByText("Resolvida").waitFor();
    await expectAccessible("claims");
  });

  it("says before the click that the order's other half goes on", async () => {
    const pending = { status: "pending", order_ref: "PED-91", amount: "200.00", commission: "100.00" };
    for (const sale_key of ["one-half", "other-half"])
      await report({ ...pending, sale_key, click_id: await buyer.visit(4) });
    await open("?view=sales&state=held");
    const halves = page.getByRole("row").filter({ hasText: "PED-91" });
    await halves.nth(1).waitFor();
    await halves.last().getByRole("link").first().press("Enter");
    await page.getByRole("button", { name: "Recusar venda" }).click();
    const changes = dialog().getByRole("region", { name: "O que isto muda" });
    await changes.getByText(/^Também a venda nº \d+$/).waitFor();
    expect(await changes.innerText())
      .to.match(/Esta venda nº \d+: de retida para recusada/)
      .and.to.match(/Também a venda nº \d+: de retida para em análise\s+R\$\s[\d,]+ a mais de cashback/);
    await expectAccessible("decline");
    await decide("Recusar venda", "Avisada duas vezes");
    await toast("Venda recusada.");
    await page.keyboard.press("Escape");
    await page.getByText("Nada encontrado").waitFor();
  });

  it("asks for a new signature before money moves, then releases a held sale", async () => {
    const click = await buyer.visit(4);
    const sale = { sale_key: "big", click_id: click, status: "approved", payable: true, order_ref: "PED-90" };
    await report({ ...sale, amount: "300.00", commission: "1.00" });
    await open("?view=sales&state=held");
    await row("PED-90")
      .getByText(/A comissão.* é menor que o cashback/)
      .waitFor();
    await row("PED-90").getByRole("link").first().press("Enter");
    await page.getByRole("button", { name: "Liberar venda" }).click();
    await dialog().getByRole("button", { name: "Liberar venda" }).click();
    await dialog().getByText("Escreva o motivo.").waitFor();
    ageSessions();
    await decide("Liberar venda", "Comissão acertada por fora");
    await dialog()
      .getByText(/assine de novo/)
      .waitFor();
    await dialog().getByRole("button", { name: "Assinar e continuar" }).click();
    await page.getByRole("button", { name: "Aprovar" }).click();
    await toast("Venda liberada.");
    await expectAccessible("sale");
    await page.keyboard.press("Escape");
    await page.getByText("Nada encontrado").or(page.getByText("Nenhuma venda ainda")).waitFor();
  });

  it("pauses and resumes payouts, each with a reason", async () => {
    await open("?view=payments");
    await page.getByRole("button", { name: "Pausar pagamentos" }).click();
    await decide("Pausar pagamentos", "Conferindo o caixa");
    await toast("Pagamentos pausados.");
    await page.getByText("Motivo: Conferindo o caixa").waitFor();
    await page.getByRole("button", { name: "Retomar pagamentos" }).click();
    await decide("Retomar pagamentos", "Caixa conferido");
    await toast("Pagamentos retomados.");
    await page.getByText("Pagamentos em andamento").waitFor();
  });

  it("retries a payout that waited for CHZ", async () => {
    const { data } = (await (await fetch(`${torcida.url}/api/config`)).json()) as {
      data: { cashback_distributor: string };
    };
    const rpc = async (method: string, ...params: string[]): Promise<string> => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const headers = { "content-type": "application/json" };
      const answer = await fetch(torcida.rpcUrl, { method: "POST", headers, body });
      return ((await answer.json()) as { result: string }).result;
    };
    const funds = await rpc("eth_getBalance", data.cashback_distributor, "latest");
    await rpc("anvil_setBalance", data.cashback_distributor, "0x0");
    const click = await buyer.visit(4);
    const sale = { sale_key: "waits", click_id: click, status: "approved", payable: true, order_ref: "PED-95" };
    await report({ ...sale, amount: "150.00", commission: "40.00" });

    await open("?view=payments&state=waiting");
    const waiting = row("O distribuidor não tem CHZ suficiente.");
    await until("the payment waits", async () => {
      await page.reload();
      return waiting
        .first()
        .waitFor({ timeout: 20_000 })
        .then(() => true);
    });
    await expectAccessible("payments");
    await waiting
      .first()
      .getByRole("button", { name: /Tentar de novo/ })
      .click();
    await decide("Tentar de novo", "O caixa vai ser reposto");
    await toast("O pagamento voltou para a fila.");
    await rpc("anvil_setBalance", data.cashback_distributor, funds);
    await until("it is paid", async () =>
      (await buyer.me()).purchases.some((one) => one.amount === "150.00" && one.paid_at),
    );
  });

  it("finds a purchase by its order, with its history; a reload keeps the state of the list", async () => {
    await open("?view=purchases");
    const search = page.getByRole("searchbox");
    await search.waitFor();
    await page.keyboard.press("/");
    expect(await search.evaluate((field) => field === document.activeElement)).to.equal(true);
    await page.keyboard.type("PED-95");
    await page.waitForURL(/query=PED-95/);
    await page.getByText("1 compra", { exact: true }).waitFor(SLOW);
    await page.reload();
    await row("PED-95").getByText("Paga", { exact: true }).waitFor(SLOW);
    await row("PED-95").getByRole("link").first().press("Enter");
    await dialog().getByText("Vida da compra").waitFor();
    await dialog().getByText("Cashback pago").first().waitFor();
    await expectAccessible("purchase");
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => document.activeElement?.matches("a[data-row]"));
  });

  it("shows the log as sentences", async () => {
    await open("?view=log");
    await page.getByText(/liberou a venda nº \d+/).waitFor();
    await page.getByText("pausou os pagamentos. Motivo: Conferindo o caixa").waitFor();
    await page.getByText("alterou a rede e a conta da loja Gramado Eletrônicos").waitFor();
    await expectAccessible("log");
  });

  it("moves between rows with the arrow keys", async () => {
    await open("?view=purchases");
    const names = page.locator("a[data-row]");
    await names.nth(1).waitFor();
    await names.first().focus();
    await page.keyboard.press("ArrowDown");
    const hasFocus = (link: Locator) =>
      eventually(async () => expect(await link.evaluate((one) => one === document.activeElement)).to.equal(true));
    await hasFocus(names.nth(1));
    await page.keyboard.press("Home");
    await hasFocus(names.first());
  });

  it("saves a list as CSV", async () => {
    await open("?view=purchases&query=PED-95");
    await row("PED-95").waitFor();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "CSV" }).click(),
    ]);
    expect(file.suggestedFilename()).to.match(/^purchases-.*\.csv$/);
  });

  for (const search of [
    "",
    "?view=margin",
    "?view=sales",
    "?tab=stores",
    "?tab=fan-tokens",
    "?tab=users",
    "?tab=settings",
  ]) {
    it(`fits ${search || "the overview"} into 360 px`, async () => {
      await page.setViewportSize({ width: 360, height: 780 });
      await open(search);
      await page.locator("[data-skeleton]").first().waitFor({ state: "detached" });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).to.be.at.most(360);
      const name = search.replace(/\W+/g, "-") || "-overview";
      await page.screenshot({ path: `${SCREENSHOTS}/360${name}.png`, fullPage: true });
      await expectAccessible(search);
    });
  }
});
