import { existsSync, readFileSync } from "node:fs";
import { expect } from "chai";

const ROW = /^\| F(\d+) \| (.+) \| (.+) \| (.+) \|$/gm;
/** A file of tests and parts of their titles, or a command. */
const TESTS = /`(test\/[^`]+)` (“[^”]+”(?:, “[^”]+”)*)/g;
const COMMAND = /`npm run ([\w:]+)[^`]*`/g;

const rows = [...readFileSync("docs/faults.md", "utf8").matchAll(ROW)].map(([, number, fault, , tests]) => ({
  number: Number(number),
  fault: fault ?? "",
  tests: tests ?? "",
}));
const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };

describe("docs/faults.md", () => {
  it("has each fault once, numbered in order", () => {
    expect(rows.length).to.be.greaterThan(40);
    expect(rows.map(({ number }) => number)).to.deep.equal(rows.map((_, index) => index + 1));
    expect(new Set(rows.map(({ fault }) => fault)).size).to.equal(rows.length);
  });

  for (const { number, tests } of rows) {
    it(`F${number} names tests that exist, by their titles`, () => {
      const named = [...tests.matchAll(TESTS)];
      expect(named.length, "files named").to.be.greaterThan(0);
      for (const [, file = "", titles = ""] of named) {
        expect(existsSync(file), file).to.equal(true);
        const text = readFileSync(file, "utf8");
        for (const [, title = ""] of titles.matchAll(/“([^”]+)”/g)) expect(titlesOf(text), file).to.include(title);
      }
      for (const [, command = ""] of tests.matchAll(COMMAND)) expect(scripts).to.have.property(command);
      expect(tests.replaceAll(TESTS, "").replaceAll(COMMAND, ""), "anything else").to.match(/^[; ]*$/);
    });
  }
});

/** The titles of a file's tests, without its other text. */
function titlesOf(text: string): string {
  return [...text.matchAll(/\b(?:it|describe)\(\s*(?:"([^"]*)"|`([^`]*)`)/g)].map((one) => one[1] ?? one[2]).join("\n");
}
