import { expect } from "chai";
import { newlyPaid } from "../../frontend/dashboard/newly-paid.ts";
import { fixtureMe, fixturePurchase } from "../browser/support/fixture-data.ts";

const NOW = Date.UTC(2026, 10, 30);
const HOUR = 3_600_000;
const paidAt = (id: number, at: number) =>
  fixturePurchase({ id, paid_at: new Date(at).toISOString(), paid_amount: "7", store: `Loja ${id}` });

describe("The payment that a browser celebrates", () => {
  const me = fixtureMe(`0x${"ab".repeat(20)}`);
  const [ticket] = me.nfts;
  const nfts = [1, 2, 3].map((id) => ({ ...(ticket as NonNullable<typeof ticket>), tokenId: String(id) }));

  it("is the last one of the day in a browser that has celebrated none", () => {
    const purchases = [paidAt(1, NOW - 2 * HOUR), paidAt(2, NOW - HOUR), paidAt(3, NOW - 30 * HOUR)];
    expect(newlyPaid({ purchases, nfts }, null, NOW)?.tokenId).to.equal("2");
    expect(newlyPaid({ purchases: [paidAt(3, NOW - 30 * HOUR)], nfts }, null, NOW)).to.equal(undefined);
  });

  it("is none twice, and only a later one after that", () => {
    const purchases = [paidAt(1, NOW - 2 * HOUR), paidAt(2, NOW - HOUR)];
    expect(newlyPaid({ purchases, nfts }, String(NOW - HOUR), NOW)).to.equal(undefined);
    const later = [...purchases, paidAt(3, NOW - 1)];
    expect(newlyPaid({ purchases: later, nfts }, String(NOW - HOUR), NOW)?.tokenId).to.equal("3");
  });

  it("has a ticket, an amount that arrived, and a date", () => {
    const without = [
      { ...paidAt(1, NOW - HOUR), paid_amount: null },
      { ...paidAt(2, NOW - HOUR), paid_at: null },
      paidAt(9, NOW - HOUR),
    ];
    expect(newlyPaid({ purchases: without, nfts }, null, NOW)).to.equal(undefined);
    expect(newlyPaid({ purchases: [paidAt(1, NOW - HOUR)], nfts }, "kaputt", NOW)?.tokenId).to.equal("1");
  });
});
