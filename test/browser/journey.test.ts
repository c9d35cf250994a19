import { mkdirSync } from "node:fs";
import { expect } from "chai";
import type { Browser, Page } from "playwright-core";
import { readLedger } from "../testing/ledger.ts";
import { removeData, startTorcida, systemEnvironment, type Torcida } from "../testing/torcida.ts";
import { until } from "../testing/until.ts";
import { launchChromium } from "./support/chromium.ts";

const SCREENSHOTS = "data/journey";

/** A newcomer without a wallet extension, on the real system: nothing in here is a fixture. */
describe("A newcomer's journey", function () {
  this.timeout(240_000);
  let torcida: Torcida;
  let browser: Browser;
  before(async () => {
    mkdirSync(SCREENSHOTS, { recursive: true });
    torcida = await startTorcida(await systemEnvironment());
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await torcida?.stop();
    if (torcida) removeData(torcida);
  });

  it("connects the demo wallet, registers, buys with PSG, is redirected, and sees the cashback arrive", async () => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    context.setDefaultTimeout(30_000);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on("pageerror", (error) => problems.push(String(error)));
    let leftFor = "";
    await context.route("https://example.com/**", (route) => {
      leftFor = route.request().url();
      return route.fulfill({ contentType: "text/html", body: "<h1>A loja</h1>" });
    });
    const look = (name: string) => page.screenshot({ path: `${SCREENSHOTS}/${name}.png`, fullPage: true });

    await page.goto(`${torcida.url}/auth`);
    await page.getByRole("tabpanel").getByRole("button", { name: "Conectar carteira" }).click();
    await chooseDemoWallet(page);
    await page.getByRole("button", { name: "Aprovar" }).click();
    await page.getByRole("button", { name: "Continuar para o cadastro" }).click();
    await page.getByLabel(/^Nome$/).fill("Ana");
    await page.getByLabel(/^Sobrenome$/).fill("Maria Silva");
    await page.getByLabel(/e-mail/i).fill("ana@example.com");
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
    // The countdown runs, and the page leaves for the store.
    await page.getByRole("heading", { name: "A loja" }).waitFor();
    expect(leftFor).to.match(/^https:\/\/example\.com\/boutique-parisienne/);

    await page.goto(`${torcida.url}/dashboard`);
    await page.locator('article[data-status="confirmed"]').first().waitFor();
    await look("5-confirmed");
    // 7 % of R$ 100, 2 % more with the club's token and 1 % for the 35 that the demo wallet holds, in CHZ.
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
    expect(paid[0]?.args.amount).to.equal(10n ** 19n);
    expect(paid[0]?.args.recipient?.toLowerCase()).to.equal(me.wallet);
    await page.getByText(/já na sua carteira/).waitFor();
    await look("6-paid");
    expect(problems).to.deep.equal([]);
  });
});

async function chooseDemoWallet(page: Page): Promise<void> {
  const option = page.getByRole("button", { name: /Carteira de demonstração/ });
  const approve = page.getByRole("button", { name: "Aprovar" });
  await option.or(approve).first().waitFor();
  if (await option.isVisible()) await option.click();
}
