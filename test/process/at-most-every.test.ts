import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { atMostEvery } from "../../core/process/at-most-every.ts";

describe("What is read at most so often", () => {
  it("is read once for all who ask within the time, and anew afterwards", async () => {
    let reads = 0;
    const read = atMostEvery(60_000, async () => {
      reads++;
      await delay(1);
      return reads;
    });
    expect(await Promise.all([read(), read(), read()])).to.deep.equal([1, 1, 1]);
    expect(await read()).to.equal(1);
    const often = atMostEvery(0, async () => ++reads);
    expect([await often(), await often()]).to.deep.equal([2, 3]);
  });
});
