import { expect } from "chai";
import { BUILT_IN_CLUBS } from "../../core/database/built-in-clubs.ts";
import { CLUB_PATTERNS } from "../../core/rules/clubs/club.ts";
import { STANDS, standsOf } from "../../core/rules/clubs/stands.ts";

/** docs/product.md#club-page */
describe("The stands of a club", () => {
  it("show every colour of its shirt and no other, and are the same each time", () => {
    for (const club of BUILT_IN_CLUBS) {
      const drawn = standsOf(club);
      const shown = drawn.map(({ colour }) => colour);
      expect(club.colours, club.slug).to.include.members(shown);
      expect(shown.slice(0, 2), club.slug).to.deep.equal(club.colours.slice(0, 2));
      expect(standsOf(club)).to.deep.equal(drawn);
    }
  });

  it("lie within their picture, whatever the pattern, and differ by it", () => {
    const seen = new Set<string>();
    for (const pattern of CLUB_PATTERNS) {
      const drawn = standsOf({ colours: ["#000000", "#ffffff", "#ff0000"], pattern });
      seen.add(JSON.stringify(drawn));
      for (const [, x, y, high] of drawn.flatMap(({ path }) => [...path.matchAll(/M(-?\d+) (-?\d+)h10v(\d+)/g)])) {
        expect(Number(x), pattern).to.be.within(0, STANDS.width - 10);
        expect(Number(y) + Number(high), pattern).to.be.within(8, STANDS.height);
      }
    }
    expect(seen.size).to.equal(CLUB_PATTERNS.length);
  });
});
