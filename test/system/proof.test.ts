import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect } from "chai";
import {
  type Abi,
  type Address,
  createPublicClient,
  createWalletClient,
  decodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  http,
  type PublicClient,
  parseAbiParameters,
  parseEther,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { spicy } from "../../core/chain/chains.ts";
import type { Deployment } from "../../core/chain/deployment.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { cashbackDistributorBytecode } from "../../core/chain/generated/cashback-distributor-bytecode.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { isWhole, type ListedTicket, type ProofChain, readWallet } from "../../core/chain/proof/read-wallet.ts";
import { toWalletAddress } from "../../core/rules/wallet-address.ts";
import { roleId } from "../../scripts/deploy/roles.ts";
import { runProve } from "../../scripts/prove.ts";
import { type Anvil, startAnvil } from "../testing/anvil.ts";
import { bareEnvironment } from "../testing/bare-environment.ts";
import { commandHere } from "../testing/command-here.ts";
import { deployHere } from "../testing/deploy-run.ts";

const ALL_PAID = { less: 0, more: 0, missing: 0, matches: true };

const run = promisify(execFile);
/** anvil's first well-known key: the operator of the local network. */
const OPERATOR = privateKeyToAccount("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80");
const BUYER: Address = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const LOWER = toWalletAddress(BUYER);
const CHZ = 10n ** 18n;
const CENT_WEI = 10n ** 16n;
/** One that leaves a remainder below a gwei. */
const ODD_RATE = 12_345_678_901_234_567n;
/** Refuses CHZ: `revert(0, 0)`. */
const REFUSING_CODE = "0x5f5ffd";

/** Runs against a real node and contracts deployed by `npm run deploy`, without a server or a database. */
describe("A stranger's proof", function () {
  this.timeout(300_000);
  let anvil: Anvil;
  let snapshot: string;
  let directory: string;
  let deployment: Deployment;
  const client = () => createPublicClient({ chain: spicy, transport: http(anvil.rpcUrl), pollingInterval: 20 });

  before(async () => {
    anvil = await startAnvil({ manualBlocks: true });
    directory = mkdtempSync(join(tmpdir(), "torcida-proof-"));
    process.env.DEPLOYMENTS_DIR = directory;
    const { code, output } = await deployHere(["--network", "localhost"], { RPC_URLS: anvil.rpcUrl }).ended;
    expect(code, output).to.equal(0);
    deployment = JSON.parse(readFileSync(join(directory, "localhost.json"), "utf8")) as Deployment;
  });
  after(async () => {
    delete process.env.DEPLOYMENTS_DIR;
    await anvil?.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  beforeEach(async () => {
    snapshot = await anvil.request("evm_snapshot");
  });
  afterEach(async () => {
    await anvil.request("evm_revert", snapshot);
  });

  const send = async (to: Address | undefined, data: Hex, value = 0n) => {
    const wallet = createWalletClient({ account: OPERATOR, chain: spicy, transport: http(anvil.rpcUrl) });
    const hash = await wallet.sendTransaction({ to, data, value });
    const receipt = await client().waitForTransactionReceipt({ hash });
    expect(receipt.status).to.equal("success");
    return receipt;
  };
  const nft = (functionName: string, args: unknown[]) =>
    send(deployment.purchaseNft.address, encodeFunctionData({ abi: purchaseNftAbi as Abi, functionName, args }));
  const distributor = (functionName: string, args: unknown[], to = deployment.cashbackDistributor.address) =>
    send(to, encodeFunctionData({ abi: cashbackDistributorAbi as Abi, functionName, args }));
  const mint = (id: bigint, buyer: Address, valueCents: number, baseBps = 500, bonusBps = 0) =>
    nft("mint", [{ id, buyer, storeId: 1, valueCents, baseBps, bonusBps, saleRef: 0n }, ""]);
  const payBatch = (rate: bigint, ...payments: [id: bigint, amount: bigint][]) =>
    distributor("payBatch", [payments.map(([id, amount]) => (id << 96n) | amount), rate]);

  const prove = async (wallet: string, ...more: string[]) => {
    const { code, output } = await commandHere(runProve, argumentsOf(wallet, ...more), {}).ended;
    return { text: output, summary: code === 0 ? lastLineOf(output) : undefined };
  };
  const argumentsOf = (wallet: string, ...more: string[]) => ["--wallet", wallet, "--rpc", anvil.rpcUrl, ...more];
  const lastLineOf = (output: string) => JSON.parse(output.trim().split("\n").at(-1) || "null");
  /** The script itself, which hands its arguments and environment to the same command. */
  const proveScript = async (wallet: string) => {
    const command = ["scripts/prove.ts", ...argumentsOf(wallet)];
    return run(process.execPath, command, { env: { ...bareEnvironment(), DEPLOYMENTS_DIR: directory } }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  };

  describe("docs/fans.md", () => {
    /** Every command of the page, verbatim. */
    const blocks = [...readFileSync("docs/fans.md", "utf8").matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
      ([, code]) => code,
    );

    it("shows with its own commands who owns a ticket, what it says, and what was paid at which rate", async () => {
      const id = 7n;
      await mint(id, BUYER, 10_000);
      await nft("confirm", [[id]]);
      await payBatch(CENT_WEI, [id, 5n * 10n ** 18n]);
      expect(blocks).to.have.length(8);
      const env = {
        PATH: process.env.PATH ?? "",
        RPC_URL: anvil.rpcUrl,
        ID: String(id),
        PURCHASE_NFT: deployment.purchaseNft.address,
        CASHBACK_DISTRIBUTOR: deployment.cashbackDistributor.address,
      };
      const { stdout } = await run("sh", ["-eu", "-c", blocks.join("\n")], { env });
      const results = stdout
        .trim()
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line).result);
      const [owner, purchase, transfers, mints, isPaid, payments, receipt] = results;

      expect(decodeAbiParameters(parseAbiParameters("address"), owner)).to.deep.equal([BUYER]);
      const fields = parseAbiParameters("address, uint256, uint256, uint256, uint256, uint256");
      expect(decodeAbiParameters(fields, purchase)).to.deep.equal([BUYER, 1n, 10_000n, 500n, 0n, 2n]);
      for (const logs of [transfers, mints, payments]) expect(logs).to.have.length(1);
      expect(transfers[0].topics[2]).to.include(BUYER.slice(2).toLowerCase());
      expect(mints[0].topics[2]).to.equal(transfers[0].topics[2]);
      expect(BigInt(isPaid)).to.equal(1n);
      expect(BigInt(payments[0].data)).to.equal(5n * 10n ** 18n);
      const rates = receipt.logs.filter(({ topics }: { topics: string[] }) => topics[0]?.startsWith("0xb4fc9a8a"));
      expect(rates.map(({ data }: { data: string }) => BigInt(data))).to.deep.equal([CENT_WEI]);
      // The page's own example.
      expect((10_000n * 500n * CENT_WEI) / 10_000n).to.equal(BigInt(payments[0].data));
    });
  });

  describe("npm run prove", () => {
    it("adds up the purchases of ten wallets at several rates, to the gwei", async () => {
      const wallets = Array.from(
        { length: 10 },
        (_, index): Address => `0x${(0xb0b0 + index).toString(16).padStart(40, "0")}`,
      );
      let id = 1n;
      const expected = new Map<Address, bigint>();
      for (const [round, rate] of [CENT_WEI, ODD_RATE].entries()) {
        const payments: [bigint, bigint][] = [];
        for (const [index, wallet] of wallets.entries()) {
          const valueCents = 1_999 + 137 * index + round;
          await mint(id, wallet, valueCents, 333, index);
          const gwei = (BigInt(valueCents) * BigInt(333 + index) * rate) / 10_000n / 10n ** 9n;
          expected.set(wallet, (expected.get(wallet) ?? 0n) + gwei);
          payments.push([id++, gwei * 10n ** 9n]);
        }
        await nft("confirm", [payments.map(([one]) => one)]);
        await payBatch(rate, ...payments);
      }
      const proofs = await Promise.all(wallets.map((wallet) => prove(wallet)));
      for (const [index, { summary, text }] of proofs.entries()) {
        const sum = expected.get(wallets[index] ?? "0x") ?? 0n;
        expect(summary.purchases, text).to.equal(2);
        expect(summary.matches, text).to.equal(true);
        for (const amount of [summary.expected, summary.paid])
          expect(parseEther(amount), text).to.equal(sum * 10n ** 9n);
      }
    });

    it("leaves Cancelled tickets out, counts Pending ones, and takes credits as paid", async () => {
      const refusing: Address = "0x00000000000000000000000000000000000c0de0";
      await anvil.request("anvil_setCode", refusing, REFUSING_CODE);
      for (const id of [1n, 2n, 3n]) await mint(id, refusing, 10_000);
      await nft("confirm", [[1n]]);
      await nft("cancel", [[3n]]);
      await payBatch(CENT_WEI, [1n, 5n * 10n ** 18n]);
      const { summary, text } = await prove(refusing);
      expect(summary).to.deep.equal({ purchases: 2, expected: "5", paid: "5", ...ALL_PAID });
      expect(text).to.include("Ticket 1, Confirmed").and.to.include("credited 5 CHZ");
      expect(text).to.include("Ticket 2, Pending").and.to.include("Ticket 3, Cancelled");
      expect((await prove(refusing, "--purchase", "2")).summary).to.deep.equal({
        purchases: 1,
        expected: "0",
        paid: "0",
        ...ALL_PAID,
      });
    });

    it("is not satisfied with a gwei less than 5 CHZ", async () => {
      await mint(1n, BUYER, 10_000);
      await nft("confirm", [[1n]]);
      await payBatch(CENT_WEI, [1n, 5n * 10n ** 18n - 10n ** 9n]);
      const { summary, text } = await prove(BUYER);
      expect(summary).to.deep.equal({
        purchases: 1,
        expected: "5",
        paid: "4.999999999",
        ...ALL_PAID,
        less: 1,
        matches: false,
      });
      expect(text).to.include("✗ paid 0.000000001 CHZ less than value × percent × rate, not explained");
    });

    it("says what was withheld, and what is not paid yet", async () => {
      for (const id of [1n, 2n]) await mint(id, BUYER, 10_000);
      await nft("confirm", [[1n, 2n]]);
      await distributor("pay", [1n, 4n * 10n ** 18n, CENT_WEI]);
      const { summary, text } = await prove(BUYER);
      expect(text).to.include("✗ paid 1 CHZ less than").and.to.include("✗ Confirmed, and not paid yet");
      expect(summary).to.deep.equal({
        purchases: 2,
        expected: "5",
        paid: "4",
        ...ALL_PAID,
        less: 1,
        missing: 1,
        matches: false,
      });
      const script = await proveScript(BUYER);
      expect([script.code, script.stdout], script.stderr).to.deep.equal([0, text]);
      const { summary: alone } = await prove(BUYER.toLowerCase(), "--purchase", "1");
      expect(alone).to.deep.equal({ purchases: 1, expected: "5", paid: "4", ...ALL_PAID, less: 1, matches: false });
    });

    it("takes a site's published books as the reason, and only where they say the whole of it", async () => {
      for (const id of [1n, 2n, 3n]) await mint(id, BUYER, 10_000);
      await nft("confirm", [[1n, 2n, 3n]]);
      // 2 CHZ of the second are kept for the return of the first; of the third, 1 CHZ was corrected by the store.
      await payBatch(CENT_WEI, [1n, 5n * CHZ], [2n, 3n * CHZ], [3n, 4n * CHZ]);
      const books = [
        { token_id: 3, cashback: "4", kept: "0", owed: "0" },
        { token_id: 2, cashback: "5", kept: "2", owed: "0" },
        { token_id: 1, cashback: "5", kept: "0", owed: "2" },
      ];
      const asked: string[] = [];
      const site = createServer(({ url = "" }, response) => {
        asked.push(url);
        const before = new URL(url, "http://site").searchParams.get("before");
        const rows = books.filter(({ token_id }) => before === null || token_id < Number(before));
        const [first, ...rest] = rows;
        const next_before = rest.length > 0 ? first?.token_id : null;
        response.end(JSON.stringify({ success: true, purchases: rows.slice(0, 1), next_before }));
      }).listen(0, "127.0.0.1");
      await once(site, "listening");
      const url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/api/proof`;
      try {
        const sums = { purchases: 3, expected: "15", paid: "12" };
        const { summary, text } = await prove(BUYER, "--books", url);
        expect(summary, text).to.deep.equal({ ...sums, ...ALL_PAID });
        expect(text).to.include("✓ kept back 2 CHZ for the debt of ticket 1, by the published books");
        expect(text).to.include("✓ 1 CHZ less because the sale itself is lower, by the published books");
        expect(asked).to.deep.equal(["", "&before=3", "&before=2"].map((page) => `/api/proof?wallet=${LOWER}${page}`));
        const alone = await prove(BUYER, "--books", url, "--purchase", "2");
        expect(alone.summary).to.deep.equal({ purchases: 1, expected: "5", paid: "3", ...ALL_PAID });
        expect((await prove(BUYER)).summary).to.deep.equal({ ...sums, ...ALL_PAID, less: 2, matches: false });
        // A debt that is smaller than what was kept explains nothing.
        Object.assign(books[2] ?? {}, { owed: "1" });
        const lying = await prove(BUYER, "--books", url);
        expect(lying.summary).to.deep.equal({ ...sums, ...ALL_PAID, less: 1, matches: false });
        expect(lying.text).to.include("✗ paid 2 CHZ less than value × percent × rate, not explained");
        const page = url.replace("proof", "config?x=");
        Object.assign(books[0] ?? {}, { token_id: "three" });
        expect((await prove(BUYER, "--books", page)).text).to.match(/answers 200, and not with a wallet's books/);
        expect((await prove(BUYER, "--books", "proof")).text).to.include("--books must be the address of");
      } finally {
        site.close();
      }
    });

    it("is not misled by a list that names one ticket twice, another payout, or none", async () => {
      for (const id of [11n, 12n]) await mint(id, BUYER, 10_000);
      await nft("confirm", [[11n, 12n]]);
      const { transactionHash: paid } = await payBatch(CENT_WEI, [11n, 5n * CHZ], [12n, 5n * CHZ]);
      const chain: ProofChain = {
        client: client() as PublicClient,
        purchaseNft: toWalletAddress(deployment.purchaseNft.address),
        cashbackDistributor: toWalletAddress(deployment.cashbackDistributor.address),
        firstBlock: BigInt(deployment.block),
      };
      const [eleven, twelve] = [11n, 12n].map((id) => ({ id, transaction: paid as string | undefined }));
      const listsOf = (...rows: unknown[]) => rows as ListedTicket[];
      const lists = [
        [listsOf(eleven, twelve), true],
        [listsOf(twelve, twelve), false],
        [listsOf(twelve), false],
        [listsOf(eleven, { ...twelve, transaction: undefined }), false],
        [undefined, false],
      ] as const;
      for (const [listed, whole] of lists) {
        if (listed) expect(await isWhole(chain, LOWER, listed)).to.equal(whole);
        const tickets = await readWallet(chain, LOWER, { listed });
        expect(tickets.map(({ id, payouts }) => [id, payouts.length])).to.deep.equal([
          [11n, 1],
          [12n, 1],
        ]);
      }
    });

    it("uses the rate of a payout's own batch, and finds what a predecessor paid", async () => {
      for (const id of [1n, 2n]) await mint(id, BUYER, 10_000);
      await nft("confirm", [[1n, 2n]]);
      await payBatch(CENT_WEI, [1n, 5n * 10n ** 18n]);
      await distributor("retire", []);
      const old = deployment.cashbackDistributor.address;
      // Those of the one before it.
      const limits = { maxWeiPerCent: 0n, maxPayout: 0n, dailyCap: 0n };
      const { contractAddress } = await send(
        undefined,
        encodeDeployData({
          abi: cashbackDistributorAbi,
          bytecode: cashbackDistributorBytecode,
          args: [OPERATOR.address, 0, deployment.purchaseNft.address, limits, old],
        }),
      );
      const next = contractAddress as Address;
      await distributor("grantRole", [roleId("PAYER_ROLE"), OPERATOR.address], next);
      await send(next, "0x", 10n ** 20n);
      await distributor("payBatch", [[(2n << 96n) | (10n * 10n ** 18n)], 2n * CENT_WEI], next);
      const path = join(directory, "localhost.json");
      const record = readFileSync(path, "utf8");
      try {
        const changed = { ...deployment, cashbackDistributor: { ...deployment.cashbackDistributor, address: next } };
        writeFileSync(path, JSON.stringify(changed));
        const { summary, text } = await prove(BUYER);
        expect(summary, text).to.deep.equal({ purchases: 2, expected: "15", paid: "15", ...ALL_PAID });
        expect(text).to.include("× 1 CHZ per R$").and.to.include("× 2 CHZ per R$");
      } finally {
        writeFileSync(path, record);
      }
    });

    it("says what is wrong with its arguments", async () => {
      const refusal = await proveScript("0x12");
      expect([refusal.code, refusal.stdout]).to.deep.equal([1, ""]);
      expect(refusal.stderr).to.include("--wallet must be an address");
      expect((await prove(BUYER, "--purchase", "x")).text).to.include("--purchase must be the number of a ticket");
      expect((await prove(BUYER, "--purchase", "5")).text).to.include(`Ticket 5 is not ${BUYER}'s`);
      expect((await prove(BUYER, "--network", "mumbai")).text).to.include("--network must be one of");
      expect((await prove(BUYER, "--network", "chiliz")).text).to.match(/chiliz\.json is missing/);
      expect((await prove(BUYER)).summary).to.deep.equal({ purchases: 0, expected: "0", paid: "0", ...ALL_PAID });
    });
  });
});
