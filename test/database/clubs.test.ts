import { expect } from "chai";
import { MIGRATIONS, migrate } from "../../core/database/migrate.ts";
import { BUILT_IN_CLUBS } from "../../core/rules/clubs/built-in-clubs.ts";
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
      const clubs = await kysely.selectFrom("clubs").selectAll().execute();
      expect(clubs).to.have.length(BUILT_IN_CLUBS.length);
      expect(clubs.filter(({ token_slug }) => token_slug !== null)).to.deep.equal([]);
    });
  });
});
