import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";

/** Words that have another word here, and which. */
const ONE_WORD_A_THING: readonly (readonly [RegExp, string])[] = [
  [/bilhete/i, "ingresso"],
  [/\bseu time\b|o time\b/i, "clube"],
];

/** A mark or a unit, and a space at which the line may break, next to a figure. */
const LOOSE = /\b[Nn]º [\d{$]|\bno\. [\d{$]|[\d}] CHZ\b|R\$ [\d{$]/g;

describe("Texts on screen", () => {
  for (const [other, word] of ONE_WORD_A_THING) {
    it(`say ${word}, not ${other.source}`, () => {
      const found = globSync("frontend/**/*.{ts,tsx,json,html}").filter((file) =>
        readFileSync(file, "utf8")
          .split("\n")
          .some((line) => other.test(line)),
      );
      expect(found).to.deep.equal([]);
    });
  }

  it("keep a number with its mark and its unit on one line", () => {
    const loose = globSync("frontend/**/*.{ts,tsx,json}").flatMap((file) => {
      const text = readFileSync(file, "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
      return [...text.matchAll(LOOSE)].map(([found]) => `${file}: ${found}`);
    });
    expect(loose).to.deep.equal([]);
  });
});
