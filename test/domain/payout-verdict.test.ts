import { expect } from "chai";
import { isWhole, verdictOn } from "../../domain/payout-verdict.ts";

/** R$ 33.33 with 3.33 %, at a rate that no amount in gwei divides. */
const PAID = {
  buyer: "0xb1",
  valueCents: 3_333n,
  totalBps: 333n,
  isPaid: true,
  payout: { amountWei: 580_984_481_000_000_000n, weiPerCent: 5_234_617_890_123_456n, recipient: "0xb1" },
};
const withPayout = (differing: Partial<typeof PAID.payout>) => ({
  ...PAID,
  payout: { ...PAID.payout, ...differing },
});

describe("What a ticket's page says of its payout", () => {
  const { amountWei } = PAID.payout;
  const cases = [
    ["the formula's amount in whole gwei", PAID, { kind: "exact" }],
    ["the formula's amount to the wei", withPayout({ amountWei: amountWei + 545_123_245n }), { kind: "exact" }],
    ["a wei more than the formula gives", withPayout({ amountWei: amountWei + 545_123_246n }), { kind: "wrong" }],
    ["less", withPayout({ amountWei: amountWei - 5n }), { kind: "less", missingWei: 5n }],
    ["an amount paid to another wallet", withPayout({ recipient: "0xb2" }), { kind: "wrong" }],
    ["a payout without a rate", { ...PAID, payout: { ...PAID.payout, weiPerCent: undefined } }, { kind: "wrong" }],
    ["a transaction that the site does not know yet", { ...PAID, payout: undefined }, { kind: "unread" }],
    ["no payout", { ...PAID, isPaid: false, payout: undefined }, { kind: "open" }],
  ] as const;
  for (const [says, ticket, verdict] of cases) {
    it(`is ${verdict.kind} for ${says}`, () => {
      expect(verdictOn(ticket)).to.deep.equal(verdict);
    });
  }
});

describe("The tickets of a wallet that an api lists", () => {
  const listed = (...ids: number[]) => ids.map((id) => ({ token_id: id }));

  it("are all of them only if each is listed once", () => {
    expect(isWhole(listed(11, 12), 2n)).to.equal(true);
    expect(isWhole(listed(12, 12), 2n), "12 hides 11").to.equal(false);
    expect(isWhole(listed(11), 2n)).to.equal(false);
    expect(isWhole([], 0n)).to.equal(true);
  });
});
