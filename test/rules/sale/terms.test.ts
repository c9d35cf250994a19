import { expect } from "chai";
import { encodeFigures, readHolds } from "../../../core/purchases/sale-row.ts";
import { holdReasons, lossOf } from "../../../core/rules/sale/holds.ts";
import { blendRate } from "../../../core/rules/sale/plan.ts";
import { freezeTerms, saleCashback, termsAt } from "../../../core/rules/sale/value.ts";

const rate = (groupCode: string | null, bps: bigint, isDefault = false) => ({ groupCode, bps, isDefault });

describe("The terms of a click", () => {
  it("give each group its percent, and other groups the default category's", () => {
    const terms = freezeTerms([rate("FASHION", 700n), rate("SHOES", 300n, true), rate("GIFT", 100n)], 200n, 0n);
    if (!terms) throw new Error("no terms");
    const parts = [
      { group: "fashion ", amountCents: 10_000n },
      { group: "UNHEARD", amountCents: 5_000n },
      { group: null, amountCents: 1_000n },
    ];
    expect(saleCashback(parts, terms)).to.deep.equal({
      centBps: 10_000n * 900n + 6_000n * 500n,
      unknownGroups: ["UNHEARD"],
    });
  });
  it("fall back to the lowest percent if no category is marked", () => {
    expect(freezeTerms([rate("A", 700n), rate(null, 300n)], 0n, 0n)?.defaultBps).to.equal(300n);
  });
  it("reduce a bonus that would raise a percent above 100", () => {
    expect(freezeTerms([rate("A", 9_900n), rate(null, 300n)], 200n, 0n)?.bonusBps).to.equal(100n);
  });
  it("are the boost's for what is bought within seven days of the click, and then those without", () => {
    const clickedAt = 1_000n;
    const week = 7n * 86_400_000n;
    const rates = [{ ...rate("FASHION", 500n), boostedBps: 1_000n }, rate(null, 300n, true)];
    const terms = freezeTerms(rates, 9_200n, clickedAt);
    if (!terms) throw new Error("no terms");
    expect(termsAt(terms, clickedAt + week)).to.deep.include({
      groups: { fashion: 1_000n },
      defaultBps: 300n,
      bonusBps: 9_000n,
    });
    expect(termsAt(terms, clickedAt + week + 1n)).to.deep.equal({
      groups: { fashion: 500n },
      defaultBps: 300n,
      bonusBps: 9_200n,
    });
    expect(freezeTerms([rate(null, 300n)], 0n, clickedAt), "nothing ran").not.to.have.property("boosted");
  });
  it("are none for a store without a percent", () => {
    expect(freezeTerms([], 200n, 0n)).to.equal(undefined);
  });
});

describe("blendRate", () => {
  it("rounds the percent up, so that the token never limits the exact sum", () => {
    expect(blendRate(300n, 100_000n, 100n)).to.deep.equal({ cashbackBps: 234n, bonusBps: 100n });
  });
});

describe("holdReasons", () => {
  const limits = { salesPerDay: 10n, maximumCents: 1_000_000n, minimumSeconds: 5n, marginLossCents: 0n };
  const fine = {
    drift: [],
    amountCents: 10_000n,
    commissionCents: 500n,
    cashbackCentBps: 5_000_000n,
    isLosing: false,
    isOfAccount: true,
    clickedAt: 1_000n,
    occurredAt: 6_000n,
    ordinalOfDay: 10n,
    missingRate: null,
    storeId: 1n,
    otherAdvertiser: null,
    otherClick: null,
    sameOrder: [],
    otherTickets: [],
    likelyTickets: [],
  };
  const reasons = (more: Partial<typeof fine> | object) =>
    holdReasons({ ...fine, ...more }, limits).map(({ reason }) => reason);
  it("has none for a valid sale", () => expect(reasons({})).to.deep.equal([]));
  for (const [reason, more] of [
    ["drift", { drift: [{ code: "odd", field: "commissionStatus", value: "frozen" }] }],
    ["no_rate", { missingRate: "USD", amountCents: undefined, cashbackCentBps: 0n }],
    ["other_account", { isOfAccount: false }],
    ["too_many", { ordinalOfDay: 11n }],
    ["too_high", { amountCents: 1_000_001n, commissionCents: null }],
    ["too_fast", { occurredAt: 5_999n }],
    ["other_store", { otherAdvertiser: "17001" }],
    ["buyer_changed", { otherClick: 7n }],
    ["order_twice", { sameOrder: [7n] }],
    ["low_commission", { isLosing: true }],
    ["other_ticket", { otherTickets: [12n] }],
    ["likely_ticket", { likelyTickets: [12n] }],
  ] as const) {
    it(`knows ${reason}`, () => expect(reasons(more)).to.deep.equal([reason]));
  }
  it("lose what a commission is below the cashback, and nothing where none is reported", () => {
    const lossBy = (commissionCents: bigint | null) =>
      lossOf({ value: { amountCents: 10_000n, commissionCents, parts: [] }, plainCentBps: 5_000_000n });
    expect([500n, 499n, 0n, null].map(lossBy)).to.deep.equal([0n, 10_000n, 5_000_000n, 0n]);
    expect(lossOf({ value: undefined, plainCentBps: 5_000_000n })).to.equal(0n);
  });

  const MISSING = { code: "missing", field: "status" } as const;
  it("are stored with their figures; rows without figures are readable", () => {
    const holds = holdReasons({ ...fine, ordinalOfDay: 99n, drift: [MISSING] }, limits);
    const stored = readHolds(holds.map(({ reason }) => reason).join(" "), encodeFigures(holds));
    expect(stored).to.deep.equal([
      { reason: "drift", figures: { detail: "status is missing", problems: [MISSING] } },
      { reason: "too_many", figures: { limit: String(limits.salesPerDay) } },
    ]);
    expect(readHolds("too_many gone", null)).to.deep.equal([{ reason: "too_many", figures: {} }]);
  });
});
