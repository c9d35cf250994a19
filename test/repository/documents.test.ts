import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "chai";
import packageJson from "../../package.json" with { type: "json" };

const LINK = /\]\(([^)#\s]+)(?:#[^)]*)?\)/g;
const ANCHOR_LINK = /\]\(([^)#\s:]*)#([^)]+)\)/g;
const IN_BACKTICKS = /`([^`\s]+)`/g;

/** A message in italics; `…` stands for a value. */
const QUOTED = /(?<![*\w])\*([^*\s][^*]*[^*\s])\*(?![*\w])/g;

/** What a run, a build or an operator creates, and placeholders. */
const NOT_IN_THE_REPOSITORY = /^(?:data|dist|deployments|artifacts)\/|X\.Y\.Z/;

const { scripts } = packageJson;
const documents = globSync(["*.md", "docs/**/*.md"]).filter((file) => file !== "CHANGELOG.md");
const folders = new Set(
  readdirSync(".", { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [one.name] : [])),
);

describe("The documents", () => {
  for (const file of documents) {
    it(`${file} links to and names only files that exist`, () => {
      const text = readFileSync(file, "utf8");
      const linked = [...text.matchAll(LINK)]
        .map((match) => match[1] ?? "")
        .filter((target) => !/^(?:https?|mailto):/.test(target))
        .map((target) => join(dirname(file), target));
      const named = [...text.matchAll(IN_BACKTICKS)].map((match) => match[1] ?? "").filter(isPath);
      const missing = [...linked, ...named].filter((path) => !NOT_IN_THE_REPOSITORY.test(path) && !exists(path));
      expect(missing).to.deep.equal([]);
    });

    it(`${file} names only commands that exist`, () => {
      const named = [...readFileSync(file, "utf8").matchAll(/\bnpm\s+run\s+([a-z][\w:-]*)/g)].map(
        ([, name = ""]) => name,
      );
      expect(named.filter((name) => !(name in scripts))).to.deep.equal([]);
    });

    it(`${file} links to sections that exist`, () => {
      const links = [...readFileSync(file, "utf8").matchAll(ANCHOR_LINK)].map(([, path = "", anchor = ""]) => {
        return { page: path === "" ? file : join(dirname(file), path), anchor };
      });
      expect(links.filter(({ page, anchor }) => !anchorsOf(page).includes(anchor))).to.deep.equal([]);
    });
  }
});

describe("docs/troubleshooting.md", () => {
  const code = globSync("{api,core,frontend,indexer}/**/*.{ts,tsx,json}")
    .concat(globSync("scripts/**/*.ts"))
    .map((file) => readFileSync(file, "utf8").replaceAll("\\`", "`"))
    .join("\n");

  for (const file of ["docs/troubleshooting.md", ...globSync("docs/runbook/*.md")]) {
    it(`${file} quotes only messages of the code`, () => {
      const text = readFileSync(file, "utf8").replaceAll("\n", " ");
      const quoted = [...text.matchAll(QUOTED)].map((match) => match[1] ?? "");
      expect(quoted.filter((message) => !message.split("…").every((part) => code.includes(part)))).to.deep.equal([]);
    });
  }

  it("leads to every page of the runbook", () => {
    const text = readFileSync("docs/troubleshooting.md", "utf8");
    const pages = globSync("docs/runbook/*.md").map((file) => file.replace("docs/", ""));
    expect(pages.filter((page) => !text.includes(`](${page})`))).to.deep.equal([]);
  });
});

/** Whether a text in backticks is a path of this repository and not a command, a route or an expression. */
function isPath(text: string): boolean {
  const [folder = "", ...rest] = text.split("/");
  return rest.length > 0 && folders.has(folder) && /^[\w@./*-]+$/.test(text);
}

/** As GitHub makes them of headings, and those written as such. */
function anchorsOf(page: string): string[] {
  const text = readFileSync(page, "utf8");
  const headings = [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
  return [...headings, ...[...text.matchAll(/<a id="([^"]+)"/g)].map(([, id = ""]) => id)];
}

function exists(path: string): boolean {
  return path.includes("*") ? globSync(path).length > 0 : existsSync(path);
}
