import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "chai";

/**
 * Describes a contract by its behaviour tree, and fails if tree and tests differ: every leaf of `trees/NAME.tree` is a
 * test under the same path, and every test a leaf.
 */
export function describeTree(name: string, body: () => void): void {
  const suite = describe(name, body);
  describe(`${name}.tree`, () => {
    it("has one test for each leaf, and one leaf for each test", () => {
      expect(testPaths(suite).sort()).to.deep.equal(leafPaths(name).sort());
    });
  });
}

function testPaths(suite: Mocha.Suite, path: string[] = []): string[] {
  const here = suite.tests.map((test) => [...path, test.title].join(" › "));
  return [...here, ...suite.suites.flatMap((child) => testPaths(child, [...path, child.title]))];
}

/** The tree is drawn with `├── │ └──`, four columns a level; a line without children is a leaf. */
function leafPaths(name: string): string[] {
  const lines = readFileSync(join(import.meta.dirname, "../trees", `${name}.tree`), "utf8")
    .split("\n")
    .slice(1)
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const text = line.replace(/^[│├└─\s]+/, "");
      return { text, depth: (line.length - text.length) / 4 };
    });
  const path: string[] = [];
  return lines.flatMap(({ text, depth }, index) => {
    path.length = depth - 1;
    path.push(text);
    const isLeaf = (lines[index + 1]?.depth ?? 0) <= depth;
    return isLeaf ? [path.join(" › ")] : [];
  });
}
