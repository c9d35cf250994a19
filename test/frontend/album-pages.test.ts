import { expect } from "chai";
import { albumOf, entriesIn, firstOf } from "../../frontend/dashboard/album-pages.ts";
import { entriesOf } from "../../frontend/dashboard/statement.ts";
import { fixtureMe, fixtureNft, fixturePurchase } from "../browser/support/fixture-data.ts";

const WALLET = `0x${"ab".repeat(20)}`;

/** docs/product.md#album */
describe("The pages of an album", () => {
  const days = ["2026-11-20", "2026-11-02", "2026-05-02", "2025-11-02"];
  const clubs = ["vasco-da-gama", "palmeiras", "palmeiras", undefined];
  const purchases = days.map((day, index) =>
    fixturePurchase({ id: 9 - index, date: `${day}T12:00:00.000Z`, created_at: `${day}T12:00:00.000Z` }),
  );
  const nfts = purchases.map((one, index) => ({ ...fixtureNft(one, WALLET), club_slug: clubs[index] ?? null }));
  const undated = fixtureNft(fixturePurchase({ id: 2 }), WALLET);
  const me = fixtureMe(WALLET, { purchases, nfts: [...nfts, undated] });
  const entries = entriesOf(me as Parameters<typeof entriesOf>[0], [], 10n ** 16n);
  const shape = (seasons: ReturnType<typeof albumOf>) =>
    seasons.map(({ year, pages }) => [year, pages.map((page) => [page.club, page.entries.map(({ id }) => id)])]);

  it("are months of years, the newest first, and what has no date last", () => {
    expect(shape(albumOf(entries, "month"))).to.deep.equal([
      [
        2026,
        [
          [undefined, ["9", "8"]],
          [undefined, ["7"]],
        ],
      ],
      [2025, [[undefined, ["6"]]]],
      [undefined, [[undefined, ["2"]]]],
    ]);
  });

  it("are clubs of a year, those with the most tickets first", () => {
    expect(shape(albumOf(entries, "club"))[0]).to.deep.equal([
      2026,
      [
        ["palmeiras", ["8", "7"]],
        ["vasco-da-gama", ["9"]],
      ],
    ]);
  });

  it("end after so many tickets, in the order in which they are shown", () => {
    for (const order of ["month", "club"] as const) {
      const all = entriesIn(albumOf(entries, order)).map(({ id }) => id);
      expect(all).to.have.members(["9", "8", "7", "6", "2"]);
      for (const count of [0, 1, 3, 5, 9])
        expect(entriesIn(firstOf(albumOf(entries, order), count)).map(({ id }) => id)).to.deep.equal(
          all.slice(0, count),
        );
    }
  });
});
