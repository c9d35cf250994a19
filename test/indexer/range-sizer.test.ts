import { expect } from "chai";
import { RangeSizer } from "../../indexer/backfill.ts";

const empty = (sizer: RangeSizer) => sizer.answered({ blocks: sizer.size, logs: 0, durationMs: 10 });

describe("Range sizer", () => {
  it("grows while responses are quick and small", () => {
    const sizer = new RangeSizer();
    const first = sizer.size;
    for (let answer = 0; answer < 3; answer++) empty(sizer);
    expect(sizer.size).to.be.greaterThan(first * 100);
  });

  it("shrinks if the events are dense", () => {
    const sizer = new RangeSizer();
    for (let answer = 0; answer < 4; answer++) empty(sizer);
    for (let answer = 0; answer < 10; answer++) {
      sizer.answered({ blocks: sizer.size, logs: sizer.size * 100, durationMs: 10 });
    }
    expect(sizer.size * 100).to.be.within(1_000, 5_000);
  });

  it("shrinks if responses are slow", () => {
    const sizer = new RangeSizer();
    for (let answer = 0; answer < 4; answer++) empty(sizer);
    const before = sizer.size;
    sizer.answered({ blocks: before, logs: 0, durationMs: 4_000 });
    expect(sizer.size).to.equal(before / 4);
  });

  it("halves when it is refused, and does not request as much again soon", () => {
    const sizer = new RangeSizer();
    for (let answer = 0; answer < 4; answer++) empty(sizer);
    const refused = sizer.size;
    sizer.refused(refused, "query returned more than 10000 results");
    expect(sizer.size).to.equal(Math.floor(refused / 2));
    for (let answer = 0; answer < 5; answer++) empty(sizer);
    expect(sizer.size).to.be.lessThan(refused);
  });

  for (const [message, limit] of [
    ["eth_getLogs is limited to a 10,000 blocks range", 10_000],
    ["block range too large, max range: 2000", 2_000],
    ["query exceeds 5k blocks", 5_000],
    ["exceed maximum block range: 1024", 1_024],
  ] as const) {
    it(`remembers the limit in "${message}"`, () => {
      const sizer = new RangeSizer();
      for (let answer = 0; answer < 6; answer++) empty(sizer);
      sizer.refused(sizer.size, message);
      expect(sizer.size).to.equal(limit);
      for (let answer = 0; answer < 100; answer++) empty(sizer);
      expect(sizer.size).to.equal(limit);
    });
  }

  it("never requests more because of a message", () => {
    const sizer = new RangeSizer();
    const before = sizer.size;
    sizer.refused(before, "range limit is 1000000 blocks");
    expect(sizer.size).to.be.lessThan(before);
  });
});
