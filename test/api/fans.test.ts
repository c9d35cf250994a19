import { expect } from "chai";
import { eraseUser } from "../../api/people/erasure.ts";
import type { Database } from "../../core/database/connect.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { lastClosedMonth } from "../../core/rules/fan-figures.ts";
import { monthOf } from "../../core/rules/iso-time.ts";
import { onEitherEngine } from "../testing/databases.ts";
import type { Caller } from "./support/caller.ts";
import { expectRefusal } from "./support/expect-refusal.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

const CHZ = 1_000_000_000n;

/** docs/product.md#fans */
describe("A club's fans", function () {
  this.timeout(60_000);
  onEitherEngine(({ open }) => {
    let api: InProcessApi;
    let database: Database;
    let user: Caller;
    const month = lastClosedMonth(Date.now());

    beforeEach(async () => {
      ({ database } = await open());
      api = await startInProcess(database);
      user = await api.user();
    });
    afterEach(() => api.stop());

    const choose = (slug: unknown) => user.send("PUT", "/api/me/club", JSON.stringify({ slug }));
    const count = (club: string, fans: bigint, gwei: bigint, of = month) =>
      database.kysely
        .insertInto("club_months")
        .values({ month: of, club, fans, purchases: fans * 2n, gwei })
        .execute();

    it("are those who said so, of a club that exists, until they leave or erase their profile", async () => {
      expect((await user.get("/api/me/club")).body.slug).to.equal(null);
      expect((await choose("flamengo")).body).to.deep.equal({ success: true, slug: "flamengo" });
      expect((await choose("palmeiras")).status).to.equal(200);
      expect((await user.get("/api/me/club")).body.slug).to.equal("palmeiras");
      expectRefusal(await choose("nobody-fc"), 400, "INVALID_REQUEST");
      expectRefusal(await choose("<b>"), 400, "INVALID_REQUEST");
      expect((await choose(null)).body.slug).to.equal(null);
      await choose("santos");
      await inTransaction(database.kysely, (queries) => eraseUser(queries, user.address, {}));
      expect(await database.kysely.selectFrom("fan_clubs").select("club").execute()).to.deep.equal([]);
    });

    it("are told of a closed month, from 20 on, rounded to ten CHZ, and by nobody's name", async () => {
      await count("flamengo", 19n, 9_000n * CHZ);
      expect((await user.get("/api/clubs/flamengo")).body.figures).to.equal(null);
      await count("palmeiras", 20n, 1_234n * CHZ);
      await count("santos", 40n, 4_000n * CHZ);
      await count("santos", 90n, 90_000n * CHZ, monthOf(Date.now()));
      const figures = { fans: 20, purchases: 40, cashback: "1230", month };
      expect((await user.get("/api/clubs/palmeiras")).body.figures).to.deep.equal(figures);
      const table = (await user.get("/api/clubs/table")).body;
      expect(table.month).to.equal(month);
      expect(
        table.clubs.map((one: Record<string, unknown>) => [one.slug, one.cashback, one.cashback_per_fan]),
      ).to.deep.equal([
        ["santos", "4000", "100"],
        ["palmeiras", "1230", "61.5"],
      ]);
    });

    it("are told of no month that is open, or is none", async () => {
      for (const one of [monthOf(Date.now()), "2099-01", "2026-13", "'", ""])
        expectRefusal(await user.get(`/api/clubs/table?month=${encodeURIComponent(one)}`), 400, "INVALID_REQUEST");
      expect((await user.get("/api/clubs/table?month=2026-01")).body.clubs).to.deep.equal([]);
    });
  });
});
