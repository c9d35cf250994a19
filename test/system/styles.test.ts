import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";

/** Names of helper classes: a spacing, a size or a text style, and nothing else. */
const HELPER = /^(?:[mp][trblxy]?|gap|space-[xy]|[hw]|(?:min|max)-[hw]|text|font|items|justify|grid-cols)-[\w/.-]+$/;

describe("Styles", () => {
  it("define every helper class that a screen uses", () => {
    const css = globSync("frontend/**/*.css")
      .map((file) => readFileSync(file, "utf8"))
      .join("\n");
    const missing = globSync("frontend/**/*.tsx").flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/className=(?:"([^"]*)"|\{`([^`]*)`\})/g)]
        .flatMap(([, plain, template]) => (plain ?? template ?? "").split(/\s+/))
        .filter((name) => HELPER.test(name) && !css.includes(`.${name.replace("/", "\\/")}`))
        .map((name) => `${file}: ${name}`),
    );
    expect(missing).to.deep.equal([]);
  });
});
