import { expect } from "chai";
import { bumpedFees, suggestedFees } from "../../core/sender/transactions.ts";

const GWEI = 10n ** 9n;
const fees = (maxFee: bigint, tip = 1n) => ({ maxFeeWei: maxFee * GWEI, maxPriorityFeeWei: tip * GWEI });

describe("Fees of a stuck transaction", () => {
  it("rise by at least the 10 % that nodes ask for a replacement", () => {
    const raised = bumpedFees(fees(1_000n), fees(500n), 20_000n * GWEI);
    expect(raised?.maxFeeWei).to.be.greaterThan(1_100n * GWEI);
    expect(raised?.maxPriorityFeeWei).to.be.greaterThan(11n * (GWEI / 10n));
  });

  it("follow a higher base fee", () => {
    const suggested = suggestedFees(5_000n * GWEI);
    expect(bumpedFees(fees(1_000n), suggested, 20_000n * GWEI)?.maxFeeWei).to.equal(suggested.maxFeeWei);
  });

  it("stop at the cap instead of staying below it (F39)", () => {
    expect(bumpedFees(fees(19_000n), fees(500n), 20_000n * GWEI)?.maxFeeWei).to.equal(20_000n * GWEI);
    expect(bumpedFees(fees(1_000n), fees(90_000n), 20_000n * GWEI)?.maxFeeWei).to.equal(20_000n * GWEI);
  });

  it("never offer a tip above the maximum fee", () => {
    expect(bumpedFees(fees(9n, 9n), fees(1n), 10n * GWEI)).to.deep.equal(fees(10n, 10n));
  });

  it("do not rise above the cap", () => {
    expect(bumpedFees(fees(20_000n), fees(500n), 20_000n * GWEI)).to.equal(undefined);
  });
});
