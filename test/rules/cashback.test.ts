import { expect } from "chai";
import { cashbackGwei, cashbackRangeText } from "../../core/rules/cashback.ts";
import vectors from "../vectors/cashback.json" with { type: "json" };

describe("cashbackGwei", () => {
  for (const one of vectors.cases) {
    it(one.name, () => {
      const terms = {
        valueCents: BigInt(one.valueCents),
        totalBps: BigInt(one.totalBps),
        weiPerCent: BigInt(one.weiPerCent),
      };
      expect(cashbackGwei(terms)).to.equal(BigInt(one.gwei));
    });
  }
});

describe("cashbackRangeText", () => {
  it("shows one percent if minimum and maximum are equal", () => {
    expect(cashbackRangeText([400n])).to.equal("4%");
    expect(cashbackRangeText([400n, 400n])).to.equal("4%");
  });
  it("compares as numbers, not as text", () => {
    expect(cashbackRangeText([1000n, 250n])).to.equal("2.5% - 10%");
  });
  it("is 0% without categories", () => {
    expect(cashbackRangeText([])).to.equal("0%");
  });
});
