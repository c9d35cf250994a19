import { hash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { expect } from "chai";
import { BUILT_IN_CLUBS } from "../../core/database/built-in-clubs.ts";
import { MIGRATIONS, migrate } from "../../core/database/migrate.ts";
import { onEitherEngine } from "../testing/databases.ts";

/** docs/product.md#club-match */
describe("The clubs of an older database", () => {
  onEitherEngine(({ openEmpty }) => {
    it("become those that their stores' texts mean, without losing a spelling and without a token", async () => {
      const { database } = await openEmpty();
      const { kysely } = database;
      const earlier = MIGRATIONS.filter(({ name }) => name < "0024");
      await migrate(database, earlier);
      const typed = ["Palmeiras", "VERDÃO", "galo", "Atlético", "Time do Bairro", "<b>Remo</b>", "Flamengo", null];
      for (const [index, club] of typed.entries()) {
        const store = { name: `Loja ${index}`, country: "Brasil", club, created_at: 1n, updated_at: 1n };
        await kysely.insertInto("stores").values(store).execute();
      }
      await migrate(database);
      const rows = await kysely.selectFrom("stores").selectAll().orderBy("id").execute();
      expect(rows.map(({ club }) => club)).to.deep.equal(typed);
      expect(rows.map(({ club_slug }) => club_slug)).to.deep.equal([
        ...["palmeiras", "palmeiras", "atletico-mineiro", null, null, null, "flamengo", null],
      ]);
      expect(rows.map(({ club_key }) => club_key)).to.deep.equal([
        ...["palmeiras", "palmeiras", "atletico mineiro", "atletico", "time do bairro", "b remo b", "flamengo", ""],
      ]);
      expect(
        rows.every(({ club_accepted }) => club_accepted === 0n),
        "nobody accepted one",
      ).to.equal(true);
      const clubs = await kysely.selectFrom("clubs").selectAll().orderBy("slug").execute();
      const asBuiltIn = clubs.map(({ slug, name, aliases, colours, pattern, country }) => ({
        ...{ slug, name, pattern, country },
        ...{ aliases: JSON.parse(aliases), colours: colours.split(" ") },
      }));
      expect(asBuiltIn).to.have.deep.members([...BUILT_IN_CLUBS]);
      expect(clubs.filter(({ token_slug }) => token_slug !== null)).to.deep.equal([]);
    });
  });
});

/** docs/product.md#clubs */
describe("The clubs that migration 0024 brings", () => {
  const FROZEN = "950e7aed0c051dea6097dd5d879aaedfc7dcefc0e62cbbed78744206990b100c";

  it("are a copy that never changes: a correction of BUILT_IN_CLUBS is a further migration", () => {
    const list = readFileSync("core/database/migrations/0024-clubs.json");
    expect(hash("sha256", list), "a database has them already: correct them in a further migration").to.equal(FROZEN);
    const importing = globSync("core/database/migrations/*.ts").filter((file) =>
      readFileSync(file, "utf8").includes("built-in-clubs"),
    );
    expect(importing, "what a migration brings stands beside it").to.deep.equal([]);
  });
});
