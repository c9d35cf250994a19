import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";

describe("Texts on screen", () => {
  it("call a ticket ingresso, not bilhete", () => {
    const files = globSync("frontend/**/*.{ts,tsx,json,html}");
    expect(files.filter((file) => /bilhete/i.test(readFileSync(file, "utf8")))).to.deep.equal([]);
  });
});
