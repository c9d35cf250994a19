import { expect } from "chai";
import { verdictOn } from "../../frontend/chain/payment-verdict.ts";

/** R$ 33.33 with 3.33 %, at a rate that no amount in gwei divides. */
const PAID = {
  buyer: "0xb1",
  valueCents: 3_333n,
  totalBps: 333n,
  isPaid: true,
  payment: { amountWei: 580_984_481_000_000_000n, weiPerCent: 5_234_617_890_123_456n, recipient: "0xb1" },
};
const withPayment = (differing: Partial<typeof PAID.payment>) => ({
  ...PAID,
  payment: { ...PAID.payment, ...differing },
});

describe("What a ticket's page says of its payment", () => {
  const { amountWei } = PAID.payment;
  const cases = [
    ["the formula's amount in whole gwei", PAID, { kind: "exact" }],
    ["the formula's amount to the wei", withPayment({ amountWei: amountWei + 545_123_245n }), { kind: "exact" }],
    ["a wei more than the formula gives", withPayment({ amountWei: amountWei + 545_123_246n }), { kind: "wrong" }],
    ["less", withPayment({ amountWei: amountWei - 5n }), { kind: "less", missingWei: 5n }],
    ["an amount paid to another wallet", withPayment({ recipient: "0xb2" }), { kind: "wrong" }],
    ["a payment without a rate", { ...PAID, payment: { ...PAID.payment, weiPerCent: undefined } }, { kind: "wrong" }],
    ["a transaction that the site does not know yet", { ...PAID, payment: undefined }, { kind: "unread" }],
    ["no payment", { ...PAID, isPaid: false, payment: undefined }, { kind: "open" }],
  ] as const;
  for (const [says, ticket, verdict] of cases) {
    it(`is ${verdict.kind} for ${says}`, () => {
      expect(verdictOn(ticket)).to.deep.equal(verdict);
    });
  }
});
