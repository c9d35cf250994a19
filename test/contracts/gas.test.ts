import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";
import { measureGas } from "../../bench/gas/scenarios.ts";

const SNAPSHOT = join(import.meta.dirname, "gas-snapshot.json");

/** The table that holds with every feature in. The ticket's art is on top of `tokenURI`'s figure. */
const LIMITS: Record<string, number> = {
  mintNewBuyer: 82_000,
  mintReturningBuyer: 65_000,
  mintBatchNewBuyers: 55_000,
  mintBatchReturningBuyer: 33_000,
  confirmOne: 33_000,
  confirmBatch: 9_200,
  payBatchExisting: 17_000,
  payBatchNew: 42_000,
  payStrict: 65_000,
};

/** Not measured under coverage, whose instruments cost gas. `UPDATE_GAS_SNAPSHOT=1` writes new figures for review. */
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

  it("is what the snapshot says", () => {
    expect(figures).to.deep.equal(JSON.parse(readFileSync(SNAPSHOT, "utf8")));
  });
});
