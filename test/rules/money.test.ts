import { expect } from "chai";
import fc from "fast-check";
import {
  chzTextFromGwei,
  chzTextFromWei,
  formatDecimal,
  InvalidNumberError,
  parseDecimal,
  parsePercent,
  parseReais,
  percentText,
  readPercentText,
  readReaisText,
  reaisText,
} from "../../core/rules/money.ts";

describe("parseReais", () => {
  const accepted: [number | string, bigint][] = [
    [100, 10_000n],
    ["123.45", 12_345n],
    [0.1, 10n],
    ["0.10", 10n],
    ["1.500", 150n],
    [0, 0n],
  ];
  for (const [input, cents] of accepted) {
    it(`reads ${JSON.stringify(input)} as ${cents} cents`, () => expect(parseReais(input)).to.equal(cents));
  }
  const refused = [
    -1,
    "-1",
    Number.POSITIVE_INFINITY,
    Number.NaN,
    "1,50",
    "1e3",
    1e-7,
    1e21,
    "",
    " 1",
    "0x10",
    "1.",
    ".5",
    "1.234",
    "١",
  ];
  for (const input of refused) {
    it(`refuses ${typeof input === "string" ? `"${input}"` : input}`, () => {
      expect(() => parseReais(input)).to.throw(InvalidNumberError);
    });
  }
});

describe("parsePercent", () => {
  it("accepts a comma and normalises", () => {
    expect(parsePercent("5,75")).to.equal(575n);
    expect(parsePercent(" 5.75 ")).to.equal(575n);
    expect(parsePercent(100)).to.equal(10_000n);
    expect(parsePercent("0")).to.equal(0n);
  });
  for (const input of ["100.01", "-1", "5.755", "", "abc", "1.000,5"]) {
    it(`refuses "${input}"`, () => expect(() => parsePercent(input)).to.throw(InvalidNumberError));
  }
});

describe("formatDecimal", () => {
  it("parses what it formatted, for every scale", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n - 1n }), fc.integer({ min: 0, max: 18 }), (value, decimals) => {
        expect(parseDecimal(formatDecimal(value, decimals), decimals)).to.equal(value);
      }),
    );
  });
  it("keeps the sign", () => expect(formatDecimal(-5n, 2)).to.equal("-0.05"));
  it("formats percents without trailing zeros", () => {
    expect([percentText(575n), percentText(500n), percentText(1_050), percentText(0n)]).to.deep.equal([
      "5.75",
      "5",
      "10.5",
      "0",
    ]);
  });
  it("formats reais with two decimals", () =>
    expect([reaisText(12_345n), reaisText(5n)]).to.deep.equal(["123.45", "0.05"]));
  it("formats CHZ exactly", () => {
    expect(chzTextFromGwei(6_172_500_000n)).to.equal("6.1725");
    expect(chzTextFromWei(1n)).to.equal("0.000000000000000001");
    expect(chzTextFromWei(10n ** 18n)).to.equal("1");
  });
});

describe("readReaisText and readPercentText", () => {
  it("parse amounts as people and tickets write them", () => {
    expect(readReaisText("R$ 1.234,50")).to.equal(123_450n);
    expect(readReaisText("R$\u00a01.234,50")).to.equal(123_450n);
    expect(readReaisText("1234.5")).to.equal(123_450n);
    expect(readReaisText("100")).to.equal(10_000n);
    expect(readReaisText("nada")).to.equal(undefined);
  });
  it("parse percents with and without the sign", () => {
    expect([
      readPercentText("5.75%"),
      readPercentText("5,75 %"),
      readPercentText("5"),
      readPercentText("?"),
    ]).to.deep.equal([575n, 575n, 500n, undefined]);
  });
});
