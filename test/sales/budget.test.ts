import { expect } from "chai";
import { budgetProblem, callsNeeded } from "../../core/sales/budget.ts";

const WORK = { openSales: 0, salesPerCall: 100, callsPerPoll: 3, nightlyCalls: 8, pollSeconds: 600 };

/** docs/product.md#sales-budget */
describe("A budget of calls", () => {
  it("is enough if every open sale is read once a day beside the polls", () => {
    const needed = (openSales: number, salesPerCall: number) => callsNeeded({ ...WORK, openSales, salesPerCall });
    expect([needed(0, 100), needed(100_000, 100), needed(10_000, 1), needed(100_000, 1)]).to.deep.equal([1, 1, 8, 70]);
  });

  it("says what it needs", () => {
    const budget = { network: "awin", account: "br", budget: 5, needed: 8 };
    expect(budgetProblem(budget)).to.equal(
      "awin/br cannot read its open sales once a day with 5 calls a minute: it needs 8",
    );
    expect(budgetProblem({ ...budget, budget: 8 })).to.equal(undefined);
  });
});
