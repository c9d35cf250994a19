import { expect } from "chai";
import { decodeReport, encodeReport } from "../../core/purchases/sale-row.ts";
import { reportOf } from "../sales/support/shop.ts";

describe("A stored report", () => {
  const report = reportOf(undefined, { drift: [{ code: "odd", field: "site", value: "5" }] });

  it("is what was stored", () => {
    expect(decodeReport(encodeReport(report))).to.deep.equal(report);
  });

  it("of an earlier version, with a sentence for what was not understood, keeps the sentence", () => {
    const earlier = JSON.stringify({ ...JSON.parse(encodeReport(report)), drift: "site is 5" });
    expect(decodeReport(earlier).drift).to.deep.equal([{ code: "said", value: "site is 5" }]);
  });
});
