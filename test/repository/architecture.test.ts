import { existsSync, readFileSync } from "node:fs";
import { expect } from "chai";

const STOP = /^\d+\. `([^`]+)` `([^`]+)`: /gm;
const MOST_STOPS = 20;

const document = readFileSync("docs/architecture.md", "utf8");
const walks = document.split(/^## /m).filter((section) => section.startsWith("Walk"));

describe("docs/architecture.md", () => {
  it("has the walks to the chain, of a purchase and of a sale, and the walk to the screen", () => {
    expect(walks).to.have.lengthOf(3);
  });

  for (const walk of walks) {
    const stops = [...walk.matchAll(STOP)].map(([, file = "", name = ""]) => ({ file, name }));

    describe(walk.split("\n")[0] ?? "", () => {
      for (const { file, name } of stops) {
        it(`stops at ${name} in ${file}`, () => {
          expect(existsSync(file), file).to.equal(true);
          expect(readFileSync(file, "utf8")).to.match(new RegExp(`\\b${name}\\b`));
        });
      }

      it(`takes at most ${MOST_STOPS} stops, and enters no room three times`, () => {
        expect(stops).to.have.lengthOf.within(2, MOST_STOPS);
        const rooms = stops.map(({ file }) => file.split("/")[0]);
        const entered = rooms.filter((room, index) => room !== rooms[index - 1]);
        const thrice = entered.filter((room) => entered.filter((other) => other === room).length > 2);
        expect(thrice).to.deep.equal([]);
      });
    });
  }
});
