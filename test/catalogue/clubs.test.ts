import { expect } from "chai";
import { clubRows } from "../../core/catalogue/club-changes.ts";
import { findClub } from "../../core/catalogue/club-rows.ts";
import { removeClub, saveClub } from "../../core/catalogue/clubs.ts";
import { BUILT_IN_CLUBS } from "../../core/database/built-in-clubs.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { onEitherEngine } from "../testing/databases.ts";

const REMO = BUILT_IN_CLUBS.find(({ slug }) => slug === "remo");

/** docs/product.md#clubs */
describe("A club's row", () => {
  onEitherEngine(({ open }) => {
    it("stands in an export only if it is not as it came, and comes back from a deletion without its token", async () => {
      const { kysely } = (await open()).database;
      if (!REMO) throw new Error("There is no Remo");
      expect(await clubRows(kysely), "as they came").to.deep.equal([]);
      const token = { name: "Remo", slug: "leao", symbol: "LEAO", image: "", contract: null };
      await kysely
        .insertInto("fan_tokens")
        .values({ ...token, created_at: 1n, updated_at: 1n })
        .execute();
      await inTransaction(kysely, (queries) => saveClub(queries, { ...REMO, token_slug: "leao" }));
      expect(await clubRows(kysely)).to.have.length(1);
      await inTransaction(kysely, (queries) => saveClub(queries, REMO));
      expect((await findClub(kysely, "remo"))?.token_slug, "nothing was said of it").to.equal("leao");
      expect((await inTransaction(kysely, (queries) => removeClub(queries, "remo")))?.name).to.equal("Remo");
      expect(await findClub(kysely, "remo")).to.equal(undefined);
      expect(await inTransaction(kysely, (queries) => removeClub(queries, "remo")), "twice").to.equal(undefined);
      await inTransaction(kysely, (queries) => saveClub(queries, REMO));
      expect((await findClub(kysely, "remo"))?.token_slug).to.equal(null);
    });
  });
});
