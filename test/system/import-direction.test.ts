import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect } from "chai";

/** The folders that each folder may import, in addition to itself. docs/architecture.md. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: [],
  chain: ["domain"],
  database: ["domain"],
  platform: ["database", "chain", "domain"],
  catalogue: ["sender", "chain", "platform", "database", "domain"],
  rates: ["platform", "database", "domain"],
  sender: ["platform", "database", "chain", "domain"],
  purchases: ["sender", "rates", "platform", "database", "chain", "domain"],
  reconcile: ["purchases", "sender", "platform", "database", "chain", "domain"],
  indexer: ["purchases", "platform", "database", "chain", "domain"],
  affiliates: ["purchases", "sender", "platform", "database", "domain"],
  api: [
    "affiliates",
    "reconcile",
    "purchases",
    "sender",
    "catalogue",
    "rates",
    "platform",
    "database",
    "chain",
    "domain",
  ],
  frontend: ["domain", "chain"],
};

const IMPORT = /(?:from\s+|import\s+|import\()\s*["'](\.{1,2}\/[^"']+)["']/g;

describe("Import direction", () => {
  for (const [room, allowed] of Object.entries(MAY_IMPORT)) {
    it(`${room} imports only ${[room, ...allowed].join(", ")}`, () => {
      const files = globSync(`${room}/**/*.{ts,tsx}`);
      const wrong = files.flatMap((file) =>
        importsOf(file)
          .filter((target) => target !== room && !allowed.includes(target))
          .map((target) => `${file} imports ${target}`),
      );
      expect(files, `there are no files in ${room}`).not.to.be.empty;
      expect(wrong).to.deep.equal([]);
    });
  }
});

/** The rooms that a file's relative imports lead to. */
function importsOf(file: string): string[] {
  return [...readFileSync(file, "utf8").matchAll(IMPORT)].map((match) => {
    const target = normalize(join(dirname(file), match[1] ?? ""));
    return target.split("/")[0] ?? "";
  });
}
