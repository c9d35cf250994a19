import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";

/** The call whose object has a key of its own. */
const KEYED = /(\w+)\(\{(?:(?!\(\{).)*?\bqueryKey:\s*\[/gs;

/** What is asked of a server or the chain stands once, with its key: two places that name one differ some day. */
describe("The queries of the web app", () => {
  const keyed = globSync("frontend/**/*.{ts,tsx}").flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(KEYED)].map(([, call = ""]) => ({ file, call })),
  );

  it("have their keys in options, from which every other place takes them", () => {
    const [right, wrong] = [true, false].map((is) => keyed.filter(({ call }) => call.endsWith("Options") === is));
    expect(right).to.have.length.above(30);
    expect(wrong).to.deep.equal([]);
  });
});
