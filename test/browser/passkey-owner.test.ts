import { expect } from "chai";
import type { Page } from "playwright-core";
import { parseTransaction } from "viem";
import { until } from "../testing/until.ts";
import { fixturePurchase } from "./support/fixture-data.ts";
import { answerAsNode, own } from "./support/passkey-screens.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

const RECEIVER = "0x00000000000000000000000000000000DeaDBeef";
const PHONE = { viewport: { width: 360, height: 740 } };

/** docs/product.md#wallet-passkey */
describe("The owner of a wallet behind a passkey", () => {
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
    const card = page.locator(".card:has(.passkey-steps)");
    await card.getByText("Últimos cashbacks pagos").waitFor();
    expect(await card.locator("dt a").allInnerTexts()).to.deep.equal([6, 5, 4, 3, 2].map((id) => `Loja ${id}`));
    expect((await card.locator("dd").allInnerTexts())[0]).to.match(/^6,3[45] CHZ$/);
    expect(await card.locator("dt a").first().getAttribute("href")).to.equal("/ticket/6");
  });
});
