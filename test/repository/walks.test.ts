import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { type Functions, openFunctions } from "../../scripts/developer/walk/functions.ts";
import { unearnedNames } from "../../scripts/developer/walk/names.ts";
import { doorsOf, SPINES, type Stop, tell, walk, withSpines } from "../../scripts/developer/walk/spines.ts";
import { LOOK_UPS } from "./look-ups.ts";

/**
 * The doors of each spine. A number only sinks; a new door is a look-up with its reason, or takes the place of another. Two of
 * `decide` and three of `register` are what an invitation adds to a click, and to the sale of it (docs/product.md#invite); one of
 * `register` reads the names in a pasted link as they were meant (docs/product.md#sales-links), and one says what a live sale
 * can count by (docs/product.md#promise). Four of `catch-up` count what
 * the chain paid for a club's month (docs/product.md#fans). One of `register`, `decide` and `plan` and two of `round` say which
 * trace something belongs to (docs/operations.md#traces). Four of `decide` are what an account may lose in a month, with the notes
 * that others are decided anew, and by whose word (docs/product.md#margin-loss). Three of `round` write a store's tickets in the
 * colours of its club (docs/product.md#ticket-look), and four lock and decide anew what failed to be sent.
 */
const MOST_DOORS: Readonly<Record<string, number>> = {
  register: 39,
  decide: 50,
  "catch-up": 40,
  plan: 50,
  round: 63,
  profile: 39,
};
/** Functions that have not earned their names, of the server. The numbers only sink. docs/architecture.md#names */
const MOST_UNEARNED = { exported: 100, private: 182 };
const MOST_LOOK_UPS = 25;
const MOST_LINES = 70;

describe("The six spines", function () {
  this.timeout(120_000);
  let functions: Functions;
  const stopsOf = new Map<string, Stop[]>();
  before(() => {
    functions = openFunctions(process.cwd());
    for (const spine of Object.keys(SPINES)) stopsOf.set(spine, walk(functions, spine, LOOK_UPS));
  });
  after(() => functions[Symbol.dispose]());

  for (const [spine, most] of Object.entries(MOST_DOORS)) {
    it(`${spine} has at most ${most} doors`, () => {
      const doors = doorsOf(stopsOf.get(spine) ?? []);
      expect(doors.length, `npm run walk -- ${spine}\n${doors.map(tell).join("\n")}`).to.be.within(1, most);
    });
  }

  it("each have a bound", () => {
    expect(Object.keys(MOST_DOORS)).to.deep.equal(Object.keys(SPINES));
  });

  it(`are made of functions of at most ${MOST_LINES} lines`, () => {
    const long = [...stopsOf.values()].flat().filter(({ from, to }) => to - from + 1 > MOST_LINES);
    expect(long.map(tell)).to.deep.equal([]);
  });

  it(`name at most ${MOST_LOOK_UPS} look-ups, each of which one of them meets`, () => {
    expect(Object.keys(LOOK_UPS)).to.have.lengthOf.at.most(MOST_LOOK_UPS);
    const met = new Set(Object.keys(SPINES).flatMap((spine) => walk(functions, spine, {}).map(({ name }) => name)));
    expect(Object.keys(LOOK_UPS).filter((name) => !met.has(name))).to.deep.equal([]);
  });

  it("stand in docs/architecture.md as they are", () => {
    const document = readFileSync("docs/architecture.md", "utf8");
    const written = withSpines(document, functions, LOOK_UPS);
    expect(document === written, "run: npm run walk -- --write").to.equal(true);
  });

  it("are told in names that are earned", () => {
    const elsewhere = globSync("{test,frontend}/**/*.{ts,tsx}").map((path) => readFileSync(path, "utf8"));
    const unearned = unearnedNames(functions, elsewhere.join("\n"));
    const count = { exported: unearned.exported.length, private: unearned.private.length };
    expect(count.exported, "npm run walk -- --names").to.be.at.most(MOST_UNEARNED.exported);
    expect(count.private, "npm run walk -- --names").to.be.at.most(MOST_UNEARNED.private);
  });
});
