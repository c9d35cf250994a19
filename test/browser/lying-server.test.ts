import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Page } from "playwright-core";
import {
  type Abi,
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  parseEther,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { spicy } from "../../core/chain/chains.ts";
import type { Deployment } from "../../core/chain/deployment.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import type { PublicTicket, PurchaseNft } from "../../core/rules/api/people.ts";
import type { PurchaseRecord } from "../../core/rules/api/purchases.ts";
import { PASSING_MS } from "../../frontend/chain/difference-clock.ts";
import type { Anvil } from "../testing/anvil.ts";
import { startDeployedChain } from "../testing/deployed-chain.ts";
import { until } from "../testing/until.ts";
import { fixtureNft, fixturePurchase } from "./support/fixture-data.ts";
import { useSite } from "./support/site.ts";
import { testWallet } from "./support/test-wallet.ts";

/** anvil's first well-known key: the operator of the local network. */
const OPERATOR = privateKeyToAccount("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
const STRANGER: Address = `0x${"b1".repeat(20)}`;
const CENT_WEI = 10n ** 16n;
/** What the dashboard says of the tickets that the chain knows otherwise. */
const CHECK_ALERT = "[aria-labelledby=tickets] > div > [role=alert]";

/** What the site says is compared by the browser with a real node: a server that lies about a ticket is seen. */
describe("A server that lies about tickets @deep", function () {
  this.timeout(300_000);
  const site = useSite();
  const wallet = testWallet();
  const buyer = wallet.address.toLowerCase();
  let directory: string;
  let anvil: Anvil;
  let deployment: Deployment;
  let store: string;
  /** What the server says, as it is. */
  let nfts: PurchaseNft[];
  let purchases: PurchaseRecord[];
  const transactions = new Map<string, Hex>();

  before(async () => {
    directory = mkdtempSync(join(tmpdir(), "torcida-lies-"));
    ({ anvil, deployment } = await startDeployedChain(directory, { DEPLOYMENTS_DIR: directory }));
    const client = createPublicClient({ chain: spicy, transport: http(anvil.rpcUrl), pollingInterval: 20 });
    const sender = createWalletClient({ account: OPERATOR, chain: spicy, transport: http(anvil.rpcUrl) });
    const call = async (to: Address, abi: unknown, functionName: string, args: unknown[]) => {
      const hash = await sender.sendTransaction({
        to,
        data: encodeFunctionData({ abi: abi as Abi, functionName, args }),
      });
      expect((await client.waitForTransactionReceipt({ hash })).status, functionName).to.equal("success");
      return hash;
    };
    const [tickets, payer] = [deployment.purchaseNft.address, deployment.cashbackDistributor.address];
    const nft = (functionName: string, ...args: unknown[]) => call(tickets, purchaseNftAbi, functionName, args);
    const mint = async (id: bigint, to: string) => {
      const terms = { storeId: 1, valueCents: 10_000, baseBps: 500, bonusBps: 200, saleRef: 0n };
      transactions.set(`minted ${id}`, await nft("mint", { id, buyer: to, ...terms }, ""));
    };
    for (const id of [1n, 2n, 3n]) await mint(id, buyer);
    await mint(4n, STRANGER);
    const confirmed = await nft("confirm", [1n, 2n]);
    const items = [(1n << 96n) | parseEther("7"), (2n << 96n) | (10n ** 9n)];
    const paid = await call(payer, cashbackDistributorAbi, "payBatch", [items, CENT_WEI]);
    for (const id of [1, 2]) transactions.set(`confirmed ${id}`, confirmed).set(`paid ${id}`, paid);
    const abi = purchaseNftAbi as Abi;
    store = (await client.readContract({ address: tickets, abi, functionName: "storeName", args: [1] })) as string;
  });
  after(async () => {
    await anvil?.stop();
    if (directory) rmSync(directory, { recursive: true, force: true });
  });

  beforeEach(() => {
    const [purchase_nft, cashback_distributor] = [
      deployment.purchaseNft.address,
      deployment.cashbackDistributor.address,
    ];
    Object.assign(site.server.config, { purchase_nft, cashback_distributor });
    site.server.answer("POST /api/chain", async ({ body }) => {
      const answer = await fetch(anvil.rpcUrl, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      });
      return { body: await answer.json() };
    });
    const terms = { store, cashback_percent: "5", bonus_percent: "2", destination: buyer, store_id: 1 };
    const pending = { status: "pending", cashback_state: "unpaid", paid_amount: null, confirmed_at: null } as const;
    purchases = [
      fixturePurchase({ id: 1, ...terms }),
      fixturePurchase({ id: 2, ...terms, paid_amount: "0.000000001" }),
      fixturePurchase({ id: 3, ...terms, ...pending, paid_at: null }),
    ];
    nfts = purchases.map((one) => ({ ...fixtureNft(one, buyer), contract: purchase_nft }));
  });

  const openDashboard = async () => {
    site.server.signIn(buyer, { nfts, purchases });
    const { page } = await site.openLoggedIn("/dashboard", { wallet, hasOwnClock: true });
    return page;
  };
  /** A difference that a moment's delay would explain is said once the delay cannot be that long. */
  const outlast = async (page: Page) => {
    await page.locator(".problem, .muted").getByText("Conferindo na rede...").first().waitFor();
    await page.clock.fastForward(PASSING_MS + 1_000);
    await until("the chain is read again", async () => {
      await page.clock.runFor(1_000);
      return (
        (await page
          .getByRole("alert")
          .filter({ hasText: /na rede|diferente/i })
          .count()) > 0
      );
    });
  };
  const attribute = (nft: PurchaseNft | undefined, name: string, value: string) => {
    const one = nft?.metadata.attributes.find(({ trait_type }) => trait_type === name);
    if (!one) throw new Error(`The ticket has no ${name}`);
    one.value = value;
  };

  it("is none while it says the truth, and the dashboard names what was compared", async () => {
    const page = await openDashboard();
    await page
      .getByText(
        "Conferidos na rede, iguais ao contrato: loja, valor, cashback, bônus, status, se foi pago e carteira dos 3 ingressos; a carteira não tem outros.",
      )
      .waitFor();
    expect(await page.locator(CHECK_ALERT).count()).to.equal(0);
  });

  it("is drawn on no ticket: each has its contract's figures, and the server's only where the chain does not answer", async () => {
    attribute(nfts[0], "Valor da Compra", "R$ 1.000,00");
    attribute(nfts[0], "Cashback", "90%");
    attribute(nfts[0], "Loja", "Loja de outro");
    attribute(nfts[0], "Status", "Cancelled");
    const page = await openDashboard();
    const ticket = page.getByRole("article").filter({ has: page.getByText("Ingresso nº 1", { exact: true }) });
    await ticket.getByText("R$ 100,00").waitFor();
    await ticket.getByText("7%", { exact: true }).waitFor();
    await ticket.getByText("Confirmado", { exact: true }).waitFor();
    await ticket.getByRole("heading", { name: store }).waitFor();
    expect(await page.getByText("ainda não conferido").count()).to.equal(0);

    const silent = Promise.withResolvers<void>();
    site.server.answer("POST /api/chain", async () => {
      await silent.promise;
      return { status: 503, body: {} };
    });
    await page.reload();
    await page.locator('article[aria-busy="true"]').first().waitFor();
    expect(await ticket.getByText("R$ 1.000,00").count()).to.equal(0);
    await ticket.getByText("R$ 1.000,00").waitFor();
    await ticket.getByText("90%", { exact: true }).waitFor();
    expect(await page.getByText("ainda não conferido").count()).to.equal(3);
    silent.resolve();
  });

  const lasting: [lie: string, tell: () => void, says: string][] = [
    ["another bonus", () => attribute(nfts[0], "Bônus", "0%"), "nº 1 (bônus)"],
    ["another value", () => attribute(nfts[0], "Valor da Compra", "R$ 1.000,00"), "nº 1 (valor)"],
    ["another percent", () => attribute(nfts[1], "Cashback", "9%"), "nº 2 (cashback)"],
    ["another buyer", () => attribute(nfts[0], "Comprador", STRANGER), "nº 1 (carteira)"],
    [
      "somebody else's ticket as one's own",
      () => {
        nfts[2] = { ...(nfts[2] as PurchaseNft), tokenId: "4" };
        purchases[2] = { ...(purchases[2] as PurchaseRecord), id: 4 };
      },
      "nº 4 (carteira)",
    ],
    [
      "a ticket of another contract",
      () => {
        nfts[0] = { ...(nfts[0] as PurchaseNft), contract: STRANGER };
      },
      "nº 1 (não existe neste contrato)",
    ],
  ];
  const ahead: typeof lasting = [
    ["another store", () => attribute(nfts[0], "Loja", "Loja de outro"), "nº 1 (loja)"],
    ["a status that stays behind for ever", () => attribute(nfts[0], "Status", "Pending"), "nº 1 (status)"],
    ["a confirmation that never comes", () => attribute(nfts[2], "Status", "Confirmed"), "nº 3 (status)"],
    [
      "a hidden ticket",
      () => {
        nfts.pop();
        purchases.pop();
      },
      "Na rede esta carteira tem 3 ingressos; aqui, 2.",
    ],
    [
      "a ticket that was made up",
      () => {
        const made = fixturePurchase({ ...(purchases[2] as PurchaseRecord), id: 99, token_id: "99" });
        purchases.push(made);
        nfts.push({ ...fixtureNft(made, buyer), contract: nfts[0]?.contract ?? "" });
      },
      "nº 99 (não existe neste contrato)",
    ],
    [
      "a payment that was never made",
      () => Object.assign(purchases[2] as PurchaseRecord, { cashback_state: "paid", paid_amount: "7" }),
      "nº 3 (se foi pago)",
    ],
  ];
  for (const [lie, tell, says] of lasting)
    it(`is seen on the dashboard at once: ${lie}`, async () => {
      tell();
      const page = await openDashboard();
      const alert = page.locator(CHECK_ALERT);
      await alert.waitFor();
      // Only what is wrong is named, and where anybody can look.
      expect(await alert.innerText()).to.include(says);
      await alert.getByRole("link", { name: "Confira você mesmo" }).waitFor();
    });
  for (const [lie, tell, says] of ahead)
    it(`is seen on the dashboard within two minutes: ${lie}`, async () => {
      tell();
      const page = await openDashboard();
      await outlast(page);
      expect(await page.locator(CHECK_ALERT).innerText()).to.include(says);
    });

  const publicTicket = (id: 1 | 2 | 3): PublicTicket => {
    const moment = (step: string) => {
      const tx = transactions.get(`${step} ${id}`);
      return tx ? { at: "2026-05-02T12:00:00.000Z", tx } : null;
    };
    const [minted, paid] = [moment("minted"), moment("paid")];
    const status = id === 3 ? "pending" : "confirmed";
    return {
      ...(nfts[id - 1] as PurchaseNft),
      ...{ store_id: 1, status, settled: moment("confirmed"), is_over: paid !== null },
      minted: minted ?? { at: "", tx: "" },
      paid: paid && { ...paid, amount: id === 1 ? "7" : "0.000000001", value: null, rate_day: null },
    };
  };
  const openTicket = async (said: PublicTicket) => {
    site.server.answer(`GET /api/nfts/${said.tokenId}`, { body: { success: true, data: said } });
    site.server.answer("GET /api/proof", { body: { success: true, purchases: [], next_before: null } });
    const { page } = await site.open(`/ticket/${said.tokenId}`, { hasOwnClock: true });
    await page.getByRole("heading", { name: "A prova" }).scrollIntoViewIfNeeded();
    return page;
  };

  it("is none on a ticket's page while it says the truth, which names what was compared", async () => {
    const page = await openTicket(publicTicket(1));
    await page.getByText("Confere: foi pago exatamente o prometido").waitFor();
    await page
      .getByText(/^Conferido na rede, igual ao contrato: loja, .* carteira e transações desta página\.$/)
      .waitFor();
  });

  const ofPage: [lie: string, tell: (said: PublicTicket) => void, facts: string, waits?: true][] = [
    ["another store", (said) => attribute(said, "Loja", "Loja de outro"), "loja", true],
    ["another bonus", (said) => attribute(said, "Bônus", "5% (incluído)"), "bônus"],
    ["another buyer", (said) => attribute(said, "Comprador", STRANGER), "carteira"],
    ["another amount", (said) => Object.assign(said.paid ?? {}, { amount: "9" }), "valor pago"],
    ["another ticket's transaction", (said) => (said.minted.tx = transactions.get("minted 3") ?? ""), "transações"],
    ["a transaction of nobody", (said) => (said.settled = { at: "", tx: `0x${"5".repeat(64)}` }), "transações", true],
    ["that it is not paid", (said) => (said.paid = null), "se foi pago", true],
    ["that it still is pending", (said) => attribute(said, "Status", "Pending"), "status, transações"],
  ];
  for (const [lie, tell, facts, waits] of ofPage)
    it(`is seen on the ticket's page: ${lie}`, async () => {
      const said = structuredClone(publicTicket(1));
      tell(said);
      const page = await openTicket(said);
      if (waits) await outlast(page);
      await page.getByRole("alert").getByText(`Esta página diz algo diferente da rede: ${facts}.`).waitFor();
      expect(await page.getByText("Conferido na rede, igual").count()).to.equal(0);
    });

  it("finds no excuse for a payment of a billionth, which nothing published explains", async () => {
    const page = await openTicket(publicTicket(2));
    const status = page
      .getByRole("status")
      .filter({ hasText: "nem a rede nem os nossos registros públicos dizem o motivo" });
    await status.getByText("6,999999999 CHZ a menos, sem explicação").waitFor();
    expect(await status.getAttribute("data-verdict")).to.equal("less");
  });
});
