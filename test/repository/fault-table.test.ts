import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";

const ROW = /^\| F(\d+) \| (.+) \| .+ \|$/gm;
const TITLE = /\b(?:it|describe)\(\s*(?:"([^"]*)"|`([^`]*)`)/g;
/** The faults that a test's title names, such as `(F11, F12)`. */
const NUMBERS = /\((F\d+(?:, F\d+)*)\)/g;

const rows = [...readFileSync("docs/faults.md", "utf8").matchAll(ROW)].map(([, number, fault]) => ({
  number: Number(number),
  fault: fault ?? "",
}));
const proven = new Set(globSync("test/**/*.test.ts").flatMap(faultsIn));

describe("docs/faults.md", () => {
  it("has each fault once, numbered in order", () => {
    expect(rows.length).to.be.greaterThan(40);
    expect(rows.map(({ number }) => number)).to.deep.equal(rows.map((_, index) => index + 1));
    expect(new Set(rows.map(({ fault }) => fault)).size).to.equal(rows.length);
  });

  it("has the faults that titles of tests carry, no more and no fewer", () => {
    expect([...proven].sort((one, other) => one - other)).to.deep.equal(rows.map(({ number }) => number));
  });
});

/** The faults that the titles of a file's tests carry. */
function faultsIn(file: string): number[] {
  const titles = [...readFileSync(file, "utf8").matchAll(TITLE)].map((one) => one[1] ?? one[2] ?? "");
  return titles
    .flatMap((title) => [...title.matchAll(NUMBERS)].flatMap((one) => one[1]?.split(", ") ?? []))
    .map(toNumber);
}

function toNumber(fault: string): number {
  return Number(fault.slice(1));
}
