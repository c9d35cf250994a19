import { expect } from "chai";
import { isMonthOpen, lastClosedMonth, toldFigures } from "../../core/rules/fan-figures.ts";

/** docs/product.md#fans */
describe("A month of a club's fans", () => {
  it("is open until a day after its end", () => {
    const at = (text: string) => Date.parse(`${text}Z`);
    expect(isMonthOpen("2026-10", at("2026-10-31T23:59:59"))).to.equal(true);
    expect(isMonthOpen("2026-10", at("2026-11-01T23:59:59"))).to.equal(true);
    expect(isMonthOpen("2026-10", at("2026-11-02T00:00:00"))).to.equal(false);
    expect(isMonthOpen("2026-12", at("2026-11-02T00:00:00")), "one to come").to.equal(false);
    expect(lastClosedMonth(at("2026-11-01T23:59:59"))).to.equal("2026-09");
    expect(lastClosedMonth(at("2027-01-02T00:00:00"))).to.equal("2026-12");
  });

  it("is told from twenty fans on, and its sum to ten CHZ", () => {
    const of = (fans: bigint, chz: bigint) => toldFigures({ fans, purchases: fans, gwei: chz * 1_000_000_000n });
    expect(of(19n, 500n)).to.equal(null);
    expect(of(20n, 504n)).to.include({ fans: 20, cashback: 500, perFan: 25 });
    expect(of(20n, 505n)).to.include({ cashback: 510, perFan: 25.5 });
    expect(of(20n, 4n)).to.include({ cashback: 0, perFan: 0 });
  });
});
