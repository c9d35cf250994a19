import { expect } from "chai";
import { type AbiFunction, encodeFunctionResult, toFunctionSelector } from "viem";
import { balanceOf, storeName, ticketsOf } from "../../../core/chain/generated/purchase-nft.ts";
import { fixtureMe, fixtureNft, fixturePurchase } from "../../browser/support/fixture-data.ts";
import { addAllSituations } from "../../browser/support/states.ts";
import { testWallet } from "../../browser/support/test-wallet.ts";
import { eventually } from "../../testing/until.ts";
import { useComponents } from "./support/component-site.ts";

const ENGLISH = { storage: { language: "en" } };

describe("Dashboard", () => {
  const site = useComponents();

  it("shows the totals, the counts and what is pending", async () => {
    const { page, problems } = await site.openLoggedIn("/dashboard", ENGLISH);
    await page.locator(".stat").first().getByText("14.00 CHZ").waitFor();
    await page.getByText("1 confirmed, 1 pending").waitFor();
    expect(await page.locator(".stat").filter({ hasText: "Pending cashback" }).textContent()).to.include("7.00 CHZ");
    expect(problems).to.deep.equal([]);
  });

  it("sums the NFTs' attributes, in every notation, if the server sends no totals", async () => {
    const wallet = testWallet();
    const me = site.server.signIn(wallet.address);
    const nft = (id: number, value: string, cashback: string, status?: string) => {
      const one = fixtureNft(fixturePurchase({ id }), wallet.address);
      one.metadata.attributes = [
        { trait_type: "Valor da Compra", value },
        { trait_type: "Cashback", value: cashback },
        ...(status ? [{ trait_type: "Status", value: status }] : []),
      ];
      return one;
    };
    const nfts = [
      nft(1, "R$ 1.234,50", "5%", "Confirmed"),
      nft(2, "100", "2.5"),
      nft(3, "200.00", "5,75%", "Pendente"),
    ];
    const { totals: _, ...rest } = { ...me, nfts, purchases: [] };
    site.server.answer("GET /api/me", { body: { success: true, data: rest } });
    const { page } = await site.openLoggedIn("/dashboard", { wallet, ...ENGLISH });
    await page.getByText("75.73 CHZ").first().waitFor();
    await page.getByText("1 confirmed, 2 pending").waitFor();
    expect(await page.locator(".stat").filter({ hasText: "Pending cashback" }).textContent()).to.include("14.00 CHZ");
  });

  it("shows holdings of the two fan tokens with their tiers, inclusive thresholds", async () => {
    const { page } = await site.openLoggedIn("/dashboard", ENGLISH);
    const row = (symbol: string) => page.getByRole("row").filter({ hasText: symbol });
    for (const [symbol, texts] of [
      ["PSG", ["12.50", "Basic", "Paris Saint-Germain"]],
      ["VERDAO", ["50.00", "Gold", "Palmeiras"]],
    ] as const)
      for (const text of texts) await row(symbol).getByText(text).first().waitFor();
  });

  it("shows the wallet's address and balance when it is connected, and a way to connect when not", async () => {
    const wallet = testWallet();
    const { page } = await site.openLoggedIn("/dashboard", { wallet, ...ENGLISH });
    await page.getByText("No wallet connected.").waitFor();
    await page.getByRole("main").getByRole("button", { name: "Connect wallet" }).click();
    const card = page.locator("section").filter({ hasText: "Balance" }).last();
    await card.getByText("10.50 CHZ").waitFor();
    expect(await card.textContent()).to.include(`${wallet.address.slice(0, 6)}...${wallet.address.slice(-4)}`);
  });

  it("shows dashes with the reason, never zeros, while the chain does not tell the balances", async () => {
    const wallet = testWallet();
    const { tokens } = fixtureMe(wallet.address);
    const unknown = tokens.map((token) => ({ ...token, balance: null }));
    site.server.signIn(wallet.address, { nativeBalance: null, tokens: unknown });
    const { page } = await site.openLoggedIn("/dashboard", { wallet });
    await page.getByRole("main").getByRole("button", { name: "Conectar carteira" }).click();
    await page.getByText("A rede não está respondendo agora; o saldo aparece quando ela voltar.").waitFor();
    const row = page.getByRole("row", { name: /PSG/ });
    expect(await row.getByRole("cell").allInnerTexts()).to.deep.equal(["—", "—", "—"]);
  });

  it("refreshes by its button, with skeletons and a message", async () => {
    const wallet = testWallet();
    site.server.signIn(wallet.address);
    const { page } = await site.openLoggedIn("/dashboard", { wallet, ...ENGLISH });
    const button = page.getByRole("button", { name: /Refresh wallet data/ });
    // Its first figures are there, so what is held is the answer to the click.
    await page.locator(".stat").first().getByText("14.00 CHZ").waitFor();
    const release = site.server.hold("GET /api/me");
    const onTheWay = page.locator("[aria-labelledby=tickets] [data-skeleton]");
    await button.click();
    await onTheWay.nth(2).waitFor();
    expect(await onTheWay.count()).to.equal(3);
    await page.getByRole("button", { name: "Refreshing...", disabled: true }).waitFor();
    release();
    await page.getByText("Wallet data refreshed").waitFor();
  });

  it("shows an NFT's store, status, amount, cashback and wallet, and everything else in its dialog", async () => {
    const wallet = testWallet();
    site.server.signIn(wallet.address);
    const { page } = await site.openLoggedIn("/dashboard", { wallet, ...ENGLISH });
    const card = page.getByRole("article").filter({ hasText: "Verdão Store" });
    const short = `${wallet.address.slice(0, 6)}...${wallet.address.slice(-4)}`;
    for (const text of ["Pending", "R$100.00", "7%", short]) await card.getByText(text, { exact: true }).waitFor();
    await card.getByRole("button", { name: "Details" }).click();
    const dialog = page.getByRole("dialog");
    for (const text of [
      "Compra nº 2",
      "Recibo de compra",
      "Torcida Purchase",
      "TORCIDA",
      "Loja",
      "Valor da Compra",
      "Comprador",
      wallet.address,
    ]) {
      await dialog.getByText(text, { exact: true }).first().waitFor();
    }
    const link = dialog.getByRole("link", { name: /View on explorer/ });
    expect(await link.getAttribute("href")).to.equal(`https://explorer.example/tx/0x${"a".repeat(64)}`);
    expect(await link.getAttribute("target")).to.equal("_blank");
    expect(await link.getAttribute("rel"))
      .to.include("noopener")
      .and.to.include("noreferrer");
  });

  it("says a ticket's status in the reader's language, in its dialog too", async () => {
    const { page } = await site.openLoggedIn("/dashboard");
    await page.getByRole("button", { name: "Detalhes" }).first().click();
    await page.getByRole("dialog").getByText("Pendente", { exact: true }).waitFor();
  });

  it("shows the stored records if there are no NFTs", async () => {
    const wallet = testWallet();
    const me = site.server.signIn(wallet.address);
    me.nfts = [];
    const { page } = await site.openLoggedIn("/dashboard", { wallet });
    const card = page.getByRole("article").filter({ hasText: "Verdão Store" });
    for (const text of ["Pendente", "VERDAO"]) await card.getByText(text, { exact: true }).waitFor();
    await page.getByText("Confirmado", { exact: true }).first().waitFor();
  });

  it("begins with the visit, and when its store usually reports the purchase", async () => {
    const { page } = await site.openLoggedIn("/dashboard");
    await page.getByRole("heading", { level: 1, name: "Seu painel" }).waitFor();
    expect(site.server.callsTo("GET /api/clicks")).to.have.length(0);
    site.server.config.simulated = false;
    await page.reload();
    const visits = page.getByRole("region", { name: "Esperando a loja informar" });
    await visits
      .getByText(/^Curva Sud Moda\s· Visita registrada em .*; a loja costuma informar em 2 dias\.$/)
      .waitFor();
    // A claim that is not answered waits too, with its amount.
    await visits.getByText(/^Verdão Store\s· Pedido VS-1003, R\$\s249,90: Estamos procurando/).waitFor();
    expect(await visits.getByRole("listitem").count()).to.equal(2);
  });

  it("shows three purchases in progress and the number of others", async () => {
    const wallet = testWallet();
    const me = site.server.signIn(wallet.address, { nfts: [] });
    const created_at = new Date().toISOString();
    me.purchases = Array.from({ length: 36 }, (_, index) =>
      fixturePurchase({
        id: 50 - index,
        status: "processing",
        created_at,
        date: created_at,
        paid_at: null,
        minted_at: null,
        confirmed_at: null,
      }),
    );
    const { page } = await site.openLoggedIn("/dashboard", { wallet });
    await page.getByText("+33 no extrato").waitFor();
    await eventually(async () =>
      expect(await page.getByRole("region", { name: "Cashback a caminho" }).locator("ol").count()).to.equal(3),
    );
  });

  it("lists every other fan token after the two, and shows a tier only for one that has a contract", async () => {
    for (const token of site.server.tokens) token.contract = null;
    const contract = testWallet().address;
    site.server.tokens.push({ id: 3, name: "Santos", slug: "santos", image: "", symbol: "SANTOS", contract });
    const { page } = await site.openLoggedIn("/dashboard");
    const names = page.getByRole("table").locator("tbody th .font-semibold");
    await page.getByRole("row").filter({ hasText: "SANTOS" }).getByText("Faltam 10 tokens para +0,5%").waitFor();
    const verdao = page.getByRole("row", { name: "VERDAO" });
    await verdao.getByText("Ainda não rende bônus").waitFor();
    expect(await verdao.getByRole("cell").nth(1).innerText()).to.equal("—");
    expect(await page.getByText("Você", { exact: true }).count(), "a place among the tiers").to.equal(0);
    await eventually(async () => expect(await names.allTextContents()).to.deep.equal(["PSG", "VERDAO", "SANTOS"]));
  });

  it("follows a fresh purchase live, from processing to confirmed and paid", async () => {
    const wallet = testWallet();
    const now = new Date().toISOString();
    const fresh = fixturePurchase({
      id: 3,
      store: "Mercado da Bola",
      created_at: now,
      date: now,
      status: "processing",
      cashback_state: "unpaid",
      minted_at: null,
      confirmed_at: null,
      paid_at: null,
    });
    const me = site.server.signIn(wallet.address, { nfts: [], purchases: [fresh] });
    const { page } = await site.openLoggedIn("/dashboard", { wallet, ...ENGLISH });
    const strip = page.locator("section").filter({ hasText: "Cashback on its way" }).last();
    await strip.getByText("Mercado da Bola").waitFor();
    Object.assign(fresh, { status: "pending", minted_at: now });
    me.nfts = [fixtureNft(fresh, wallet.address)];
    await page.getByRole("article").getByText("Pending", { exact: true }).waitFor();
    Object.assign(fresh, { status: "confirmed", confirmed_at: now, cashback_state: "paid", paid_at: now });
    me.nfts = [fixtureNft(fresh, wallet.address)];
    await page.getByRole("article").getByText("Confirmed", { exact: true }).waitFor();
  });

  it("never compares what the server learned with what the chain said before", async () => {
    const wallet = testWallet();
    const now = new Date().toISOString();
    const fresh = fixturePurchase({
      ...{ id: 3, created_at: now, date: now, status: "pending", minted_at: now },
      ...{ cashback_state: "unpaid", confirmed_at: null, paid_at: null },
    });
    const me = site.server.signIn(wallet.address, { nfts: [fixtureNft(fresh, wallet.address)], purchases: [fresh] });
    const buyer = wallet.address as `0x${string}`;
    const onChain = { buyer, storeId: 1, valueCents: 10_000, baseBps: 700, bonusBps: 0, status: 1 };
    const viewed = (data: string) => {
      const is = (view: AbiFunction) => data.startsWith(toFunctionSelector(view));
      if (is(ticketsOf))
        return encodeFunctionResult({ abi: [ticketsOf], functionName: "ticketsOf", result: [onChain] });
      if (is(storeName)) return encodeFunctionResult({ abi: [storeName], result: fresh.store });
      return `0x${(is(balanceOf) ? "1" : "").padStart(64, "0")}`;
    };
    site.server.answer("POST /api/chain", ({ body: { id, params } }) => {
      const [{ data = "0x" } = {}] = (params ?? []) as { data?: string }[];
      return { body: { jsonrpc: "2.0", id, result: viewed(data) } };
    });
    const { page } = await site.openLoggedIn("/dashboard", { wallet });
    const same = page.getByText(/^Conferido na rede, igual ao contrato: .* a carteira não tem outros\.$/);
    await same.waitFor();
    await page.evaluate(() => {
      const look = () =>
        /diferentes? na rede/.test(document.body.innerText) && document.body.setAttribute("data-differs", "");
      new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
    });
    Object.assign(fresh, { status: "confirmed", confirmed_at: now });
    me.nfts = [fixtureNft(fresh, wallet.address)];
    // A node that is behind the server's: the ticket is drawn from what it says.
    await page.getByText("Conferindo na rede...").waitFor();
    await page.getByRole("article").getByText("Pendente", { exact: true }).waitFor();
    onChain.status = 2;
    await page.getByRole("article").getByText("Confirmado", { exact: true }).waitFor();
    await same.waitFor();
    expect(await page.locator("[data-differs]").count()).to.equal(0);
    onChain.valueCents = 1;
    await page.reload();
    await page.getByText("Este ingresso está diferente na rede: nº 3 (valor).").waitFor();
  });

  it("leads to the stores from its empty state", async () => {
    const wallet = testWallet();
    site.server.signIn(wallet.address, { nfts: [], purchases: [] });
    const { page } = await site.openLoggedIn("/dashboard", { wallet, ...ENGLISH });
    await page.getByRole("button", { name: "Explore stores" }).click();
    await page.waitForURL("**/stores");
  });

  it("shows on a card what arrived, not what was promised, with what it was worth in reais", async () => {
    const wallet = testWallet();
    const paid = fixturePurchase({
      ...{ id: 3, destination: wallet.address, cashback_amount: "50", kept_amount: "20" },
      ...{ paid_amount: "30", paid_value: "12.00", paid_rate_day: "2026-05-01" },
    });
    site.server.signIn(wallet.address, { nfts: [fixtureNft(paid, wallet.address)], purchases: [paid] });
    const { page } = await site.openLoggedIn("/dashboard", { wallet });
    const card = page.getByRole("article");
    await card.getByText("30,00 CHZ", { exact: true }).waitFor();
    await card.getByText("R$\u00a012,00 no dia do pagamento (cotação de 1 de mai. de 2026)").waitFor();
    expect(await card.innerText()).not.to.include("50,00 CHZ");
  });

  it("says where every amount is, and opens what lies in a figure", async () => {
    const wallet = testWallet();
    site.server.signIn(wallet.address);
    addAllSituations(site.server);
    const { page } = await site.openLoggedIn("/dashboard?view=statement", { wallet });
    const figures = page.getByRole("region", { name: "Onde está o seu cashback" });
    await page.locator(".stat").first().getByText("72,50 CHZ").waitFor();
    expect(await figures.getByRole("listitem").allTextContents()).to.deep.equal([
      ...["Na carteira10,00", "A caminho28,00", "Aguardando30,50", "Já descontado4,00"],
    ]);
    await page.locator(".stat").first().getByText("Devoluções não são descontadas do total.").waitFor();
    const statement = page.getByRole("region", { name: "Extrato" });
    await statement.getByText("13 lançamentos").waitFor();
    await statement.getByText(/Confirmada; o cashback sai a partir de \d+\sde\s[a-z]+\.\sde\s20\d\d/).waitFor();
    await statement.getByText("4,00 CHZ foram descontados por causa de uma compra devolvida.").waitFor();
    await page.getByText(/^Confirmada; o envio do cashback está atrasado/).waitFor();
    await figures.getByRole("link", { name: "3,00 CHZ a descontar" }).click();
    await statement.getByText("Só o que está em “A descontar”.").waitFor();
    await statement.getByText("1 lançamento", { exact: true }).waitFor();
    // Where the link leads, with no other ticket before it.
    expect(await page.getByRole("article").allInnerTexts()).to.have.lengthOf(1);
    await statement.getByText(/Ainda faltam 3,00 CHZ/).waitFor();
    await statement.getByText("−3,00 CHZ", { exact: true }).waitFor();
    await statement.getByText("de 7,00 CHZ", { exact: true }).waitFor();
    await figures.getByRole("link", { name: /Já descontado/ }).click();
    await statement.getByText("1 lançamento", { exact: true }).waitFor();
    await statement.getByText("4,00 CHZ foram descontados por causa de uma compra devolvida.").waitFor();
    await figures.getByRole("link", { name: /Aguardando/ }).click();
    await statement.getByText("Pedido 2026-118").waitFor();
    expect(await statement.getByRole("article").allInnerTexts()).to.have.lengthOf(5);
    await statement.getByText("Confirmada; a Torcida está conferindo o pagamento antes de enviar.").waitFor();
    await statement.getByText(/^Confirmada; o pagamento ainda não foi liberado e a Torcida está/).waitFor();
    await statement.getByRole("button", { name: "Ver tudo" }).click();
    await statement.getByText("13 lançamentos").waitFor();
  });

  it("shows parts that add up to the total as they are read, and the same figure in reais", async () => {
    const wallet = testWallet();
    const parts = { in_wallet: "10.004", on_the_way: "5.004", waiting: "5.018", deducted: "0" };
    const { statement } = fixtureMe(wallet.address);
    site.server.signIn(wallet.address, { statement: { ...statement, ...parts, total: "20.026", sum: "20.026" } });
    const { page } = await site.openLoggedIn("/dashboard", { wallet, ...ENGLISH });
    const total = page.locator(".stat").first();
    await total.getByText("20.03 CHZ").waitFor();
    await total.getByText(/R\$20\.03/).waitFor();
    expect(await total.getByRole("listitem").allTextContents()).to.deep.equal([
      ...["In your wallet10.01", "On its way5.00", "Waiting5.02"],
    ]);
  });

  it("says by which day a store usually takes the next step, and when it takes longer", async () => {
    const wallet = testWallet();
    site.server.signIn(wallet.address);
    addAllSituations(site.server);
    const { page } = await site.openLoggedIn("/dashboard", { wallet });
    await page.getByText(/^Esperando a loja confirmar a compra\. A loja costuma confirmar até \d/).waitFor();
    await page.getByText(/nos pagar\. Está demorando mais do que o costume desta loja\./).waitFor();
  });

  it("withdraws what the wallet refused, and says in place that the wallet declined", async () => {
    const wallet = testWallet({ rpcUrl: `${site.server.url}/api/chain` });
    site.server.signIn(wallet.address);
    addAllSituations(site.server);
    const hash = `0x${"c".repeat(64)}`;
    let credit = 7n * 10n ** 18n;
    const sent: Record<string, unknown>[] = [];
    site.server.answer("POST /api/chain", ({ body: { id, method, params } }) => {
      const results: Record<string, () => unknown> = {
        eth_chainId: () => "0x15b32",
        eth_blockNumber: () => "0x9",
        eth_call: () => `0x${credit.toString(16).padStart(64, "0")}`,
        eth_sendTransaction: () => {
          sent.push((params as Record<string, unknown>[])[0] ?? {});
          credit = 0n;
          return hash;
        },
        eth_getTransactionReceipt: () => ({
          ...{ transactionHash: hash, transactionIndex: "0x0", blockHash: hash, blockNumber: "0x5", logs: [] },
          ...{ from: wallet.address, to: wallet.address, status: "0x1", type: "0x2", contractAddress: null },
          ...{
            gasUsed: "0x5208",
            cumulativeGasUsed: "0x5208",
            effectiveGasPrice: "0x1",
            logsBloom: `0x${"0".repeat(512)}`,
          },
        }),
      };
      return { body: { jsonrpc: "2.0", id, result: results[String(method)]?.() ?? null } };
    });
    const { page } = await site.openLoggedIn("/dashboard", { wallet });
    await page.getByRole("main").getByRole("button", { name: "Conectar carteira" }).click();
    await page.getByText("Carteira conectada com sucesso!").first().waitFor();
    await page.getByRole("button", { name: "Sacar" }).first().click();
    const dialog = page.getByRole("dialog");
    const to = `0x${"7".repeat(40)}`;
    await dialog.getByLabel("Endereço que recebe").fill("0x12");
    await dialog.getByRole("button", { name: "Sacar" }).click();
    await dialog.getByText("Informe um endereço válido").waitFor();
    await dialog.getByLabel("Endereço que recebe").fill(to);
    wallet.failNext("eth_sendTransaction", { code: 4001, message: "User rejected the request." });
    await dialog.getByRole("button", { name: "Sacar" }).click();
    await dialog.getByText("O pedido foi recusado na carteira. Nada mudou.").waitFor();
    expect(sent).to.deep.equal([]);
    await dialog.getByRole("button", { name: "Sacar" }).click();
    await page.getByText("Cashback sacado").first().waitFor();
    await dialog.waitFor({ state: "detached" });
    expect(String(sent[0]?.data).slice(-40)).to.equal(to.slice(2));
    expect(sent).to.have.length(1);
  });

  it("says once that older purchases cannot be loaded, and retries on request", async () => {
    const wallet = testWallet();
    const { server } = site;
    const purchases = Array.from({ length: 24 }, (_, index) => fixturePurchase({ id: 100 - index }));
    server.signIn(wallet.address, { nfts: [], purchases });
    server.answer("GET /api/purchases", { status: 400, body: { success: false, error: "no" } });
    const { page } = await site.openLoggedIn("/dashboard?view=statement", { wallet });
    await page.getByRole("combobox", { name: "Status" }).selectOption("cancelled");
    await page.getByText("Não foi possível carregar as compras mais antigas. Tente de novo.").waitFor();
    expect(server.callsTo("GET /api/purchases")).to.have.length(1);
    server.answer("GET /api/purchases", { body: { success: true, purchases: [], next_before: null } });
    await page.getByRole("button", { name: "Mostrar mais" }).click();
    await page.getByText("Nenhuma compra com estes filtros.").waitFor();
  });
});
