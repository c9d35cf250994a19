import { expect } from "chai";
import { sql } from "kysely";
import { openCursors } from "../../api/http/cursors.ts";
import { bumpCatalogueVersion } from "../../core/catalogue/version.ts";
import type { Store } from "../../core/rules/api/catalogue.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { Caller } from "./support/caller.ts";
import { expectInvalid } from "./support/expect-refusal.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

const STORES = 150;
const idsOf = ({ stores }: { stores: Store[] }) => stores.map(({ id }) => id);

describe("Pages of the list of stores", () => {
  onEitherEngine((engine) => {
    let api: InProcessApi;
    let stranger: Caller;
    let all: number[];
    beforeEach(async () => {
      const { database } = await engine.open();
      api = await startInProcess(database);
      stranger = new Caller(api.url);
      const now = BigInt(Date.now());
      const values = Array.from({ length: STORES }, (_, index) => ({
        name: `Loja ${index}`,
        name_key: `loja ${index}`,
        country: "Brasil",
        country_key: "brasil",
        affiliate_link: "https://example.com",
        max_cashback_bps: 500n,
        created_at: now,
        updated_at: now,
      }));
      await database.kysely.insertInto("stores").values(values).execute();
      const { rows } = await sql<{ id: bigint }>`select id from stores where max_cashback_bps = 500`.execute(
        database.kysely,
      );
      const category = { category: "Tudo", cashback_bps: 500n, created_at: now, updated_at: now };
      const categories = rows.map(({ id }) => ({ ...category, store_id: id }));
      await database.kysely
        .insertInto("store_cashbacks")
        .values(categories)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      await bumpCatalogueVersion(database.kysely);
      all = idsOf(await pageOf(stranger, ""));
    });
    afterEach(() => api?.stop());

    const pageOf = async (caller: Caller, query: string) => (await caller.get(`/api/stores?${query}`)).body;

    it("begin with a whole one, and have at most 60 rows for strangers from then on", async () => {
      expect(all).to.have.length.greaterThan(STORES);
      const first = await pageOf(stranger, "limit=2");
      const second = await pageOf(stranger, `limit=500&after=${first.next_after}`);
      expect(idsOf(second)).to.deep.equal(all.slice(2, 62));
      const third = await pageOf(stranger, `limit=10&after=${second.next_after}`);
      expect(idsOf(third)).to.deep.equal(all.slice(62, 72));
      const user = await api.user();
      expect(idsOf(await pageOf(user, `limit=500&after=${first.next_after}`))).to.deep.equal(all.slice(2));
    });

    it("go on from cursors that we signed, or that a process of 1.0.0 gave", async () => {
      for (const sort of ["", "&sort=name", "&sort=cashback", "&sort=newest"]) {
        const first = await pageOf(stranger, `limit=2${sort}`);
        expect(first.next_after).to.match(/^.+~[0-9a-f]{32}$/);
        const whole = idsOf(await pageOf(stranger, `limit=500${sort}`));
        const [plain] = first.next_after.split("~");
        for (const after of [first.next_after, plain])
          expect(idsOf(await pageOf(stranger, `limit=2${sort}&after=${after}`)), after).to.deep.equal(
            whole.slice(2, 4),
          );
      }
    });

    it("take no cursor with another one's signature, nor one of another list", async () => {
      const { next_after } = await pageOf(stranger, "limit=2");
      const seal = next_after.split("~")[1];
      for (const query of [
        `after=${all[5]}~${seal}`,
        `after=${next_after}0`,
        `after=~${seal}`,
        `club=Palmeiras&after=${next_after}`,
        `sort=name&after=${next_after}`,
      ])
        expectInvalid(await stranger.get(`/api/stores?${query}`), "after");
    });

    it("are told apart by every process and after a restart", async () => {
      const { kysely } = api.services.database;
      const [one, other] = [await openCursors(kysely), await openCursors(kysely)];
      const signed = one.sign("a list", "5");
      expect(other.read("a list", signed)).to.deep.equal({ cursor: "5", isPlain: false });
      expect(other.read("another", signed)).to.deep.equal({ cursor: signed, isPlain: true });
      expect(other.read("a list", "5")).to.deep.equal({ cursor: "5", isPlain: true });
    });
  });
});
