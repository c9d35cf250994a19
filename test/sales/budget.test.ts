import { expect } from "chai";
import { budgetProblem, callsNeeded } from "../../core/sales/budget.ts";
import { NETWORKS } from "../../core/sales/networks.ts";

const WORK = { openSales: 0, salesPerCall: 100, callsPerPoll: 3, nightlyCalls: 8, pollSeconds: 600, catalogueCalls: 0 };

/** docs/product.md#sales-budget */
describe("A budget of calls", () => {
  it("is enough if every open sale is read once a day beside the polls", () => {
    const needed = (openSales: number, salesPerCall: number) => callsNeeded({ ...WORK, openSales, salesPerCall });
    expect([needed(0, 100), needed(100_000, 100), needed(10_000, 1), needed(100_000, 1)]).to.deep.equal([1, 1, 8, 70]);
  });

  it("counts the day's programmes and offers of each network", () => {
    const of = { programmes: 2_000, stores: 300 };
    const calls = NETWORKS.map((network) => [network.name, network.catalogueCalls(of)]);
    expect(Object.fromEntries(calls)).to.deep.equal({ awin: 2_102, admitad: 52, impact: 2_400 });
    const needed = (catalogueCalls: number) => callsNeeded({ ...WORK, openSales: 20_000, catalogueCalls });
    expect([needed(0), needed(2_102), needed(20_000)]).to.deep.equal([1, 2, 15]);
  });

  it("says what it needs", () => {
    const budget = { network: "awin", account: "br", budget: 5, needed: 8 };
    expect(budgetProblem(budget)).to.equal(
      "awin/br cannot read its open sales, programmes and offers once a day with 5 calls a minute: it needs 8",
    );
    expect(budgetProblem({ ...budget, budget: 8 })).to.equal(undefined);
  });
});
