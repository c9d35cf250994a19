import { expect } from "chai";
import { isKeyOf, isRecord, keysOf } from "../../core/rules/records.ts";

describe("Records", () => {
  const percents = { basic: 0, gold: 10 };

  it("takes only an object's own keys", () => {
    expect(keysOf(percents)).to.deep.equal(["basic", "gold"]);
    expect(isKeyOf(percents, "gold")).to.equal(true);
    for (const other of ["silver", "toString", "__proto__"]) expect(isKeyOf(percents, other), other).to.equal(false);
  });

  it("takes null and texts for no record", () => {
    expect(isRecord(percents)).to.equal(true);
    for (const other of [null, undefined, "basic", 1]) expect(isRecord(other), String(other)).to.equal(false);
  });
});
