import { expect } from "chai";
import { BUILT_IN_CLUBS } from "../../core/database/built-in-clubs.ts";
import { onEitherEngine } from "../testing/databases.ts";
import type { Caller } from "./support/caller.ts";
import { expectInvalid, expectRefusal } from "./support/expect-refusal.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

const REMO = BUILT_IN_CLUBS.find(({ slug }) => slug === "remo");
const NAUTICO = {
  ...{ slug: "nautico", name: "Náutico", aliases: ["Timbu"], colours: ["#d0021b", "#ffffff"], pattern: "stripes" },
  country: "BR",
};

/** docs/product.md#clubs */
describe("Clubs", () => {
  onEitherEngine(({ open }) => {
    let api: InProcessApi;
    let admin: Caller;

    beforeEach(async () => {
      api = await startInProcess((await open()).database);
      admin = await api.admin("catalogue");
    });
    afterEach(() => api.stop());

    let count = 0;
    const newStore = async (fields: Record<string, unknown>): Promise<number> => {
      const store = {
        name: `Loja ${++count}`,
        country: "Brasil",
        affiliate_link: "https://example.com/loja",
        ...fields,
      };
      const { id } = (await admin.post("/api/store", store)).body;
      await admin.post(`/api/store/${id}/cashback`, { category: "Tudo", cashback_percent: "5" });
      // Its name is on chain.
      await api.services.database.kysely.deleteFrom("operations").execute();
      return id;
    };
    const put = (id: number, fields: object) => admin.send("PUT", `/api/store/${id}`, JSON.stringify(fields));
    const storeOf = async (id: number) => (await admin.get(`/api/stores/${id}`)).body.store;
    const clubOf = async (id: number) => {
      const { club, club_slug, club_accepted, club_token_slug } = await storeOf(id);
      return { club, club_slug, club_accepted, club_token_slug };
    };
    const save = async (club: object) => expect((await admin.post("/api/admin/clubs", club)).status).to.equal(200);
    const bonusAt = async (storeId: number, token_slug: string) => {
      const shopper = await api.user();
      const body = { user: shopper.address, store_id: storeId, amount: 100, token_slug };
      const answer = await shopper.post("/api/register-purchase", body);
      expect(answer.status, answer.text).to.equal(200);
      return answer.body.purchase.bonus_percent;
    };
    const newToken = async (slug: string) => {
      const token = { name: slug.toUpperCase(), slug, image: "https://example.com/token.png" };
      expect((await admin.post("/api/admin/fan-token", token)).status).to.equal(200);
    };

    it("are there from the start, each with names, colours and pattern, and no token", async () => {
      const { clubs } = (await admin.get("/api/clubs")).body;
      expect(clubs).to.have.length(BUILT_IN_CLUBS.length);
      const { slug = "", ...remo } = REMO ?? {};
      expect(clubs.find((one: { slug: string }) => one.slug === slug)).to.deep.equal({
        slug,
        ...remo,
        token_slug: null,
      });
      const alone = (await admin.get("/api/clubs/remo")).body;
      expect(alone).to.deep.equal({ success: true, club: { slug, ...remo, token_slug: null }, figures: null });
      for (const unknown of ["nobody", "Remo", "remo%00", "x".repeat(40)])
        expectRefusal(await admin.get(`/api/clubs/${unknown}`), 404, "NOT_FOUND");
    });

    it("are meant by a store's text in any case, with or without accents, which stays as it was typed", async () => {
      for (const [club, slug] of [
        ["flamengo", "flamengo"],
        ["  MENGO ", "flamengo"],
        ["Atletico-MG", "atletico-mineiro"],
        ["Sao Paulo", "sao-paulo"],
        ["Grêmio", "gremio"],
        ["Atlético", null],
        ["Flamengo do Piauí", null],
        ["Flаmengo", null],
        ["<b>Remo</b>", null],
      ] as const) {
        const id = await newStore({ club });
        const seen = await clubOf(id);
        expect(seen, club).to.deep.equal({
          ...{ club: club.trim(), club_slug: slug, club_accepted: false, club_token_slug: null },
        });
      }
    });

    it("raise no bonus by a name alone: a person joins the token, and accepts the match", async () => {
      await newToken("mengo");
      const byName = await newStore({ club: "Flamengo" });
      const byAlias = await newStore({ club: "Mengão" });
      await save({ ...BUILT_IN_CLUBS.find(({ slug }) => slug === "flamengo"), token_slug: "mengo" });
      for (const id of [byName, byAlias]) {
        expect(await bonusAt(id, "mengo"), "nobody accepted it").to.equal("0");
        expect((await put(id, { club_slug: "flamengo" })).status).to.equal(200);
        expect(await clubOf(id)).to.include({ club_slug: "flamengo", club_accepted: true, club_token_slug: "mengo" });
        expect(await bonusAt(id, "mengo")).to.equal("2");
        expect(await bonusAt(id, "psg"), "another token").to.equal("0");
      }
      await put(byAlias, { description: "Camisas" });
      expect(await bonusAt(byAlias, "mengo"), "what else changes does not matter").to.equal("2");
      await put(byAlias, { club: "Vasco" });
      expect(await clubOf(byAlias)).to.include({ club_slug: "vasco-da-gama", club_accepted: false });
      expect(await bonusAt(byAlias, "mengo"), "another club").to.equal("0");
      await put(byName, { club_slug: null });
      expect(await clubOf(byName)).to.include({ club_slug: "flamengo", club_accepted: false });
      expect(await bonusAt(byName, "mengo"), "taken back").to.equal("0");
    });

    it("leave the rule of names as it was: a token of the store's own text earns without any club", async () => {
      await newToken("nome-unico");
      const id = await newStore({ club: "Nome-Unico" });
      expect(await clubOf(id)).to.include({ club_slug: null });
      expect(await bonusAt(id, "nome-unico")).to.equal("2");
    });

    it("give a store without a text their own name, and refuse a slug that nobody knows", async () => {
      const id = await newStore({ club_slug: "remo" });
      expect(await clubOf(id)).to.include({ club: "Remo", club_slug: "remo", club_accepted: true });
      expectInvalid(await put(id, { club_slug: "nobody" }), "club_slug");
      expect(await clubOf(id)).to.include({ club_slug: "remo" });
    });

    it("are filtered by any of their names, and listed once, as the club is called", async () => {
      const ids = [await newStore({ club: "Mengo" }), await newStore({ club: "FLAMENGO" })];
      const other = await newStore({ club: "Barcelona" });
      for (const club of ["Flamengo", "mengão", "CR Flamengo", "flamengo"]) {
        const { stores } = (await admin.get(`/api/stores?club=${encodeURIComponent(club)}`)).body;
        expect(
          stores.map(({ id }: { id: number }) => id),
          club,
        ).to.deep.equal(ids);
      }
      const { filters } = (await admin.get("/api/stores")).body;
      const clubs = ["Barcelona", "FC Barcelona", "Flamengo", "Juventus", "Palmeiras", "Paris Saint-Germain"];
      expect(filters.club).to.deep.equal(clubs);
      const { stores } = (await admin.get("/api/stores?club=Barcelona")).body;
      expect(
        stores.map(({ id }: { id: number }) => id),
        "a text that means none",
      ).to.deep.equal([other]);
      const found = (await admin.get("/api/stores?query=flamengo")).body.stores;
      expect(found.map(({ id }: { id: number }) => id)).to.have.members(ids);
    });

    it("are made, changed and deleted by staff, and the stores that they name follow", async () => {
      const id = await newStore({ club: "Timbu" });
      expect(await clubOf(id)).to.include({ club_slug: null });
      await save(NAUTICO);
      expect(await clubOf(id)).to.include({ club: "Timbu", club_slug: "nautico", club_accepted: false });
      const { stores } = (await admin.get("/api/stores?club=N%C3%A1utico")).body;
      expect(stores).to.have.length(1);
      await save({ ...BUILT_IN_CLUBS.find(({ slug }) => slug === "remo"), aliases: ["Timbu"] });
      expect(await clubOf(id), "a name of two clubs").to.include({ club_slug: null });
      await save({ ...NAUTICO, aliases: [] });
      expect(await clubOf(id), "it is the other's alone now").to.include({ club_slug: "remo" });
      await put(id, { club_slug: "nautico" });
      expect((await admin.send("DELETE", "/api/admin/clubs/nautico")).status).to.equal(200);
      expect(await clubOf(id)).to.deep.equal({
        ...{ club: "Timbu", club_slug: "remo", club_accepted: false, club_token_slug: null },
      });
      expectRefusal(await admin.get("/api/clubs/nautico"), 404, "NOT_FOUND");
      expectRefusal(await admin.send("DELETE", "/api/admin/clubs/nautico"), 404, "NOT_FOUND");
      const log = (await admin.get("/api/admin/audit-log")).body.rows;
      expect(log.filter((row: { action: string }) => row.action.startsWith("club."))).to.have.length(4);
    });

    it("have stores of their own also where other clubs are called the same", async () => {
      await save({ ...NAUTICO, slug: "nacional", name: "Nacional", aliases: [] });
      await save({ ...NAUTICO, slug: "nacional-am", name: "Nacional (AM)", aliases: ["Nacional"] });
      const first = await newStore({ club: "Nacional", club_slug: "nacional" });
      const second = await newStore({ club: "Nacional", club_slug: "nacional-am" });
      const unclear = await newStore({ club: "Nacional" });
      const idsOf = async (club: string) =>
        (await admin.get(`/api/stores?club=${encodeURIComponent(club)}`)).body.stores.map(
          ({ id }: { id: number }) => id,
        );
      expect(await idsOf("nacional-am")).to.deep.equal([second]);
      expect(await idsOf("nacional")).to.deep.equal([first]);
      expect(await idsOf("NACIONAL"), "a text that means neither").to.deep.equal([first, unclear]);
      expect(await clubOf(unclear)).to.include({ club_slug: null });
    });

    it("cannot be called as another is, nor look so, nor have a token that is not there", async () => {
      for (const name of ["Flamengo", "FLAMENGO", "Flаmengo"]) {
        const refused = await admin.post("/api/admin/clubs", { ...NAUTICO, name });
        expectRefusal(refused, 409, "CLUB_NAME_TAKEN");
      }
      expectInvalid(await admin.post("/api/admin/clubs", { ...NAUTICO, token_slug: "nobody" }), "token_slug");
      const { clubs } = (await admin.get("/api/clubs")).body;
      expect(clubs).to.have.length(BUILT_IN_CLUBS.length);
    });

    it("are refused with what is wrong", async () => {
      for (const [field, wrong] of [
        ["slug", "São Paulo"],
        ["slug", "table"],
        ["slug", " TABLE "],
        ["name", ""],
        ["name", "x".repeat(61)],
        ["name", "Timb\u202eu"],
        ["aliases", ["Timbu", "Tim\u200bbu"]],
        ["aliases", Array.from({ length: 31 }, (_, index) => `n${index}`)],
        ["colours", "#fff"],
        ["colours", ["#123456"]],
        ["colours", ["red", "#ffffff"]],
        ["colours", ["#111111", "#222222", "#333333", "#444444"]],
        ["pattern", "dots"],
        ["country", "Brasil"],
      ] as const) {
        const refused = await admin.post("/api/admin/clubs", { ...NAUTICO, [field]: wrong });
        expect([refused.status, String(refused.body.field).split(".")[0]], refused.text).to.deep.equal([400, field]);
      }
    });

    it("come and go by the catalogue file, with their stores", async () => {
      await newToken("timbu");
      const rows = [
        { type: "store", name: "Loja do Náutico", country: "Brasil", club_slug: "nautico" },
        { type: "club", ...NAUTICO, aliases: "Timbu, Alvirrubro", colours: "#d0021b #ffffff", token_slug: "timbu" },
      ];
      const send = (content: object[], apply: boolean) =>
        admin.post("/api/admin/catalogue", { format: "json", content: JSON.stringify(content), apply });
      const done = await send(rows, true);
      expect(done.body.changes, done.text).to.deep.equal([
        "+ club nautico (Náutico)",
        "+ store Loja do Náutico (Brasil), named on the chain by the api",
      ]);
      expect((await admin.get("/api/clubs/nautico")).body.club).to.deep.include({
        ...{ aliases: ["Timbu", "Alvirrubro"], colours: ["#d0021b", "#ffffff"], token_slug: "timbu" },
      });
      const exported = (await admin.get("/api/admin/catalogue?format=json")).body as Record<string, unknown>[];
      expect(exported.filter(({ type }) => type === "club")).to.deep.equal([rows[1]]);
      expect(exported.find(({ name }) => name === "Loja do Náutico")).to.include({
        club_slug: "nautico",
        club: "Náutico",
      });
      expect((await send(exported, false)).body.changes, "nothing is left to do").to.deep.equal([]);
      const csv = await admin.get("/api/admin/catalogue?format=csv");
      expect(csv.text).to.include("club_slug").and.to.include("#d0021b #ffffff");

      const [leao, peixe] = ["remo", "santos"].map((slug) => BUILT_IN_CLUBS.find((one) => one.slug === slug));
      const swapped = [
        { type: "club", ...leao, name: peixe?.name },
        { type: "club", ...peixe, name: leao?.name },
      ];
      expect((await send(swapped, true)).body.changes, "two change their names with each other").to.have.length(2);
      expect((await admin.get("/api/clubs/remo")).body.club.name).to.equal("Santos");
      const wrong = [
        { type: "store", name: "Outra", country: "Brasil", club_slug: "nobody" },
        { ...rows[1], slug: "outro", token_slug: "nobody" },
        { ...rows[1], slug: "mais", name: "Flamengo" },
      ];
      const refused = await send(wrong, true);
      expectRefusal(refused, 422, "CATALOGUE_FILE");
      expect(refused.body.problems.map(({ problem }: { problem: string }) => problem)).to.have.members([
        ...["no_club", "club_name_taken", "club_name_taken"],
      ]);
    });
  });
});
