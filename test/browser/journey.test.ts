import { mkdirSync } from "node:fs";
import { expect } from "chai";
import { HDNodeWallet } from "ethers";
import type { Browser, Locator, Page } from "playwright-core";
import { readLedger } from "../testing/ledger.ts";
import { removeData, startTorcida, systemEnvironment, type Torcida } from "../testing/torcida.ts";
import { until } from "../testing/until.ts";
import { giveAuthenticator } from "./support/authenticator.ts";
import { objections } from "./support/axe.ts";
import { launchChromium } from "./support/chromium.ts";
import { enterAs } from "./support/enter-as.ts";

const SCREENSHOTS = "data/journey";
const PHONE = { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true };
/** Like a rate of the market: no amount in whole gwei is an exact product. */
const WEI_PER_CENT = 12_345_678_901_234_567n;

/** A newcomer without a wallet extension, on the real system, without fixtures. */
describe("A newcomer's journey", function () {
  this.timeout(240_000);
  let torcida: Torcida;
  let browser: Browser;
  before(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    torcida = await startTorcida({ ...(await systemEnvironment()), WEI_PER_CENT: String(WEI_PER_CENT) });
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await torcida?.stop();
    if (torcida) removeData(torcida);
  });

  it("connects the demo wallet on a phone, registers, buys with PSG, is redirected, and sees the cashback arrive", async () => {
    const context = await browser.newContext(PHONE);
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    let leftFor = "";
    await context.route("https://example.com/**", (route) => {
      leftFor = route.request().url();
      return route.fulfill({ contentType: "text/html", body: "<h1>A loja</h1>" });
    });
    const look = (name: string) => page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage: true });

    await page.goto(torcida.url);
    await page.getByRole("button", { name: "Ver lojas" }).click();
    await page.getByText("Você ainda não tem carteira?").waitFor();
    await page.getByRole("button", { name: /Carteira de demonstração/ }).click();
    await page.getByRole("button", { name: "Aprovar" }).click();
    await page
      .getByRole("banner")
      .getByRole("button", { name: /^0x90f7/ })
      .waitFor();
    await page.goto(`${torcida.url}/auth`);
    await page.getByRole("button", { name: "Continuar para o cadastro" }).click();
    await page.getByLabel(/^Nome$/).fill("Ana");
    await page.getByLabel(/^Sobrenome$/).fill("Maria Silva");
    await page.getByLabel(/^E-mail$/).fill("ana@example.com");
    await look("1-registration");
    await page.getByRole("button", { name: "Criar conta" }).click();
    await page.getByRole("button", { name: "Aprovar" }).click();
    await page.waitForURL("**/dashboard");
    await look("2-dashboard-empty");

    await page.goto(`${torcida.url}/stores`);
    const card = page.getByRole("article").filter({ hasText: "Boutique Parisienne" });
    await card.getByRole("button").click();
    await page.getByRole("radio", { name: /PSG/ }).check({ force: true });
    await look("3-buy-dialog");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /Continuar|Prosseguir/ })
      .click();
    await page.waitForURL("**/redirect/2");
    await look("4-redirect");
    // The countdown runs, and the page opens the store.
    await page.getByRole("heading", { name: "A loja" }).waitFor();
    expect(leftFor).to.match(/^https:\/\/example\.com\/boutique-parisienne/);

    await page.goto(`${torcida.url}/dashboard`);
    await page.locator('article[data-status="confirmed"]').first().waitFor();
    await look("5-confirmed");
    // 7 % of R$ 100, plus 2 % for the club's token and 1 % for the demo wallet's 35, in CHZ.
    const me = await page.evaluate(async () => {
      const token = Object.values(localStorage).find((value) => /^[\w-]{40,}$/.test(value));
      const answer = await fetch("/api/me", { headers: { authorization: `Bearer ${token}` } });
      return (await answer.json()).data;
    });
    expect(me.purchases).to.have.length(1);
    expect(me.purchases[0].bonus_percent).to.equal("3");
    const paid = await until("the cashback is paid", async () => {
      const { data } = (await (await fetch(`${torcida.url}/api/config`)).json()) as {
        data: { purchase_nft: `0x${string}`; cashback_distributor: `0x${string}` };
      };
      const ledger = await readLedger({
        rpcUrl: torcida.rpcUrl,
        purchaseNft: data.purchase_nft,
        cashbackDistributor: data.cashback_distributor,
      });
      const payments = ledger.paymentsOf(me.purchases[0].id);
      return payments.length > 0 && payments;
    });
    expect(paid).to.have.length(1);
    expect(paid[0]?.args.amount).to.equal(12_345_678_901n * 10n ** 9n);
    expect(paid[0]?.args.recipient?.toLowerCase()).to.equal(me.wallet);
    await page.getByRole("link", { name: /^Na carteira [1-9]/ }).waitFor();
    await page
      .getByText(/^Conferido na rede, igual ao contrato: .* do ingresso; a carteira não tem outros\.$/)
      .waitFor();
    await look("6-paid");
    await page.getByRole("region", { name: "Caiu na carteira!" }).getByRole("button", { name: "Fechar" }).tap();
    // Its ticket is in the album, as the contract draws it.
    const season = page.getByRole("region", { name: /^Temporada 20\d\d$/ });
    const sticker = season.getByRole("article");
    const drawing = sticker.getByRole("img", { name: /^Imagem do ingresso/ });
    await drawing.scrollIntoViewIfNeeded();
    await until("the contract's drawing is there", () =>
      drawing.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0),
    );
    await season.getByRole("button", { name: "Por clube" }).tap();
    await season.getByRole("heading", { level: 4, name: "Paris Saint-Germain" }).waitFor();
    await look("6-album");
    const [shown] = await Promise.all([
      page.waitForEvent("download"),
      season.getByRole("button", { name: /^Mostrar para um amigo/ }).tap(),
    ]);
    await shown.saveAs(`${SCREENSHOTS}/6-album-to-show.png`);
    await sticker.getByRole("link", { name: /^Ver ingresso/ }).tap();
    await page.waitForURL(`**/ticket/${me.purchases[0].id}`);
    await page.getByRole("heading", { level: 2, name: "A prova" }).scrollIntoViewIfNeeded();
    await page.getByText("Confere: foi pago exatamente o prometido").waitFor();
    // Anyone may check it: read from the chain by their own browser, with the api's policy in force.
    const stranger = await (await browser.newContext()).newPage();
    const ticket = `${torcida.url}/ticket/${me.purchases[0].id}`;
    // As the server writes it for previews; the page then puts its own.
    expect(await (await fetch(ticket)).text()).to.match(/<title>[^<]*Boutique Parisienne/);
    await stranger.goto(ticket);
    await stranger.getByText("Confere: foi pago exatamente o prometido").waitFor();
    await stranger.screenshot({ path: `${SCREENSHOTS}/6-ticket.png`, fullPage: true });
    const link = stranger.getByRole("link", { name: /Ver a transação/ }).last();
    expect(await link.getAttribute("rel")).to.include("noopener");
    await stranger.goto(torcida.url + (await link.getAttribute("href")));
    await stranger.getByText("Concluída").waitFor();
    // By keyboard alone: from the footer to the proof, and from its row to the ticket.
    await stranger.goto(torcida.url);
    await stranger.getByRole("heading", { level: 1 }).waitFor();
    await tabTo(stranger, "Confira você mesmo");
    await stranger.keyboard.press("Enter");
    await stranger.getByLabel("Endereço da carteira").waitFor();
    await tabTo(stranger, "Endereço da carteira");
    await stranger.keyboard.type(me.wallet);
    await stranger.keyboard.press("Enter");
    await stranger.getByText("1 compra, e a conta confere: 12,345678901 CHZ pagos.").waitFor();
    await stranger.getByText("A conta fecha").waitFor();
    await stranger.getByRole("cell", { name: "O mesmo" }).waitFor();
    await stranger.getByText("Livre para pagar").waitFor();
    await stranger.screenshot({ path: `${SCREENSHOTS}/6-proof.png`, fullPage: true });
    await tabTo(stranger, String(me.purchases[0].id));
    await stranger.keyboard.press("Enter");
    await stranger.getByText("Confere: foi pago exatamente o prometido").waitFor();
    await stranger.context().close();
    expect(problems).to.deep.equal([]);
    await context.close();
  });

  it("makes a wallet by finger on a phone without any, reaches the shop in six taps, and is paid into it", async () => {
    const context = await browser.newContext(PHONE);
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    await context.route("https://example.com/**", (route) =>
      route.fulfill({ contentType: "text/html", body: "<h1>A loja</h1>" }),
    );
    let taps = 0;
    const tap = async (what: Locator) => {
      await what.tap();
      taps++;
    };
    await page.goto(`${torcida.url}/help`);
    await giveAuthenticator(page);
    await page.goto(torcida.url);
    await tap(page.getByRole("button", { name: "Ver lojas" }));
    await tap(page.getByRole("button", { name: /Criar carteira com rosto ou digital/ }));
    await page.getByLabel(/^Nome$/).fill("Bia");
    await page.getByLabel(/^Sobrenome$/).fill("Souza");
    await page.getByLabel(/^E-mail$/).fill("bia.souza@example.com");
    await tap(page.getByRole("button", { name: "Criar conta" }));
    await page.getByText("wants you to sign in with your Ethereum account").waitFor();
    await page.screenshot({ path: `${SCREENSHOTS}/8-passkey-sign-in.png` });
    await tap(page.getByRole("button", { name: "Assinar" }));
    await page.waitForURL("**/stores");
    await tap(page.getByRole("article").filter({ hasText: "Boutique Parisienne" }).getByRole("button"));
    await tap(page.getByRole("dialog").getByRole("button", { name: "Prosseguir" }));
    await page.waitForURL("**/redirect/2");
    expect(taps).to.be.at.most(6);
    await page.getByRole("heading", { name: "A loja" }).waitFor();

    await page.goto(`${torcida.url}/dashboard`);
    await page.getByRole("link", { name: /^Na carteira [1-9]/ }).waitFor();
    const { address } = await page.evaluate(() => JSON.parse(localStorage.getItem("passkey_wallet") ?? "{}"));
    const held = await fetch(torcida.rpcUrl, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBalance", params: [address, "latest"] }),
    });
    // 7 % of R$ 100 at least, in CHZ, into the wallet that nobody has paid before.
    expect(BigInt(((await held.json()) as { result: string }).result) > 700n * WEI_PER_CENT - 10n ** 10n).to.equal(
      true,
    );
    expect(problems).to.deep.equal([]);
    await context.close();
  });

  it("gives the words that open the wallet elsewhere, and sends its CHZ, all of it at last @deep", async () => {
    const context = await browser.newContext(PHONE);
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    await page.goto(`${torcida.url}/help`);
    await giveAuthenticator(page);
    await page.goto(`${torcida.url}/auth`);
    await page.getByRole("tabpanel").getByRole("button", { name: "Conectar carteira" }).click();
    await page.getByRole("button", { name: /Criar carteira com rosto ou digital/ }).click();
    await page.getByLabel(/^Nome$/).fill("Caio");
    await page.getByLabel(/^Sobrenome$/).fill("Lima");
    await page.getByLabel(/^E-mail$/).fill("caio@example.com");
    await page.getByRole("button", { name: "Criar conta" }).click();
    await page.getByRole("button", { name: "Assinar" }).click();
    await page.waitForURL("**/dashboard");
    const { address } = await page.evaluate(() => JSON.parse(localStorage.getItem("passkey_wallet") ?? "{}"));
    const rpc = async (method: string, ...params: unknown[]) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const headers = { "content-type": "application/json" };
      return ((await (await fetch(torcida.rpcUrl, { method: "POST", headers, body })).json()) as { result: string })
        .result;
    };
    const balanceOf = async (of: string) => BigInt(await rpc("eth_getBalance", of, "latest"));
    const CHZ = 10n ** 18n;
    await rpc("anvil_setBalance", address, `0x${(5n * CHZ).toString(16)}`);

    await page.goto(`${torcida.url}/profile`);
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Guardar as 24 palavras" }).click();
    await page.screenshot({ path: `${SCREENSHOTS}/9-words-before.png` });
    await dialog.getByRole("button", { name: "Mostrar as palavras" }).click();
    await dialog.getByRole("button", { name: "Já anotei" }).waitFor();
    expect(await objections(page)).to.deep.equal([]);
    await page.screenshot({ path: `${SCREENSHOTS}/9-words.png` });
    const words = await dialog.getByRole("listitem").allInnerTexts();
    expect(HDNodeWallet.fromPhrase(words.join(" ")).address.toLowerCase(), "in another program").to.equal(address);
    await dialog.getByRole("button", { name: "Já anotei" }).click();
    const fields = dialog.getByRole("textbox");
    expect(await fields.count()).to.equal(3);
    for (const field of await fields.all()) await field.fill("errada");
    await dialog.getByRole("button", { name: "Conferir" }).click();
    await dialog
      .getByText(/^Não é a palavra/)
      .first()
      .waitFor();
    for (const field of await fields.all()) {
      const label = await field.evaluate((one: HTMLInputElement) => one.labels?.[0]?.textContent ?? "");
      await field.fill(words[Number(label.replace(/\D/g, "")) - 1] ?? "");
    }
    await dialog.getByRole("button", { name: "Conferir" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Você já guardou as 24 palavras.").waitFor();

    const receiver = "0x00000000000000000000000000000000DeaDBeef";
    await page.getByRole("button", { name: "Enviar CHZ" }).click();
    await dialog.getByLabel("Endereço de quem recebe").fill(receiver.replace("DeaD", "DeAD"));
    await dialog.getByLabel("Valor em CHZ").fill("1,5");
    await dialog.getByRole("button", { name: "Continuar" }).click();
    await dialog.getByText("Este endereço tem um erro de digitação.").waitFor();
    expect(await objections(page)).to.deep.equal([]);
    await page.screenshot({ path: `${SCREENSHOTS}/9-send.png`, fullPage: true });
    await dialog.getByLabel("Endereço de quem recebe").fill(receiver);
    await dialog.getByRole("button", { name: "Continuar" }).click();
    await page.getByText("Enviar: 1,5 CHZ").waitFor();
    await page.screenshot({ path: `${SCREENSHOTS}/9-send-confirm.png` });
    await page.getByRole("button", { name: "Enviar", exact: true }).click();
    await dialog.getByText("Enviado.", { exact: true }).waitFor();
    expect(await balanceOf(receiver)).to.equal((3n * CHZ) / 2n);
    await page.keyboard.press("Escape");
    // The node takes it, and its answer is lost each time that it is asked: who sent again would pay twice.
    await page.route("**/*", async (route) => {
      if (!route.request().postData()?.includes("eth_sendRawTransaction")) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await page.getByRole("button", { name: "Enviar CHZ" }).click();
    await dialog.getByRole("button", { name: "Enviar tudo" }).click();
    await dialog.getByLabel("Endereço de quem recebe").fill(receiver);
    await dialog.getByRole("button", { name: "Continuar" }).click();
    await page.getByRole("button", { name: "Enviar", exact: true }).click();
    await dialog.getByText("Enviado.", { exact: true }).waitFor();
    expect((await balanceOf(address)) < CHZ / 100n, "only what the fee left").to.equal(true);
    await context.close();
  });

  it("shows the panel to the admin's demo wallet, and to no shopper", async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    await enterAs(page, torcida.url, "Admin (demo)");
    await page
      .getByRole("button", { name: "Painel de Admin" })
      .or(page.getByRole("link", { name: "Painel de Admin" }))
      .click();
    await page.getByRole("tab", { name: "Lojas" }).click();
    await page.getByText("Boutique Parisienne").first().waitFor();
    await page.screenshot({ path: `${SCREENSHOTS}/7-panel.png`, fullPage: true });
    await context.close();
  });
});

/** Moves the focus by Tab until it is on the link, button or field of this name. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let press = 0; press < 80; press++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement | HTMLInputElement | null;
      const label = element && "labels" in element ? element.labels?.[0] : undefined;
      return (label ?? element)?.textContent?.trim();
    });
    if (focused === name) return;
  }
  throw new Error(`No press of Tab reaches "${name}"`);
}

describe("`npm run dev`", function () {
  this.timeout(240_000);
  let torcida: Torcida;
  let browser: Browser;
  before(async () => {
    torcida = await startTorcida(await systemEnvironment(), ["--hot-reload"]);
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await torcida?.stop();
    if (torcida) removeData(torcida);
  });

  it("serves the same app from its sources, with the demo wallets", async () => {
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    await enterAs(page, torcida.url, /Carteira de demonstração/);
    await page.goto(`${torcida.url}/stores`);
    await page.getByText("Boutique Parisienne").first().waitFor();
    expect(await (await fetch(torcida.url)).text()).to.include("/@vite/client");
    expect(problems).to.deep.equal([]);
  });
});
