import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";

/** A mark or a unit, and a space at which the line may break, next to a figure. */
const LOOSE = /\b[Nn]º [\d{$]|\bno\. [\d{$]|[\d}] CHZ\b|R\$ [\d{$]/g;

describe("Texts on screen", () => {
  it("keep a number with its mark and its unit on one line", () => {
    const loose = globSync("frontend/**/*.{ts,tsx,json}").flatMap((file) => {
      const text = readFileSync(file, "utf8").replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
      return [...text.matchAll(LOOSE)].map(([found]) => `${file}: ${found}`);
    });
    expect(loose).to.deep.equal([]);
  });
});
