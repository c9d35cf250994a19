import { readFileSync } from "node:fs";
import { expect } from "chai";
import { yearAt } from "../../core/rules/capacity.ts";

describe("What a year costs", () => {
  const page = readFileSync("docs/capacity.md", "utf8");
  const row = (name: string) => {
    const line = page.split("\n").find((one) => one.startsWith(`| ${name}`)) ?? "";
    return line
      .split("|")
      .slice(2, -1)
      .map((cell) => cell.trim());
  };
  const number = (text = "") =>
    Number(text.replaceAll(",", "").replace(/ million$/, "")) * (text.endsWith("million") ? 1e6 : 1);

  it("is what docs/capacity.md says, for each size of a shop", () => {
    for (const [index, purchases] of [1_000, 10_000, 100_000].entries()) {
      const year = yearAt(purchases, "postgres");
      const near = (name: string, value: number) =>
        expect(number(row(name)[index]), `${name} at ${purchases}`).to.be.closeTo(value, value * 0.05);
      near("gas, in full batches", year.chzInBatches);
      near("database, PostgreSQL", year.databaseBytes / 1e9);
      near("logs (GB)", year.logBytes / 1e9);
    }
    expect(number(row("gas, each sent alone")[0])).to.be.closeTo(yearAt(1_000, "sqlite").chzAlone, 100);
    expect(number(row("database, SQLite")[1])).to.be.closeTo(yearAt(10_000, "sqlite").databaseBytes / 1e9, 0.1);
  });

  it("counts the gas that the contracts' document computes from their snapshot", () => {
    const operations = readFileSync("docs/operations.md", "utf8");
    expect(operations).to.include("costs 152,220 gas").and.include("59,211 in full");
    expect(yearAt(1_000_000 / 365, "sqlite").chzAlone).to.be.closeTo(380_550, 1);
    expect(yearAt(1_000_000 / 365, "sqlite").chzInBatches).to.be.closeTo(148_027.5, 1);
  });
});
