import { expect } from "chai";
import { type Abi, encodeFunctionData, type Hex, keccak256, toBytes } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { cashbackDistributorAbi } from "../../chain/generated/cashback-distributor.ts";
import type { Shopper } from "../testing/shopper.ts";
import { until } from "../testing/until.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";

const CHZ = 10n ** 18n;
const CENT_IN_WEI = 10n ** 16n;
/** anvil's third account deploys and so administers the contracts; the first is the operator. */
const ADMIN_OF_CONTRACTS_KEY = "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a";
const LOOPS = "0x5b600056";
const roleOf = (name: string) => keccak256(toBytes(name));

describe("Payouts that cannot be sent now", function () {
  this.timeout(120_000);
  let system: FaultSystem;
  let operator: Hex;
  before(async () => {
    system = await startFaultSystem({ environment: { DEPLOYER_PRIVATE_KEY: ADMIN_OF_CONTRACTS_KEY } });
    [operator = "0x"] = await system.anvil.request<Hex[]>("eth_accounts");
    await administer("grantRole", [roleOf("PAUSER_ROLE"), privateKeyToAddress(ADMIN_OF_CONTRACTS_KEY)]);
  });
  after(() => system?.stop());

  const administer = async (functionName: string, args: readonly unknown[] = []) => {
    const from = privateKeyToAddress(ADMIN_OF_CONTRACTS_KEY);
    const data = encodeFunctionData({ abi: cashbackDistributorAbi as Abi, functionName, args });
    const to = system.deployment.cashbackDistributor.address;
    const hash = await system.anvil.request<Hex>("eth_sendTransaction", { from, to, data });
    await until(`${functionName} has succeeded`, async () => {
      const receipt = await system.anvil.request<{ status: string } | null>("eth_getTransactionReceipt", hash);
      return receipt?.status === "0x1";
    });
  };
  const setLimits = (limits: { maxPayout?: bigint; dailyCap?: bigint; maxWeiPerCent?: bigint }) =>
    administer("setLimits", [
      { maxWeiPerCent: CENT_IN_WEI, maxPayout: 1_000_000n * CHZ, dailyCap: 100_000_000n * CHZ, ...limits },
    ]);
  const readiness = async () => {
    const response = await fetch(`${system.url}/readyz`);
    const { warnings } = (await response.json()) as { warnings: string[] };
    return { status: response.status, warnings };
  };
  const warns = (of: RegExp) =>
    until(`/readyz warns of ${of}`, async () => {
      const { status, warnings } = await readiness();
      if (!of.test(warnings.join("\n")) || status !== 200) throw new Error(`${status} ${warnings.join("; ")}`);
      return true;
    });
  const warnsOfNothing = () =>
    until("/readyz warns of nothing", async () => {
      const { warnings } = await readiness();
      if (warnings.length > 0) throw new Error(warnings.join("; "));
      return true;
    });
  const metric = async (line: RegExp) => line.test(await (await fetch(`${system.url}/metrics`)).text());
  const isUnpaid = async (id: number) => expect((await system.ledger()).paymentsOf(id)).to.deep.equal([]);

  /** Store 1 gives 5 %: R$ 100 are 5 CHZ. */
  const limited: [string, () => Promise<void>, () => Promise<void>, RegExp, string][] = [
    [
      "the payout limit",
      () => setLimits({ maxPayout: 5n * CHZ }),
      () => setLimits({}),
      /max_payout.*AboveMaxPayout: 50 CHZ/,
      "max_payout",
    ],
    [
      "the bound on rates",
      () => setLimits({ maxWeiPerCent: CENT_IN_WEI - 1n }),
      () => setLimits({}),
      /rate_too_high.*RateTooHigh/,
      "rate_too_high",
    ],
    ["a paused distributor", () => administer("pause"), () => administer("unpause"), /paused.*EnforcedPause/, "paused"],
    [
      "a missing role",
      () => administer("revokeRole", [roleOf("PAYER_ROLE"), operator]),
      () => administer("grantRole", [roleOf("PAYER_ROLE"), operator]),
      /role_missing.*PAYER_ROLE/,
      "role_missing",
    ],
  ];
  for (const [name, impose, lift, sentence, reason] of limited) {
    it(`wait because of ${name}, say so, and go on by themselves once it is lifted`, async () => {
      await warnsOfNothing();
      await impose();
      const buyer = await system.shopper();
      const large = await buyer.buy(1, 1_000);
      await warns(sentence);
      expect(
        await metric(new RegExp(`^torcida_operations\\{kind="pay",state="waiting",reason="${reason}"\\} 1$`, "m")),
      ).to.equal(true);
      if (reason === "max_payout") await buyer.paid([await buyer.buy(1, 100)]);
      await isUnpaid(large);
      await lift();
      await system.settled();
      await warnsOfNothing();
    });
  }

  it("wait for the next day above the daily cap, and hold up no smaller one", async () => {
    const buyer = await system.shopper();
    const spent = await system.anvil.request<Hex>("eth_call", {
      to: system.deployment.cashbackDistributor.address,
      data: encodeFunctionData({ abi: cashbackDistributorAbi, functionName: "spentToday" }),
    });
    await setLimits({ maxPayout: 60n * CHZ, dailyCap: BigInt(spent) + 62n * CHZ });
    await buyer.paid([await buyer.buy(1, 1_000)]);
    const large = await buyer.buy(1, 1_000);
    await warns(/day_cap.*AboveDailyCap: 50 CHZ/);
    await buyer.paid([await buyer.buy(1, 100), await buyer.buy(1, 100)]);
    const third = await buyer.buy(1, 100);
    await warns(/day_cap/);
    await isUnpaid(third);
    await isUnpaid(large);
    await system.anvil.request("evm_increaseTime", 86_400);
    await system.anvil.request("anvil_mine", "0x1");
    await buyer.paid([third]);
    await isUnpaid(large);
    await setLimits({});
    await system.settled();
  });

  it("are listed and tried again by command", async () => {
    await setLimits({ maxPayout: 5n * CHZ });
    const buyer = await system.shopper();
    const large = await buyer.buy(1, 1_000);
    await warns(/max_payout/);
    const listed = await system.run("scripts/payouts.ts", ["list"]);
    expect(listed.code, listed.output).to.equal(0);
    const [, id = ""] = new RegExp(`^(\\d+) {2}pay ${large} of 50 CHZ {2}waiting`, "m").exec(listed.output) ?? [];
    expect(listed.output).to.match(/AboveMaxPayout.*next try \d{4}-/);
    expect((await system.run("scripts/payouts.ts", ["retry", id])).output).to.match(/1 operation is tried again now/);
    await warns(/max_payout/);
    expect((await system.run("scripts/payouts.ts", ["retry", "99999"])).code).to.equal(1);
    await setLimits({});
    await system.settled();
    expect((await system.run("scripts/payouts.ts", ["release"])).output).to.match(/0 operations are/);
    expect((await system.run("scripts/payouts.ts", ["list"])).output).to.match(/No operation waits or failed/);
  });

  it("arrive in one transaction though every recipient turns hostile before it is mined", async () => {
    const { run, anvil } = system;
    await run("scripts/payouts.ts", ["--pause", "gathering a batch"]);
    const buyers: { buyer: Shopper; id: number }[] = [];
    for (let count = 0; count < 16; count++) {
      const buyer = await system.shopper();
      buyers.push({ buyer, id: await buyer.buy(1, 10) });
    }
    for (const { id } of buyers) await system.inStatus(id, "Confirmed");
    await anvil.request("evm_setAutomine", false);
    await anvil.request("evm_setIntervalMining", 0);
    await run("scripts/payouts.ts", ["--resume"]);
    await until("the batch is in the pool", async () => {
      return Number((await anvil.request<{ pending: string }>("txpool_status")).pending) > 0;
    });
    for (const { buyer } of buyers) await anvil.request("anvil_setCode", buyer.address, LOOPS);
    await anvil.request("anvil_mine", "0x1");
    await anvil.request("evm_setAutomine", true);
    await anvil.request("evm_setIntervalMining", 1);
    const hashes = new Set<string | null>();
    for (const { buyer, id } of buyers) {
      const paid = await until(`payout ${id} is deferred`, async () => {
        const purchase = (await buyer.me()).purchases.find((one) => one.id === id);
        return purchase?.cashback_state === "deferred" && purchase;
      });
      hashes.add(paid.payment_tx);
    }
    expect(hashes.size).to.equal(1);
  });
});
