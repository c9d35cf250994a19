import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
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

  it("are each imported once: a shopper's by app.css, the panel's by the panel", () => {
    const importsOf = (file: string, pattern: RegExp) =>
      [...readFileSync(file, "utf8").matchAll(pattern)].map((match) => normalize(join(dirname(file), match[1] ?? "")));
    const styles = globSync("frontend/**/*.css", { exclude: ["frontend/public/**"] });
    const byStyle = styles.flatMap((file) => importsOf(file, /@import "(\.[^"]+)"/g).map((to) => [to, file]));
    const byModule = globSync("frontend/**/*.{ts,tsx}").flatMap((file) =>
      importsOf(file, /import "(\.[^"]+\.css)"/g).map((to) => [to, file]),
    );
    const own: Record<string, string> = {
      "frontend/design/app.css": "frontend/main.tsx",
      "frontend/design/screens/admin.css": "frontend/admin/panel.tsx",
      "frontend/development/demo-wallets/demo-wallets.css": "frontend/development/demo-wallets/announce.ts",
    };
    const wanted = styles.map((file) => [file, own[file] ?? "frontend/design/app.css"]);
    expect([...byStyle, ...byModule].sort()).to.deep.equal(wanted.sort());
  });
});
