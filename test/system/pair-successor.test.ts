import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import {
  type Abi,
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  getAddress,
  http,
  isAddressEqual,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { spicy } from "../../core/chain/chains.ts";
import type { Deployment } from "../../core/chain/deployment.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { readRevert } from "../../core/chain/revert.ts";
import { LOCAL_TEST_KEY } from "../../core/process/known-keys.ts";
import { SAMPLE_STORES } from "../../core/rules/catalogue-samples.ts";
import { toWalletAddress } from "../../core/rules/wallet-address.ts";
import { readEnvironment } from "../../indexer/environment.ts";
import { roleId, roleTable } from "../../scripts/deploy/roles.ts";
import { runProve } from "../../scripts/prove.ts";
import { caughtUp, startIndexer } from "../indexer/support/running-indexer.ts";
import { type Anvil, startAnvil } from "../testing/anvil.ts";
import { commandHere } from "../testing/command-here.ts";
import { onBothEngines } from "../testing/databases.ts";
import { deployHere, startDeploy } from "../testing/deploy-run.ts";
import { until } from "../testing/until.ts";
import { cutOffAt, killAt } from "./support/interrupt-deploy.ts";
import { openRpcGate, type RpcGate } from "./support/rpc-gate.ts";

const OPERATOR = privateKeyToAccount(LOCAL_TEST_KEY);
const BUYER: Address = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const STRANGER = getAddress("0x00000000000000000000000000000000000b0b0b");
const CENT_WEI = 10n ** 16n;
const CHZ = 10n ** 18n;
/** The minter revoked, the retirement, three creations, eight roles, whom both tickets ask, and the local pool. */
const TRANSACTIONS = 2 + 3 + 8 + 2 + SAMPLE_STORES.length + 1;

/** The real scripts and the real indexer, on a real node. */
describe("A pair that continues another @deep", function () {
  this.timeout(300_000);
  let anvil: Anvil;
  let gate: RpcGate;
  let snapshot: string;
  let directory: string;
  let first: Deployment;
  const client = () => createPublicClient({ chain: spicy, transport: http(anvil.rpcUrl), pollingInterval: 20 });

  before(async () => {
    anvil = await startAnvil({ manualBlocks: true });
    gate = await openRpcGate(anvil.rpcUrl);
    directory = mkdtempSync(join(tmpdir(), "torcida-pair-"));
    expect((await deploy()).code).to.equal(0);
    first = record();
  });
  beforeEach(async () => {
    snapshot = await anvil.request("evm_snapshot");
  });
  afterEach(async () => {
    gate.before = () => "pass";
    gate.sent.length = 0;
    await anvil.request("evm_revert", snapshot);
    writeFileSync(join(directory, "localhost.json"), JSON.stringify(first));
  });
  after(async () => {
    await gate?.stop();
    await anvil?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const environment = () => ({ DEPLOYMENTS_DIR: directory, RPC_URLS: gate.url });
  const deploy = (...args: string[]) => deployHere(["--network", "localhost", ...args], environment()).ended;
  const record = () => JSON.parse(readFileSync(join(directory, "localhost.json"), "utf8")) as Deployment;
  const oldTickets = () => first.purchaseNft.address;
  const oldDistributor = () => first.cashbackDistributor.address;
  const continuing = () => ["--successor-of-pair", oldTickets(), "--retire"];
  const succeed = async () => {
    const { code, output } = await deploy(...continuing());
    expect(code, output).to.equal(0);
    return { tickets: record().purchaseNft.address, distributor: record().cashbackDistributor.address };
  };

  const send = async (to: Address, abi: readonly unknown[], functionName: string, args: unknown[] = []) => {
    const wallet = createWalletClient({ account: OPERATOR, chain: spicy, transport: http(anvil.rpcUrl) });
    const data = encodeFunctionData({ abi: abi as Abi, functionName, args });
    const receipt = await client().waitForTransactionReceipt({ hash: await wallet.sendTransaction({ to, data }) });
    expect(receipt.status, functionName).to.equal("success");
  };
  const mint = (tickets: Address, ...ids: bigint[]) => {
    const terms = { buyer: BUYER, storeId: 1, valueCents: 10_000, baseBps: 500, bonusBps: 0, saleRef: 0n };
    return send(tickets, purchaseNftAbi, "mintBatch", [ids.map((id) => ({ id, ...terms })), []]);
  };
  const move = (tickets: Address, functionName: "confirm" | "cancel", ...ids: bigint[]) =>
    send(tickets, purchaseNftAbi, functionName, [ids]);
  /** 5 CHZ each, the full promised amount. */
  const pay = (distributor: Address, ...ids: bigint[]) =>
    send(distributor, cashbackDistributorAbi, "payBatch", [ids.map((id) => (id << 96n) | (5n * CHZ)), CENT_WEI]);
  const ofTickets = (address: Address, functionName: "predecessor" | "distributor") =>
    client().readContract({ address, abi: purchaseNftAbi, functionName });
  const isPaid = (address: Address, id: bigint) =>
    client().readContract({ address, abi: cashbackDistributorAbi, functionName: "isPaid", args: [id] });
  const reverts = async (work: Promise<unknown>, reason: string) => {
    const said = await work.then(
      () => "it went through",
      (error: Error) => readRevert(error)?.name ?? error.message,
    );
    expect(said).to.equal(reason);
  };

  it("ends the old one, has roles and stores of its own, and is recorded beside it", async () => {
    const { tickets, distributor } = await succeed();
    const now = record();
    expect(now.purchaseNft.predecessor).to.equal(oldTickets());
    expect(now.block, "of the first pair").to.equal(first.block);
    expect(now.purchaseNft.block).to.be.greaterThan(first.block);
    const { purchaseNft, ticketDescriptor, cashbackDistributor, build } = first;
    expect(now.formerPurchaseNfts).to.deep.equal([{ ...purchaseNft, ticketDescriptor, build }]);
    expect(now.formerDistributors).to.deep.equal([{ ...cashbackDistributor, build }]);
    expect(await ofTickets(tickets, "predecessor")).to.equal(oldTickets());
    for (const address of [tickets, oldTickets()]) {
      expect(await ofTickets(address, "distributor"), "both ask the new one").to.equal(distributor);
    }
    const { address } = OPERATOR;
    const holders = { minter: address, confirmer: address, catalogue: address };
    const roles = { ...holders, payer: address, treasurer: address, pauser: address };
    const has = (contract: Address, role: string, holder: Address) =>
      client().readContract({
        ...{ address: contract, abi: purchaseNftAbi, functionName: "hasRole" },
        args: [roleId(role), holder],
      });
    for (const { contract, role, holder } of roleTable(roles, tickets, distributor))
      expect(await has(contract, role, holder), role).to.equal(true);
    expect(await has(oldTickets(), "MINTER_ROLE", address)).to.equal(false);
    expect(await has(oldTickets(), "CONFIRMER_ROLE", address)).to.equal(true);
    const storeName = (at: Address) =>
      client().readContract({ address: at, abi: purchaseNftAbi, functionName: "storeName", args: [1] });
    expect(await storeName(tickets)).to.equal(await storeName(oldTickets()));
    const checked = await deploy("--check");
    expect(checked.code, checked.output).to.equal(0);
    expect(checked.output).to.include(`✓ ${oldDistributor()} is retired, and the predecessor of ${distributor}`);
    expect(checked.output).to.include(`✓ ${address} holds CONFIRMER_ROLE on ${oldTickets()}`);
    expect(checked.output).to.include(`✓ ${oldTickets()} is continued by ${tickets}`);
    await send(oldTickets(), purchaseNftAbi, "grantRole", [roleId("MINTER_ROLE"), STRANGER]);
    await send(oldTickets(), purchaseNftAbi, "revokeRole", [roleId("CONFIRMER_ROLE"), address]);
    await send(oldTickets(), purchaseNftAbi, "pause");
    const { code, output } = await deploy("--check");
    expect(code).to.equal(1);
    expect(output)
      .to.include(`✗ ${STRANGER} holds MINTER_ROLE on ${oldTickets()} and should not`)
      .and.include(`✗ ${address} lacks CONFIRMER_ROLE on ${oldTickets()}`)
      .and.include(`✗ ${oldTickets()} is continued by ${tickets} and is paused; its admin must call unpause()`);
    // Also where only the variables name them: the record was made by hand.
    const byHand = { ...record(), formerPurchaseNfts: [] };
    writeFileSync(join(directory, "localhost.json"), JSON.stringify(byHand));
    const named = { ...environment(), FORMER_PURCHASE_NFT_ADDRESSES: `${oldTickets()},${STRANGER}` };
    const { output: byVariable } = await deployHere(["--network", "localhost", "--check"], named).ended;
    expect(byVariable)
      .to.include(`✗ ${oldTickets()} is continued by ${tickets} and is paused`)
      .and.include(`✗ ${STRANGER} is not continued by ${oldTickets()}; whether it is paused cannot be read`);
  });

  it("pays old tickets once, cancels and confirms them at their own contract, and mints none of their ids", async () => {
    await mint(oldTickets(), 1n, 2n, 3n, 4n, 300n);
    await move(oldTickets(), "confirm", 1n, 2n, 300n);
    await pay(oldDistributor(), 1n, 300n);
    const { tickets, distributor } = await succeed();
    await reverts(mint(tickets, 1n), "AlreadyMinted");
    await reverts(mint(tickets, 4n), "AlreadyMinted");
    await reverts(mint(oldTickets(), 5n), "AccessControlUnauthorizedAccount");
    await reverts(pay(oldDistributor(), 2n), "DistributorRetired");
    await move(oldTickets(), "confirm", 3n);
    await move(oldTickets(), "cancel", 4n);
    await mint(tickets, 5n);
    await move(tickets, "confirm", 5n);
    const before = await client().getBalance({ address: BUYER });
    await pay(distributor, 1n, 2n, 3n, 5n, 300n);
    await pay(distributor, 300n, 5n, 2n);
    expect((await client().getBalance({ address: BUYER })) - before).to.equal(15n * CHZ);
    await reverts(pay(distributor, 4n), "NotConfirmed");
    expect(await Promise.all([0n, 1n, 2n, 3n, 4n, 5n, 299n, 300n].map((id) => isPaid(distributor, id)))).to.deep.equal([
      false,
      true,
      true,
      true,
      false,
      true,
      false,
      true,
    ]);
    const owner = (address: Address, id: bigint) =>
      client().readContract({ address, abi: purchaseNftAbi, functionName: "ownerOf", args: [id] });
    expect(await owner(oldTickets(), 3n)).to.equal(BUYER);
    expect(await owner(tickets, 5n)).to.equal(BUYER);
    await reverts(owner(tickets, 3n), "TokenDoesNotExist");
  });

  it("changes nothing when it is repeated, or when the rest is deployed again", async () => {
    await succeed();
    const text = JSON.stringify(record());
    gate.sent.length = 0;
    await succeed();
    expect((await deploy()).code).to.equal(0);
    expect(gate.sent).to.deep.equal([]);
    expect(JSON.stringify(record())).to.equal(text);
    // The distributor alone is succeeded as before.
    const { distributor, tickets } = await succeed();
    const { code, output } = await deploy("--successor-of", distributor, "--retire");
    expect(code, output).to.equal(0);
    expect(record().formerDistributors.map(({ address }) => address)).to.deep.equal([distributor, oldDistributor()]);
    gate.sent.length = 0;
    await succeed();
    expect(gate.sent).to.deep.equal([]);
    expect(record().purchaseNft.address).to.equal(tickets);
    expect((await deploy("--check")).code).to.equal(0);
  });

  it("is forgotten with a local chain that began anew", async () => {
    await succeed();
    const { purchaseNft, cashbackDistributor, ticketDescriptor } = record();
    const gone = [purchaseNft, cashbackDistributor, ticketDescriptor, first.purchaseNft, first.cashbackDistributor];
    for (const { address } of gone) await anvil.request("anvil_setCode", address, "0x");
    const { code, output } = await deploy();
    expect(code, output).to.equal(0);
    const { formerPurchaseNfts, formerDistributors, purchaseNft: tickets } = record();
    expect([formerPurchaseNfts, formerDistributors, tickets.predecessor]).to.deep.equal([[], [], undefined]);
    expect(await ofTickets(tickets.address, "predecessor")).to.equal(`0x${"0".repeat(40)}`);
    await mint(tickets.address, 1n);
  });

  it("can itself be continued, and ids of all three stay apart", async () => {
    await mint(oldTickets(), 1n);
    const second = await succeed();
    await mint(second.tickets, 2n);
    const { code, output } = await deploy("--successor-of-pair", second.tickets, "--retire");
    expect(code, output).to.equal(0);
    const { purchaseNft, cashbackDistributor, formerPurchaseNfts } = record();
    expect(formerPurchaseNfts.map(({ address }) => address)).to.deep.equal([second.tickets, oldTickets()]);
    for (const id of [1n, 2n]) await reverts(mint(purchaseNft.address, id), "AlreadyMinted");
    await mint(purchaseNft.address, 3n);
    await move(oldTickets(), "confirm", 1n);
    await move(second.tickets, "confirm", 2n);
    await move(purchaseNft.address, "confirm", 3n);
    await pay(cashbackDistributor.address, 1n, 2n, 3n);
    expect((await deploy("--check")).code).to.equal(0);
  });

  const kill = (count: number, isTaken: boolean) =>
    killAt(gate, () => startDeploy(["--network", "localhost", ...continuing()], environment()), count, isTaken);
  const cutOff = (count: number, isTaken: boolean) => cutOffAt(gate, () => deploy(...continuing()), count, isTaken);

  it("ends like an undisturbed run wherever it is killed, and creates nothing twice", async () => {
    for (const [count, isTaken, end] of [
      [1, false, cutOff],
      [1, true, cutOff],
      [2, true, cutOff],
      [3, true, kill],
      [4, false, cutOff],
      [4, true, kill],
      [5, false, kill],
      [5, true, cutOff],
      [9, true, cutOff],
      [TRANSACTIONS, false, cutOff],
      [TRANSACTIONS, true, cutOff],
    ] as const) {
      const where = `ended ${isTaken ? "after" : "before"} the node took transaction ${count}`;
      const before = await anvil.request<string>("evm_snapshot");
      gate.sent.length = 0;
      await end(count, isTaken);
      expect(record(), where).to.deep.equal(first);
      const { tickets, distributor } = await succeed();
      expect(new Set(gate.sent).size, where).to.equal(gate.sent.length);
      expect(gate.sent.length, where).to.equal(TRANSACTIONS);
      expect(await ofTickets(tickets, "predecessor"), where).to.equal(oldTickets());
      expect(await ofTickets(oldTickets(), "distributor"), where).to.equal(distributor);
      await anvil.request("evm_revert", before);
      writeFileSync(join(directory, "localhost.json"), JSON.stringify(first));
    }
  });

  it("is rejected where the record is older than the chain: two would mint the same ids", async () => {
    const { tickets } = await succeed();
    writeFileSync(join(directory, "localhost.json"), JSON.stringify(first));
    gate.sent.length = 0;
    const { code, output } = await deploy(...continuing());
    expect(output).to.include(`${tickets} already continues ${oldTickets()}`);
    expect(code, output).to.equal(1);
    expect(gate.sent).to.deep.equal([]);
    expect(record()).to.deep.equal(first);
  });

  describe("is rejected, without a transaction,", () => {
    const refused = async (sentence: string | RegExp, ...args: string[]) => {
      gate.sent.length = 0;
      const { code, output } = await deploy(...args);
      expect(output).to.match(sentence instanceof RegExp ? sentence : new RegExp(sentence));
      expect(code, output).to.equal(1);
      expect(gate.sent).to.deep.equal([]);
      expect(record()).to.deep.equal(first);
    };

    it("for another contract, a wrong address and two succeeded at once", async () => {
      await refused(`The current PurchaseNFT is ${oldTickets()}, not ${STRANGER}`, "--successor-of-pair", STRANGER);
      await refused("--successor-of-pair must be the address of the current PurchaseNFT", "--successor-of-pair", "0x1");
      const both = ["--successor-of", oldDistributor(), "--successor-of-pair", oldTickets()];
      await refused("--successor-of-pair succeeds the distributor too", ...both);
    });

    it("while somebody mints in the old one: it names every minter, also one that nobody configured", async () => {
      await send(oldTickets(), purchaseNftAbi, "grantRole", [roleId("MINTER_ROLE"), STRANGER]);
      const calls = [OPERATOR.address, STRANGER].map(
        (minter) => `${oldTickets()}: revokeRole\\(MINTER_ROLE, ${minter}\\), data 0xd547741f`,
      );
      await refused(
        new RegExp(
          `still in use. Add --retire [\\s\\S]*${calls.join("[\\s\\S]*")}[\\s\\S]*${oldDistributor()}: retire\\(\\), data 0x`,
        ),
        "--successor-of-pair",
        oldTickets(),
      );
      const { tickets } = await succeed();
      expect(isAddressEqual(await ofTickets(tickets, "predecessor"), oldTickets())).to.equal(true);
      await reverts(mint(oldTickets(), 9n), "AccessControlUnauthorizedAccount");
    });

    it("while the old one is paused: what is open there could not be cancelled", async () => {
      await send(oldTickets(), purchaseNftAbi, "pause");
      await refused(
        new RegExp(`Its admin ${OPERATOR.address} must first make these calls; then run[\\s\\S]*: unpause\\(\\)`),
        ...continuing(),
      );
    });

    it("without the confirmer in the old one, unless the deployer may grant the role", async () => {
      await send(oldTickets(), purchaseNftAbi, "revokeRole", [roleId("CONFIRMER_ROLE"), OPERATOR.address]);
      await refused(
        new RegExp(`grantRole\\(CONFIRMER_ROLE, ${OPERATOR.address}\\)`),
        "--successor-of-pair",
        oldTickets(),
      );
      await mint(oldTickets(), 1n);
      await succeed();
      await move(oldTickets(), "confirm", 1n);
    });
  });

  onBothEngines(({ open }) => {
    it("is read with the one before: every ticket under its contract, every payout once", async () => {
      await mint(oldTickets(), 1n, 2n, 3n);
      await move(oldTickets(), "confirm", 1n, 2n);
      await pay(oldDistributor(), 1n);
      const { database, url } = await open();
      const index = async () => {
        const { source } = readEnvironment({ ...environment(), NETWORK: "localhost", DATABASE_URL: url });
        return startIndexer({ databaseUrl: url, rpcUrls: [anvil.rpcUrl], source });
      };
      const indexed = async () => {
        const nfts = await database.kysely.selectFrom("nfts").selectAll().orderBy("token_id").execute();
        const paid = await database.kysely.selectFrom("payouts").select("token_id").orderBy("token_id").execute();
        return {
          nfts: nfts.map(({ token_id, contract, status }) => [token_id, contract, status]),
          paid: paid.map(({ token_id }) => token_id),
        };
      };
      process.env.DEPLOYMENTS_DIR = directory;
      try {
        let running = await index();
        await caughtUp(database, anvil);
        const { tickets, distributor } = await succeed();
        // It continues with the old record while the successor mints, because processes cannot all be restarted at once.
        await mint(tickets, 4n);
        await move(tickets, "confirm", 4n);
        await move(oldTickets(), "confirm", 3n);
        await pay(distributor, 1n, 2n, 4n);
        await caughtUp(database, anvil);
        expect((await indexed()).paid).to.deep.equal([1n]);
        await running.stop();
        running = await index();
        await until("the new ticket is told", async () => (await indexed()).nfts.length === 4);
        await pay(distributor, 3n);
        await caughtUp(database, anvil);
        const lower = toWalletAddress(tickets);
        const all = {
          nfts: [1n, 2n, 3n, 4n].map((id) => [id, id === 4n ? lower : null, 2n]),
          paid: [1n, 2n, 3n, 4n],
        };
        expect(await indexed()).to.deep.equal(all);
        await running.stop();
        const { source } = readEnvironment({ ...environment(), NETWORK: "localhost", DATABASE_URL: url });
        const anew = await startIndexer({
          databaseUrl: url,
          rpcUrls: [anvil.rpcUrl],
          // Without the blocks of a record everything is read again.
          source: { ...source, startBlock: source.startBlock - 1, successorBlocks: {} },
        });
        await until("it begins anew", async () => {
          const known = await database.kysely.selectFrom("chain_source").select("start_block").executeTakeFirst();
          return known?.start_block === BigInt(source.startBlock - 1);
        });
        await caughtUp(database, anvil);
        await anew.stop();
        expect(await indexed(), "read from the first block").to.deep.equal(all);
        const proof = await commandHere(runProve, ["--wallet", BUYER, "--rpc", anvil.rpcUrl], {}).ended;
        const summary = JSON.parse(proof.output.trim().split("\n").at(-1) ?? "null");
        expect(summary, proof.output).to.deep.include({ purchases: 4, expected: "20", paid: "20", matches: true });
      } finally {
        delete process.env.DEPLOYMENTS_DIR;
      }
    });
  });
});
