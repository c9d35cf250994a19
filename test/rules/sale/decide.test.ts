import { expect } from "chai";
import { decide } from "../../../core/rules/sale/decide.ts";
import type { PurchaseFacts, SaleFacts } from "../../../core/rules/sale/facts.ts";
import type { SaleRules } from "../../../core/rules/sale/rules.ts";
import { simulatedSale } from "../../../core/rules/sale/simulated.ts";

const NOW = 1_000n;
const RULES: SaleRules = {
  limits: { salesPerDay: 10n, maximumCents: 1_000_000n, minimumSeconds: 5n, marginLossCents: 0n },
  mintDelayMs: 0n,
  holdMs: 0n,
  accounts: [],
  fx: { url: undefined, fixed: new Map() },
  saleRefs: () => [],
};
const WALLET = `0x${"1".repeat(40)}` as const;

/** R$ 100 at 5 %, approved and payable, with these purchases. */
function saleOf(purchases: PurchaseFacts[], more: Partial<SaleFacts> = {}): SaleFacts {
  const bought = { wallet: WALLET, storeId: 3n, storeName: "Loja", tokenSlug: null, balanceBlock: null };
  const sold = { ...bought, amountCents: 10_000n, cashbackBps: 500n, bonusBps: 0n };
  return { ...simulatedSale(sold, { now: NOW, mintDelayMs: 0n }), purchases, ...more };
}

/** Of the first sale's amount or less, paid and settled. */
function paid(id: bigint, centBps: bigint, more: Partial<PurchaseFacts> = {}): PurchaseFacts {
  return {
    ...{ id, wallet: WALLET, storeId: 3n, createdAt: 1n, approvedAt: NOW, payableAt: NOW },
    ...{ stage: "paid", isWithdrawn: false, isSettled: true, valueCents: centBps / 500n, totalBps: 500n, centBps },
    ...{ heldByStaff: null, refusedRequest: null },
    ...{
      isReturnFinal: false,
      isTicketConfirmed: false,
      weiPerCent: 10n ** 16n,
      returnedCentBps: 0n,
      offsetGwei: 0n,
      queued: new Set(),
      unsent: new Set(),
      ...more,
    },
  };
}

describe("The decision about a sale", () => {
  const decided = (facts: SaleFacts) => decide(facts, RULES, NOW);

  it("settles it with its last purchase, and counts what its buyer was paid", () => {
    const [one, other] = [paid(1n, 3_000_000n), paid(2n, 2_000_000n)];
    expect(decided(saleOf([one, other]))).to.include({ state: "settled", paidCentBps: 5_000_000n });
    const isOnTheWay = { ...other, isSettled: false };
    expect(decided(saleOf([one, isOnTheWay]))).to.include({ state: "payable", paidCentBps: 3_000_000n });
  });

  it("counts nothing that was withdrawn before it was paid", () => {
    const withdrawn = paid(2n, 2_000_000n, { stage: "cancelled", isWithdrawn: true });
    expect(decided(saleOf([paid(1n, 5_000_000n), withdrawn])).paidCentBps).to.equal(5_000_000n);
  });

  it("takes what becomes a debt from what was paid, at once, also while the sale is held", () => {
    const facts = saleOf([paid(1n, 5_000_000n)]);
    const report = { ...facts.report, amountMicros: 40_000_000n };
    expect(decided({ ...facts, report })).to.include({ paidCentBps: 2_000_000n, state: "settled" });
    const held = {
      ...facts,
      network: "awin",
      report: { ...report, drift: [{ code: "said" as const, value: "an unknown field" }] },
    };
    expect(decided(held)).to.include({ paidCentBps: 2_000_000n, state: "held" });
    const declined = { ...facts, declined: { reason: "fraud" } };
    expect(decided(declined)).to.include({ paidCentBps: 0n, state: "declined" });
    const owed = paid(1n, 5_000_000n, { returnedCentBps: 5_000_000n });
    expect(decided({ ...declined, purchases: [owed] }).paidCentBps, "decided again").to.equal(0n);
  });

  it("withdraws what is queued and kept of a purchase that is owed another amount, and of no other", () => {
    const unpaid = { stage: "confirmed", isSettled: false, offsetGwei: 3n } as const;
    const withdrawn = (facts: SaleFacts) => decided(facts).steps.map((one) => [one.id, one.withdrawn]);
    for (const unsent of [new Set(["pay"] as const), new Set<never>()]) {
      const facts = saleOf([paid(1n, 5_000_000n, { ...unpaid, queued: unsent, unsent })]);
      expect(withdrawn(facts), "the same amount").to.deep.equal([]);
      const less = { ...facts.report, amountMicros: 40_000_000n };
      expect(withdrawn({ ...facts, report: less })).to.deep.equal([[1n, ["pay"]]]);
      expect(withdrawn({ ...facts, declined: { reason: null } })).to.deep.equal([[1n, ["pay"]]]);
      const waiting = { ...facts.report, payable: false };
      expect(withdrawn({ ...facts, report: waiting })).to.deep.equal([[1n, ["pay"]]]);
      // Its buyer is another one now.
      const [one] = facts.purchases;
      const moved = one ? [{ ...one, wallet: `0x${"2".repeat(40)}` as const }] : [];
      expect(withdrawn({ ...facts, purchases: moved })).to.deep.equal([[1n, ["pay"]]]);
    }
  });
});
