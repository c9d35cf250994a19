import { expect } from "chai";
import { type Abi, type AbiFunction, toFunctionSelector } from "viem";
import { cashbackDistributorAbi } from "../../core/chain/generated/cashback-distributor.ts";
import { purchaseNftAbi } from "../../core/chain/generated/purchase-nft.ts";
import type { Shopper } from "../testing/shopper.ts";
import { until } from "../testing/until.ts";
import { type Call, REFUSALS } from "./support/chaos-proxy.ts";
import type { FaultSystem } from "./support/fault-system.ts";
import { onBothSystems } from "./support/on-both-systems.ts";

const POISONED = 100;
/**
 * How much later than usual. A round, and the trial of each operation alone, wait 1.5 s for a call that hangs; on a busy
 * machine the node answers the victim's own trial too late, and it is tried again 4 s later.
 */
const laterMs = (usualMs: number) => Math.max(10_000, 3 * usualMs);
const ENVIRONMENT = { RATE_LIMIT_SCALE: "1000", SIMULATED_STEP_DELAY_MS: "0" };

/** Whether a call carries this, as calldata has it. */
const carries =
  (hex: string) =>
  ({ method, params }: Call) =>
    method === "eth_call" && JSON.stringify(params).includes(hex);

describe("Operations that a node refuses @deep", function () {
  this.timeout(600_000);
  // Seconds on a machine that does other work too: one slow moment is no verdict.
  this.retries(2);
  onBothSystems({ environment: ENVIRONMENT }, (running) => {
    for (const [index, way] of REFUSALS.entries()) {
      const tag = index === 0 ? "" : " @release";
      it(`delay nobody else when it says no with ${way}, are named, and go on once it says yes${tag}`, async () => {
        const system = running();
        const [poisoner, victim] = [await system.shopper(), await system.shopper()];
        const usualMs = await timeToPaid(victim);
        system.proxy.refuse(carries(poisoner.address.slice(2)), way);
        // The victim is one among them, and behind none or all of them.
        const before = await buyMany(poisoner, POISONED / 2);
        const bought = performance.now();
        const paid = victim.buy(1, 10).then((id) => victim.paid([id]));
        const [tookMs, after] = await Promise.all([
          paid.then(() => performance.now() - bought),
          buyMany(poisoner, POISONED / 2),
        ]);
        expect(tookMs - usualMs, "ms later than without them").to.be.lessThan(laterMs(usualMs));
        expect(system.api.crashes()).to.equal(0);
        await named(system, [...before, ...after]);
        const again = await timeToPaid(victim);
        expect(again - usualMs, "ms later once they are parked").to.be.lessThan(laterMs(usualMs));
        system.proxy.refuse();
        await system.run("scripts/payouts.ts", ["release", "refused"]);
        await system.settled();
        const { tokenUri } = await system.ledger();
        for (const one of [before[0], after.at(-1)]) expect(await tokenUri(one ?? 0)).to.match(/^data:/);
      });
    }

    for (const kind of ["confirm", "pay"] as const) {
      it(`delay nobody else's ${kind}, either`, async () => {
        const system = running();
        const [poisoner, victim] = [await system.shopper(), await system.shopper()];
        const usualMs = await timeToPaid(victim);
        const poisoned = new Set<number>();
        system.proxy.refuse(namesOneOf(kind, poisoned), "HTTP 500");
        for (const id of await buyMany(poisoner, 20)) poisoned.add(id);
        await operationsRefused(system, kind, poisoned.size);
        expect((await timeToPaid(victim)) - usualMs, "ms later than without them").to.be.lessThan(laterMs(usualMs));
        system.proxy.refuse();
        await system.run("scripts/payouts.ts", ["release", "refused"]);
        await poisoner.paid([...poisoned]);
      });
    }
  });
});

const SELECTOR = {
  confirm: selectorOf(purchaseNftAbi, "confirm"),
  pay: selectorOf(cashbackDistributorAbi, "payBatch"),
};

function selectorOf(abi: Abi, name: string): string {
  const found = abi.find((one) => one.type === "function" && one.name === name);
  return toFunctionSelector(found as AbiFunction);
}

/** Whether a simulated call confirms or pays one of these purchases. */
function namesOneOf(kind: "confirm" | "pay", ids: ReadonlySet<number>): (call: Call) => boolean {
  return ({ method, params }) => {
    const { data = "" } = (params?.[0] ?? {}) as { data?: string };
    if (method !== "eth_call" || !data.startsWith(SELECTOR[kind])) return false;
    const words = data.slice(10).match(/.{64}/g) ?? [];
    // An item of a payment is the id and 96 bits of amount.
    return words.some((word) => ids.has(Number.parseInt(kind === "pay" ? word.slice(0, 40) : word, 16)));
  };
}

async function operationsRefused(system: FaultSystem, kind: "confirm" | "pay", count: number): Promise<void> {
  await until(`${count} refused`, async () => {
    const metrics = await (await fetch(`${system.url}/metrics`)).text();
    const lines = metrics.split("\n").filter((line) => line.startsWith(`torcida_operations{kind="${kind}",`));
    const refused = lines.filter((line) => line.includes('reason="refused"'));
    return refused.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0) === count;
  });
}

async function timeToPaid(shopper: Shopper): Promise<number> {
  const started = performance.now();
  await shopper.paid([await shopper.buy(1, 10)]);
  return performance.now() - started;
}

async function buyMany(shopper: Shopper, count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => shopper.buy(1, 10)));
}

async function named(system: FaultSystem, ids: readonly number[]): Promise<void> {
  await until("/readyz and a metric name them", async () => {
    const { warnings } = (await (await fetch(`${system.url}/readyz`)).json()) as { warnings: string[] };
    const metrics = await (await fetch(`${system.url}/metrics`)).text();
    const lines = metrics
      .split("\n")
      .filter((line) => /^torcida_operations\{kind="mint",.*reason="refused"/.test(line));
    const counted = lines.reduce((sum, line) => sum + Number(line.split(" ").at(-1)), 0);
    const sentence = warnings.find((one) => /^mint: \d+ operations? (waiting|failed) \(refused\)/.test(one)) ?? "";
    const [, id] = /purchase (\d+): ./.exec(sentence) ?? [];
    if (counted === ids.length && ids.includes(Number(id))) return true;
    throw new Error(`${counted} of ${ids.length}; ${warnings.join("; ")}`);
  });
}
