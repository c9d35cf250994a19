import { expect } from "chai";
import { decide } from "../../core/rules/sale/decide.ts";
import type { ClickFacts, OtherOfOrder, SaleFacts } from "../../core/rules/sale/facts.ts";
import { HOLD_REASONS, type Hold, type HoldReason, UNRELEASABLE } from "../../core/rules/sale/holds.ts";
import type { SaleReport } from "../../core/rules/sale/report.ts";
import type { SaleRules } from "../../core/rules/sale/rules.ts";
import { simulatedSale } from "../../core/rules/sale/simulated.ts";

const NOW = 1_800_000_000_000n;
const BUYER = `0x${"a".repeat(40)}` as const;
const OTHER = `0x${"b".repeat(40)}` as const;
const ACCOUNT = { network: "awin", account: "br" };
const RULES: SaleRules = {
  limits: { salesPerDay: 10n, maximumCents: 1_000_000n, minimumSeconds: 5n, marginLossCents: 0n },
  mintDelayMs: 0n,
  holdMs: 0n,
  accounts: [ACCOUNT],
  fx: { url: undefined, fixed: new Map() },
  saleRefs: () => [1n],
};

/** An approved sale of R$ 100 at 5 %, a minute after its click, which nothing holds. */
function plainSale(): SaleFacts & { click: ClickFacts } {
  const bought = { wallet: BUYER, storeId: 1n, storeName: "Loja", amountCents: 10_000n, cashbackBps: 500n };
  const sale = simulatedSale(
    { ...bought, bonusBps: 0n, tokenSlug: null, balanceBlock: null },
    { now: NOW, mintDelayMs: 0n },
  );
  const store = { ...(sale.click as ClickFacts).store, ...ACCOUNT, advertiserIds: ["17"], merchant: "loja" };
  const click = { ...(sale.click as ClickFacts), id: 5n, store, createdAt: NOW - 60_000n };
  const report = { ...sale.report, advertiserId: "17", orderRef: "A1", commissionMicros: 10_000_000n };
  return { ...sale, ...ACCOUNT, id: 9n, click, report };
}
type Sale = ReturnType<typeof plainSale>;

const withReport = (sale: Sale, report: Partial<SaleReport>): Sale => ({
  ...sale,
  report: { ...sale.report, ...report },
});
const sold = (id: bigint): OtherOfOrder => ({
  ...{ ...ACCOUNT, id, clickId: 70n, createdAt: NOW },
  ...{ had: null, keyBefore: null, purchases: [], isEntitled: undefined },
});
const ticket = (id: bigint, owner: typeof BUYER | typeof OTHER) => ({
  ...{ id, owner, ref: 1n, storeId: 1n, valueCents: 10_000n, cashbackBps: 500n, bonusBps: 0n },
  ...{ isCancelled: false, payment: null, isTaken: false, mintedAt: NOW },
});

/** What makes each reason apply, whatever else does. */
const CAUSES: Record<HoldReason, (sale: Sale) => Sale> = {
  drift: (sale) => withReport(sale, { drift: [{ code: "odd", field: "site", value: "5" }] }),
  no_rate: (sale) => withReport(sale, { currency: "USD", commissionCurrency: "USD" }),
  other_account: (sale) => ({ ...sale, account: "us" }),
  other_store: (sale) => withReport(sale, { advertiserId: "18" }),
  // Moved twice already.
  buyer_changed: (sale) => ({ ...sale, named: { ...sale.click, id: 6n }, kept: { ...sale.kept, moves: 2 } }),
  too_many: (sale) => ({ ...sale, ordinalOfDay: 11n }),
  too_high: (sale) => withReport(sale, { amountMicros: 20_000_000_000n, commissionMicros: 9_000_000_000n }),
  too_fast: (sale) => ({ ...sale, click: { ...sale.click, createdAt: NOW - 1_000n } }),
  order_twice: (sale) => ({ ...sale, sameOrder: [...sale.sameOrder, sold(20n + BigInt(sale.sameOrder.length))] }),
  low_commission: (sale) => withReport(sale, { commissionMicros: 1_000_000n }),
  other_ticket: (sale) => ({ ...sale, tickets: [ticket(30n, OTHER)] }),
  likely_ticket: (sale) => ({
    ...sale,
    unclaimed: [{ ...ticket(31n, BUYER), valueCents: sale.report.amountMicros / 10_000n }],
  }),
};

const decided = (sale: Sale) => decide(sale, RULES, NOW);
const reasonsOf = (holds: readonly Hold[]) => holds.map(({ reason }) => reason);

/** What staff say who see the sale as it is. */
function release(sale: Sale): Sale {
  const { holds, cashbackCentBps } = decided(sale);
  const seen = { clickId: sale.click.id, centBps: cashbackCentBps };
  return { ...sale, released: [...sale.released, ...holds.map((hold) => ({ ...hold, ...seen }))] };
}

const releasable = HOLD_REASONS.filter((reason) => !UNRELEASABLE.has(reason));

describe("A release of a held sale", () => {
  it("has nothing to do where nothing holds", () => {
    expect(decided(plainSale())).to.include({ isHeld: false, state: "payable" });
  });

  for (const reason of releasable) {
    const held = CAUSES[reason](plainSale());

    it(`lets it go on: ${reason}`, () => {
      expect([decided(held).isHeld, reasonsOf(decided(held).holds)]).to.deep.equal([true, [reason]]);
      expect(decided(release(held)).isHeld).to.equal(false);
    });

    it(`covers no reason that comes later: ${reason}`, () => {
      for (const later of HOLD_REASONS) {
        // Another figure of the same reason is another reason.
        const both = later === reason ? OTHER_FIGURES[reason]?.(release(held)) : CAUSES[later](release(held));
        if (!both) continue;
        expect(reasonsOf(decided(both).holds), later).to.include(later);
        expect(decided(both).isHeld, `${reason}, then ${later}`).to.equal(true);
      }
    });

    it(`covers no higher cashback, and a lower one: ${reason}`, () => {
      const times = (sale: Sale, percent: bigint) => {
        const of = (micros: bigint | null) => (micros === null ? null : (micros * percent) / 100n);
        const { amountMicros, commissionMicros } = sale.report;
        return withReport(sale, { amountMicros: of(amountMicros) ?? 0n, commissionMicros: of(commissionMicros) });
      };
      // That ticket is of one amount.
      if (reason === "likely_ticket") return;
      expect(decided(times(release(held), 110n)).isHeld).to.equal(true);
      const exact = ["too_high", "low_commission"].includes(reason);
      expect(decided(times(release(held), 90n)).isHeld).to.equal(exact);
    });

    it(`covers no other visit: ${reason}`, () => {
      const click = { ...held.click, id: 50n, wallet: OTHER };
      const unclaimed = held.unclaimed.map((one) => ({ ...one, owner: OTHER }));
      const moved = { ...release(held), click, unclaimed };
      expect([decided(moved).isHeld, reasonsOf(decided(moved).holds)]).to.deep.equal([true, [reason]]);
    });
  }

  it("lifts nothing of what another store sold, has no rate, or has another buyer's ticket", () => {
    for (const reason of UNRELEASABLE) {
      const held = CAUSES[reason](plainSale());
      expect(decided(release(held)).isHeld, reason).to.equal(true);
    }
  });
});

const OTHER_FIGURES: Partial<Record<HoldReason, (sale: Sale) => Sale>> = {
  drift: (sale) => withReport(sale, { drift: [{ code: "odd", field: "site", value: "6" }] }),
  buyer_changed: (sale) => ({ ...sale, named: { ...sale.click, id: 7n } }),
  too_high: (sale) => withReport(sale, { amountMicros: 20_000_010_000n }),
  too_fast: (sale) => ({ ...sale, click: { ...sale.click, createdAt: NOW - 900n } }),
  order_twice: (sale) => CAUSES.order_twice(sale),
  low_commission: (sale) => withReport(sale, { commissionMicros: 0n }),
  likely_ticket: (sale) => ({ ...sale, unclaimed: [...sale.unclaimed, ticket(32n, BUYER)] }),
};
