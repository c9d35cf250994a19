import { expect } from "chai";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { plainCell, safeCell, spreadsheetIn } from "../../core/rules/spreadsheet.ts";

const risky = fc.string({
  unit: fc.constantFrom(..."=+-@\uff1d\uff0b;,\t\r\n'\" a1.", "cmd|", "-5", "=1+1"),
  maxLength: 12,
});
/** What a spreadsheet runs: a negative number is none. */
const RUNS = /^[ \u00a0"]*(?:[=+@\uff1d\uff0b\uff0d\uff20]|-(?!\d[\d.,]*"*$))/;

describe("A cell of a CSV file", () => {
  it("is read as it was written, by a spreadsheet of its language", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("pt", "en"),
        fc.array(fc.array(risky, { minLength: 1, maxLength: 4 })),
        (language, rows) => {
          const width = Math.max(1, ...rows.map((row) => row.length));
          const full = rows.map((row) => [...row, ...Array<string>(width - row.length).fill("")]);
          const text = spreadsheetIn(language as "pt" | "en").rows(full);
          const read: string[][] = parse(text, { delimiter: language === "pt" ? ";" : ",", record_delimiter: "\r\n" });
          expect(read.map((row) => row.map(plainCell))).to.deep.equal(full);
        },
      ),
    );
  });

  it("begins with no formula, wherever a spreadsheet of either language splits it", () => {
    fc.assert(
      fc.property(fc.constantFrom("pt", "en"), fc.array(risky, { minLength: 1, maxLength: 4 }), (language, cells) => {
        const text = spreadsheetIn(language as "pt" | "en").rows([cells]);
        // As if the quotes meant nothing, and as the other language reads them.
        for (const piece of text.split(/[;,\t\r\n]/)) expect(RUNS.test(piece), JSON.stringify(text)).to.equal(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it("is always quoted, and has an apostrophe before what would run", () => {
    expect(spreadsheetIn("pt").rows([["a", "", '=cmd|"x"', "-5,20", "Loja, =A1;@b"]])).to.equal(
      `"a";"";"'=cmd|""x""";"-5,20";"Loja, '=A1;'@b"\r\n`,
    );
    expect(spreadsheetIn("en").rows([["a;=b", "+55 11"]])).to.equal(`"a;'=b","'+55 11"\r\n`);
  });

  it("keeps an apostrophe of its own", () => {
    for (const text of ["'=a", "''-5", "it's", "a,'=b", "'a'"]) expect(plainCell(safeCell(text))).to.equal(text);
  });
});
