import { expect } from "chai";
import { BIG_DAY_MS } from "../../../core/rules/iso-time.ts";
import { usualAt, usualDays } from "../../../core/rules/sale/pace.ts";

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

  it("says by which day the next step of a purchase is usual, and nothing where a known day rules", () => {
    const steps = { reportedAt: 10n * BIG_DAY_MS, approvedAt: 30n * BIG_DAY_MS };
    const pace = { report: 1, confirm: 7, pay: 3 };
    expect(usualAt("recorded", steps, pace)).to.equal(17n * BIG_DAY_MS);
    expect(usualAt("awaiting_store", steps, pace)).to.equal(17n * BIG_DAY_MS);
    expect(usualAt("awaiting_network", steps, pace)).to.equal(33n * BIG_DAY_MS);
    expect(usualAt("awaiting_network", { ...steps, approvedAt: null }, pace)).to.equal(null);
    expect(usualAt("awaiting_store", steps, { ...pace, confirm: null })).to.equal(null);
    for (const over of ["waiting_period", "paying", "paid", "declined", "in_review"] as const) {
      expect(usualAt(over, steps, pace), over).to.equal(null);
    }
  });
});
