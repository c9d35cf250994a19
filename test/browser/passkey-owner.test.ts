import { expect } from "chai";
import type { Locator, Page } from "playwright-core";
import { encodeAbiParameters, encodeFunctionData, erc20Abi, getAddress, parseTransaction } from "viem";
import { withdrawCredit } from "../../core/chain/generated/cashback-distributor.ts";
import { until } from "../testing/until.ts";
import { fixtureNft, fixturePurchase } from "./support/fixture-data.ts";
import { answerAsNode, own, passkeyProvider } from "./support/passkey-screens.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

const RECEIVER = "0x00000000000000000000000000000000DeaDBeef";
const PHONE = { viewport: { width: 360, height: 740 } };

/** docs/product.md#wallet-passkey */
describe("The owner of a wallet behind a passkey @deep", () => {
  const site = useSite();

  /** The profile of a wallet whose passkey is here, and the dialog that sends its CHZ. */
  async function sending(node: Record<string, unknown> = {}) {
    answerAsNode(site.server, node);
    const { page, problems } = await site.openLoggedIn("/profile", {
      ...PHONE,
      wallet: testWallet({ presence: "none" }),
    });
    await own(page);
    await page.getByRole("button", { name: "Enviar CHZ" }).click();
    return { page, problems, dialog: page.getByRole("dialog").first() };
  }
  const sent = () =>
    site.server.callsTo("POST /api/chain").filter(({ body }) => body.method === "eth_sendRawTransaction");
  /** Whether a phone shows it, above the buttons. */
  async function expectInSight(dialog: Locator, text: string) {
    const [told, buttons] = [dialog.getByText(text), dialog.locator(".dialog-actions")];
    const bottom = async (one: Locator, part: number) => {
      const { y = 0, height = 0 } = (await one.boundingBox()) ?? {};
      return y + height * part;
    };
    expect(await bottom(told, 1), text).to.be.within(1, await bottom(buttons, 0));
  }
  const request = (page: Page) => page.locator(".wallet-request");

  it("sees the fee and reais before it is asked, and what is signed is what was shown", async () => {
    const { page, dialog, problems } = await sending({ eth_sendRawTransaction: `0x${"1".repeat(64)}` });
    await dialog.getByRole("button", { name: "Começar com 1 CHZ" }).click();
    await dialog.getByText("Cerca de R$ 1,00").waitFor();
    await dialog.getByLabel("Endereço de quem recebe").fill(RECEIVER);
    await dialog.getByText("Taxa da rede: até 0,078771 CHZ (cerca de R$ 0,07)").waitFor();
    await dialog.getByRole("button", { name: "Enviar tudo" }).click();
    await dialog.getByText("12,421229 CHZ (cerca de R$ 12,42)").waitFor();
    await dialog.getByRole("button", { name: "Continuar" }).click();
    const shown = await request(page).locator("pre").innerText();
    expect(shown.replaceAll("\u00a0", " ").split("\n")).to.deep.equal([
      "Enviar: 12,421229 CHZ (cerca de R$ 12,42)",
      `Para: ${RECEIVER}`,
      "Taxa da rede: até 0,078771 CHZ (cerca de R$ 0,07)",
      "Rede: Torcida local",
    ]);
    await request(page).getByRole("button", { name: "Enviar" }).click();
    const call = await until("the transaction is sent", async () => sent()[0]);
    const signed = parseTransaction((call.body.params as [`0x02${string}`])[0]);
    expect(signed).to.include({ chainId: site.server.config.chain_id, to: RECEIVER.toLowerCase(), nonce: 0 });
    const fee = (signed.gas ?? 0n) * (signed.maxFeePerGas ?? 0n);
    expect(fee).to.equal(78_771n * 10n ** 12n);
    expect((signed.value ?? 0n) + fee, "everything").to.equal(125n * 10n ** 17n);
    expect(problems).to.deep.equal([]);
  });

  it("signs nothing whose fee a lying node raises beyond all sense", async () => {
    const { page, dialog } = await sending({ eth_getBalance: "0x3635c9adc5dea00000" });
    await dialog.getByLabel("Endereço de quem recebe").fill(RECEIVER);
    await dialog.getByLabel("Valor em CHZ").fill("1");
    for (const lie of [
      { eth_getBlockByNumber: { baseFeePerGas: "0x12309ce540000" } },
      { eth_maxPriorityFeePerGas: "0x1158e460913d00" },
      { eth_estimateGas: "0x1c9c380" },
    ]) {
      answerAsNode(site.server, { eth_getBalance: "0x3635c9adc5dea00000", ...lie });
      await dialog.getByRole("button", { name: "Continuar" }).click();
      await dialog.getByText("A rede pede uma taxa fora do comum").waitFor();
      await expectInSight(dialog, "A rede pede uma taxa fora do comum");
      expect(await request(page).count(), Object.keys(lie)[0]).to.equal(0);
      // The next one is a problem of its own.
      answerAsNode(site.server, { eth_getBalance: "0x0" });
      await dialog.getByRole("button", { name: "Continuar" }).click();
      await dialog.getByText("O saldo não cobre o valor e a taxa").waitFor();
    }
    expect(sent()).to.deep.equal([]);
  });

  it("sees the latest payments in the profile, with their tickets", async () => {
    const { server } = site;
    const wallet = testWallet({ presence: "none" });
    const purchases = [1, 2, 3, 4, 5, 6].map((id) =>
      fixturePurchase({ id, store: `Loja ${id}`, paid_amount: `${id}.345`, paid_at: `2026-05-0${id}T12:00:00.000Z` }),
    );
    const unpaid = fixturePurchase({ id: 7, store: "Loja 7", paid_amount: null, paid_at: null });
    server.signIn(wallet.address, { purchases: [unpaid, ...purchases] });
    const { page } = await site.openLoggedIn("/profile", { ...PHONE, wallet });
    await own(page);
    const card = page.getByRole("region", { name: "Carteira com rosto ou digital" });
    await card.getByText("Últimos cashbacks pagos").waitFor();
    expect(await card.locator("dt a").allInnerTexts()).to.deep.equal([6, 5, 4, 3, 2].map((id) => `Loja ${id}`));
    expect((await card.locator("dd").allInnerTexts())[0]).to.match(/^6,3[45] CHZ$/);
    expect(await card.locator("dt a").first().getAttribute("href")).to.equal("/ticket/6");
  });

  it("is warned of a contract before CHZ is sent there", async () => {
    const { page, dialog } = await sending({ eth_getCode: "0x60" });
    await dialog.getByLabel("Endereço de quem recebe").fill(RECEIVER);
    await dialog.getByLabel("Valor em CHZ").fill("1,5");
    await dialog.getByText("Este endereço é de um contrato").waitFor();
    await dialog.getByRole("button", { name: "Continuar" }).click();
    await dialog.getByText("Leia o aviso acima e marque a caixa").waitFor();
    await expectInSight(dialog, "Leia o aviso acima e marque a caixa");
    expect(await request(page).count()).to.equal(0);
    await dialog.getByRole("checkbox").check();
    await dialog.getByRole("button", { name: "Continuar" }).click();
    await request(page).getByText("Enviar: 1,5 CHZ").waitFor();
  });

  it("reads what a page asks to send: a credit's amount, and a fan token's contract", async () => {
    const { server } = site;
    const contract = `0x${"d4".repeat(20)}` as const;
    server.tokens = server.tokens.map((one) => (one.slug === "psg" ? { ...one, contract } : one));
    answerAsNode(server, { eth_call: encodeAbiParameters([{ type: "uint256" }], [25n * 10n ** 17n]) });
    const { page } = await site.open("/", { ...PHONE, wallet: testWallet({ presence: "none" }) });
    const from = await own(page);
    const ask = await passkeyProvider(page);
    const asked = async (to: string, data: string) => {
      const answer = ask("eth_sendTransaction", { from, to, data });
      const told = await Promise.race([answer, request(page).locator("pre").innerText()]);
      if (typeof told === "number") return told;
      await page.keyboard.press("Escape");
      expect(await answer, "refused").to.equal(4001);
      return String(told).replaceAll("\u00a0", " ").split("\n").slice(0, 2);
    };
    const transfer = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [RECEIVER, 7n] });
    const withdrawal = encodeFunctionData({ abi: [withdrawCredit], args: [RECEIVER] });
    expect(await asked(server.config.cashback_distributor, withdrawal)).to.deep.equal([
      "Sacar o crédito retido: 2,5 CHZ (cerca de R$ 2,50)",
      `Para: ${RECEIVER}`,
    ]);
    expect(await asked(contract, transfer)).to.deep.equal([
      `Enviar: 7 da menor unidade de PSG, contrato ${getAddress(contract)}`,
      `Para: ${RECEIVER}`,
    ]);
    expect(await asked(`0x${"d5".repeat(20)}`, transfer), "another contract").to.equal(4100);
    expect(await asked(RECEIVER, withdrawal), "not our contract").to.equal(4100);
  });

  it("is offered the words at the first confirmed purchase, once more above R$ 100, and then never", async () => {
    const { server } = site;
    const wallet = testWallet({ presence: "none" });
    const { page } = await site.openLoggedIn("/dashboard", { ...PHONE, wallet });
    await own(page);
    const offer = page.getByRole("region", { name: "Guardar as 24 palavras" });
    const reload = async () => {
      await page.reload();
      await page.getByText("Que bom ver você").waitFor();
      await page.waitForLoadState("networkidle");
    };
    await offer.getByText("A sua primeira compra foi confirmada").waitFor();
    await offer.getByRole("button", { name: "Agora não" }).click();
    await offer.waitFor({ state: "detached" });
    await reload();
    expect(await offer.count(), "no nagging").to.equal(0);
    const [first] = server.me?.purchases ?? [];
    if (server.me && first) server.me.nfts = [fixtureNft({ ...first, amount: "2000.00" }, server.me.wallet)];
    await reload();
    await offer.getByText("O seu cashback passou de R$ 100").waitFor();
    await offer.getByRole("button", { name: "Agora não" }).click();
    await reload();
    expect(await offer.count(), "no third").to.equal(0);
  });

  it("is told once, before the panel, why a hardware wallet is better", async () => {
    site.server.isAdmin = true;
    const { page } = await site.openLoggedIn("/admin", { wallet: testWallet({ presence: "none" }) });
    const panel = page.getByRole("heading", { level: 1, name: "Painel de Administração" });
    await panel.waitFor();
    await own(page);
    await page.getByText("Para o painel, uma carteira de hardware é mais segura").waitFor();
    expect(await panel.count()).to.equal(0);
    await page.getByRole("button", { name: "Entendi" }).click();
    await panel.waitFor();
    await page.reload();
    await panel.waitFor();
    expect(await page.getByText("uma carteira de hardware é mais segura").count()).to.equal(0);
  });

  it("leaves the words neither on a hidden page, nor on paper, nor in the browser", async () => {
    const { page } = await site.openLoggedIn("/profile", { ...PHONE, wallet: testWallet({ presence: "none" }) });
    await own(page);
    await page.getByRole("button", { name: "Guardar as 24 palavras" }).click();
    await page.getByRole("button", { name: "Mostrar as palavras" }).click();
    const words = page.getByRole("dialog").getByRole("listitem");
    await words.nth(23).waitFor();
    const told = await words.allInnerTexts();
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("dialog").locator("ol").isVisible(), "printed").to.equal(false);
    await page.emulateMedia({ media: null });
    // A call comes in.
    await page.evaluate(() => {
      Object.defineProperty(document, "hidden", { configurable: true, value: true });
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    });
    await page.getByRole("button", { name: "Mostrar as palavras" }).waitFor();
    expect(await words.count()).to.equal(0);
    await until("what derived them has ended", () => page.workers().length === 0, 10_000);
    const kept = await page.evaluate(async () => {
      const databases = (await indexedDB.databases()).map(({ name }) => name);
      const caches_ = await caches.keys();
      return JSON.stringify([{ ...localStorage }, { ...sessionStorage }, databases, caches_, document.cookie]);
    });
    const phrase = told.slice(0, 3).join(" ");
    expect(kept).to.include("passkey_wallet").and.to.not.include(phrase);
    expect(await page.content()).to.not.include(phrase);
    for (const { bytes } of site.server.calls) expect(bytes.toString()).to.not.include(told[0]);
  });
});
