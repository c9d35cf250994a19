import { readFileSync } from "node:fs";
import { expect } from "chai";
import { BUILT_IN_CLUBS } from "../../core/database/built-in-clubs.ts";
import { clubKey, clubsByName } from "../../core/rules/clubs/club.ts";
import { CHALK, clubGround, contrast, groundOf } from "../../core/rules/clubs/club-colours.ts";
import { drawnMark } from "../../core/rules/store-mark.ts";

/** WCAG 2.2, AA: text, and what is no text. */
const TEXT = 4.5;
const MARK = 3;
const TOKENS = readFileSync(new URL("../../frontend/design/tokens.css", import.meta.url), "utf8");
const tokenOf = (name: string) => [...TOKENS.matchAll(new RegExp(`^ *${name}: (.+);`, "gm"))].map(([, value]) => value);

/** docs/product.md#clubs */
describe("A club's colours", () => {
  it("measure contrast as WCAG does", () => {
    expect(contrast("#000000", "#ffffff")).to.equal(21);
    expect(contrast("#777777", "#ffffff")).to.be.closeTo(4.48, 0.01);
    expect(contrast("#ffd400", "#ffd400")).to.equal(1);
  });

  it("carry readable text for every built-in club, on ground and mark", () => {
    for (const club of BUILT_IN_CLUBS) {
      const look = clubGround(club);
      expect(contrast(look.ground, look.ink), club.slug).to.be.at.least(TEXT);
      expect(contrast(look.ground, look.mark), `a mark of ${club.slug}`).to.be.at.least(MARK);
      const { fill, ink, stroke } = drawnMark("Loja", look);
      expect(contrast(fill, ink), `the drawn mark of ${club.slug}`).to.be.at.least(TEXT);
      expect(club.colours, club.slug).to.include(stroke);
    }
  });

  it("are the same in both themes, as chalk and ink are", () => {
    const alone = ["--on-accent", "--on-accent-soft", "--accent", "--accent-line", "--accent-mark"];
    for (const name of alone) expect(tokenOf(name), name).to.have.length(1);
    expect(new Set(tokenOf("--on-brand"))).to.deep.equal(new Set([CHALK]));
    expect(new Set(tokenOf("--card-solid"))).to.deep.equal(new Set([groundOf("#000000").mark]));
  });

  it("carry readable text whatever they are", () => {
    const channels = ["00", "21", "4d", "77", "80", "8c", "95", "b2", "d9", "ff"];
    const hard = ["#ffffff", "#ffff00", "#ffd400", "#808080", "#777777", "#949494", "#000000", "#00ff00", "#ff00ff"];
    const every = channels.flatMap((r) => channels.flatMap((g) => channels.map((b) => `#${r}${g}${b}`)));
    for (const colour of [...hard, ...every]) {
      const { ground, ink, mark } = groundOf(colour);
      expect(ground).to.match(/^#[0-9a-f]{6}$/);
      expect(contrast(ground, ink), colour).to.be.at.least(TEXT);
      expect(contrast(ground, mark), colour).to.be.at.least(MARK);
    }
  });

  it("have the club's first colour that is not white as ground", () => {
    const groundsOf = (slug: string) => clubGround(BUILT_IN_CLUBS.find((one) => one.slug === slug) ?? { colours: [] });
    expect(groundsOf("palmeiras")).to.include({ ground: "#006437", ink: CHALK, trim: "#ffffff" });
    expect(groundsOf("atletico-mineiro")).to.include({ ground: "#000000", ink: CHALK });
    expect(groundsOf("santos")).to.include({ ground: "#000000", ink: CHALK });
    expect(groundsOf("mirassol")).to.include({ ground: "#ffd400" }).and.not.include({ ink: CHALK });
    expect(clubGround({ colours: ["#ffffff", "#ffffff"] }).ground).to.equal("#ffffff");
  });

  it("are found by any name of the club, and by none that two share", () => {
    const clubs = clubsByName([
      { slug: "galo", name: "Atlético Mineiro", aliases: ["Atlético", "Galo"] },
      { slug: "furacao", name: "Athletico", aliases: ["ATLETICO", "Furacão"] },
    ]);
    for (const name of ["galo", "GALO", " atletico  mineiro"])
      expect(clubs.get(clubKey(name))?.slug, name).to.equal("galo");
    for (const name of ["Atlético", "Mineiro", "", "constructor"])
      expect(clubs.get(clubKey(name)), name).to.equal(undefined);
  });
});
