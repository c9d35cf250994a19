import { expect } from "chai";
import { BIG_DAY_MS } from "../../../domain/iso-time.ts";
import { usualDays } from "../../../domain/sale/pace.ts";

describe("A store's pace", () => {
  const days = (...durations: number[]) => durations.map((one) => BigInt(Math.round(one * 10)) * (BIG_DAY_MS / 10n));
  const many = (count: number, duration: number) => Array.from({ length: count }, () => duration);

  it("is told from 20 sales on", () => {
    expect(usualDays(days(...many(19, 2)))).to.equal(undefined);
    expect(usualDays(days(...many(20, 2)))).to.equal(2);
  });

  it("is the median in whole days, rounded up, which a few late ones do not change", () => {
    expect(usualDays(days(...many(15, 1.2), ...many(5, 90)))).to.equal(2);
    expect(usualDays(days(...many(9, 1), ...many(11, 30)))).to.equal(30);
  });

  it("is at least a day", () => {
    expect(usualDays(days(...many(20, 0)))).to.equal(1);
  });
});
