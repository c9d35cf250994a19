import { expect } from "chai";
import fc from "fast-check";
import { byLargestRemainder } from "../../core/rules/largest-remainder.ts";

const HUNDREDTH = 10_000_000n;

/** docs/product.md#statement */
describe("Amounts that are shown as an equation", () => {
  it("add up in hundredths to the sum as it is rounded by itself, each less than a hundredth from what it is", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt(0n, 10n ** 18n), { minLength: 1, maxLength: 4 }), (gwei) => {
        const { total, parts } = byLargestRemainder(gwei);
        const sum = gwei.reduce((all, one) => all + one, 0n);
        expect(parts.reduce((all, one) => all + one, 0n)).to.equal(total);
        expect(total).to.equal((sum + HUNDREDTH / 2n) / HUNDREDTH);
        for (const [index, one] of gwei.entries()) {
          const difference = (parts[index] ?? -1n) * HUNDREDTH - one;
          expect(difference < HUNDREDTH && difference > -HUNDREDTH, `${gwei}`).to.equal(true);
          if (one === 0n) expect(parts[index]).to.equal(0n);
        }
      }),
    );
  });

  it("give what is missing to the largest remainder", () => {
    const { total, parts } = byLargestRemainder([1_004_000_000n, 1_003_000_000n, 2_008_000_000n]);
    expect({ total, parts }).to.deep.equal({ total: 402n, parts: [101n, 100n, 201n] });
    expect(byLargestRemainder([5_000_000n, 5_000_000n]).parts).to.deep.equal([1n, 0n]);
  });
});
