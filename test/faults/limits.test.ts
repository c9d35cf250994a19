import { expect } from "chai";
import type { Hex } from "viem";
import type { Shopper } from "../testing/shopper.ts";
import { until } from "../testing/until.ts";
import {
  administer as administerOn,
  CONTRACTS_ADMIN,
  CONTRACTS_ADMIN_KEY,
  type Limits,
  readAmount,
  roleOf,
  setLimits as setLimitsOn,
  storesNamed,
} from "./support/contracts-admin.ts";
import { type FaultSystem, startFaultSystem } from "./support/fault-system.ts";

const CHZ = 10n ** 18n;
const CENT_IN_WEI = 10n ** 16n;
const LOOPS = "0x5b600056";

describe("Payouts that cannot be sent now @deep", function () {
  this.timeout(300_000);
  let system: FaultSystem;
  let operator: Hex;
  before(async () => {
    system = await startFaultSystem({ environment: { DEPLOYER_PRIVATE_KEY: CONTRACTS_ADMIN_KEY } });
    await storesNamed(system);
    [operator = "0x"] = await system.anvil.request<Hex[]>("eth_accounts");
    await administer("grantRole", [roleOf("PAUSER_ROLE"), CONTRACTS_ADMIN]);
  });
  after(() => system?.stop());

  const administer = (functionName: string, args?: readonly unknown[]) => administerOn(system, functionName, args);
  const setLimits = (limits?: Partial<Limits>) => setLimitsOn(system, limits);
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
    it(`wait because of ${name}, say so, and continue by themselves once it is lifted (F40)`, async () => {
      await warnsOfNothing();
      await impose();
      const buyer = await system.shopper();
      const large = await buyer.buy(1, 1_000);
      await warns(sentence);
      await until("it is counted", () =>
        metric(new RegExp(`^torcida_operations\\{kind="pay",state="waiting",reason="${reason}"\\} 1$`, "m")),
      );
      if (reason === "max_payout") await buyer.paid([await buyer.buy(1, 100)]);
      await isUnpaid(large);
      await lift();
      await system.settled();
      await warnsOfNothing();
    });
  }

  it("wait for the next day above the daily cap, and do not delay smaller ones (F40)", async () => {
    const buyer = await system.shopper();
    const spent = await readAmount(system, "spentToday");
    await setLimits({ maxPayout: 60n * CHZ, dailyCap: spent + 62n * CHZ });
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
    // The new day has room for both; the larger one may come before or after.
    await buyer.paid([third]);
    await setLimits({});
    await system.settled();
  });

  it("are listed and retried by a command (F40)", async () => {
    await setLimits({ maxPayout: 5n * CHZ });
    const buyer = await system.shopper();
    const large = await buyer.buy(1, 1_000);
    await warns(/max_payout/);
    const listed = await system.run("scripts/payouts.ts", ["list"]);
    expect(listed.code, listed.output).to.equal(0);
    const [, id = ""] = new RegExp(`^(\\d+) {2}pay ${large} of 50 CHZ {2}waiting`, "m").exec(listed.output) ?? [];
    expect(listed.output).to.match(/AboveMaxPayout.*next try \d{4}-/);
    expect((await system.run("scripts/payouts.ts", ["retry", id])).output).to.match(/1 operation is retried now/);
    await warns(/max_payout/);
    expect((await system.run("scripts/payouts.ts", ["retry", "99999"])).code).to.equal(1);
    await setLimits({});
    await system.settled();
    expect((await system.run("scripts/payouts.ts", ["release"])).output).to.match(/0 operations are/);
    expect((await system.run("scripts/payouts.ts", ["list"])).output).to.match(/No operation is waiting or failed/);
  });

  it("arrive in one transaction though every recipient turns hostile before it is mined (F41)", async () => {
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
