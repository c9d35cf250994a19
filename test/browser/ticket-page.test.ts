import { expect } from "chai";
import { encodeAbiParameters, encodeEventTopics, parseEther } from "viem";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { drawTicket } from "../../core/chain/ticket-drawing.ts";
import { NO_LOOK } from "../../core/rules/clubs/ticket-look.ts";
import { eventually } from "../testing/until.ts";
import { useSite } from "./support/site.ts";

describe("A ticket's public page", () => {
  const site = useSite();

  it("shows the ticket, its life with its transactions, and a link to copy", async () => {
    site.server.config.rpc_url = "http://127.0.0.1:9";
    const { page, problems } = await site.open("/ticket/2", { storage: { language: "en" } });
    await page.getByRole("heading", { level: 1, name: "Ticket no. 2" }).waitFor();
    await page.getByRole("heading", { level: 2, name: "Verdão Store" }).waitFor();
    const links = page.getByRole("link", { name: /View the transaction/ });
    await eventually(async () => expect(await links.count()).to.equal(3));
    expect(await links.first().getAttribute("href")).to.equal(`https://explorer.example/tx/0x${"a".repeat(64)}`);
    expect(await links.first().getAttribute("rel")).to.include("noopener");
    await page.getByText("Cashback paid: 7.00 CHZ R$2.31 on the day of the payment").waitFor();
    await page.getByRole("button", { name: "Copy link" }).waitFor();
    // Without a chain the page says so, and claims nothing.
    await page.getByRole("alert").getByText("The Chiliz network is not answering right now.").waitFor();
    expect(await page.getByText("It adds up").count()).to.equal(0);
    expect(problems.filter((text) => !/Content Security Policy|ERR_/.test(text))).to.deep.equal([]);
  });

  it("draws the ticket as its contract would, while that does not answer and where it has no picture", async () => {
    const drawing = drawTicket({
      ...{ id: 2n, storeId: 1, store: "Verdão Store", valueCents: 10_000n, baseBps: 700n, bonusBps: 0n, drawn: "paid" },
      ...{ buyer: `0x${"ab".repeat(20)}`, look: NO_LOOK },
    });
    for (const answer of ["hang", { status: 404, body: {} }] as const) {
      site.server.answer("GET /api/nfts/2/image", answer);
      const { page } = await site.open("/ticket/2");
      const drawn = page.locator("main img[src^='data:']");
      await eventually(async () =>
        expect(await drawn.evaluate((one: HTMLImageElement) => one.naturalWidth)).to.be.above(0),
      );
      expect(decodeURIComponent((await drawn.getAttribute("src")) ?? "")).to.equal(`data:image/svg+xml,${drawing}`);
    }
  });

  it("loads the code that reads the chain only when the proof comes into view", async () => {
    const { page } = await site.open("/ticket/2", { viewport: { width: 360, height: 640 } });
    const proof = page.getByRole("heading", { name: "A prova" });
    await proof.waitFor();
    await page.waitForLoadState("networkidle");
    const isLoaded = () =>
      page.evaluate(() => performance.getEntriesByType("resource").some(({ name }) => name.includes("ticket-proof")));
    expect(await isLoaded()).to.equal(false);
    await proof.scrollIntoViewIfNeeded();
    await page.getByRole("alert").getByText("A rede Chiliz não está respondendo").waitFor();
    expect(await isLoaded()).to.equal(true);
  });

  it("opens the local chain's transactions on a page of our own, in a new tab", async () => {
    site.server.config.explorer_url = null;
    const { page } = await site.open("/ticket/2");
    const link = page.getByRole("link", { name: /Ver a transação/ }).first();
    expect(await link.getAttribute("href")).to.equal(`/tx/0x${"a".repeat(64)}`);
    expect(await link.getAttribute("target")).to.equal("_blank");
    await page.getByRole("button", { name: "Conferir todas as compras desta carteira" }).click();
    await page.waitForURL(/\/proof\?wallet=0x[0-9a-f]{40}$/);
  });

  it("says that the chain does not answer, with a way to try again, wherever it is read", async () => {
    const { page } = await site.open(`/tx/0x${"a".repeat(64)}`);
    const failure = page.getByRole("main").getByRole("alert");
    await failure.getByText("Não foi possível abrir a transação").waitFor();
    await failure.getByText("A rede Chiliz não está respondendo").waitFor();
    await failure.getByRole("button", { name: "Tentar de novo" }).waitFor();
    await page.goto(`${site.server.url}/proof?wallet=0x${"1".repeat(40)}`);
    await failure.getByText("Não foi possível conferir esta carteira").waitFor();
    await eventually(async () =>
      expect(await failure.getByText("A rede Chiliz não está respondendo").count()).to.equal(2),
    );
    expect(await failure.getByRole("button", { name: "Tentar de novo" }).count()).to.equal(2);
  });

  /** Puts a chain behind the pages that knows only these answers. */
  function answerChain(results: Record<string, unknown>) {
    site.server.answer("POST /api/chain", ({ body: { id, method } }) => ({
      body: { jsonrpc: "2.0", id, result: results[String(method)] ?? null },
    }));
  }

  it("says that the chain does not know a transaction, whichever call ends first", async () => {
    answerChain({});
    const { page } = await site.open(`/tx/0x${"a".repeat(64)}`);
    await page.getByRole("main").getByRole("alert").getByText("A rede não conhece esta transação").waitFor();
  });

  it("says what a transaction paid, and to whom", async () => {
    const hash = `0x${"a".repeat(64)}`;
    const wallet = `0x90f79bf6eb2c4f870365e785982e1f101e93b906` as const;
    const [from, to] = [`0x${"1".repeat(40)}`, site.server.config.cashback_distributor];
    const place = { blockHash: hash, blockNumber: "0x5", transactionHash: hash, transactionIndex: "0x0" };
    const topics = encodeEventTopics({
      abi: cashbackDistributorAbi,
      eventName: "CashbackPaid",
      args: { purchaseId: 2n, recipient: wallet },
    });
    const data = encodeAbiParameters([{ type: "uint256" }], [parseEther("10")]);
    answerChain({
      eth_getTransactionByHash: {
        hash,
        from,
        to,
        ...place,
        value: "0x0",
        gas: "0x1",
        nonce: "0x0",
        input: "0x",
        type: "0x2",
      },
      eth_getTransactionReceipt: {
        ...{ ...place, from, to, status: "0x1", gasUsed: "0x5208", cumulativeGasUsed: "0x5208", type: "0x2" },
        logs: [{ ...place, address: to, topics, data, logIndex: "0x0", removed: false }],
      },
      eth_getBlockByNumber: { number: "0x5", hash, timestamp: "0x6920a000", transactions: [] },
    });
    const { page } = await site.open(`/tx/${hash}`);
    await page.getByText("10,00 CHZ a 0x90f7...b906").waitFor();
    await page.getByRole("definition").filter({ hasText: "O caixa do cashback" }).getByText(to).waitFor();
    await page.getByRole("link", { name: "Ver ingresso Nº 2" }).click();
    await page.waitForURL("**/ticket/2");
  });

  it("says what a transaction sent", async () => {
    const hash = `0x${"a".repeat(64)}`;
    const [from, to] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`];
    const place = { blockHash: hash, blockNumber: "0x5", transactionHash: hash, transactionIndex: "0x0" };
    const value = `0x${parseEther("1.5").toString(16)}`;
    answerChain({
      eth_getTransactionByHash: { hash, from, to, ...place, value, gas: "0x1", nonce: "0x0", input: "0x", type: "0x2" },
      eth_getTransactionReceipt: {
        ...{ ...place, from, to, status: "0x1", gasUsed: "0x5208", cumulativeGasUsed: "0x5208", type: "0x2" },
        logs: [],
      },
      eth_getBlockByNumber: { number: "0x5", hash, timestamp: "0x6920a000", transactions: [] },
    });
    const { page } = await site.open(`/tx/${hash}`);
    await page
      .getByRole("definition")
      .filter({ hasText: /^1,50? CHZ$/ })
      .waitFor();
  });

  it("is a 404 page if there is no such ticket", async () => {
    site.server.answer("GET /api/nfts/77", { status: 404, body: { success: false, error: "No", code: "NOT_FOUND" } });
    const { page } = await site.open("/ticket/77");
    await page.getByRole("heading", { name: "404" }).waitFor();
    await page.getByText(/^Este ingresso não existe/).waitFor();
    await page.goto(`${site.server.url}/ticket/1%27`);
    await page.getByRole("heading", { name: "404" }).waitFor();
  });
});
