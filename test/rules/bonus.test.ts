import { expect } from "chai";
import {
  type BonusProgram,
  bonus,
  cappedBonus,
  highestBonus,
  holdingTier,
  tokenMatchesClub,
} from "../../core/rules/bonus.ts";
import vectors from "../vectors/bonus.json" with { type: "json" };

describe("bonus", () => {
  for (const one of vectors.cases) {
    it(one.name, () => {
      const balance = { units: BigInt(one.units), decimals: one.decimals };
      const { club, clubToken = null } = one as { club: string | null; clubToken?: string | null };
      const result = bonus({ token: one.token ?? undefined, club, clubToken, balance }, one.program as BonusProgram);
      const expected = { storeBps: BigInt(one.storeBps), holdingBps: BigInt(one.holdingBps) };
      expect(result).to.deep.equal({ ...expected, totalBps: expected.storeBps + expected.holdingBps });
    });
  }

  it("is at most that of the highest balance, and none at a store without a club", () => {
    const stores = [
      { club: "Palmeiras", clubToken: null },
      { club: null, clubToken: "verdao" },
      { club: " ", clubToken: null },
    ];
    expect(stores.map((store) => highestBonus(store, "club"))).to.deep.equal([400n, 400n, 0n]);
    expect(stores.map((store) => highestBonus(store, "tiers"))).to.deep.equal([500n, 500n, 500n]);
    for (const program of ["club", "tiers"] as const) {
      const balance = { units: 1_000_000n, decimals: 0 };
      const token = { slug: "verdao", name: "Palmeiras" };
      const [store] = stores as [{ club: string; clubToken: null }];
      expect(bonus({ token, balance, ...store }, program).totalBps).to.equal(highestBonus(store, program));
    }
  });

  it("does not match a store without a club", () => {
    expect(tokenMatchesClub({ slug: "", name: "" }, { club: "  ", clubToken: null })).to.equal(false);
  });

  it("reaches no tier below 10", () => {
    expect(holdingTier({ units: 9n, decimals: 0 })).to.equal(undefined);
    expect(holdingTier({ units: 10n, decimals: 0 })?.minimum).to.equal(10n);
  });

  it("never lets base and bonus exceed the value", () => {
    expect(cappedBonus(9_800n, 500n)).to.equal(200n);
    expect(cappedBonus(9_500n, 500n)).to.equal(500n);
    expect(cappedBonus(10_000n, 1n)).to.equal(0n);
  });
});
