import { expect } from "chai";
import type { SaleReport } from "../../../core/rules/sale/report.ts";
import { amountProblem, readMicros, saleValue, shareInProportion } from "../../../core/rules/sale/value.ts";

const micros = (text: string) => readMicros(text) ?? 0n;
const report = (more: Partial<SaleReport>): SaleReport => ({
  saleKey: "1",
  clickRef: null,
  advertiserId: null,
  orderRef: null,
  status: "pending",
  payable: null,
  amountMicros: micros("250.00"),
  currency: "BRL",
  trackedBrlMicros: null,
  commissionMicros: null,
  commissionCurrency: null,
  parts: [],
  occurredAt: null,
  changedAt: null,
  reason: null,
  drift: null,
  ...more,
});
const part = (group: string, amount: string) => ({ group, amountMicros: micros(amount) });

describe("readMicros", () => {
  for (const [text, expected] of [
    ["250", 250_000_000n],
    ["7.781", 7_781_000n],
    ["11.499999999999998", 11_500_000n],
    ["-1.5", -1_500_000n],
    ["1e3", undefined],
    ["1,50", undefined],
    ["", undefined],
  ] as const) {
    it(`reads "${text}" as ${expected}`, () => expect(readMicros(text)).to.equal(expected));
  }
});

describe("saleValue", () => {
  it("keeps reais as they are, and a sale without parts as one part", () => {
    expect(saleValue(report({ commissionMicros: micros("11.509") }), () => null)).to.deep.equal({
      amountCents: 25_000n,
      commissionCents: 1_150n,
      parts: [{ group: null, amountCents: 25_000n }],
    });
  });
  it("needs a rate for another currency", () => {
    expect(saleValue(report({ currency: "USD" }), () => null)).to.deep.equal({ missing: "USD" });
  });
  it("converts each part and rounds each down", () => {
    const dollars = report({
      currency: "USD",
      amountMicros: micros("20.02"),
      parts: [part("A", "10.01"), part("B", "10.01")],
    });
    expect(saleValue(dollars, () => micros("5.333"))).to.deep.include({
      amountCents: 10_676n,
      parts: [
        { group: "A", amountCents: 5_338n },
        { group: "B", amountCents: 5_338n },
      ],
    });
  });
  it("splits a total given in reais only, with the remainder to the largest part", () => {
    const tracked = report({
      currency: "USD",
      amountMicros: micros("30"),
      trackedBrlMicros: micros("100.00"),
      commissionMicros: micros("3"),
      commissionCurrency: "USD",
      parts: [part("A", "10"), part("B", "10.01"), part("C", "9.99")],
    });
    expect(saleValue(tracked, () => null)).to.deep.equal({
      amountCents: 10_000n,
      commissionCents: 1_000n,
      parts: [
        { group: "A", amountCents: 3_333n },
        { group: "B", amountCents: 3_337n },
        { group: "C", amountCents: 3_330n },
      ],
    });
  });
  it("needs the rate even if only the commission is in another currency", () => {
    expect(saleValue(report({ commissionMicros: 1n, commissionCurrency: "EUR" }), () => null)).to.deep.equal({
      missing: "EUR",
    });
  });
});

describe("shareInProportion", () => {
  it("handles weights that are all zero", () => expect(shareInProportion(7n, [0n, 0n])).to.deep.equal([7n, 0n]));
});

describe("amountProblem", () => {
  it("finds amounts that cannot be used", () => {
    expect(amountProblem(report({}))).to.equal(undefined);
    expect(amountProblem(report({ amountMicros: -1n }))).to.deep.equal({ code: "negative" });
    expect(amountProblem(report({ parts: [part("A", "-1")] }))).to.deep.equal({ code: "negative_part" });
    const excess = report({ parts: [part("A", "200"), part("B", "100")] });
    expect(amountProblem(excess)).to.deep.equal({ code: "parts_exceed" });
    expect(amountProblem(report({ parts: [part("A", "200")] })), "freight earns nothing").to.equal(undefined);
    const nothing = report({ parts: [part("A", "0")] });
    expect(amountProblem(nothing)).to.deep.equal({ code: "odd", field: "parts", value: "0.00" });
  });
});
