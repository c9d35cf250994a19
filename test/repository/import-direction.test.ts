import { globSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { expect } from "chai";

/** What each room may import, in addition to itself: the rooms of `core/`, and the doors beside it. docs/architecture.md. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  "core/rules": [],
  "core/chain": ["core/rules"],
  "core/database": ["core/rules"],
  "core/process": ["core/database", "core/chain", "core/rules"],
  "core/catalogue": ["core/sender", "core/chain", "core/process", "core/database", "core/rules"],
  "core/rates": ["core/process", "core/database", "core/rules"],
  "core/sender": ["core/process", "core/database", "core/chain", "core/rules"],
  "core/purchases": ["core/sender", "core/rates", "core/process", "core/database", "core/chain", "core/rules"],
  "core/reconcile": ["core/purchases", "core/sender", "core/process", "core/database", "core/chain", "core/rules"],
  "core/sales": ["core/catalogue", "core/purchases", "core/sender", "core/process", "core/database", "core/rules"],
  indexer: ["core/purchases", "core/process", "core/database", "core/chain", "core/rules"],
  api: [
    "core/sales",
    "core/reconcile",
    "core/purchases",
    "core/sender",
    "core/catalogue",
    "core/rates",
    "core/process",
    "core/database",
    "core/chain",
    "core/rules",
  ],
  frontend: ["core/rules", "core/chain"],
};

const IMPORT = /(?:from\s+|import\s+|import\()\s*["'](\.{1,2}\/[^"']+)["']/g;

describe("Import direction", () => {
  it("is told of every room of core/", () => {
    const rooms = readdirSync("core").map((one) => `core/${one}`);
    expect(Object.keys(MAY_IMPORT).filter((one) => one.startsWith("core/"))).to.have.members(rooms);
  });

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
  return targetsOf(file).map((target) => target.match(/^core\/[^/]+|^[^/]+/)?.[0] ?? "");
}

/** The paths of a file's relative imports. */
function targetsOf(file: string): string[] {
  const found = [...readFileSync(file, "utf8").matchAll(IMPORT)];
  return found.map((match) => normalize(join(dirname(file), match[1] ?? "")));
}
