import { expect } from "chai";
import { retryOf } from "../../core/sender/moves.ts";

describe("An operation that reverted alone", () => {
  for (const [attempts, afterMs, hasFailed] of [
    [1n, 4_000n, false],
    [2n, 8_000n, false],
    [5n, 64_000n, false],
    [6n, 3_600_000n, true],
    [40n, 3_600_000n, true],
  ] as const) {
    const outcome = hasFailed ? "and needs a person" : "by itself";
    it(`is retried after ${afterMs / 1_000n} s the ${attempts}. time, ${outcome}`, () => {
      expect(retryOf(attempts)).to.deep.equal({ afterMs, hasFailed });
    });
  }
});
