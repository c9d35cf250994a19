import { expect } from "chai";
import { saveClubRequestSchema } from "../../core/rules/api/clubs.ts";
import { BUILT_IN_CLUBS } from "../../core/rules/clubs/built-in-clubs.ts";
import { clubKey, clubKeys } from "../../core/rules/clubs/club.ts";

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

  it("are known by a name whatever its case, accents and marks, and by no part of it", () => {
    expect(clubKey(" ATLETICO-mg ")).to.equal(clubKey("Atlético MG"));
    expect(clubKey("S.C. Corinthians")).to.equal("s c corinthians");
    expect(clubKey("Flаmengo"), "its third letter is Cyrillic").not.to.equal(clubKey("Flamengo"));
    expect(clubKey("Flamengo do Piauí")).not.to.equal(clubKey("Flamengo"));
  });
});
