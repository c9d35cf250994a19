import { expect } from "chai";
import { onEitherEngine } from "../testing/databases.ts";
import { expectRefusal } from "./support/expect-refusal.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

describe("The catalogue in the panel", () => {
  onEitherEngine(({ open }) => {
    let api: InProcessApi;

    beforeEach(async () => {
      api = await startInProcess((await open()).database);
    });
    afterEach(() => api.stop());

    it("rejects duplicate store names, token slugs and token contracts", async () => {
      const admin = await api.admin("catalogue");
      const store = { name: "Loja São João", country: "Brasil" };
      const { id } = (await admin.post("/api/store", store)).body;
      for (const name of ["Loja São João", "LOJA SÃO JOÃO", " loja  sao joao"]) {
        const refused = await admin.post("/api/store", { ...store, name });
        expectRefusal(refused, 409, "STORE_NAME_TAKEN");
        expect(refused.body).to.include({ field: "name" });
      }
      const other = (await admin.post("/api/store", { ...store, name: "Outra" })).body.id;
      const rename = (to: string) => admin.send("PUT", `/api/store/${other}`, JSON.stringify({ name: to }));
      expectRefusal(await rename("loja são joão"), 409, "STORE_NAME_TAKEN");
      for (const link of ["https://loja.example", "HTTP://loja.example/a"]) {
        const { status, body } = await rename(link);
        expect([status, body.field, body.rule], link).to.deep.equal([400, "name", "link"]);
      }
      expect((await rename("OUTRA")).status, "its own name in capitals").to.equal(200);
      await admin.send("DELETE", `/api/store/${id}`);
      expect((await rename("Loja São João")).status, "the other is gone").to.equal(200);

      const contract = `0x${"ab".repeat(20)}` as const;
      const token = { name: "Galo", slug: "galo", image: "https://img.example/galo.png", contract };
      expect((await admin.post("/api/admin/fan-token", token)).status, "its contract waits").to.equal(202);
      await api.services.database.kysely
        .updateTable("fan_tokens")
        .set({ contract })
        .where("slug", "=", "galo")
        .execute();
      expectRefusal(await admin.post("/api/admin/fan-token", token), 409, "CONTRACT_TAKEN");
      expectRefusal(await admin.post("/api/admin/fan-token", { ...token, contract: null }), 409, "SLUG_TAKEN");
    });

    it("saves the built-in tokens without a picture, no others", async () => {
      const admin = await api.admin("catalogue");
      const [psg] = (await admin.get("/api/fan-tokens")).body.data;
      const same = { id: psg.id, name: psg.name, slug: psg.slug, image: psg.image };
      expect(psg.image).to.equal("");
      expect((await admin.post("/api/admin/fan-token", same)).status).to.equal(200);
      const refused = await admin.post("/api/admin/fan-token", { name: "Galo", slug: "galo", image: "" });
      expectRefusal(refused, 400, "INVALID_REQUEST");
      expect(refused.body.field).to.equal("image");
    });

    it("rejects an empty percent", async () => {
      const admin = await api.admin("catalogue");
      const [category] = (await admin.get("/api/stores/1")).body.cashbacks;
      const path = `/api/store/1/cashback/${category.id}`;
      for (const body of ['{"cashback_percent":""}', "{}"])
        expectRefusal(await admin.send("PUT", path, body), 400, "INVALID_REQUEST");
      expect((await admin.get("/api/stores/1")).body.cashbacks[0]).to.deep.equal(category);
    });

    it("reports what a draft lacks, and where a test click leads", async () => {
      const admin = await api.admin("catalogue");
      const { id } = (await admin.post("/api/store", { name: "Rascunho", country: "Brasil" })).body;
      const read = async () => (await admin.get(`/api/admin/stores?query=rascunho`)).body.rows[0];
      expect(await read()).to.deep.include({ id, state: "draft", missing: ["link", "rate", "chain_name"] });
      const click = async () => (await admin.get(`/api/admin/stores/${id}/test-click`)).body;
      expect(await click()).to.include({ url: null, carries_click: false });
      const affiliate_link = "https://go.example/x?ref={click}";
      await admin.send("PUT", `/api/store/${id}`, JSON.stringify({ affiliate_link }));
      expect(await read()).to.deep.include({ state: "draft", missing: ["rate", "chain_name"] });
      const { click_id, url, carries_click } = await click();
      expect([url, carries_click]).to.deep.equal([`https://go.example/x?ref=${click_id}`, true]);
      await admin.post(`/api/store/${id}/cashback`, { category: "Camisas", cashback_percent: "5,5" });
      expect(await read()).to.deep.include({ state: "draft", missing: ["chain_name"] });
      await api.services.database.kysely
        .updateTable("operations")
        .set({ status: "done" })
        .where("kind", "=", "register_store")
        .where("subject_id", "=", BigInt(id))
        .execute();
      expect(await read()).to.deep.include({ state: "ready", missing: [] });
      const [entry] = (await admin.get("/api/admin/audit-log?state=catalogue&limit=1")).body.rows;
      expect(entry).to.include({ action: "cashback.create" });
      expect(entry.params).to.include({ store: "Rascunho", category: "Camisas", cashback_percent: "5.5" });
    });

    it("is exported as a file and imported again, all or nothing", async () => {
      const admin = await api.admin("catalogue");
      await admin.post("/api/store", { name: "=1+1", country: "Brasil", description: "@me" });
      for (const format of ["csv", "json"]) {
        const { text, headers } = await admin.get(`/api/admin/catalogue?format=${format}`);
        expect(headers.get("content-disposition")).to.include(`catalogue.${format}`);
        if (format === "csv") expect(text).to.match(/^"store","","'=1\+1","Brasil","","","'@me",/m);
        const again = await admin.post("/api/admin/catalogue", { format, content: text });
        expect(again.body).to.deep.include({ applied: false, changes: [] });
      }
      const rows = "type,store,name,country,category,cashback_percent\nstore,,Nova,Brasil,,\n";
      const file = `${rows}cashback,Nova,,,Camisas,4.5\ncashback,Nova,,,Bonés,2\n`;
      const dry = await admin.post("/api/admin/catalogue", { format: "csv", content: file });
      expect(dry.body.changes).to.have.lengthOf(3);
      expect(dry.body.preview[0]).to.deep.equal({
        kind: "create",
        what: "store",
        name: "Nova",
        fields: [{ field: "country", to: "Brasil" }],
      });
      expect((await admin.get("/api/admin/stores?query=nova")).body.total, "a dry run changes nothing").to.equal(0);
      const wrong = `${file}cashback,Nova,,,Meias,400\n`;
      const refused = await admin.post("/api/admin/catalogue", { format: "csv", content: wrong, apply: true });
      expectRefusal(refused, 422, "CATALOGUE_FILE");
      expect(refused.body.message).to.match(/^line 5: cashback_percent/);
      expect(refused.body.problems).to.deep.equal([
        {
          problem: "field",
          place: 5,
          field: "cashback_percent",
          broken: { rule: "max", params: { max: 100 } },
        },
      ]);
      expect((await admin.get("/api/admin/stores?query=nova")).body.total).to.equal(0);
      const made = await admin.post("/api/admin/catalogue", { format: "csv", content: file, apply: true });
      expect(made.body).to.deep.include({ applied: true, changes: dry.body.changes });
      const [store] = (await admin.get("/api/admin/stores?query=nova")).body.rows;
      expect(store.cashbacks).to.have.lengthOf(2);
      const large = { format: "csv", content: "x".repeat(9 * 1024 * 1024), apply: false };
      expectRefusal(await admin.post("/api/admin/catalogue", large), 413, "BODY_TOO_LARGE");
      const buyer = await api.user();
      expectRefusal(await buyer.post("/api/admin/catalogue", { format: "csv", content: file }), 403, "FORBIDDEN");
    });

    it("says at once all that is wrong of a file: in its rows, among them, and of what is in the shop", async () => {
      const admin = await api.admin("catalogue");
      const rows = [
        { type: "store", name: "Ruim", country: 5, featured: "talvez" },
        // Of a store that is not known yet: what is wrong of that is said of its own row alone.
        { type: "cashback", store: "Ruim", category: "A", cashback_percent: "5" },
        { type: "cashback", store: "Ninguém", category: "A", cashback_percent: "5" },
        { type: "cashback", store: "Mercado da Bola", category: "A", cashback_percent: "4", group_code: "NOVO" },
        { type: "cashback", store: "Mercado da Bola", category: "B", cashback_percent: "4", group_code: "novo" },
        {
          type: "boost",
          store: "Verdão Store",
          category: "Nenhuma",
          cashback_percent: "9",
          starts_at: "2099-01-01T00:00:00Z",
          ends_at: "2099-01-02T00:00:00Z",
        },
        {
          type: "club",
          slug: "novo",
          name: "Novo",
          aliases: "",
          colours: "#000000 #ffffff",
          pattern: "plain",
          country: "BR",
          token_slug: "nenhum",
        },
      ];
      for (const apply of [false, true]) {
        const refused = await admin.post("/api/admin/catalogue", {
          format: "json",
          content: JSON.stringify(rows),
          apply,
        });
        expectRefusal(refused, 422, "CATALOGUE_FILE");
        expect(refused.body.message.split("\n")).to.deep.equal([
          "row 1: country must be a text",
          "row 1: featured must be true or false",
          "row 3: there is no store Ninguém, here or in the database",
          "row 5: group_code novo is also the group of A",
          "row 6: the store Verdão Store has no category Nenhuma",
          "row 7: there is no fan token nenhum",
        ]);
        expect(refused.body.problems.slice(0, 2)).to.deep.equal([
          { problem: "field", place: 1, field: "country", broken: { rule: "text" } },
          { problem: "field", place: 1, field: "featured", broken: { rule: "flag" } },
        ]);
      }
    });

    it("rejects a file that gives a store two categories of one group, or two defaults", async () => {
      const admin = await api.admin("catalogue");
      const send = async (rows: readonly string[], apply: boolean) => {
        const content = ["type,store,category,cashback_percent,group_code,is_default", ...rows].join("\n");
        return admin.post("/api/admin/catalogue", { format: "csv", content, apply });
      };
      const rows = ["cashback,Mercado da Bola,A,4,NEW,", "cashback,Mercado da Bola,B,5, new ,"];
      const defaults = ["cashback,Mercado da Bola,A,4,,true", "cashback,Mercado da Bola,B,5,,true"];
      for (const apply of [false, true]) {
        const refused = await send(rows, apply);
        expectRefusal(refused, 422, "CATALOGUE_FILE");
        expect(refused.body.message).to.equal("line 3: group_code new is also the group of A");
        const twice = await send(defaults, apply);
        expectRefusal(twice, 422, "CATALOGUE_FILE");
        expect(twice.body.message).to.equal("line 3: is_default is also true for A");
      }
      // Applied one by one: the second is checked against the first in the database.
      expect((await send([defaults[0] ?? "", "cashback,Mercado da Bola,C,4,NEW,"], true)).status).to.equal(200);
      expectRefusal(await send(["cashback,Mercado da Bola,D,4,new,"], true), 422, "CATALOGUE_FILE");
      expectRefusal(
        await send(["cashback,Mercado da Bola,C,4,X,", "cashback,Mercado da Bola,D,4,X,"], true),
        422,
        "CATALOGUE_FILE",
      );
      // A new percent of the former default does not make it the default again.
      expect((await send([defaults[1] ?? "", "cashback,Mercado da Bola,A,6,,"], true)).status).to.equal(200);
      const [store] = (await admin.get("/api/admin/stores?query=mercado")).body.rows;
      const named = store.cashbacks.filter((one: { is_default?: true }) => one.is_default);
      expect(named.map((one: { category: string }) => one.category)).to.deep.equal(["B"]);
    });

    it("keeps texts in both languages and what is excluded, from the panel and from a file", async () => {
      const admin = await api.admin("catalogue");
      const texts = { country_en: "Brazil", description_en: "Shirts", terms: "Sem cashback em vales." };
      const { id } = (await admin.post("/api/store", { name: "Bilíngue", country: "Brasil", ...texts })).body;
      const read = async () => (await admin.get(`/api/stores/${id}`)).body.store;
      expect(await read())
        .to.include(texts)
        .and.not.to.have.any.keys("terms_en", "category_en");
      await admin.send("PUT", `/api/store/${id}`, JSON.stringify({ terms: "", terms_en: "No vouchers." }));
      expect(await read())
        .to.include({ terms_en: "No vouchers." })
        .and.not.to.have.any.keys("terms");

      const head = "type,store,name,country,category,category_en,cashback_percent,terms";
      const file = `${head}\nstore,,Bilíngue,Brasil,Moda,Fashion,,Nada de vales\ncashback,Bilíngue,,,Camisas,Shirts,4,\n`;
      const change = async (content: string) =>
        (await admin.post("/api/admin/catalogue", { format: "csv", content, apply: true })).body.changes;
      expect(await change(file)).to.have.lengthOf(2);
      expect(await read()).to.deep.include({
        category_en: "Fashion",
        terms: "Nada de vales",
        terms_en: "No vouchers.",
      });
      expect((await read()).cashbacks[0]).to.include({ category: "Camisas", category_en: "Shirts" });
      expect(await change(file.replace("Camisas,Shirts", "Camisas,Jerseys"))).to.deep.equal([
        "~ Bilíngue, Camisas: category_en → Jerseys",
      ]);
    });

    it("reports an unavailable chain when a token's contract is looked up", async () => {
      const admin = await api.admin("catalogue");
      const asked = await admin.get(`/api/admin/token-contract?contract=0x${"cd".repeat(20)}`);
      expectRefusal(asked, 503, "CHAIN_UNAVAILABLE");
      expectRefusal(await admin.get("/api/admin/token-contract?contract=0x12"), 400, "INVALID_REQUEST");
    });
  });
});
