import { expect } from "chai";
import { takeEffect } from "../../api/admin/proposals.ts";
import { eraseUser } from "../../api/people/erasure.ts";
import { deleteOldMarks } from "../../api/people/invites.ts";
import type { Database } from "../../core/database/connect.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { PERSON } from "../testing/shopper.ts";
import { Caller } from "./support/caller.ts";
import { expectRefusal } from "./support/expect-refusal.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

const PHONE = "a phone";
const DAY_MS = 86_400_000n;

/** docs/product.md#invite */
describe("Bringing a friend", function () {
  this.timeout(60_000);
  onEitherEngine(({ open }) => {
    let api: InProcessApi;
    let database: Database;

    beforeEach(async () => {
      ({ database } = await open());
      api = await startInProcess(database, { INVITE_BONUS_PERCENT: "2" });
    });
    afterEach(() => api.stop());

    const own = async (who: Caller, device = "node") =>
      (await who.send("GET", "/api/me/invite", undefined, { "user-agent": device })).body;
    const codeOf = async (who: Caller): Promise<string> => (await own(who)).url.split("/c/")[1];

    /** Registers by a link, with what the browser says of itself; all from one address. */
    async function join(invite: string, device = PHONE, friend = new Caller(api.url)): Promise<Caller> {
      const { challenge } = (await friend.post("/api/check-user", { address: friend.address })).body;
      const signature = await friend.account.signMessage({ message: challenge.message });
      const proof = { address: friend.address, signature, nonce: challenge.nonce };
      const agent = { "user-agent": device };
      const answer = await friend.post("/api/register-user-data", { ...PERSON, ...proof, invite }, agent);
      expect(answer.status, answer.text).to.equal(200);
      friend.token = answer.body.token;
      return friend;
    }
    const stateOf = async (friend: Caller) =>
      (
        await database.kysely
          .selectFrom("invites")
          .select("state")
          .where("friend", "=", friend.address)
          .executeTakeFirst()
      )?.state;
    const waiting = async (who: Caller) => (await who.get("/api/admin/proposals?state=open")).body.rows;

    it("gives each their own link, and counts ten friends a month", async () => {
      const inviter = await api.user();
      const before = await own(inviter);
      expect(before).to.include({ used: 0, left: 10, bonus_percent: "2", next_percent: null });
      expect(before.url).to.match(/^http:\/\/.*\/c\/[a-z2-7]{16}$/);
      expect((await own(inviter)).url).to.equal(before.url);
      const code = await codeOf(inviter);
      const friends: Caller[] = [];
      for (let count = 0; count < 11; count++) friends.push(await join(code, `phone ${count}`));
      expect(await own(inviter)).to.include({ used: 10, left: 0 });
      expect(await stateOf(friends[10] as Caller), "the eleventh registers as anybody").to.equal(undefined);
      expect(await own(friends[0] as Caller)).to.include({ next_percent: "2" });
    });

    it("writes nothing for a look from where its wallet looked before", async () => {
      const inviter = await api.user();
      const { kysely } = database;
      const { url } = await own(inviter, "first");
      const seen = async () => ({
        marks: await kysely.selectFrom("invite_marks").selectAll().execute(),
        codes: await kysely.selectFrom("invite_codes").selectAll().execute(),
      });
      const before = await seen();
      for (let count = 0; count < 5; count++) expect((await own(inviter, "first")).url).to.equal(url);
      expect(await seen()).to.deep.equal(before);
      await own(inviter, "second");
      const moved = await seen();
      expect(moved.codes).to.deep.equal(before.codes);
      expect(moved.marks).to.have.length(1);
      expect(moved.marks[0]?.device_hash).to.not.equal(before.marks[0]?.device_hash);
      await kysely.updateTable("invite_marks").set({ created_at: 1n }).execute();
      await own(inviter, "second");
      expect((await seen()).marks[0]?.created_at, "an old look is noted anew").to.not.equal(1n);
    });

    it("lets a family of one address in at once, each with a phone of their own", async () => {
      const code = await codeOf(await api.user());
      for (const device of ["mother", "father", "sister"])
        expect(await stateOf(await join(code, device))).to.equal("open");
    });

    it("asks a person about a second mark: the same device, and many from one address", async () => {
      const inviter = await api.user();
      const code = await codeOf(inviter);
      const first = await join(code, "farm 1");
      const again = await join(code, "farm 1");
      expect([await stateOf(first), await stateOf(again)]).to.deep.equal(["open", "waiting"]);
      await join(code, "farm 2");
      expect(await stateOf(await join(code, "farm 3")), "the fourth of a day").to.equal("waiting");
      const owner = await api.admin();
      const rows = await waiting(owner);
      expect(rows).to.have.length(2);
      expect(rows[1]).to.deep.include({ kind: "invite", asked_by: inviter.address, needs_second: true });
      expect(rows[1].changes).to.deep.include({ field: "marks", from: null, to: "address device" });
      expectRefusal(
        await (await api.admin("support")).post(`/api/admin/proposals/${rows[1].id}/agree`),
        403,
        "ROLE_NOT_ALLOWED",
      );
      expect((await owner.post(`/api/admin/proposals/${rows[1].id}/agree`)).status).to.equal(200);
      expect((await owner.post(`/api/admin/proposals/${rows[0].id}/refuse`)).status).to.equal(200);
      expect(await stateOf(again)).to.equal("open");
      await takeEffect(api.services);
      expect(
        await database.kysely.selectFrom("invites").select("id").where("state", "=", "waiting").execute(),
      ).to.have.length(1);
    });

    it("never lets the team decide about its own: neither who invites nor who comes", async () => {
      const insider = await api.admin();
      const code = await codeOf(insider);
      const friend = await join(code, "another device");
      expect(await stateOf(friend), "one of the team invites").to.equal("waiting");
      const second = new Caller(api.url);
      (api.services.adminWallets as Map<string, string>).set(second.address, "owner");
      await join(await codeOf(await api.user()), "a third", second);
      expect(await stateOf(second), "one of the team comes").to.equal("waiting");
      const [theirs, his] = await waiting(insider);
      expectRefusal(await insider.post(`/api/admin/proposals/${his.id}/agree`), 403, "OWN_REQUEST");
      expectRefusal(await second.post(`/api/admin/proposals/${theirs.id}/agree`), 403, "OWN_REQUEST");
      expect((await second.post(`/api/admin/proposals/${his.id}/agree`)).status).to.equal(200);
    });

    it("is for a new wallet alone, and for no link of one's own", async () => {
      const inviter = await api.user();
      const code = await codeOf(inviter);
      const erase = (who: Caller) => inTransaction(database.kysely, (queries) => eraseUser(queries, who.address, {}));
      const buyer = new Caller(api.url);
      const terms = JSON.stringify({ groups: {}, defaultBps: "500", bonusBps: "0" });
      const click = {
        token: "t",
        wallet: buyer.address,
        store_id: 1n,
        store_name: "L",
        terms,
        created_at: 1n,
        expires_at: 2n,
      };
      await database.kysely.insertInto("clicks").values(click).execute();
      await join(code, "an old buyer's", buyer);
      expect(await stateOf(buyer)).to.equal(undefined);
      const friend = await join(code, "a friend's");
      await database.kysely.updateTable("invites").set({ friend_click: "c" }).execute();
      await erase(friend);
      await join(code, "a friend's again", friend);
      const { kysely } = database;
      expect(await kysely.selectFrom("invites").select("friend_click").execute()).to.deep.equal([
        { friend_click: "c" },
      ]);
      await erase(inviter);
      expect(await stateOf(await join(code, "of a dead link"))).to.equal(undefined);
      await join(code, "own", inviter);
      expect(await stateOf(await join("'; drop table invites; --", "x"))).to.equal(undefined);
      expect(await codeOf(inviter), "another link").to.not.equal(code);
    });

    it("forgets from where after a day, and keeps no address as it is", async () => {
      const code = await codeOf(await api.user());
      await join(code);
      const { kysely } = database;
      const marks = await kysely.selectFrom("invite_marks").selectAll().execute();
      expect(marks).to.have.length(2);
      expect(JSON.stringify(marks.map((one) => ({ ...one, created_at: "" })))).to.not.match(/127\.0\.0|phone/);
      const later = BigInt(Date.now()) + DAY_MS + 1_000n;
      await inTransaction(kysely, (queries) => deleteOldMarks(queries, later, 100));
      expect(await kysely.selectFrom("invite_marks").selectAll().execute()).to.have.length(0);
    });

    it("is nowhere while it is off", async () => {
      const off = await startInProcess((await open()).database);
      const user = await off.user();
      expectRefusal(await user.get("/api/me/invite"), 404, "NOT_FOUND");
      expect((await user.get("/api/config")).body.data).to.not.have.property("invite_bonus_percent");
      await off.stop();
      expect((await (await api.user()).get("/api/config")).body.data).to.include({ invite_bonus_percent: "2" });
    });
  });
});
