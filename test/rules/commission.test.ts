import { expect } from "chai";
import { coverOf } from "../../core/rules/commission.ts";

/** docs/product.md#margin-loss */
describe("What a commission pays for of a percent", () => {
  for (const [bps, bonusBps, wanted] of [
    [400n, 400n, "all"],
    [401n, 400n, "percent"],
    [800n, 0n, "all"],
    [800n, 1n, "percent"],
    [801n, 0n, "less"],
  ] as const) {
    it(`${bps} and a bonus of ${bonusBps}: ${wanted}`, () => {
      expect(coverOf(bps, { commissionBps: 800n, bonusBps })).to.equal(wanted);
    });
  }
});
