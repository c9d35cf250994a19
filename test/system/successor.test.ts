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
  type Hex,
  http,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { spicy } from "../../core/chain/chains.ts";
import type { Deployment } from "../../core/chain/deployment.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import { LOCAL_TEST_KEY } from "../../core/process/known-keys.ts";
import type { ChainClient } from "../../core/process/rpc/chain-client.ts";
import { readPayoutAllowance } from "../../core/purchases/encoders.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { readEnvironment } from "../../indexer/environment.ts";
import { roleId, roleTable } from "../../scripts/deploy/roles.ts";
import { runProve } from "../../scripts/prove.ts";
import { caughtUp, startIndexer } from "../indexer/support/running-indexer.ts";
import { type Anvil, startAnvil } from "../testing/anvil.ts";
import { commandHere } from "../testing/command-here.ts";
import { onBothEngines } from "../testing/databases.ts";
import { deployHere, startDeploy } from "../testing/deploy-run.ts";
import { standIn } from "../testing/stand-in.ts";
import { until } from "../testing/until.ts";
import { cutOffAt, killAt } from "./support/interrupt-deploy.ts";
import { openRpcGate, type RpcGate } from "./support/rpc-gate.ts";

const ALL_PAID = { less: 0, more: 0, missing: 0, matches: true };

const OPERATOR = privateKeyToAccount(LOCAL_TEST_KEY);
const BUYER: Address = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const STRANGER = getAddress("0x00000000000000000000000000000000000b0b0b");
const CENT_WEI = 10n ** 16n;
const CHZ = 10n ** 18n;
/** Retirement, creation, three roles, the distributor that the tickets ask, and the local pool. */
const TRANSACTIONS = 7;
const lower = (address: string) => address.toLowerCase() as WalletAddress;
/** Reported by the gate itself, for a run that has ended. */

/** The real scripts and the real indexer, on a real node. */
describe("A distributor that takes over @deep", function () {
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
    directory = mkdtempSync(join(tmpdir(), "torcida-successor-"));
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

  const environment = (extra: Record<string, string> = {}) => ({
    DEPLOYMENTS_DIR: directory,
    RPC_URLS: gate.url,
    ...extra,
  });
  const deploy = (...args: string[]) => deployHere(["--network", "localhost", ...args], environment()).ended;
  const record = () => JSON.parse(readFileSync(join(directory, "localhost.json"), "utf8")) as Deployment;
  const old = () => first.cashbackDistributor.address;
  const takeOver = () => ["--successor-of", old(), "--retire"];
  const succeed = async () => {
    const { code, output } = await deploy(...takeOver());
    expect(code, output).to.equal(0);
    return record().cashbackDistributor.address;
  };

  const send = async (to: Address, abi: readonly unknown[], functionName: string, args: unknown[]) => {
    const wallet = createWalletClient({ account: OPERATOR, chain: spicy, transport: http(anvil.rpcUrl) });
    const data = encodeFunctionData({ abi: abi as Abi, functionName, args });
    const receipt = await client().waitForTransactionReceipt({ hash: await wallet.sendTransaction({ to, data }) });
    expect(receipt.status).to.equal("success");
  };
  const nft = (functionName: string, args: unknown[]) =>
    send(first.purchaseNft.address, purchaseNftAbi, functionName, args);
  const confirmed = async (...ids: bigint[]) => {
    const terms = {
      buyer: BUYER,
      storeId: 1,
      valueCents: 10_000,
      baseBps: 500,
      bonusBps: 0,
      saleRef: 0n,
    };
    await nft("mintBatch", [ids.map((id) => ({ id, ...terms })), []]);
    await nft("confirm", [ids]);
  };
  /** 5 CHZ each, the full promised amount. */
  const pay = (distributor: Address, ...ids: bigint[]) =>
    send(distributor, cashbackDistributorAbi, "payBatch", [ids.map((id) => (id << 96n) | (5n * CHZ)), CENT_WEI]);
  const ask = (address: Address, functionName: "isRetired" | "predecessor" | "available") =>
    client().readContract({ address, abi: cashbackDistributorAbi, functionName });
  const received = () => client().getBalance({ address: BUYER });

  it("retires the current one, has its own roles, and is recorded next to it", async () => {
    const next = await succeed();
    const { cashbackDistributor, formerDistributors, calls, ...rest } = record();
    const { cashbackDistributor: former, formerDistributors: none, calls: callsBefore, ...restBefore } = first;
    expect(calls.slice(0, callsBefore.length)).to.deep.equal(callsBefore);
    expect(calls, "all but the creation").to.have.length(callsBefore.length + TRANSACTIONS - 1);
    expect(none).to.deep.equal([]);
    expect(formerDistributors).to.deep.equal([{ ...former, build: first.build }]);
    expect(rest).to.deep.equal(restBefore);
    expect(cashbackDistributor.block).to.be.greaterThan(first.block);
    expect(await ask(old(), "isRetired")).to.equal(true);
    expect(await ask(next, "predecessor")).to.equal(old());
    const { address } = OPERATOR;
    const holders = { minter: address, confirmer: address, catalogue: address };
    const roles = { ...holders, payer: address, treasurer: address, pauser: address };
    for (const { contract, role, holder } of roleTable(roles, first.purchaseNft.address, next)) {
      const args = [roleId(role), holder] as const;
      const query = { address: contract, abi: purchaseNftAbi, functionName: "hasRole", args } as const;
      expect(await client().readContract(query), role).to.equal(true);
    }
    const payer = lower(address);
    const purchaseNft = lower(first.purchaseNft.address);
    const allowanceOf = (distributor: Address) => {
      const contracts = { purchaseNft, cashbackDistributor: lower(distributor) };
      return readPayoutAllowance({ client: standIn<ChainClient>(client()), contracts, payer });
    };
    expect((await allowanceOf(old())).closed?.reason, "payments wait").to.equal("retired");
    expect((await allowanceOf(next)).closed).to.equal(undefined);
    const checked = await deploy("--check");
    expect(checked.code, checked.output).to.equal(0);
    expect(checked.output).to.include(`✓ ${old()} is retired, and the predecessor of ${next} is ${old()}`);
  });

  it("is compared with the former one by --check: limits, pause, the day's spending and who holds roles", async () => {
    await confirmed(1n);
    await pay(old(), 1n);
    const next = await succeed();
    const bad = async () => {
      const { code, output } = await deploy("--check");
      const lines = output.split("\n").filter((line) => line.startsWith("✗"));
      expect(code, output).to.equal(lines.length > 0 ? 1 : 0);
      return lines;
    };
    const call = (to: Address, functionName: string, args: unknown[] = []) =>
      send(to, cashbackDistributorAbi, functionName, args);
    expect(await bad()).to.deep.equal([]);

    // What no transaction of the admin explains; all four are packed into two slots.
    const taken = await anvil.request("evm_snapshot");
    const zero = `0x${"0".repeat(64)}`;
    for (let slot = 0; slot < 16; slot++) {
      const at = `0x${slot.toString(16)}`;
      const word = BigInt(await anvil.request<Hex>("eth_getStorageAt", next, at, "latest"));
      if (word >> 112n !== 0n && (word & (2n ** 112n - 1n)) === 100_000_000n * CHZ) {
        await anvil.request("anvil_setStorageAt", next, `0x${slot.toString(16).padStart(64, "0")}`, zero);
      }
    }
    expect(await bad()).to.deep.equal([
      `✗ limits of ${next}: not as ${old()}`,
      `✗ spent today of ${next}: not as ${old()}`,
    ]);
    await anvil.request("evm_revert", taken);

    await call(old(), "grantRole", [roleId("TREASURER_ROLE"), STRANGER]);
    expect(await bad()).to.deep.equal([
      `✗ ${STRANGER} holds TREASURER_ROLE on ${old()} and should not; its admin must call revokeRole(${roleId("TREASURER_ROLE")}, ${STRANGER})`,
    ]);
    await call(old(), "revokeRole", [roleId("TREASURER_ROLE"), STRANGER]);
    await call(old(), "revokeRole", [roleId("PAYER_ROLE"), OPERATOR.address]);
    await call(next, "pause");
    await call(next, "setLimits", [{ maxWeiPerCent: CENT_WEI, maxPayout: CHZ, dailyCap: CHZ }]);
    const { output } = await deploy("--check");
    expect(output).to.include(`✓ limits of ${next}: changed since it took over from ${old()}`);
    expect(output).to.include(`✓ pause of ${next}: changed since it took over from ${old()}`);
    expect(await bad()).to.deep.equal([`✗ ${next} is paused; its admin must call unpause()`]);
  });

  it("changes nothing when it is repeated, or when the rest is deployed again", async () => {
    await succeed();
    const text = JSON.stringify(record());
    gate.sent.length = 0;
    await succeed();
    expect((await deploy()).code).to.equal(0);
    expect(gate.sent).to.deep.equal([]);
    expect(JSON.stringify(record())).to.equal(text);
  });

  it("ends like an undisturbed run wherever it is killed, and sends no transaction twice", async () => {
    for (const [count, isTaken, end] of [
      [1, false, cutOff],
      [1, true, cutOff],
      [2, false, kill],
      [2, true, kill],
      [4, true, cutOff],
    ] as const) {
      const where = `ended ${isTaken ? "after" : "before"} the node took transaction ${count}`;
      const before = await anvil.request<string>("evm_snapshot");
      gate.sent.length = 0;
      await end(count, isTaken);
      expect(record(), where).to.deep.equal(first);
      const next = await succeed();
      expect(new Set(gate.sent).size, where).to.equal(gate.sent.length);
      expect(gate.sent.length, where).to.equal(TRANSACTIONS);
      expect(await ask(next, "predecessor"), where).to.equal(old());
      expect(await ask(next, "available"), where).to.equal(250_000n * CHZ);
      await anvil.request("evm_revert", before);
      writeFileSync(join(directory, "localhost.json"), JSON.stringify(first));
    }
  });
  const kill = (count: number, isTaken: boolean) =>
    killAt(gate, () => startDeploy(["--network", "localhost", ...takeOver()], environment()), count, isTaken);
  const cutOff = (count: number, isTaken: boolean) => cutOffAt(gate, () => deploy(...takeOver()), count, isTaken);

  it("is rejected where the record is older than the chain: two successors would pay the same purchases", async () => {
    const next = await succeed();
    writeFileSync(join(directory, "localhost.json"), JSON.stringify(first));
    gate.sent.length = 0;
    const { code, output } = await deploy(...takeOver());
    expect(output).to.include(`${next} already succeeds ${old()}, and a second successor would pay the same purchases`);
    expect(code, output).to.equal(1);
    expect(gate.sent).to.deep.equal([]);
    expect(record()).to.deep.equal(first);
  });

  it("is rejected while the current one pays, and for one that is not current, without a transaction", async () => {
    gate.sent.length = 0;
    const refused = async (sentence: string, ...args: string[]) => {
      const { code, output } = await deploy(...args);
      expect(output).to.include(sentence);
      expect(code, output).to.equal(1);
    };
    await refused(`${old()} still pays. Add --retire`, "--successor-of", old());
    await refused(`The current distributor is ${old()}, not ${STRANGER}`, "--successor-of", STRANGER, "--retire");
    await refused("--successor-of must be the address", "--successor-of", "0x12");
    await refused("--retire goes with --successor-of", "--retire");
    expect(gate.sent).to.deep.equal([]);
    expect(record()).to.deep.equal(first);

    await send(old(), purchaseNftAbi, "beginDefaultAdminTransfer", [STRANGER]);
    await anvil.request("anvil_setBalance", STRANGER, "0x56bc75e2d63100000");
    await anvil.request("anvil_impersonateAccount", STRANGER);
    // An offer can be accepted only after the second of its block.
    await anvil.request("evm_increaseTime", 2);
    const data = encodeFunctionData({ abi: purchaseNftAbi, functionName: "acceptDefaultAdminTransfer" });
    await anvil.request("eth_sendTransaction", { from: STRANGER, to: old(), data: data as Hex });
    await refused(`Its admin ${STRANGER} must first retire it permanently`, ...takeOver());
  });

  onBothEngines(({ open }) => {
    it("never pays again what was paid before, and its payouts are listed with the earlier ones", async () => {
      await confirmed(1n, 2n, 3n);
      await pay(old(), 1n);
      const { database, url } = await open();
      const index = async () => {
        const { source } = readEnvironment({ ...environment(), NETWORK: "localhost", DATABASE_URL: url });
        return startIndexer({ databaseUrl: url, rpcUrls: [anvil.rpcUrl], source });
      };
      const indexed = async () => {
        const rows = await database.kysely.selectFrom("payouts").selectAll().orderBy("token_id").execute();
        return rows.map(({ token_id, amount_gwei }) => [token_id, amount_gwei]);
      };
      process.env.DEPLOYMENTS_DIR = directory;
      try {
        let running = await index();
        await caughtUp(database, anvil);
        expect(await indexed()).to.deep.equal([[1n, 5n * 10n ** 9n]]);
        // It continues with the old record while the successor pays, because processes cannot all be restarted at once.
        const next = await succeed();
        await pay(next, 1n, 2n);
        await caughtUp(database, anvil);
        await running.stop();
        running = await index();
        await until("both are told", async () => (await indexed()).length === 2);
        await pay(next, 1n, 2n, 3n);
        await caughtUp(database, anvil);
        await running.stop();
        expect(await indexed()).to.deep.equal([1n, 2n, 3n].map((id) => [id, 5n * 10n ** 9n]));
        expect(await received()).to.equal((10_000n + 15n) * CHZ);
        const proof = await commandHere(runProve, ["--wallet", BUYER, "--rpc", anvil.rpcUrl], {}).ended;
        const summary = JSON.parse(proof.output.trim().split("\n").at(-1) ?? "null");
        expect(summary).to.deep.equal({ purchases: 3, expected: "15", paid: "15", ...ALL_PAID });
      } finally {
        delete process.env.DEPLOYMENTS_DIR;
      }
    });
  });
});
