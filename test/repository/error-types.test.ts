import { existsSync, globSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { ERROR_CODES } from "../../core/rules/api/error-codes.ts";

const DEFINITION = /class (\w+) extends Error\b/g;
const CITED = /(?:docs\/[\w/-]+|README)\.md(?:#[\w-]+)?/g;
const HEADING = /^#+ (.+)$/gm;
const ANCHOR = /<a id="([^"]+)"><\/a>/g;

const files = globSync("{api,core,indexer,scripts}/**/*.ts", { exclude: ["**/node_modules/**"] }).map((path) => ({
  path,
  text: readFileSync(path, "utf8"),
}));

describe("The errors of the server", () => {
  it("have one base, which names the section that explains each", () => {
    const own = files.flatMap(({ text }) => [...text.matchAll(DEFINITION)].map((match) => match[1]));
    expect(own).to.deep.equal(["TorcidaError"]);
  });

  it("and its comments cite only pages and sections that exist", () => {
    const missing = files.flatMap(({ path, text }) =>
      [...text.matchAll(CITED)]
        .map(([cited]) => cited)
        .filter((cited) => !exists(cited))
        .map((cited) => `${path}: ${cited}`),
    );
    expect(missing).to.deep.equal([]);
  });

  it("use every code of an error response", () => {
    const users = files.filter(({ path }) => /^api\/(?!docs)|^core\/sales\/decisions/.test(path));
    const unused = ERROR_CODES.filter((code) => !users.some(({ text }) => text.includes(`"${code}"`)));
    expect(unused).to.deep.equal([]);
  });
});

function exists(cited: string): boolean {
  const [page = "", section] = cited.split("#");
  return existsSync(page) && (section === undefined || sectionsOf(page).includes(section));
}

/** The sections that a link can name: the explicit anchors, and GitHub's for each heading. */
function sectionsOf(page: string): string[] {
  const text = readFileSync(page, "utf8");
  const slug = (heading: string) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .trim()
      .replaceAll(" ", "-");
  return [
    ...[...text.matchAll(ANCHOR)].map(([, id = ""]) => id),
    ...[...text.matchAll(HEADING)].map(([, one = ""]) => slug(one)),
  ];
}
