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

/** Folders of the web app that all its screens share; the others are screens. */
const SHARED = ["api", "app", "chain", "club", "design", "development", "i18n", "public", "session", "ui", "wallet"];

describe("Imports within the web app", () => {
  it("lead from a screen only to itself and to shared folders, and from these to no screen but in app/", () => {
    const wrong = globSync("frontend/*/**/*.{ts,tsx}").flatMap((file) => {
      const [, own = ""] = file.split("/");
      return targetsOf(file).flatMap((target) => {
        const [room, folder = ""] = target.split("/");
        const isAllowed =
          room !== "frontend" || folder === own || folder === "main.tsx" || SHARED.includes(folder) || own === "app";
        return isAllowed ? [] : [`${file} imports ${target}`];
      });
    });
    expect(wrong).to.deep.equal([]);
  });
});

/** The rooms that a file's relative imports lead to. */
function importsOf(file: string): string[] {
  return targetsOf(file).map((target) => target.split("/")[0] ?? "");
}

/** The paths of a file's relative imports. */
function targetsOf(file: string): string[] {
  const found = [...readFileSync(file, "utf8").matchAll(IMPORT)];
  return found.map((match) => normalize(join(dirname(file), match[1] ?? "")));
}
