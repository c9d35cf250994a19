import { expect } from "chai";
import { newClickToken } from "../../core/purchases/click-token.ts";

describe("A click's token", () => {
  it("has 26 characters that every network accepts", () => {
    expect(newClickToken()).to.match(/^[a-z2-7]{26}$/);
  });

  it("is unique among many of the same moment", () => {
    const tokens = Array.from({ length: 10_000 }, () => newClickToken(1_795_214_363_114));
    expect(new Set(tokens).size).to.equal(10_000);
    // The rest is fully random: no position is fixed.
    for (let place = 9; place < 26; place++) expect(new Set(tokens.map((token) => token[place])).size).to.equal(32);
  });

  it("sorts next to tokens of the same moment, and after earlier ones", () => {
    const moments = Array.from({ length: 2_000 }, (_, index) => 1_795_214_363_114 + index * 977);
    const tokens = [0, ...moments, 4_000_000_000_000].map(newClickToken);
    // By code unit, which is the order of both databases' indexes.
    expect(tokens.toSorted()).to.deep.equal(tokens);
  });
});
