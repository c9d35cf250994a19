import { expect } from "chai";
import { timeLeft } from "../../frontend/stores/time-left.ts";

describe("The time left of a boost", () => {
  const HOUR = 3_600_000;
  for (const [left, unit, count] of [
    [50 * HOUR, "day", 2],
    [24 * HOUR, "day", 1],
    [24 * HOUR - 1, "hour", 23],
    [HOUR, "hour", 1],
    [HOUR - 1, "minute", 60],
    [1, "minute", 1],
  ] as const) {
    it(`of ${left} ms is ${count} ${unit}`, () => {
      expect(timeLeft(1_000_000 + left, 1_000_000)).to.deep.equal({ unit, count });
    });
  }
});
