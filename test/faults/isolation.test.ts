import { expect } from "chai";
import type { Shopper } from "../testing/shopper.ts";
import { until } from "../testing/until.ts";
import { type Call, REFUSALS } from "./support/chaos-proxy.ts";
import type { FaultSystem } from "./support/fault-system.ts";
import { onBothSystems } from "./support/on-both-systems.ts";

const POISONED = 100;
const LATER_MS = 5_000;
const ENVIRONMENT = { RATE_LIMIT_SCALE: "1000", SIMULATED_STEP_DELAY_MS: "0" };

/** Whether a call carries this, as calldata has it. */
const carries =
  (hex: string) =>
  ({ method, params }: Call) =>
    method === "eth_call" && JSON.stringify(params).includes(hex);

describe("Operations that a node refuses", function () {
  this.timeout(600_000);
  // Seconds on a machine that does other work too: one slow moment is no verdict.
  this.retries(2);
  onBothSystems({ environment: ENVIRONMENT }, (running) => {
    for (const way of REFUSALS) {
      it(`delay nobody else when it says no with ${way}, are named, and go on once it says yes`, async () => {
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
        expect(tookMs - usualMs, "ms later than without them").to.be.lessThan(LATER_MS);
        expect(system.api.crashes()).to.equal(0);
        await named(system, [...before, ...after]);
        const again = await timeToPaid(victim);
        expect(again - usualMs, "ms later once they are parked").to.be.lessThan(LATER_MS);
        system.proxy.refuse();
        await system.run("scripts/payouts.ts", ["release", "refused"]);
        await system.settled();
        const { tokenUri } = await system.ledger();
        for (const one of [before[0], after.at(-1)]) expect(await tokenUri(one ?? 0)).to.match(/^data:/);
      });
    }
  });
});

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
