import { expect } from "chai";
import { planSale, type SalePurchase } from "../../../core/rules/sale/plan.ts";

const RATE = 10n ** 16n;
const CONFIRMED = [{ centBps: 5_000_000n, weiPerCent: RATE }];
/** A purchase of R$ 100 at 5 %. */
const bought = (stage: SalePurchase["stage"], more: Partial<SalePurchase> = {}): SalePurchase => ({
  id: 1n,
  stage,
  isWithdrawn: false,
  valueCents: 10_000n,
  totalBps: 500n,
  centBps: 5_000_000n,
  weiPerCent: stage === "planned" || stage === "pending" ? null : RATE,
  returnedCentBps: 0n,
  isSettled: stage === "paid",
  isReturnFinal: false,
  ...more,
});
const target = (reais: bigint) => ({ amountCents: reais * 100n, centBps: reais * 100n * 500n, bonusBps: 0n });
const NOTHING = { amountCents: 10_000n, centBps: 0n, bonusBps: 0n };
const chz = (amount: bigint) => amount * 10n ** 9n;
const kinds = (stage: SalePurchase["stage"], to: typeof NOTHING, more: Partial<SalePurchase> = {}, debt = 0n) =>
  planSale(to, [bought(stage, more)], debt, stage === "confirmed" || stage === "paid" ? CONFIRMED : []);

describe("planSale", () => {
  it("plans a purchase for a sale that has none", () => {
    expect(planSale(target(100n), [], 0n)).to.deep.equal([
      { kind: "create", valueCents: 10_000n, cashbackBps: 500n, bonusBps: 0n, centBps: 5_000_000n },
    ]);
  });
  it("plans nothing for a declined sale", () => {
    expect(planSale(NOTHING, [], 0n)).to.deep.equal([]);
  });
  it("changes nothing that already matches", () => {
    for (const stage of ["planned", "pending", "confirmed", "paid"] as const)
      expect(kinds(stage, target(100n)), stage).to.deep.equal([]);
  });

  it("changes nothing once two purchases of one rate are confirmed, though the first ticket's percent was rounded up", () => {
    // Nearly all of a payout was taken back out of others, and is paid anew at its rate.
    const tiers = [{ centBps: 2_000_000n, weiPerCent: RATE }];
    const paid = bought("paid", { valueCents: 4_000n, centBps: 2_000_000n, returnedCentBps: 1_999_500n });
    const sale = (stage: SalePurchase["stage"]) => [
      paid,
      bought(stage, { id: 2n, valueCents: 16_000n, totalBps: 125n, centBps: 1_999_500n, weiPerCent: RATE }),
      bought(stage, { id: 3n, valueCents: 16_000n, centBps: 8_000_000n }),
    ];
    expect(planSale(target(200n), [paid], 0n, tiers)).to.deep.equal([
      { kind: "create", valueCents: 16_000n, cashbackBps: 125n, bonusBps: 0n, centBps: 1_999_500n, weiPerCent: RATE },
      { kind: "create", valueCents: 16_000n, cashbackBps: 500n, bonusBps: 0n, centBps: 8_000_000n },
    ]);
    for (const stage of ["planned", "pending", "confirmed"] as const)
      expect(planSale(target(200n), sale(stage), 0n, tiers), stage).to.deep.equal([]);
    expect(planSale(target(190n), sale("confirmed"), 0n, tiers), "less").to.deep.equal([
      { kind: "entitle", id: 3n, centBps: 7_500_000n },
    ]);
  });

  describe("less", () => {
    it("before the mint: corrected", () => {
      expect(kinds("planned", target(60n))).to.deep.equal([
        { kind: "correct", id: 1n, valueCents: 6_000n, cashbackBps: 500n, bonusBps: 0n, centBps: 3_000_000n },
      ]);
    });
    for (const stage of ["pending", "confirmed"] as const) {
      it(`${stage}: pays less`, () => {
        expect(kinds(stage, target(60n))).to.deep.equal([{ kind: "entitle", id: 1n, centBps: 3_000_000n }]);
      });
    }
    it("paid: the difference is owed back", () => {
      expect(kinds("paid", target(60n))).to.deep.equal([
        { kind: "adjust", id: 1n, centBps: 2_000_000n, gwei: chz(2n) },
      ]);
    });
  });

  describe("more", () => {
    it("before the mint: corrected", () => {
      expect(kinds("planned", target(140n))).to.deep.equal([
        { kind: "correct", id: 1n, valueCents: 14_000n, cashbackBps: 500n, bonusBps: 0n, centBps: 7_000_000n },
      ]);
    });
    it("pending: cancelled and minted again", () => {
      expect(kinds("pending", target(140n))).to.deep.equal([
        { kind: "withdraw", id: 1n },
        { kind: "create", valueCents: 14_000n, cashbackBps: 500n, bonusBps: 0n, centBps: 7_000_000n },
      ]);
    });
    for (const stage of ["confirmed", "paid"] as const) {
      it(`${stage}: a second purchase for the difference`, () => {
        expect(kinds(stage, target(140n))).to.deep.equal([
          { kind: "create", valueCents: 4_000n, cashbackBps: 500n, bonusBps: 0n, centBps: 2_000_000n },
        ]);
      });
    }
    it("paid, at a higher percent of the same value: the second purchase's percent stays possible", () => {
      const [action] = kinds("paid", { amountCents: 10_000n, centBps: 7_000_000n, bonusBps: 100n });
      expect(action).to.deep.equal({
        kind: "create",
        valueCents: 2_858n,
        cashbackBps: 600n,
        bonusBps: 100n,
        centBps: 2_000_000n,
      });
    });
  });

  describe("declined", () => {
    for (const stage of ["planned", "pending", "confirmed"] as const) {
      it(`${stage}: withdrawn`, () => {
        expect(kinds(stage, NOTHING)).to.deep.equal([{ kind: "withdraw", id: 1n }]);
      });
    }
    it("paid: all is owed back", () => {
      expect(kinds("paid", NOTHING)).to.deep.equal([{ kind: "adjust", id: 1n, centBps: 5_000_000n, gwei: chz(5n) }]);
    });
  });

  describe("restored", () => {
    it("before the mint: planned again", () => {
      expect(kinds("planned", target(100n), { isWithdrawn: true })[0]).to.include({ kind: "correct", id: 1n });
    });
    it("cancelled: a new purchase", () => {
      expect(kinds("cancelled", target(100n))).to.have.lengthOf(1);
      expect(kinds("cancelled", target(100n))[0]).to.include({ kind: "create", centBps: 5_000_000n });
    });
    it("being cancelled: a new purchase", () => {
      expect(kinds("pending", target(100n), { isWithdrawn: true })[0]).to.include({ kind: "create" });
    });
    it("confirmed: paid", () => {
      expect(kinds("confirmed", target(100n), { isWithdrawn: true })).to.deep.equal([
        { kind: "entitle", id: 1n, centBps: 5_000_000n },
      ]);
    });
    it("paid, nothing offset yet: the adjustment is lifted", () => {
      expect(kinds("paid", target(100n), { returnedCentBps: 5_000_000n }, chz(5n))).to.deep.equal([
        { kind: "adjust", id: 1n, centBps: -5_000_000n, gwei: -chz(5n) },
      ]);
    });
    it("paid, partly offset: that part is owed again", () => {
      expect(kinds("paid", target(100n), { returnedCentBps: 5_000_000n }, chz(2n))).to.deep.equal([
        { kind: "adjust", id: 1n, centBps: -2_000_000n, gwei: -chz(2n) },
        { kind: "create", valueCents: 6_000n, cashbackBps: 500n, bonusBps: 0n, centBps: 3_000_000n, weiPerCent: RATE },
      ]);
    });
  });

  it("cancels the debt for a payout that never happened", () => {
    expect(kinds("confirmed", target(100n), { returnedCentBps: 1_000_000n })).to.deep.equal([
      { kind: "adjust", id: 1n, centBps: -1_000_000n, gwei: -chz(1n) },
    ]);
  });
});
