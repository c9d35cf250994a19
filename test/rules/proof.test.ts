import { expect } from "chai";
import { outcomeOf, outcomesOf, type ProvenTicket, proofTotals } from "../../core/rules/proof.ts";
import { CHAIN_STATUS } from "../../core/rules/purchase/life.ts";

const AMOUNT_WEI = 580_984_481_000_000_000n;
/** R$ 33.33 with 3.33 %, at a rate that no amount in gwei divides. */
const PAYOUT = {
  kind: "paid",
  amountWei: AMOUNT_WEI,
  weiPerCent: 5_234_617_890_123_456n,
  recipient: "0xb1",
  transaction: "0xaa",
} as const;
const PAID: ProvenTicket = {
  id: 1n,
  buyer: "0xb1",
  status: CHAIN_STATUS.confirmed,
  valueCents: 3_333n,
  totalBps: 333n,
  payouts: [PAYOUT],
};
const withPayout = (differing: Partial<ProvenTicket["payouts"][number]>): ProvenTicket => ({
  ...PAID,
  payouts: [{ ...PAYOUT, ...differing }],
});

describe("A ticket's outcome by the chain", () => {
  const cases: [string, ProvenTicket, object][] = [
    ["the formula's amount in whole gwei", PAID, { kind: "paid" }],
    ["the formula's amount to the wei", withPayout({ amountWei: AMOUNT_WEI + 545_123_245n }), { kind: "paid" }],
    ["a credit", withPayout({ kind: "deferred" }), { kind: "paid" }],
    ["a wei more than the formula", withPayout({ amountWei: AMOUNT_WEI + 545_123_246n }), more("above")],
    ["less", withPayout({ amountWei: AMOUNT_WEI - 5n }), { kind: "less", differenceWei: 5n }],
    ["a payout to another wallet", withPayout({ recipient: "0xb2" }), more("another-wallet")],
    ["a payout without a rate", withPayout({ weiPerCent: undefined }), more("no-rate")],
    ["two payouts", { ...PAID, payouts: [PAYOUT, PAYOUT] }, more("repeated")],
    ["a Pending ticket that was paid", { ...PAID, status: CHAIN_STATUS.pending }, more("not-confirmed")],
    ["a Pending ticket", { ...PAID, status: CHAIN_STATUS.pending, payouts: [] }, { kind: "open" }],
    ["a Cancelled ticket", { ...PAID, status: CHAIN_STATUS.cancelled, payouts: [] }, { kind: "open" }],
    ["a Confirmed ticket without a payout", { ...PAID, payouts: [] }, { kind: "missing" }],
  ];
  for (const [what, ticket, outcome] of cases) {
    it(`is ${JSON.stringify(outcome, (_, value) => (typeof value === "bigint" ? String(value) : value))} for ${what}`, () => {
      expect(outcomeOf(ticket)).to.deep.equal(outcome);
    });
  }

  function more(reason: string) {
    return { kind: "more", reason };
  }
});

describe("A proof", () => {
  const less = { ...withPayout({ amountWei: AMOUNT_WEI - 5n * 10n ** 9n }), id: 2n };
  const gwei = AMOUNT_WEI / 10n ** 9n;
  const owing = { cashbackGwei: gwei, keptGwei: 0n, owedGwei: 5n };
  const kept = { cashbackGwei: gwei, keptGwei: 5n, owedGwei: 0n };

  it("matches if every ticket is paid or its difference explained, and counts the others", () => {
    const missing = { ...PAID, id: 3n, payouts: [] };
    const tickets = [PAID, less, missing, { ...PAID, id: 4n, status: CHAIN_STATUS.cancelled, payouts: [] }];
    const totals = (books?: Parameters<typeof outcomesOf>[1]) => proofTotals(tickets, outcomesOf(tickets, books));
    expect(totals()).to.deep.equal({
      purchases: 3,
      expectedGwei: 2n * gwei,
      paidWei: 2n * AMOUNT_WEI - 5n * 10n ** 9n,
      matches: false,
      less: 1,
      more: 0,
      missing: 1,
    });
    const explained = [
      [1n, owing],
      [2n, kept],
      [3n, { cashbackGwei: 0n, keptGwei: 0n, owedGwei: 0n }],
    ] as const;
    expect(totals(new Map(explained))).to.include({ matches: true, less: 0, more: 0, missing: 0 });
  });

  it("takes a lower sale's word from the books, and no debt that no ticket bears out", () => {
    const [lower] = outcomesOf([less], new Map([[2n, { cashbackGwei: gwei - 5n, keptGwei: 0n, owedGwei: 0n }]]));
    expect(lower).to.deep.equal({ kind: "kept", keptWei: 0n, lowerWei: 5n * 10n ** 9n, debtOf: [] });
    const invented = new Map([[2n, { cashbackGwei: gwei, keptGwei: 5n, owedGwei: 0n }]]);
    expect(outcomesOf([less], invented)[0]?.kind, "a debt of nothing").to.equal("less");
    const unpaid = { ...PAID, payouts: [] };
    const never = new Map([
      [1n, owing],
      [2n, kept],
    ]);
    expect(outcomesOf([unpaid, less], never)[1]?.kind, "a debt for what was never paid").to.equal("less");
    const negative = new Map([[2n, { cashbackGwei: gwei - 10n, keptGwei: -5n, owedGwei: 0n }]]);
    expect(outcomesOf([less], negative)[0]?.kind).to.equal("less");
  });

  it("never lets books explain more than the formula, or a payout to somebody else", () => {
    const above = withPayout({ amountWei: AMOUNT_WEI + 10n ** 9n });
    const stolen = { ...withPayout({ recipient: "0xb2" }), id: 2n };
    const books = new Map([
      [1n, { cashbackGwei: gwei + 1n, keptGwei: 0n, owedGwei: 0n }],
      [2n, { cashbackGwei: gwei, keptGwei: 0n, owedGwei: 0n }],
    ]);
    expect(outcomesOf([above, stolen], books).map(({ kind }) => kind)).to.deep.equal(["more", "more"]);
  });
});
