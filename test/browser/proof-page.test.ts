import { expect } from "chai";
import {
  type Abi,
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionResult,
  type Hex,
  parseEther,
} from "viem";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { CHAIN_STATUS } from "../../core/rules/purchase/life.ts";
import { eventually } from "../testing/until.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

const WALLET: Hex = `0x${"b1".repeat(20)}`;
const HASH: Hex = `0x${"a".repeat(64)}`;
const ROWS = /^(Confira você mesmo|Check it yourself)$/;
const ABI = [...purchaseNftAbi, ...cashbackDistributorAbi] as unknown as Abi;

describe("The proof page", () => {
  const site = useSite();

  /** A chain with one ticket of R$ 100 at 5 %, paid at 1 CHZ per real if no other rate is given; amount 0: not paid. */
  function answerPayout(amount: bigint, books: object[] = [], weiPerCent = 10n ** 16n) {
    const place = { blockHash: HASH, blockNumber: "0x5", transactionHash: HASH, transactionIndex: "0x0" };
    const log = { ...place, address: site.server.config.cashback_distributor, removed: false };
    const event = { abi: cashbackDistributorAbi, eventName: "CashbackPaid" } as const;
    const number = (value: bigint) => encodeAbiParameters([{ type: "uint256" }], [value]);
    const logs = [
      {
        topics: encodeEventTopics({ abi: cashbackDistributorAbi, eventName: "RateApplied" }),
        data: number(weiPerCent),
      },
      { topics: encodeEventTopics({ ...event, args: { purchaseId: 7n, recipient: WALLET } }), data: number(amount) },
    ];
    const from = WALLET;
    const to = site.server.config.cashback_distributor;
    const ticket = {
      ...{ buyer: WALLET, storeId: 1, valueCents: 10_000, baseBps: 500, bonusBps: 0 },
      status: CHAIN_STATUS.confirmed,
    };
    const views: Record<string, unknown> = {
      balanceOf: 1n,
      paidWord: amount > 0n ? 1n << 7n : 0n,
      isPaid: amount > 0n,
      available: 0n,
      predecessor: `0x${"0".repeat(40)}`,
      burntOf: 0n,
      storeName: "Verdão Store",
      // As contracts/libraries/PackedPurchase.sol lays it out.
      storedPurchaseOf: [
        [BigInt(WALLET), 0n],
        [BigInt(ticket.valueCents), 160n],
        [BigInt(ticket.baseBps), 200n],
        [BigInt(ticket.storeId), 232n],
        [BigInt(ticket.status), 248n],
      ].reduce((word, [field = 0n, offset = 0n]) => word | (field << offset), 0n),
      ticketsOf: [ticket],
    };
    const results: Record<string, (params: { data: Hex }[]) => unknown> = {
      eth_call: ([call]) => {
        const { functionName } = decodeFunctionData({ abi: ABI, data: call?.data ?? "0x" });
        return encodeFunctionResult({ abi: ABI, functionName, result: views[functionName] });
      },
      eth_getBalance: () => "0x0",
      eth_getTransactionReceipt: () => ({
        ...{ ...place, from, to, status: "0x1", gasUsed: "0x5208", cumulativeGasUsed: "0x5208", type: "0x2" },
        logs: logs.map((one, index) => ({ ...log, ...one, logIndex: `0x${index}` })),
      }),
    };
    site.server.answer("POST /api/chain", ({ body: { id, method, params } }) => ({
      body: { jsonrpc: "2.0", id, result: results[String(method)]?.(params as { data: Hex }[]) ?? null },
    }));
    site.server.answer("GET /api/proof", { body: { success: true, purchases: books, next_before: null } });
    site.server.answer(`GET /api/wallets/${WALLET}/tickets`, {
      body: {
        success: true,
        tickets: [{ token_id: 7, paid: amount > 0n ? { tx: HASH, amount: "5" } : null }],
        next_before: null,
      },
    });
  }
  const open = (language: string) =>
    site.open(`/proof?wallet=${WALLET}`, { storage: { language }, viewport: { width: 360, height: 800 } });

  it("is green only for the whole amount, and amber with the difference for a gwei less", async () => {
    answerPayout(parseEther("5"));
    const whole = await open("pt");
    await whole.page.getByText("1 compra, e a conta confere").waitFor();
    answerPayout(parseEther("4.999999999"));
    for (const [language, says, missing] of [
      ["pt", "1 de 1 compra: pago menos do que dá a conta", "0,000000001 CHZ a menos, sem explicação"],
      ["en", "1 of 1 purchase: less was paid than the sum gives", "0.000000001 CHZ less, not explained"],
    ] as const) {
      const { page } = await open(language);
      const status = page.getByRole("status").filter({ hasText: says });
      await status.waitFor();
      expect(await status.getAttribute("data-verdict")).to.equal("less");
      await page.getByText(missing).waitFor();
      // On a phone a purchase is a card: nothing of it is out of sight.
      await eventually(async () =>
        expect(
          await page.getByRole("region", { name: ROWS }).evaluate((one) => one.scrollWidth - one.clientWidth),
        ).to.equal(0),
      );
    }
  });

  it("says what was kept back and for which return, if the books explain it, and is green", async () => {
    answerPayout(parseEther("3"), [{ token_id: 7, cashback: "4", kept: "1", owed: "1" }]);
    for (const [language, says, kept, lower] of [
      [
        ...["pt", "1 compra, e a conta confere"],
        ...["1,00 CHZ descontados pela devolução da compra 7", "1,00 CHZ a menos porque a loja reduziu a venda"],
      ],
      [
        ...["en", "1 purchase, and it adds up"],
        ...["1.00 CHZ deducted for the return of purchase 7", "1.00 CHZ less because the store lowered the sale"],
      ],
    ] as [string, string, string, string][]) {
      const { page } = await open(language);
      const status = page.getByRole("status").filter({ hasText: says });
      await status.waitFor();
      expect(await status.getAttribute("data-verdict")).to.equal("holds");
      await page.getByText(kept).waitFor();
      await page.getByText(lower).waitFor();
    }
  });

  it("says of a cashback that was kept back in full that nothing more is paid, and that we say the same", async () => {
    answerPayout(0n, [{ token_id: 7, cashback: "5", kept: "5", owed: "5" }]);
    for (const [language, ...says] of [
      [
        "pt",
        "Não foi pago, e nada mais será pago por ele.",
        "5,00 CHZ descontados pela devolução da compra 7",
        "O mesmo",
      ],
      [
        "en",
        "Not paid, and nothing more will be paid for it.",
        "5.00 CHZ deducted for the return of purchase 7",
        "The same",
      ],
    ] as const) {
      const { page } = await open(language);
      for (const text of says) await page.getByRole("region", { name: ROWS }).locator("td").getByText(text).waitFor();
      const rest = await page.getByRole("region", { name: ROWS }).evaluate((one) => one.scrollWidth - one.clientWidth);
      expect(rest, "out of sight on a phone").to.equal(0);
    }
  });

  it("starts with the user's wallet, and says beside the field what is no wallet", async () => {
    const wallet = testWallet();
    const { page } = await site.openLoggedIn("/proof", { wallet });
    const field = page.getByRole("textbox", { name: "Endereço da carteira" });
    await eventually(async () => expect(await field.inputValue()).to.equal(wallet.address));
    await field.fill("0x12");
    await page.getByRole("button", { name: "Conferir" }).click();
    await page.getByRole("textbox", { description: /^Isto não é um endereço/ }).waitFor();
    expect(await field.inputValue()).to.equal("0x12");
  });

  it("has a rate that can be read on a ticket's page, in one line with the rest, and all its digits itself", async () => {
    answerPayout(parseEther("6.17283945"), [], 12_345_678_901_234_567n);
    const { page } = await site.open("/ticket/7", { viewport: { width: 1280, height: 900 } });
    await page.getByText("Confere: foi pago exatamente o prometido").waitFor();
    await page.getByText("1,234568 CHZ / R$\u00a01,00").waitFor();
    const tops = page
      .getByRole("region", { name: "A prova" })
      .locator("dl > div")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect(new Set(await tops).size).to.equal(1);
    const proof = await open("pt");
    await proof.page.getByText("1,2345678901234567 CHZ").waitFor();
  });
});
