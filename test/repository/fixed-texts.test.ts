import { existsSync, globSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { LANGUAGE_NAMES } from "../../core/rules/languages.ts";
import vectors from "../vectors/fixed-texts.json" with { type: "json" };

const read = (file: string): string => readFileSync(file, "utf8");
const catalogue = (language: string): Record<string, string> =>
  JSON.parse(read(`core/rules/languages/${language}.json`));

/** The arguments of an ICU message, not the words in its plural branches, so that both languages fill the same ones. */
const ARGUMENT = /(?<!(?:=\d+|zero|one|two|few|many|other)\s*)\{(\w+)[,}]/g;
const placeholders = (text: string) => [...new Set([...text.matchAll(ARGUMENT)].map((match) => match[1]))].sort();

describe("The fixed texts", () => {
  const pt = catalogue("pt");
  const en = catalogue("en");
  const panel = catalogue("panel/pt");
  const others = LANGUAGE_NAMES.filter((one) => one !== "pt");

  for (const { literal, where, shown, test } of vectors.literals) {
    it(`'${literal}' is in ${where} and in ${test}`, () => {
      const ofPanel = where.startsWith("panel/") ? panel[where.slice("panel/".length)] : undefined;
      if (where in pt || ofPanel !== undefined) {
        const words = ofPanel === undefined ? [pt[where] ?? "", en[where] ?? ""] : [ofPanel];
        // Texts in lower case begin a button's label; N and similar are placeholders.
        const wanted = shown.startsWith("Redirecionando em") ? "Redirecionando em" : shown;
        expect(
          words.some((text) => text === wanted || text.includes(wanted)),
          words.join(" | "),
        ).to.equal(true);
      } else {
        expect(existsSync(where), where).to.equal(true);
        const template = literal.replace("{product}", "").split("{")[0]?.split(" ")[0] ?? "";
        expect(read(where)).to.include(literal.includes("{") || literal.startsWith("min%") ? template : shown);
      }
      // A regular expression in a test may escape dots.
      expect(read(test).replaceAll("\\.", ".")).to.include(shown);
    });
  }

  for (const language of others)
    it(`are complete in "${language}", with the same placeholders, and none is empty`, () => {
      const texts = catalogue(language);
      expect(Object.keys(texts).sort()).to.deep.equal(Object.keys(pt).sort());
      for (const [id, text] of Object.entries(pt)) {
        expect(text.trim(), id).to.not.equal("");
        expect(texts[id]?.trim(), id).to.not.equal("");
        expect(placeholders(texts[id] ?? ""), id).to.deep.equal(placeholders(text));
      }
    });

  it("are all used", () => {
    const source = sources().join("\n");
    const templates = [...source.matchAll(/\bt\(\s*`([^`]+)`/g)].map((match) => templatePattern(match[1] ?? ""));
    const shown = Object.keys(pt).filter((id) => !/^helpText\.[\w-]+\.\d+(\.heading)?$/.test(id));
    // The extension's own, by the names that browsers know.
    const isNamed = (id: string) => {
      const name = id.replace(/^extension\./, "");
      return source.includes(`"${name}"`) || (name !== id && source.includes(`__MSG_${name}__`));
    };
    const unused = shown.filter((id) => !isNamed(id) && !templates.some((one) => one.test(id)));
    expect(unused).to.deep.equal([]);
  });
});

const templatePattern = (template: string) =>
  new RegExp(
    `^${template
      .split(/\$\{[^}]*\}/)
      .map((part) => part.replaceAll(".", "\\."))
      .join("[\\w-]+")}$`,
  );

function sources(): string[] {
  return globSync(["frontend/**/*.{ts,tsx}", "api/**/*.ts", "scripts/developer/build-extension.ts"]).map(read);
}
