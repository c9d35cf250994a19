import { expect } from "chai";
import { insertCategory } from "../../core/catalogue/categories.ts";
import { pauseStores } from "../../core/catalogue/pauses.ts";
import {
  listNamed,
  listOffered,
  listOfferedIds,
  type OfferQuery,
  readFilters,
} from "../../core/catalogue/store-list.ts";
import { deleteStore, insertStore, updateStore } from "../../core/catalogue/store-rows.ts";
import { orderByPromise } from "../../core/catalogue/store-search.ts";
import type { StoreFields } from "../../core/catalogue/stores.ts";
import type { Database } from "../../core/database/connect.ts";
import { CursorError } from "../../core/database/lists/page.ts";
import { enqueue } from "../../core/sender/queue.ts";
import { onBothEngines } from "../testing/databases.ts";
import { fillStores } from "./support/fill-stores.ts";

const LINK = "https://example.com/{click}";

onBothEngines(({ open }) => {
  describe("The stores on offer", () => {
    let database: Database;
    const add = async (fields: Partial<StoreFields> & { name: string }, bps = 500n) => {
      const id = await insertStore(database.kysely, { country: "Brasil", affiliate_link: LINK, ...fields });
      if (bps > 0n) await insertCategory(database.kysely, id, { category: "Tudo", cashbackBps: bps });
      return id;
    };
    const names = async (query: Partial<OfferQuery> = {}) =>
      (await listOffered(database.kysely, { limit: 500, ...query })).rows.map((store) => store.name);
    beforeEach(async () => {
      ({ database } = await open());
    });

    it("are all found, page by page in every order, and drafts never count", async () => {
      await fillStores(database, 60);
      for (let draft = 0; draft < 30; draft++) await add({ name: `Rascunho ${draft}` }, 0n);
      const newest = await add({ name: "Última" }, 10n);
      for (const sort of [undefined, "name", "cashback", "newest"] as const) {
        for (const filter of [{}, { country: "BRASIL" }, { query: "arm" }, { query: "armazem", country: "brasil" }]) {
          const whole = await names({ sort, ...filter });
          const paged: string[] = [];
          let after: string | undefined;
          do {
            const page = await listOffered(database.kysely, { sort, ...filter, limit: 7, after });
            paged.push(...page.rows.map((store) => store.name));
            after = page.nextBefore === null ? undefined : String(page.nextBefore);
          } while (after !== undefined);
          expect(paged).to.deep.equal(whole);
          expect(new Set(paged).size).to.equal(whole.length);
        }
      }
      expect(await names()).to.have.length(61);
      expect((await names({ sort: "newest" }))[0]).to.equal("Última");
      expect((await names({ sort: "cashback" })).at(-1)).to.equal("Última");
      expect((await listOfferedIds(database.kysely)).at(-1)).to.equal(newest);
    });

    it("come last by what they promise while their network pauses them", async () => {
      const id = await add({ name: "Alta" }, 900n);
      await add({ name: "Baixa" }, 100n);
      await pauseStores(database.kysely, [id], "paused");
      await insertCategory(database.kysely, id, { category: "Mais", cashbackBps: 950n });
      expect(await names({ sort: "cashback" })).to.deep.equal(["Baixa", "Alta"]);
      await pauseStores(database.kysely, [id], null);
      expect(await names({ sort: "cashback" })).to.deep.equal(["Alta", "Baixa"]);
    });

    it("are sorted by what they promise: in live mode not by a category that no sale counts by", async () => {
      const { kysely } = database;
      const promises = await add({ name: "Promete" }, 500n);
      await insertCategory(kysely, promises, { category: "Resto", cashbackBps: 300n });
      await add({ name: "Paga" }, 400n);
      expect(await names({ sort: "cashback" })).to.deep.equal(["Promete", "Paga"]);
      await orderByPromise(kysely, { isLive: true });
      expect(await names({ sort: "cashback" })).to.deep.equal(["Paga", "Promete"]);
      // What is written from now on, too.
      await insertCategory(kysely, promises, { category: "Sem grupo", cashbackBps: 600n });
      const grouped = await add({ name: "Tem grupo" }, 100n);
      expect(await names({ sort: "cashback" })).to.deep.equal(["Paga", "Promete", "Tem grupo"]);
      await insertCategory(kysely, grouped, { category: "Camisas", cashbackBps: 700n, groupCode: "shirts" });
      expect(await names({ sort: "cashback" })).to.deep.equal(["Tem grupo", "Paga", "Promete"]);
      await orderByPromise(kysely, { isLive: false });
      expect(await names({ sort: "cashback" })).to.deep.equal(["Tem grupo", "Promete", "Paga"]);
    });

    it("are searched by the beginnings of their words, whatever the accents and case", async () => {
      await add({
        name: "Café do Estádio",
        category: "Alimentação",
        category_en: "Food",
        description: "Grãos torrados",
      });
      await add({ name: "Cafeteira Ágil", country: "Portugal" });
      expect(await names({ query: "CAFE" })).to.deep.equal(["Café do Estádio", "Cafeteira Ágil"]);
      expect(await names({ query: "estadio cafe" })).to.deep.equal(["Café do Estádio"]);
      for (const query of ["food", "alimentacao", "graos", "brasil tudo"]) {
        expect(await names({ query }), query).to.deep.equal(["Café do Estádio"]);
      }
      expect(await names({ query: "agil", country: "portugal" })).to.deep.equal(["Cafeteira Ágil"]);
      for (const query of ["agil %", "_", "%", "'", "inexistente"]) {
        expect(await names({ query }), query).to.have.length(query === "agil %" ? 1 : 0);
      }
    });

    it("follow every change of a store and its name on chain", async () => {
      const id = await add({ name: "Antiga", category: "Moda", club: "Santos" });
      await updateStore(database.kysely, id, { name: "Nova", category: "Casa", club: null });
      expect(await names({ query: "antiga" })).to.deep.equal([]);
      expect(await names({ category: "moda" })).to.deep.equal([]);
      expect(await names({ query: "nova", category: "casa" })).to.deep.equal(["Nova"]);
      await enqueue(database.kysely, [{ kind: "register_store", subjectId: id }]);
      expect(await names()).to.deep.equal([]);
      expect((await readFilters(database.kysely)).category).to.deep.equal([]);
      expect(await listNamed(database.kysely, [id], { withDrafts: false })).to.deep.equal([]);
      expect(await listNamed(database.kysely, [id], { withDrafts: true })).to.have.length(1);
      await database.kysely.deleteFrom("operations").execute();
      await updateStore(database.kysely, id, { affiliate_link: null });
      expect(await names()).to.deep.equal([]);
      await updateStore(database.kysely, id, { affiliate_link: LINK });
      expect(await names({ query: "nov" })).to.deep.equal(["Nova"]);
      await deleteStore(database.kysely, id);
      expect(await names({ query: "nov" })).to.deep.equal([]);
    });

    it("have filters: trimmed, each once whatever its case and accents, in Portuguese order", async () => {
      await add({ name: "A", country: "Brasil", country_en: "Brazil", category: "Óculos" });
      await add({ name: "B", country: " brasil", category: "oculos", club: "Santos" });
      await add({ name: "C", country: "África do Sul", category: "Zebra", club: "  " });
      await add({ name: "D", country: "Uruguai" }, 0n);
      expect(await readFilters(database.kysely)).to.deep.equal({
        country: ["África do Sul", "Brasil"],
        category: ["Óculos", "Zebra"],
        club: ["Santos"],
        translations: { en: { country: { Brasil: "Brazil" } } },
      });
      expect(await names({ country: "BRASIL" })).to.deep.equal(["A", "B"]);
    });

    it("refuse a cursor of another order", async () => {
      for (const after of ["x", "1_2_x", "99999999999999999999"]) {
        const failure = await names({ sort: "cashback", after }).catch((error: unknown) => error);
        expect(failure, after).to.be.instanceOf(CursorError);
      }
    });
  });
});
