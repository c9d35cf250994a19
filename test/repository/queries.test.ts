import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";

/** What is asked of a server or the chain stands once, with its key: two places that name one differ some day. */
describe("The queries of the web app", () => {
  const files = globSync("frontend/**/*.{ts,tsx}").map((file) => ({ file, source: readFileSync(file, "utf8") }));

  it("have their keys and functions in the `queries.ts` of their folder, and nowhere else", () => {
    const keys = files.filter(({ source }) => /\bqueryKey:\s*\[|\bqueryFn\b/.test(source));
    const [right, wrong] = [true, false].map((is) => keys.filter(({ file }) => file.endsWith("queries.ts") === is));
    expect(right).to.have.length.above(10);
    expect(wrong?.map(({ file }) => file)).to.deep.equal([]);
  });
});
