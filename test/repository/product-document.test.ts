import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";
import pt from "../../core/rules/languages/pt.json" with { type: "json" };
import { statusAttribute, storedStatus } from "../../core/rules/purchase/life.ts";
import { SITUATIONS } from "../../core/rules/purchase/situation.ts";
import { keysOf } from "../../core/rules/records.ts";
import { PURCHASE_WORDS, wordOf } from "../../frontend/admin/words.ts";

const DOCUMENT = "docs/product.md";
const ANCHOR = /<a id="([^"]+)"><\/a>/g;
const CITATION = /docs\/product\.md#([\w-]+)/g;
/** From one page of docs/ to another, and inside the document itself. */
const LINK = /\]\((?:product\.md)?#([\w-]+)\)/g;

/** A page that is not in the repository. */
const ABSENT_PAGE = /\b(?:specification|design)[,:]? (?:sections?|fault)\b/i;

const WRITTEN_BY_TOOLS = new Set([
  "node_modules",
  ".git",
  "dist",
  "data",
  "artifacts",
  "cache",
  "coverage",
  "generated",
  "types",
]);

describe("docs/product.md", () => {
  const document = readFileSync(DOCUMENT, "utf8");
  const anchors = matchesOf(document, ANCHOR);

  it("has each anchor once, right above its heading", () => {
    expect(anchors).to.deep.equal([...new Set(anchors)]);
    expect([...document.matchAll(/<a id="[a-z-]+"><\/a>\n##/g)]).to.have.lengthOf(anchors.length);
  });

  it("lists every section before the first, in order", () => {
    const list = document.slice(document.indexOf("Sections: "), document.indexOf("<a id="));
    expect(matchesOf(list, LINK)).to.deep.equal(matchesOf(document, /<a id="([^"]+)"><\/a>\n## /g));
  });

  it("has every anchor that a file of the repository cites", () => {
    const unknown = textFiles().flatMap((file) => {
      const text = readFileSync(file, "utf8");
      const cited = [...matchesOf(text, CITATION), ...(file.startsWith("docs/product") ? matchesOf(text, LINK) : [])];
      return cited.filter((anchor) => !anchors.includes(anchor)).map((anchor) => `${file} cites #${anchor}`);
    });
    expect(unknown).to.deep.equal([]);
  });

  it("is what comments cite, never a document outside the repository", () => {
    const wrong = textFiles().filter((file) => ABSENT_PAGE.test(readFileSync(file, "utf8")));
    expect(wrong).to.deep.equal([]);
  });

  it("has the situations of the code, with their sentences, figures and states", () => {
    const text = (id: string) => (pt as Record<string, string>)[id];
    const rows = keysOf(SITUATIONS).map((name) => {
      const { figure, status, panel } = SITUATIONS[name];
      const ticket = status ? `${statusAttribute(status)} / ${storedStatus(status)}` : "any";
      const states = panel.map((state) => `\`${state}\` ${wordOf(PURCHASE_WORDS, state).label}`).join(", ");
      return `| \`${name}\` | ${text(`situation.${name}`)} | ${figure ? text(`figures.${figure}`) : "–"} | ${ticket} | ${states} |`;
    });
    const head = "| situation | the buyer reads | figure | ticket / record | panel |\n|---|---|---|---|---|";
    expect(document).to.include(`${head}\n${rows.join("\n")}\n`);
  });
});

function matchesOf(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? "");
}

function textFiles(): string[] {
  return globSync("**/*.{ts,tsx,js,sol,md,json,yaml,yml,css,html,service,example}", {
    exclude: (name) => WRITTEN_BY_TOOLS.has(name.split("/").at(-1) ?? ""),
  });
}
