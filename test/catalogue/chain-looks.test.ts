import { expect } from "chai";
import { listUnlike, sendFirstLooks, sendLooks, wantedLook } from "../../core/catalogue/chain-looks.ts";
import { seedCatalogue } from "../../core/catalogue/seed.ts";
import { listOfferedClubs } from "../../core/catalogue/store-list.ts";
import { NO_LOOK, type TicketLook } from "../../core/rules/clubs/ticket-look.ts";
import { onEitherEngine } from "../testing/databases.ts";

/** docs/product.md#ticket-look */
describe("The looks of stores on the chain", () => {
  onEitherEngine(({ open }) => {
    it("are queued where they differ from the club's, once, and left where no node can say", async () => {
      const { database } = await open();
      await seedCatalogue(database);
      const { kysely } = database;
      const clubs = await listOfferedClubs(kysely);
      expect(clubs).to.include("palmeiras");
      const onChain = new Map<bigint, TicketLook>();
      const readLook = async (id: bigint) => onChain.get(id) ?? NO_LOOK;
      const found = await sendLooks(database, readLook);
      expect(found.map(({ id }) => id)).to.include(1n);
      const queued = () =>
        kysely.selectFrom("operations").select("subject_id").where("kind", "=", "set_store_look").execute();
      expect(await queued()).to.have.length(found.length);
      await sendLooks(database, readLook);
      expect(await queued()).to.have.length(found.length);
      for (const { id } of found) onChain.set(id, (await wantedLook(kysely, id)) ?? NO_LOOK);
      for await (const page of listUnlike(kysely, readLook)) expect(page).to.deep.equal([]);
      expect(await sendLooks(database, async () => undefined)).to.deep.equal([]);
      expect(await wantedLook(kysely, 999n)).to.equal(undefined);
    });

    it("are queued once for a shop that never sent any, of stores with a club alone", async () => {
      const { database } = await open();
      await seedCatalogue(database);
      const { kysely } = database;
      await sendFirstLooks(database);
      const queued = () => kysely.selectFrom("operations").select(["subject_id", "status", "attempts"]).execute();
      const ofClubs = await kysely.selectFrom("stores").select("id").where("club_slug", "is not", null).execute();
      expect((await queued()).map(({ subject_id }) => subject_id)).to.have.members(ofClubs.map(({ id }) => id));
      await kysely.updateTable("operations").set({ status: "done" }).execute();
      const before = await queued();
      await sendFirstLooks(database);
      expect(await queued()).to.deep.equal(before);
    });
  });
});
