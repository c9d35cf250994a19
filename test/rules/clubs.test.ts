import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { BUILT_IN_CLUBS } from "../../core/database/built-in-clubs.ts";
import { saveClubRequestSchema } from "../../core/rules/api/clubs.ts";
import { CLUB_PATTERNS, clubKey, clubKeys } from "../../core/rules/clubs/club.ts";
import { ticketLook } from "../../core/rules/clubs/ticket-look.ts";
import { must } from "../../core/rules/field-rules.ts";
import { PAGES } from "../../frontend/app/pages.ts";

/** docs/product.md#clubs */
describe("The built-in clubs", () => {
  it("are rows that a person could save as they are", () => {
    for (const club of BUILT_IN_CLUBS) {
      const read = saveClubRequestSchema.safeParse(club);
      expect(read.success, `${club.slug}: ${read.error?.message}`).to.equal(true);
      expect(read.data, club.slug).to.deep.equal(club);
    }
    const slugs = BUILT_IN_CLUBS.map(({ slug }) => slug);
    expect(slugs.slice(0, 20), "the twenty of Brazil, by name").to.deep.equal(slugs.slice(0, 20).toSorted());
    expect(BUILT_IN_CLUBS.filter(({ country }) => country === "BR")).to.have.length(20);
  });

  it("share no name with one another, and claim none that other clubs are called too", () => {
    const owners = new Map<string, string>();
    for (const club of BUILT_IN_CLUBS) {
      for (const key of clubKeys(club)) {
        expect(owners.get(key) ?? club.slug, key).to.equal(club.slug);
        owners.set(key, club.slug);
      }
    }
    for (const shared of ["Atlético", "América", "Inter", "Barcelona", "Tricolor", "Nacional", "Guarani", "Sporting"])
      expect(owners.get(clubKey(shared)), shared).to.equal(undefined);
  });

  it("have tickets on chain in the first colours of the shirt, none of them none, in a pattern that the contract takes", () => {
    for (const club of BUILT_IN_CLUBS) {
      const { first, second, pattern } = ticketLook(club);
      const told = [first, second].map((one) => (one === 1 ? "#000000" : `#${one.toString(16).padStart(6, "0")}`));
      expect(told, club.slug).to.deep.equal(club.colours.slice(0, 2));
      expect(CLUB_PATTERNS[pattern], club.slug).to.equal(club.pattern);
      expect(pattern).to.be.at.most(15);
    }
  });

  it("leave each word to the page or the call that is beside their own", () => {
    const called = globSync("api/**/*.ts").flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/"\/api\/(?:admin\/)?clubs\/([a-z][a-z0-9-]*)/g)].map(([, word]) => word),
    );
    const paged = PAGES.flatMap(({ path }) => /^\/clubs\/([a-z][a-z0-9-]*)/.exec(path)?.[1] ?? []);
    expect(paged).to.include("table");
    for (const slug of new Set([...called, ...paged])) {
      const [club] = BUILT_IN_CLUBS;
      const { error } = saveClubRequestSchema.safeParse({ ...club, slug });
      expect(
        error?.issues.map(({ message }) => message),
        slug,
      ).to.deep.equal([must("reserved")]);
    }
  });

  it("are known by a name whatever its case, accents and marks, and by no part of it", () => {
    expect(clubKey(" ATLETICO-mg ")).to.equal(clubKey("Atlético MG"));
    expect(clubKey("S.C. Corinthians")).to.equal("s c corinthians");
    expect(clubKey("Flаmengo"), "its third letter is Cyrillic").not.to.equal(clubKey("Flamengo"));
    expect(clubKey("Flamengo do Piauí")).not.to.equal(clubKey("Flamengo"));
  });
});
