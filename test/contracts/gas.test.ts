import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { measureGas } from "../bench/gas/scenarios.ts";

const SNAPSHOT = join(import.meta.dirname, "gas-snapshot.json");

/** The maximum cost of each. Every friendly case has a realistic counterpart: distinct buyers, sparse ids. */
const LIMITS: Record<string, number> = {
  mintNewBuyer: 79_000,
  mintReturningBuyer: 62_000,
  mintBatchNewBuyers: 53_400,
  mintBatchDistinctReturningBuyers: 36_300,
  mintBatchDistinctReturningBuyersSparse: 36_300,
  confirmOne: 32_800,
  confirmRun: 7_700,
  confirmSparse: 8_550,
  payBatchExisting: 15_400,
  payBatchNew: 40_400,
  payStrict: 60_000,
};

/**
 * Not measured under coverage, because instrumentation costs gas. `UPDATE_GAS_SNAPSHOT=1` writes new figures for
 * review.
 */
describe("Gas", () => {
  let figures: Record<string, number>;
  before(async () => {
    figures = await measureGas();
    if (process.env.UPDATE_GAS_SNAPSHOT) writeFileSync(SNAPSHOT, `${JSON.stringify(figures, null, 2)}\n`);
  });

  for (const [name, limit] of Object.entries(LIMITS)) {
    it(`${name} stays at or below ${limit}`, () => {
      expect(figures[name]).to.be.at.most(limit);
    });
  }

  it("matches the snapshot", () => {
    expect(figures).to.deep.equal(JSON.parse(readFileSync(SNAPSHOT, "utf8")));
  });
});
