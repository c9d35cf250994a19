import { setImmediate as nextTurn } from "node:timers/promises";
import { expect } from "chai";
import { PointLimiter } from "../../api/http/purses.ts";

const MINUTE_S = 60;
const KEY = "198.51.100.7";

describe("Points of a window", () => {
  it("are counted to the last one, whoever asks beside whom, and whatever is given back", async () => {
    const limiter = new PointLimiter(12_000, MINUTE_S);
    let used = 0;
    const call = async (seed: number) => {
      for (let step = 0; step < 20; step++) {
        const points = [3, 10, 40, 5, 300][(seed + step) % 5] ?? 0;
        if (limiter.takeAtHand(KEY, points) === undefined) {
          if ((await limiter.take(KEY, points)).isRefused) continue;
        }
        used += points;
        if ((seed + step) % 7 !== 0) continue;
        await nextTurn();
        limiter.giveBack(KEY, points);
        used -= points;
      }
    };
    await Promise.all(Array.from({ length: 25 }, (_, seed) => call(seed)));
    const left = 12_000 - used;
    expect((await limiter.take(KEY, 1)).used).to.equal(used + (left > 0 ? 1 : 0));
  });

  it("are refused only when none is left: whoever has one can take more than that, once", async () => {
    const limiter = new PointLimiter(100, MINUTE_S);
    for (let taken = 0; taken < 99; taken++) expect((await limiter.take(KEY, 1)).isRefused).to.equal(false);
    expect(await limiter.take(KEY, 50)).to.include({ isRefused: false });
    expect(limiter.takeAtHand(KEY, 1)).to.equal(undefined);
    const refused = await limiter.take(KEY, 1);
    expect(refused.isRefused).to.equal(true);
    expect(refused.msBeforeNext).to.be.within(1, MINUTE_S * 1_000);
    expect((await limiter.take("another", 1)).isRefused, "each key has its own").to.equal(false);
  });

  it("are not lost to those who are first together: each has a lump at most", async () => {
    const limiter = new PointLimiter(10_000, MINUTE_S);
    const taken = await Promise.all(Array.from({ length: 500 }, () => limiter.take(KEY, 10)));
    expect(taken.filter(({ isRefused }) => isRefused)).to.deep.equal([]);
  });
});
