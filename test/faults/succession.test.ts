import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { type Address, createPublicClient, encodeFunctionData, type Hex, http, parseEventLogs } from "viem";
import { deploymentSchema } from "../../core/chain/deployment.ts";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { readEvents } from "../testing/ledger.ts";
import { until } from "../testing/until.ts";
import {
  CONTRACTS_ADMIN,
  CONTRACTS_ADMIN_KEY,
  sendMined,
  setLimits,
  storesNamed,
  WIDE_LIMITS,
} from "./support/contracts-admin.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";

const CHZ = 10n ** 18n;
const REVERTS: Hex = "0x60006000fd";
/** Store 1 gives 5 %: R$ 100 are 5 CHZ. */
const FIVE_CHZ = 5n * CHZ;
/** anvil's fourth account. */
const TREASURER: Address = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
const MILLION_CHZ = `0x${(10n ** 24n).toString(16)}` as const;

/** What docs/upgrading.md says, with the whole system and the money of its buyers. */
describe("A rehearsed succession @release", function () {
  this.timeout(300_000);
  let system: FaultSystem;
  before(async () => {
    system = await startFaultSystem({
      environment: { DEPLOYER_PRIVATE_KEY: CONTRACTS_ADMIN_KEY, TREASURER_ADDRESS: TREASURER },
    });
    await storesNamed(system);
  });
  after(() => system?.stop());

  const record = () =>
    deploymentSchema.parse(
      JSON.parse(readFileSync(join(system.environment.DEPLOYMENTS_DIR ?? "", "localhost.json"), "utf8")),
    );
  const client = () => createPublicClient({ transport: http(system.anvil.rpcUrl) });
  const call = (
    from: string,
    to: Address,
    functionName: "retire" | "pause" | "unpause" | "withdrawCredit" | "sweep",
    args: unknown[] = [],
  ) =>
    sendMined(system, {
      from,
      to,
      data: encodeFunctionData({ abi: cashbackDistributorAbi, functionName, args } as never),
    });
  const viewOf = async (address: Address) => {
    const read = (functionName: "limits" | "paused" | "spentToday") =>
      client().readContract({ address, abi: cashbackDistributorAbi, functionName });
    return { limits: await read("limits"), paused: await read("paused"), spent: await read("spentToday") };
  };
  const amount = (address: Address, functionName: "available" | "totalCredit" | "spentToday") =>
    client().readContract({ address, abi: cashbackDistributorAbi, functionName });
  const checked = async (limits: Record<string, string> = {}, bad: readonly string[] = []) => {
    const { code, output } = await system.run("scripts/deploy.ts", ["--network", "localhost", "--check"], limits);
    expect(
      output.split("\n").filter((line) => line.startsWith("✗")),
      output,
    ).to.deep.equal(bad);
    expect(code, output).to.equal(bad.length > 0 ? 1 : 0);
    return output;
  };
  const warned = (of: RegExp) =>
    until(`/readyz warns of ${of}`, async () => {
      const { warnings } = (await (await fetch(`${system.url}/readyz`)).json()) as { warnings: string[] };
      return warnings.some((one) => of.test(one));
    });
  /** Ids in the order in which they were paid or credited, by both distributors. */
  const payouts = async (distributor: Address) => {
    const { purchaseNft } = system.deployment;
    const place = { rpcUrl: system.anvil.rpcUrl, purchaseNft: purchaseNft.address, cashbackDistributor: distributor };
    const logs = parseEventLogs({ abi: cashbackDistributorAbi, logs: await readEvents(place) });
    return logs
      .filter(({ eventName }) => eventName === "CashbackPaid" || eventName === "CashbackDeferred")
      .map(({ args }) => Number((args as { purchaseId: bigint }).purchaseId));
  };

  it("moves payouts, limits, pause, credits and funds to the successor, with a payout under way", async () => {
    const { anvil } = system;
    const old = system.deployment.cashbackDistributor.address;
    const buyer = await system.shopper();
    const refusing = await system.shopper();
    await anvil.request("anvil_setCode", refusing.address, REVERTS);
    const first = await buyer.buy(1, 100);
    const refused = await refusing.buy(1, 100);
    await buyer.paid([first]);
    await refusing.seen(refused, (one) => one.cashback_state === "deferred");
    expect(await amount(old, "totalCredit")).to.equal(FIVE_CHZ);
    // Room for exactly one more payout today.
    await setLimits(system, { maxPayout: 7n * CHZ, dailyCap: 3n * FIVE_CHZ });
    const { maxWeiPerCent } = WIDE_LIMITS;
    await checked({ MAX_WEI_PER_CENT: String(maxWeiPerCent), MAX_PAYOUT_CHZ: "7", DAILY_CAP_CHZ: "15" });

    // A payout is in the pool when the distributor is retired, and fails on chain.
    await anvil.request("evm_setAutomine", false);
    await anvil.request("evm_setIntervalMining", 0);
    const middle = await buyer.buy(1, 100);
    const payBatch = await sentPayout(middle);
    const retire = encodeFunctionData({ abi: cashbackDistributorAbi, functionName: "retire" });
    const price = `0x${(10n ** 15n).toString(16)}`;
    const retired = await anvil.request<Hex>("eth_sendTransaction", {
      from: CONTRACTS_ADMIN,
      to: old,
      data: retire,
      maxFeePerGas: price,
      maxPriorityFeePerGas: price,
    });
    await anvil.request("evm_setAutomine", true);
    await anvil.request("evm_setIntervalMining", 1);
    const receipt = (hash: Hex) => until(`${hash} is mined`, () => client().getTransactionReceipt({ hash }));
    expect([(await receipt(retired)).status, (await receipt(payBatch)).status]).to.deep.equal(["success", "reverted"]);
    await warned(/retired/i);
    const { address: operator } = await operatorOf();
    await call(operator, old, "pause");
    const before = await viewOf(old);
    expect(before).to.deep.include({ paused: true, spent: 2n * FIVE_CHZ });

    const { code, output } = await system.run("scripts/deploy.ts", ["--network", "localhost", "--successor-of", old]);
    expect(code, output).to.equal(0);
    const next = record().cashbackDistributor.address;
    expect(await viewOf(next)).to.deep.equal(before);
    const paused = `✗ ${next} is paused; its admin must call unpause()`;
    expect(await checked({}, [paused])).to.match(/limits of .*: as /);
    expect(await payouts(next)).to.deep.equal([]);

    await Promise.all([system.api, system.indexer].map((one) => one.stop()));
    system.indexer.start();
    system.api.start();
    await Promise.all([system.indexer.ready(), system.api.ready("/healthz")]);
    await warned(/paused/);
    await call(CONTRACTS_ADMIN, next, "unpause");
    await buyer.paid([first, middle]);
    expect([await payouts(old), await payouts(next)]).to.deep.equal([[first, refused], [middle]]);

    // What the predecessor spent counts: the day's cap is reached.
    const late = await buyer.buy(1, 100);
    await warned(/day_cap.*AboveDailyCap: 5 CHZ/);
    expect(await amount(next, "spentToday")).to.equal(3n * FIVE_CHZ);

    // The credit is the buyer's, at the old distributor; the rest goes to the new one.
    await anvil.request("anvil_setCode", refusing.address, "0x");
    await anvil.request("anvil_impersonateAccount", refusing.address);
    await anvil.request("anvil_setBalance", refusing.address, MILLION_CHZ);
    const [rest, funds] = [await amount(old, "available"), await amount(next, "available")];
    await call(TREASURER, old, "sweep", [next, rest]);
    expect(await client().getBalance({ address: old })).to.equal(FIVE_CHZ);
    const sink: Address = "0x00000000000000000000000000000000000051a4";
    await call(refusing.address, old, "withdrawCredit", [sink]);
    const left = await Promise.all([old, sink, next].map((address) => client().getBalance({ address })));
    expect(left).to.deep.equal([0n, FIVE_CHZ, funds + rest]);

    await setLimits({ ...system, deployment: record() });
    await buyer.paid([first, middle, late]);
    expect(await payouts(next)).to.deep.equal([middle, late]);
    expect(await checked()).to.match(/limits of .*: changed since it took over from /);
    const reconciled = await system.run("scripts/reconcile.ts", ["--full"]);
    expect(reconciled.output).to.include("✓ Database and chain agree");
    for (const [wallet, purchases, paid] of [
      [buyer.address, 3, "15"],
      [refusing.address, 1, "5"],
    ] as const) {
      const proof = await system.run("scripts/prove.ts", ["--wallet", wallet, "--rpc", anvil.rpcUrl]);
      const summary = JSON.parse(proof.output.trim().split("\n").at(-1) ?? "null");
      expect(summary, proof.output).to.deep.include({ purchases, expected: paid, paid, matches: true });
    }
  });

  const operatorOf = async () => ({ address: (await system.anvil.request<string[]>("eth_accounts"))[0] ?? "" });

  /** The hash of the payout in the node's pool; blocks for the mint and confirmation are made here. */
  async function sentPayout(id: number): Promise<Hex> {
    const selector = encodeFunctionData({
      abi: cashbackDistributorAbi,
      functionName: "payBatch",
      args: [[], 0n],
    }).slice(0, 10);
    type Pool = { pending: Record<string, Record<string, { hash: Hex; input: string }>> };
    return until(`a payout of ${id} is in the pool`, async () => {
      const { pending } = await system.anvil.request<Pool>("txpool_content");
      const all = Object.values(pending).flatMap((byNonce) => Object.values(byNonce));
      const payout = all.find(({ input }) => input.startsWith(selector));
      if (payout) return payout.hash;
      await system.anvil.request("anvil_mine", "0x1");
      return undefined;
    });
  }
});
