import { expect } from "chai";
import { takeEffect } from "../../api/admin/proposals.ts";
import type { Database } from "../../core/database/connect.ts";
import { onEitherEngine } from "../testing/databases.ts";
import type { Caller } from "./support/caller.ts";
import { expectRefusal } from "./support/expect-refusal.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

const EVIL = "https://phishing.example/?click={click}";
const HOUR_MS = 3_600_000;

/** docs/product.md#proposals */
describe("What moves buyers or money without naming an amount", () => {
  onEitherEngine(({ open }) => {
    let api: InProcessApi;
    let database: Database;
    let one: Caller;
    let two: Caller;

    beforeEach(async () => {
      ({ database } = await open());
      api = await startInProcess(database);
      [one, two] = [await api.admin("catalogue"), await api.admin("catalogue")];
    });
    afterEach(() => api.stop());

    const put = (who: Caller, id: number, fields: object) =>
      who.send("PUT", `/api/store/${id}`, JSON.stringify(fields));
    const store = async (id = 1) => (await one.get(`/api/stores/${id}`)).body.store;
    const decide = (who: Caller, id: unknown, verb: string) => who.post(`/api/admin/proposals/${id}/${verb}`);
    const listed = async (state: string) => (await two.get(`/api/admin/proposals?state=${state}`)).body.rows;
    const proposalOf = async (call: Promise<{ status: number; text: string; body: { proposal_id: number } }>) => {
      const answer = await call;
      expect(answer.status, answer.text).to.equal(202);
      return answer.body.proposal_id;
    };
    /** As if the day had come: moves back what waits, then does what the api does every few seconds. */
    async function later(hours: number): Promise<void> {
      await database.kysely
        .updateTable("proposals")
        .set((set) => ({ due_at: set("due_at", "-", BigInt(hours * HOUR_MS)) }))
        .where("due_at", "is not", null)
        .execute();
      await takeEffect(api.services);
    }
    const link = async () =>
      (await database.kysely.selectFrom("stores").select("affiliate_link").where("id", "=", 1n).executeTakeFirst())
        ?.affiliate_link;
    /** The only one of the catalogue. */
    const alone = () => (api.services.adminWallets as Map<string, string>).delete(two.address);

    it("waits for a second person: a store's link to another host, and the other fields are saved", async () => {
      const { affiliate_link: before } = await store();
      const answer = await put(one, 1, { affiliate_link: EVIL, description: "Nova" });
      expect(answer.status, answer.text).to.equal(202);
      expect(answer.body).to.include({ takes_effect_at: null });
      expect(await store()).to.include({ affiliate_link: before, description: "Nova" });
      const [row] = await listed("open");
      expect(row).to.deep.include({
        ...{ id: answer.body.proposal_id, kind: "store_link", subject_id: 1, from: before, to: EVIL },
        ...{ asked_by: one.address, state: "open", takes_effect_at: null, needs_second: true },
      });
      expect((await one.get("/api/admin/attention")).body.attention.open_proposals).to.equal(1);
      expectRefusal(await decide(one, row.id, "agree"), 403, "OWN_REQUEST");
      expectRefusal(await decide(await api.admin("operator"), row.id, "agree"), 403, "ROLE_NOT_ALLOWED");
      await later(24 * 365);
      expect((await store()).affiliate_link, "no day lets it go on").to.equal(before);
      expect((await decide(two, row.id, "agree")).status).to.equal(200);
      expect((await store()).affiliate_link).to.equal(EVIL);
      expectRefusal(await decide(two, row.id, "refuse"), 409, "DECIDED");
      expect(await listed("agreed")).to.have.length(1);
    });

    it("waits for a fresh sign-in too, and nothing of such a call is saved without one", async () => {
      await api.age(one.token, 16 * 60_000);
      expectRefusal(await put(one, 1, { affiliate_link: EVIL, description: "Nova" }), 403, "SIGN_IN_AGAIN");
      expect((await store()).description).to.not.equal("Nova");
      expect((await put(one, 1, { description: "Nova" })).status, "what moves nobody").to.equal(200);
    });

    it("is refused, or undone by whoever asked, and lapses with what it was about", async () => {
      const { affiliate_link: before } = await store();
      const refused = await proposalOf(put(one, 1, { affiliate_link: EVIL }));
      expect((await decide(two, refused, "refuse")).status).to.equal(200);
      const undone = await proposalOf(put(one, 1, { affiliate_link: EVIL }));
      expect((await decide(one, undone, "undo")).status).to.equal(200);
      expectRefusal(await decide(two, undone, "agree"), 409, "DECIDED");
      const replaced = await proposalOf(put(one, 1, { affiliate_link: EVIL }));
      const last = await proposalOf(put(one, 1, { affiliate_link: "https://other.example/{click}" }));
      expectRefusal(await decide(two, replaced, "agree"), 409, "LAPSED");
      (api.services.adminWallets as Map<string, string>).set(one.address, "auditor");
      expectRefusal(await decide(two, last, "agree"), 409, "LAPSED");
      expect((await store()).affiliate_link).to.equal(before);
    });

    it("takes effect after a day where nobody else may agree, unless it is undone", async () => {
      alone();
      const answer = await put(one, 1, { affiliate_link: EVIL });
      expect(answer.body.takes_effect_at).to.match(/Z$/);
      await later(23);
      expect(await link()).to.not.equal(EVIL);
      await later(2);
      expect(await link()).to.equal(EVIL);
      expect((await one.get("/api/admin/proposals?state=done")).body.rows[0]).to.include({ to: EVIL });
      const undone = await proposalOf(put(one, 1, { affiliate_link: "https://third.example/{click}" }));
      expect((await decide(one, undone, "undo")).status).to.equal(200);
      await later(48);
      expect(await link()).to.equal(EVIL);
    });

    it("stops at once, and starts again elsewhere only with a second person", async () => {
      const { affiliate_link: before, name, country } = await store();
      expect((await put(one, 1, { affiliate_link: "" })).status, "stopping").to.equal(200);
      expect((await store()).affiliate_link).to.equal(null);
      await proposalOf(put(one, 1, { affiliate_link: EVIL }));
      expect((await store()).affiliate_link).to.equal(null);
      expect((await put(one, 1, { affiliate_link: before })).status, "where it was").to.equal(200);
      // Its name is what buyers know it by.
      expect((await one.send("DELETE", "/api/store/1")).status).to.equal(200);
      const again = await one.post("/api/store", { name, country, affiliate_link: EVIL });
      expect(again.status, again.text).to.equal(202);
      expect((await store(again.body.id)).affiliate_link).to.equal(null);
      expect((await decide(two, again.body.proposal_id, "agree")).status).to.equal(200);
      expect((await store(again.body.id)).affiliate_link).to.equal(EVIL);
    });

    it("is also the name of a store that buyers know, taken by another", async () => {
      const { name } = await store();
      const own = await one.post("/api/store", { name: "Minha", country: "Brasil", affiliate_link: EVIL });
      expect(own.status, "a store that nobody knows").to.equal(200);
      expect((await put(one, 1, { name: "Outra" })).status).to.equal(200);
      const id = await proposalOf(put(one, own.body.id, { name }));
      expect((await store(own.body.id)).name).to.equal("Minha");
      expect((await decide(two, id, "agree")).status).to.equal(200);
      expect((await store(own.body.id)).name).to.equal(name);
    });

    it("is never a store with the name of another one, or with a name that looks the same", async () => {
      const { name, country } = await store();
      const looksAlike = name.replace("e", "е");
      expect(looksAlike, "with a Cyrillic letter").to.not.equal(name);
      for (const taken of [name, ` ${name.toUpperCase()}`, looksAlike])
        expectRefusal(await one.post("/api/store", { name: taken, country }), 409, "STORE_NAME_TAKEN");
      const own = await one.post("/api/store", { name: "Minha", country, affiliate_link: EVIL });
      expectRefusal(await put(one, own.body.id, { name: looksAlike }), 409, "STORE_NAME_TAKEN");
      expect((await put(one, 1, { name: name.toUpperCase() })).status, "its own").to.equal(200);
      // A file can bring such a name, and leads nobody elsewhere before a second person agrees.
      const content = JSON.stringify([{ type: "store", name: looksAlike, country, affiliate_link: EVIL }]);
      expect((await one.post("/api/admin/catalogue", { format: "json", content, apply: true })).status).to.equal(200);
      const links = await database.kysely.selectFrom("stores").select("affiliate_link").where("name", "=", looksAlike);
      expect(await links.execute()).to.deep.equal([{ affiliate_link: null }]);
      expect(await listed("open")).to.have.length(1);
    });

    it("is whose sales are a store's own, and whose orders", async () => {
      const set = { network: "awin", account: "br", advertiser_id: "12", merchant: "nike.com.br" };
      expect((await put(one, 1, set)).status, "set up, while it sold nothing").to.equal(200);
      const changes = { account: "leaked", advertiser_id: "66", merchant: "other.example" };
      for (const [field, value] of Object.entries(changes)) {
        const id = await proposalOf(put(one, 1, { [field]: value }));
        const before = Object.entries(set).find(([name]) => name === field)?.[1];
        expect(await store(), field).to.include({ [field]: before });
        expect((await decide(two, id, "agree")).status, field).to.equal(200);
        expect(await store()).to.include({ [field]: value });
      }
      expect((await put(one, 1, { network: "" })).status, "stopping").to.equal(200);
      await proposalOf(put(one, 1, { network: "direct", account: "leaked" }));
      expect((await store()).network).to.equal(null);
    });

    it("is a network's link as a whole, and every host that a redirect names", async () => {
      const redirect = "https://shop.example/go?u=https%3A%2F%2Fshop.example%2Fa&click={click}";
      const id = await proposalOf(put(one, 1, { affiliate_link: redirect }));
      await decide(two, id, "agree");
      const elsewhere = redirect.replace("shop.example%2Fa", "phishing.example%2Fa");
      await proposalOf(put(one, 1, { affiliate_link: elsewhere }));
      expect((await put(one, 1, { affiliate_link: redirect.replace("%2Fa", "%2Fb") })).status, "same hosts").to.equal(
        200,
      );
      await put(one, 1, { network: "awin", account: "br", advertiser_id: "12" });
      await proposalOf(put(one, 1, { affiliate_link: redirect.replace("%2Fa", "%2Fc") }));
    });

    it("is a fan token's contract, also under the slug of a deleted one", async () => {
      const token = { name: "Mengo", slug: "mengo", image: "https://img.example/a.png", symbol: "MENGO" };
      const [first, other] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`];
      const created = await one.post("/api/admin/fan-token", { ...token, contract: first });
      expect(created.status, created.text).to.equal(202);
      const contractOf = async () =>
        (await database.kysely.selectFrom("fan_tokens").selectAll().where("slug", "=", "mengo").execute()).at(-1);
      const save = (contract: string | null, id?: number) =>
        one.post("/api/admin/fan-token", { ...token, contract, ...(id === undefined ? {} : { id }) });
      expect((await contractOf())?.contract, "nobody's token gives a bonus by one person's word").to.equal(null);
      expect((await decide(two, created.body.proposal_id, "agree")).status).to.equal(200);
      expect((await contractOf())?.contract).to.equal(first);
      const asked = await save(other, created.body.id);
      expect(asked.status, asked.text).to.equal(202);
      expect((await contractOf())?.contract).to.equal(first);
      expect((await decide(two, asked.body.proposal_id, "agree")).status).to.equal(200);
      expect((await contractOf())?.contract).to.equal(other);
      expect((await save(null, created.body.id)).status, "stopping").to.equal(200);
      expect((await save(first, created.body.id)).status, "another than the last").to.equal(202);
      await one.send("DELETE", `/api/admin/fan-token/${created.body.id}`);
      expect((await save(first)).status).to.equal(202);
      expect((await contractOf())?.contract).to.equal(null);
    });

    it("waits in a catalogue file too, and the preview says so", async () => {
      const { affiliate_link: before, name, country } = await store();
      const content = JSON.stringify([
        { type: "store", name, country, affiliate_link: EVIL, description: "Do arquivo" },
      ]);
      const { body } = await one.post("/api/admin/catalogue", { format: "json", content, apply: false });
      expect(body.preview.map(({ waits = false }) => waits)).to.deep.equal([false, true]);
      await api.age(one.token, 16 * 60_000);
      expectRefusal(
        await one.post("/api/admin/catalogue", { format: "json", content, apply: true }),
        403,
        "SIGN_IN_AGAIN",
      );
      await one.enter();
      expect((await one.post("/api/admin/catalogue", { format: "json", content, apply: true })).status).to.equal(200);
      expect(await store()).to.include({ affiliate_link: before, description: "Do arquivo" });
      const [row] = await listed("open");
      expect((await decide(two, row.id, "agree")).status).to.equal(200);
      expect((await store()).affiliate_link).to.equal(EVIL);
    });

    it("is decided once, whoever is first", async () => {
      const three = await api.admin("owner");
      const id = await proposalOf(put(one, 1, { affiliate_link: EVIL }));
      const answers = await Promise.all([
        decide(two, id, "agree"),
        decide(three, id, "refuse"),
        decide(one, id, "undo"),
      ]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409]);
    });
  });
});
