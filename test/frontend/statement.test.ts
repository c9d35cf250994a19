import { expect } from "chai";
import { byMonth, type Entry } from "../../frontend/dashboard/statement.ts";

const entry = (id: string, date: string): Entry => ({
  id,
  date,
  store: "Loja",
  status: "pending",
  value: "1.00",
  valueText: "",
  percent: "1",
  percentText: "",
  cashback: "0.01",
  wallet: "",
  nft: undefined,
  purchase: undefined,
});

describe("The statement by month", () => {
  it("starts a month where the reader's month changes, and keeps undated entries together at the end", () => {
    const dates = [
      "2026-11-20T12:00:00Z",
      "2026-11-02T12:00:00Z",
      "2026-10-15T12:00:00Z",
      "2025-10-15T12:00:00Z",
      "",
      "",
    ];
    const months = byMonth(dates.map((date, index) => entry(String(index), date)));
    expect(months.map((one) => one.entries.map(({ id }) => id))).to.deep.equal([["0", "1"], ["2"], ["3"], ["4", "5"]]);
    expect(months.at(-1)?.month).to.equal("");
  });
});
