import { expect } from "chai";
import { visitorsPromise } from "../../api/site/local-number.ts";
import { drawSiteCard, drawStoreCard } from "../../api/site/share/cards.ts";
import { findStore } from "../../core/catalogue/stores.ts";
import type { Database } from "../../core/database/connect.ts";
import { Claimed } from "../../core/process/rpc/every-node.ts";
import { readTerms } from "../../core/purchases/sale-row.ts";
import type { StorePromise } from "../../core/rules/api/catalogue.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { standIn } from "../testing/stand-in.ts";
import type { Caller } from "./support/caller.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

const MINUTE = 60_000;
const CONTRACT: WalletAddress = `0x${"c1".repeat(20)}`;
/** By what they hold of the club's token. */
const READERS = { "a user without tokens": 0n, "a holder of the club's token": 10n, "a holder of gold": 50n };
/** Of the club Palmeiras with two categories, of no club, and with hardly any room for a bonus. */
const STORES = [1, 3, 5];

/** docs/product.md#promise */
describe("One promise", () => {
  onEitherEngine(({ open }) => {
    const realNow = Date.now;
    let api: InProcessApi;
    let database: Database;

    const start = async (program: string, { isGrouped = true } = {}) => {
      ({ database } = await open());
      api = await startInProcess(database, {
        ...{ SIMULATED_PURCHASES: "false", SALE_REF_KEYS: `0x${"5a".repeat(32)}`, BONUS_PROGRAM: program },
      });
      const { kysely } = database;
      await kysely.updateTable("operations").set({ status: "done" }).where("kind", "=", "register_store").execute();
      // As networks report them: without a group, all sales count as the lowest.
      if (isGrouped)
        await kysely
          .updateTable("store_cashbacks")
          .set(({ ref }) => ({ group_code: ref("category") }))
          .execute();
      await kysely.updateTable("fan_tokens").set({ contract: CONTRACT }).where("slug", "=", "verdao").execute();
      await kysely.updateTable("stores").set({ club: null }).where("id", "=", 3n).execute();
      await kysely.updateTable("stores").set({ club: "Palmeiras" }).where("id", "=", 5n).execute();
      await kysely.updateTable("store_cashbacks").set({ cashback_bps: 9_900n }).where("store_id", "=", 5n).execute();
    };
    const holding = (units: bigint) => {
      const balance = { units, decimals: 0 };
      const read = async () => new Claimed({ nativeWei: 0n, tokens: new Map([[CONTRACT, balance]]) });
      const agreed = async () => ({ value: balance, block: { number: 7, hash: "0x" } });
      Object.assign(api.services, {
        balances: standIn<typeof api.services.balances>({ read, agreed }),
        nodes: standIn<typeof api.services.nodes>({ isReady: true }),
      });
    };
    afterEach(async () => {
      Date.now = realNow;
      await api.stop();
    });

    const promiseOf = async (reader: Caller, store: number): Promise<StorePromise> =>
      (await reader.get(`/api/stores/${store}`)).body.promise;

    /** What a click of now is frozen with: percent, and bonus of the promised token. */
    const frozen = async (reader: Caller, store: number, token: string | null) => {
      const visit = await reader.post("/api/register-purchase", {
        ...{ user: reader.address, store_id: store, amount: 100 },
        ...(token && { token_slug: token }),
      });
      expect(visit.status, visit.text).to.equal(200);
      const { terms } = await database.kysely
        .selectFrom("clicks")
        .select("terms")
        .where("token", "=", visit.body.click.id)
        .executeTakeFirstOrThrow();
      const { boosted, groups, defaultBps, bonusBps } = readTerms(terms);
      const now = boosted ?? { groups, defaultBps, bonusBps };
      const highest = [now.defaultBps, ...Object.values(now.groups)].reduce((one, two) => (two > one ? two : one));
      return { base: Number(highest) / 100, bonus: Number(now.bonusBps) / 100 };
    };

    /** The list, the store, its share picture and its click say the same to each reader. */
    const compare = async (moment: string) => {
      const visitor = await api.user();
      const list = (await visitor.get("/api/stores?limit=100")).body.stores;
      for (const store of STORES) {
        const row = list.find(({ id }: { id: number }) => id === store);
        const response = await fetch(`${api.url}/api/stores/${store}`);
        const { promise } = (await response.json()) as { promise: StorePromise };
        const what = `${moment}, store ${store}, a visitor`;
        expect(promise, what).to.deep.include({ bonus_percent: "0", token_slug: null });
        expect(Number(promise.total_percent), what).to.equal(row.max_cashback);
        expect(response.headers.get("cache-control"), what).to.include("public");
        const known = await findStore(database.kysely, BigInt(store));
        if (!known) throw new Error("no store");
        const said = visitorsPromise(known, "en", { isLive: true });
        expect(said, what).to.include({
          percent: promise.total_percent,
          isRange: row.cashback_min < row.cashback_max,
        });
        for (const picture of [
          drawStoreCard({ name: known.name, ...said, tags: [] }, "en"),
          drawSiteCard({ name: known.name, ...said }, "en"),
        ])
          expect(picture.match(/[\d.]+%(?=<)/g), what).to.deep.equal([`${promise.total_percent}%`]);

        for (const [name, units] of Object.entries(READERS)) {
          holding(units);
          const reader = await api.user();
          const own = await promiseOf(reader, store);
          const who = `${moment}, store ${store}, ${name}`;
          expect(own.base_percent, who).to.equal(promise.base_percent);
          const at = await frozen(reader, store, own.token_slug);
          expect(at, who).to.deep.equal({ base: Number(own.base_percent), bonus: Number(own.bonus_percent) });
          expect(Number(own.total_percent), who).to.be.closeTo(at.base + at.bonus, 1e-9);
          // No other token is promised more at the click.
          for (const token of ["psg", "verdao", null])
            expect((await frozen(reader, store, token)).bonus, `${who}, ${token}`).to.be.at.most(at.bonus);
        }
      }
    };

    for (const program of ["club", "tiers"]) {
      it(`is what a click freezes, for every reader, before and during a boost, in the program ${program}`, async () => {
        await start(program);
        await compare("before");
        const [admin, other] = [await api.admin(), await api.admin()];
        expect(other.address).not.to.equal(admin.address);
        const begin = realNow() + 10 * MINUTE;
        const end = begin + 30 * MINUTE;
        const planned = await admin.post("/api/admin/stores/1/boosts", {
          ...{ percent: "6", starts_at: new Date(begin).toISOString(), ends_at: new Date(end).toISOString() },
        });
        expect(planned.status, planned.text).to.be.oneOf([200, 202]);
        if (planned.body.id && planned.body.state === "waiting")
          await other.post(`/api/admin/boosts/${planned.body.id}/agree`, {});
        expect((await promiseOf(admin, 1)).boost_ends_at).to.equal(null);
        Date.now = () => begin + MINUTE;
        await compare("during");
        const during = await promiseOf(await api.user(), 1);
        expect(during).to.deep.include({ base_percent: "6", boost_ends_at: new Date(end).toISOString() });
        Date.now = () => end + MINUTE;
        await compare("after");
        expect((await promiseOf(await api.user(), 1)).boost_ends_at).to.equal(null);
      });
    }

    it("is what a click freezes where no category has a group, as staff are told", async () => {
      await start("club", { isGrouped: false });
      await compare("without groups");
      const { cashbacks } = (await (await api.admin()).get("/api/stores/1")).body.store;
      const percents = cashbacks.map((one: { cashback_percent: string }) => Number(one.cashback_percent));
      const lowest = Math.min(...percents);
      expect(Math.max(...percents)).to.be.greaterThan(lowest);
      for (const one of cashbacks)
        expect(one.is_unpaid, one.category).to.equal(Number(one.cashback_percent) === lowest ? undefined : true);
      expect((await promiseOf(await api.user(), 1)).base_percent).to.equal(String(lowest));
    });

    it("of a user is theirs alone: it is no answer that others are given", async () => {
      await start("club");
      holding(50n);
      const reader = await api.user();
      const own = await reader.raw("GET", "/api/stores/1");
      expect(own.headers.get("cache-control")).to.include("private");
      const stranger = await fetch(`${api.url}/api/stores/1`);
      expect(stranger.headers.get("etag")).not.to.equal(own.headers.get("etag"));
      const again = await fetch(`${api.url}/api/stores/1`, {
        headers: { "if-none-match": own.headers.get("etag") ?? "" },
      });
      expect(again.status).to.equal(200);
    });

    it("stands without a node: the bonus that needs no balance is promised", async () => {
      await start("club");
      expect(await promiseOf(await api.user(), 1)).to.deep.include({ bonus_percent: "2", token_slug: "verdao" });
    });
  });
});
