import { expect } from "chai";
import { CatalogueFileError, readCatalogue, writeCatalogue } from "../../core/catalogue/catalogue-file.ts";
import { apply, diff, exportRows } from "../../core/catalogue/changes.ts";
import { deleteOldOffers } from "../../core/catalogue/offers.ts";
import { pauseStores } from "../../core/catalogue/pauses.ts";
import type { Database } from "../../core/database/connect.ts";
import { DAY_MS } from "../../core/rules/iso-time.ts";
import { onBothEngines } from "../testing/databases.ts";
import type { Caller } from "./support/caller.ts";
import { expectInvalid, expectRefusal } from "./support/expect-refusal.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

const MINUTE = 60_000;
const STORE = 1;

/** docs/product.md#offers */
describe("Offers", () => {
  onBothEngines(({ open, otherEngineTag }) => {
    const tag = otherEngineTag && ` ${otherEngineTag}`;
    const realNow = Date.now;
    let api: InProcessApi;
    let database: Database;
    let admin: Caller;
    let reader: Caller;
    let start: number;

    const at = (ms: number) => {
      Date.now = () => ms;
    };
    const iso = (ms: number) => new Date(ms).toISOString();
    const add = (body: object, store = STORE) => admin.post(`/api/admin/stores/${store}/offers`, body);
    const put = (path: string, body: object) => admin.call("PUT", path, body);
    const remove = (path: string) => admin.call("DELETE", path);
    const list = async (query = "") => {
      const answer = await reader.get(`/api/offers${query}`);
      expect(answer.status, answer.text).to.equal(200);
      return answer.body;
    };
    const titles = async (query = "") => (await list(query)).offers.map((one: { title: string }) => one.title);

    beforeEach(async () => {
      ({ database } = await open());
      api = await startInProcess(database);
      [admin, reader] = [await api.admin("catalogue"), await api.user()];
      start = Math.floor(realNow() / MINUTE) * MINUTE;
      at(start);
      await database.kysely
        .updateTable("stores")
        .set({ store_url: "https://www.verdao.example/", domains: "m.verdao.example" })
        .where("id", "=", BigInt(STORE))
        .execute();
    });
    afterEach(async () => {
      Date.now = realNow;
      await api.stop();
    });

    it("are listed of a club's stores alone", async () => {
      await add({ title: "Do clube" });
      await add({ title: "De outra loja" }, 2);
      const club = (await reader.get(`/api/stores/${STORE}`)).body.store.club_slug;
      expect(club).to.equal("palmeiras");
      expect(await titles(`?club=${club}`)).to.deep.equal(["Do clube"]);
      expect(await titles("?club=remo")).to.deep.equal([]);
      expect(await titles()).to.have.members(["Do clube", "De outra loja"]);
      await add({ title: "Também do clube" });
      const { next_after } = await list(`?club=${club}&limit=1`);
      expect(await titles(`?club=${club}&limit=1&after=${encodeURIComponent(next_after)}`)).to.have.length(1);
      expectInvalid(await reader.get(`/api/offers?after=${encodeURIComponent(next_after)}`), "after");
      expectInvalid(await reader.get("/api/offers?club=%27--"), "club");
    });

    it("are shown as they were written, those that end first before the others", async () => {
      const added = await add({
        title: " 10% em <b>tudo</b> ",
        code: " TORCIDA10 ",
        terms: "Uma vez\npor cliente",
        url: "https://www.verdao.example/sale",
        ends_at: iso(start + 60 * MINUTE),
        with_cashback: false,
      });
      expect(added.status, added.text).to.equal(200);
      await add({ title: "Frete grátis" });
      await add({ title: "Hoje", ends_at: iso(start + 5 * MINUTE) }, 2);
      const { offers, next_after } = await list();
      expect(next_after).to.equal(null);
      expect(offers.map((one: { title: string }) => one.title)).to.deep.equal([
        "Hoje",
        "10% em <b>tudo</b>",
        "Frete grátis",
      ]);
      expect(offers[1]).to.deep.equal({
        id: added.body.id,
        store_id: STORE,
        store: "Verdão Store",
        kind: "code",
        title: "10% em <b>tudo</b>",
        code: "TORCIDA10",
        terms: "Uma vez\npor cliente",
        url: "https://www.verdao.example/sale",
        starts_at: iso(start),
        ends_at: iso(start + 60 * MINUTE),
        with_cashback: false,
      });
      expect(offers[2]).to.deep.include({ kind: "deal", code: null, ends_at: null, with_cashback: true });
      expect(await titles(`?store_id=${STORE}`)).to.deep.equal(["10% em <b>tudo</b>", "Frete grátis"]);
    });

    it(`begin and end at their minute, in caches too${tag}`, async () => {
      await add({ title: "Later", starts_at: iso(start + 10 * MINUTE), ends_at: iso(start + 20 * MINUTE) });
      expect(await titles()).to.deep.equal([]);
      const ageOf = async () => (await reader.get("/api/offers")).headers.get("cache-control");
      expect(await ageOf()).to.equal("public, max-age=30");
      at(start + 10 * MINUTE - 7_000);
      expect(await ageOf()).to.equal("public, max-age=7");
      at(start + 10 * MINUTE);
      expect(await titles()).to.deep.equal(["Later"]);
      at(start + 20 * MINUTE - 500);
      expect(await titles()).to.deep.equal(["Later"]);
      expect(await ageOf()).to.equal("public, no-cache");
      at(start + 20 * MINUTE);
      expect(await titles()).to.deep.equal([]);
    });

    it(`are read page by page, also with one end for all${tag}`, async () => {
      for (let index = 0; index < 5; index++) await add({ title: `Oferta ${index}`, ends_at: iso(start + 9 * MINUTE) });
      const seen: string[] = [];
      let after = "";
      do {
        const page = await list(`?limit=2${after && `&after=${encodeURIComponent(after)}`}`);
        seen.push(...page.offers.map((one: { title: string }) => one.title));
        after = page.next_after ?? "";
      } while (after);
      expect(seen).to.deep.equal(["Oferta 0", "Oferta 1", "Oferta 2", "Oferta 3", "Oferta 4"]);
      for (const made of ["1-1", "x", "9'--"]) expectInvalid(await reader.get(`/api/offers?after=${made}`), "after");
    });

    it(`of a store that cannot sell are not shown, and come back with it${tag}`, async () => {
      await add({ title: "Frete grátis" }, 2);
      expect(await titles()).to.deep.equal(["Frete grátis"]);
      await database.kysely
        .updateTable("stores")
        .set({ affiliate_link: null, network: null, store_url: null })
        .where("id", "=", 2n)
        .execute();
      await put("/api/store/2", { featured: true });
      expect(await titles()).to.deep.equal([]);
      await put("/api/store/2", { affiliate_link: "https://shop.example/?c={click}" });
      expect([await titles(), await titles("?store_id=2")]).to.deep.equal([["Frete grátis"], ["Frete grátis"]]);
      await pauseStores(database.kysely, [2n], "paused");
      await put("/api/store/2", { featured: false });
      expect([await titles(), await titles("?store_id=2")]).to.deep.equal([[], []]);
      await pauseStores(database.kysely, [2n], null);
      await put("/api/store/2", { featured: true });
      expect(await titles()).to.deep.equal(["Frete grátis"]);
      expect((await remove("/api/store/2")).status).to.equal(200);
      expect(await titles()).to.deep.equal([]);
    });

    it("say what is wrong with them", async () => {
      for (const title of ["", "   ", "a\u202eb", "a\tb", "x".repeat(121)])
        expectInvalid(await add({ title }), "title");
      expectInvalid(await add({ title: "a", code: "x".repeat(41) }), "code");
      expectInvalid(await add({ title: "a", terms: "a\u200bb" }), "terms");
      for (const url of [
        "http://www.verdao.example/",
        "javascript:alert(1)",
        "https://evil.example/",
        "https://10.0.0.1/",
      ])
        expectInvalid(await add({ title: "a", url }), "url");
      expectInvalid(await add({ title: "a", ends_at: iso(start) }), "ends_at");
      expectInvalid(await add({ title: "a", starts_at: iso(start + MINUTE), ends_at: iso(start + MINUTE) }), "ends_at");
      expectRefusal(await add({ title: "a" }, 99), 404, "NOT_FOUND");
      expect((await add({ title: "Dez", url: "https://m.verdao.example/x" })).status).to.equal(200);
      expectRefusal(await add({ title: "DÉZ " }), 409, "OFFER_TITLE_TAKEN");
      expect((await add({ title: "Dez" }, 2)).status).to.equal(200);
    });

    it(`are changed and deleted by staff, each act in the log${tag}`, async () => {
      const { id } = (await add({ title: "Dez", code: "DEZ" })).body;
      expect((await put(`/api/admin/offers/${id}`, { title: "Vinte", code: null })).status).to.equal(200);
      expect((await list()).offers[0]).to.deep.include({ title: "Vinte", code: null, kind: "deal" });
      expectInvalid(await put(`/api/admin/offers/${id}`, { ends_at: iso(start - MINUTE) }), "ends_at");
      await add({ title: "Dez" });
      expectRefusal(await put(`/api/admin/offers/${id}`, { title: "dez" }), 409, "OFFER_TITLE_TAKEN");
      expect((await remove(`/api/admin/offers/${id}`)).status).to.equal(200);
      expectRefusal(await remove(`/api/admin/offers/${id}`), 404, "NOT_FOUND");
      expect(await titles()).to.deep.equal(["Dez"]);
      const entries = await database.kysely
        .selectFrom("audit_log")
        .select(["action", "subject"])
        .orderBy("id")
        .execute();
      expect(entries.filter(({ action }) => action.startsWith("offer.")).slice(0, 2)).to.deep.equal([
        { action: "offer.create", subject: `store:1/offer:${id}` },
        { action: "offer.update", subject: `store:1/offer:${id}` },
      ]);
    });

    it(`of a network are its own, until it has not listed them for three days${tag}`, async () => {
      const { id } = (await add({ title: "Dez" })).body;
      const of = { network: "awin", account: "br", network_key: "1", seen_at: BigInt(start) };
      await database.kysely.updateTable("offers").set(of).where("id", "=", id).execute();
      expectRefusal(await put(`/api/admin/offers/${id}`, { code: "X" }), 409, "OFFER_OF_NETWORK");
      expectRefusal(await remove(`/api/admin/offers/${id}`), 409, "OFFER_OF_NETWORK");
      await database.kysely
        .updateTable("offers")
        .set({ seen_at: BigInt(start) - BigInt(4 * DAY_MS) })
        .where("id", "=", id)
        .execute();
      at(start);
      expectRefusal(await put(`/api/admin/offers/${id}`, { code: "X" }), 409, "OFFER_OF_NETWORK");
      expect((await admin.get("/api/admin/stores/1/offers")).body.offers[0].can_delete).to.equal(true);
      expect((await remove(`/api/admin/offers/${id}`)).status).to.equal(200);
    });

    it("are listed for staff with those to come and those that are over", async () => {
      await add({ title: "Over", ends_at: iso(start + MINUTE) });
      await add({ title: "Running" });
      await add({ title: "Planned", starts_at: iso(start + 9 * MINUTE) });
      at(start + MINUTE);
      const { offers } = (await admin.get("/api/admin/stores/1/offers")).body;
      expect(offers.map(({ title, state }: { title: string; state: string }) => [title, state])).to.deep.equal([
        ["Planned", "planned"],
        ["Running", "running"],
        ["Over", "over"],
      ]);
    });

    it(`are deleted a month after their end${tag}`, async () => {
      await add({ title: "Over", ends_at: iso(start + MINUTE) });
      await add({ title: "Running" });
      const left = async () => (await database.kysely.selectFrom("offers").select("title").execute()).length;
      await deleteOldOffers(database.kysely, BigInt(start + 30 * DAY_MS), 10);
      expect(await left()).to.equal(2);
      await deleteOldOffers(database.kysely, BigInt(start + 30 * DAY_MS + MINUTE + 1), 10);
      expect(await left()).to.equal(1);
    });

    it(`go into the catalogue's file and come back from it${tag}`, async () => {
      await add({ title: 'Dez; "em" tudo', code: "=DEZ", terms: "a\nb", ends_at: iso(start + 9 * MINUTE) });
      await add({ title: "Sem", with_cashback: false, url: "https://www.verdao.example/a" });
      for (const format of ["csv", "json"] as const) {
        const before = await exportRows(database);
        const file = writeCatalogue(format, before, "pt");
        expect(await diff(database, readCatalogue(format, file))).to.deep.equal([]);
        await database.kysely.deleteFrom("offers").execute();
        await apply(database, readCatalogue(format, file), "script");
        expect(await exportRows(database)).to.deep.equal(before);
      }
    });

    it("of a file are new, changed or refused", async () => {
      await add({ title: "Dez", code: "DEZ" });
      const rows = [
        { type: "offer", store: "verdão store", title: "DEZ", code: "DEZ10" },
        { type: "offer", store: "Nova", title: "Frete", url: "https://nova.example/x", with_cashback: "false" },
        { type: "store", name: "Nova", country: "Brasil", store_url: "https://nova.example" },
      ];
      const file = readCatalogue("json", JSON.stringify(rows));
      const changes = await diff(database, file);
      expect(changes.filter(({ what_detail }) => what_detail === "offer")).to.deep.equal([
        {
          kind: "update",
          what: "store",
          what_detail: "offer",
          name: "Dez",
          of: "verdão store",
          fields: [{ field: "code", to: "DEZ10" }],
        },
        {
          kind: "create",
          what: "store",
          what_detail: "offer",
          name: "Frete",
          of: "Nova",
          fields: [{ field: "code", to: null }],
        },
      ]);
      await apply(database, file, "script");
      expect((await list("?store_id=1")).offers[0]).to.deep.include({ title: "Dez", code: "DEZ10" });
      const wrong = [
        { type: "offer", store: "Verdão Store", title: "a", url: "https://evil.example/" },
        { type: "offer", store: "Verdão Store", title: "b", ends_at: "2020-01-01T00:00:00Z" },
      ];
      const refused = await diff(database, readCatalogue("json", JSON.stringify(wrong))).catch(
        (error: unknown) => error,
      );
      expect(refused).to.be.instanceOf(CatalogueFileError);
      expect((refused as CatalogueFileError).problems.map(({ problem, place }) => [problem, place])).to.deep.equal([
        ["store_page", 1],
        ["offer_span", 2],
      ]);
    });
  });
});
