import { expect } from "chai";
import fc from "fast-check";
import { payableOf, promiseOf } from "../../core/rules/promise.ts";
import { freezeTerms } from "../../core/rules/sale/value.ts";

const VERDAO = { slug: "verdao", name: "Palmeiras" };
const PSG = { slug: "psg", name: "Paris Saint-Germain" };
const held = (units: bigint) => ({ units, decimals: 0 });
const pays = (...percents: bigint[]) => percents.map((bps) => ({ bps, boostEndsAt: null }));

describe("What a store promises its reader", () => {
  it("is the highest percent for a visitor, who earns no bonus", () => {
    const promise = promiseOf({ club: "Palmeiras", clubToken: null, categories: pays(300n, 800n) }, undefined);
    expect(promise).to.deep.equal({
      ...{ baseBps: 800n, isRange: true, bonusBps: 0n, totalBps: 800n },
      ...{ token: undefined, boostEndsAt: null },
    });
  });

  it("is never a percent by which no live sale counts, whatever the groups and the default", () => {
    const category = fc.record({
      groupCode: fc.constantFrom(null, "tv", "camisas"),
      isDefault: fc.boolean(),
      cashbackBps: fc.bigInt(1n, 900n),
    });
    const byGroup = ({ groupCode }: { groupCode: string | null }) => groupCode ?? Symbol();
    fc.assert(
      fc.property(fc.uniqueArray(category, { minLength: 1, maxLength: 5, selector: byGroup }), (drawn) => {
        const marked = drawn.findIndex((one) => one.isDefault);
        const categories = drawn.map((one, index) => ({ ...one, isDefault: index === marked }));
        const terms = freezeTerms(
          categories.map((one) => ({ ...one, bps: one.cashbackBps })),
          0n,
          0n,
        );
        if (!terms) throw new Error("no terms");
        const paid = [terms.defaultBps, ...Object.values(terms.groups)];
        const payable = payableOf(categories, { isLive: true }).map((one) => one.cashbackBps);
        expect(new Set(payable)).to.deep.equal(new Set(paid));
        expect(payableOf(categories, { isLive: false })).to.deep.equal(categories);
      }),
    );
  });

  it("adds the bonus of the reader's best token, of equal ones the first", () => {
    const store = { club: "Palmeiras", clubToken: null, categories: pays(500n) };
    const other = { slug: "palmeiras", name: "Outro" };
    const tokens = [PSG, other, VERDAO].map((token) => ({ ...token, balance: held(0n) }));
    expect(promiseOf(store, { tokens, program: "club" })).to.deep.include({ totalBps: 700n, token: tokens[1] });
    const gold = tokens.map((token) => ({ ...token, balance: held(token.slug === "verdao" ? 50n : 10n) }));
    expect(promiseOf(store, { tokens: gold, program: "club" })).to.deep.include({ bonusBps: 400n, token: gold[2] });
    expect(promiseOf({ ...store, club: null }, { tokens: gold, program: "club" }).token).to.equal(undefined);
    expect(promiseOf({ ...store, club: null }, { tokens: gold, program: "tiers" }).bonusBps).to.equal(100n);
  });

  it("adds that of the token of the club that a person chose for the store", () => {
    const tokens = [{ ...PSG, balance: held(0n) }];
    const store = { club: "Mengo", clubToken: "psg", categories: pays(500n) };
    expect(promiseOf(store, { tokens, program: "club" }).bonusBps).to.equal(200n);
    expect(promiseOf({ ...store, clubToken: null }, { tokens, program: "club" }).bonusBps).to.equal(0n);
  });

  it("never exceeds the purchase: what does not fit on the base is no bonus", () => {
    const tokens = [{ ...VERDAO, balance: held(50n) }];
    const promise = promiseOf(
      { club: "Palmeiras", clubToken: null, categories: pays(9_900n) },
      { tokens, program: "club" },
    );
    expect(promise).to.deep.include({ bonusBps: 100n, totalBps: 10_000n });
    const full = promiseOf(
      { club: "Palmeiras", clubToken: null, categories: pays(10_000n) },
      { tokens, program: "club" },
    );
    expect(full).to.deep.include({ bonusBps: 0n, token: undefined });
  });

  it("ends with the boost only while nothing else pays as much", () => {
    const end = (categories: { bps: bigint; boostEndsAt: bigint | null }[]) =>
      promiseOf({ club: null, clubToken: null, categories }, undefined).boostEndsAt;
    expect(end([{ bps: 900n, boostEndsAt: 5n }, ...pays(300n)])).to.equal(5n);
    expect(end([{ bps: 400n, boostEndsAt: 5n }, ...pays(900n)])).to.equal(null);
    expect(end([{ bps: 900n, boostEndsAt: 5n }, ...pays(900n)])).to.equal(null);
    const [early, late] = [5n, 9n].map((boostEndsAt) => ({ bps: 900n, boostEndsAt }));
    if (early && late) expect(end([late, early])).to.equal(9n);
    expect(end([])).to.equal(null);
  });
});
