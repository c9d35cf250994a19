import { readFileSync } from "node:fs";
import { expect } from "chai";

const PLACES = [
  /<text x="62" y="(?:387|500)"[^>]*>[^<]*<\/text>/g,
  /<text x="538" y="97"[^>]*>[^<]*<\/text>/,
  /<clipPath id="b">.*?<\/clipPath><g clip-path="url\(#b\)">.*?<\/g>/,
  /<g font-weight="900"><text x="56" y="324"[^>]*>[^<]*<\/text><\/g>/,
  /<path fill="#e0a526"[^>]*\/>/,
];

describe("A sample ticket", () => {
  for (const status of ["confirmed", "pending"]) {
    it(`is the contract's drawing of a ${status} one, without what the page says of its own store`, () => {
      const drawn = PLACES.reduce(
        (svg, place) => {
          const rest = svg.replace(place, "");
          expect(rest, `nothing is like ${place}`).not.to.equal(svg);
          return rest;
        },
        readFileSync(`test/contracts/pictures/${status}.svg`, "utf8"),
      );
      expect(readFileSync(`frontend/public/sample-${status}.svg`, "utf8")).to.equal(drawn);
    });
  }
});
