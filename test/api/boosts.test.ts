import { expect } from "chai";
import { boundBoosts } from "../../core/catalogue/boosts.ts";
import { CatalogueFileError, readCatalogue } from "../../core/catalogue/catalogue-file.ts";
import { apply } from "../../core/catalogue/changes.ts";
import { readCategories } from "../../core/catalogue/stores.ts";
import type { Database } from "../../core/database/connect.ts";
import { readTerms } from "../../core/purchases/sale-row.ts";
import { freezeTerms } from "../../core/rules/sale/value.ts";
import { onBothEngines } from "../testing/databases.ts";
import { until } from "../testing/until.ts";
import type { Caller } from "./support/caller.ts";
import { expectInvalid, expectRefusal } from "./support/expect-refusal.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

const MINUTE = 60_000;
/** Store 1 of the samples has two categories, with 5 % and 3.5 %. */
const STORE = 1;

/** docs/product.md#boost */
describe("Boosts", () => {
  onBothEngines(({ open, otherEngineTag }) => {
    /** Of what reads and writes the rows as others here do. */
    const tag = otherEngineTag && ` ${otherEngineTag}`;
    const realNow = Date.now;
    let api: InProcessApi;
    let database: Database;
    let admin: Caller;
    let other: Caller;
    let buyer: Caller;
    let start: number;

    const at = (ms: number) => {
      Date.now = () => ms;
    };
    const iso = (ms: number) => new Date(ms).toISOString();
    const plan = (body: object, who = admin, store = STORE) => who.post(`/api/admin/stores/${store}/boosts`, body);
    const next = (percent: string, more: object = {}) =>
      plan({ percent, starts_at: iso(start + 10 * MINUTE), ends_at: iso(start + 20 * MINUTE), ...more });
    const store = async () => (await buyer.get(`/api/stores/${STORE}`)).body.store;
    const boosts = async () => (await admin.get(`/api/admin/stores/${STORE}/boosts`)).body.boosts;
    /** The highest percent that a visit at a moment is promised. */
    const promisedAt = async (ms: number) => {
      at(ms);
      const visit = await buyer.post("/api/register-purchase", { user: buyer.address, store_id: STORE, amount: 100 });
      expect(visit.status, visit.text).to.equal(200);
      const { kysely } = database;
      const { token, terms } = await kysely
        .selectFrom("clicks")
        .select(["token", "terms"])
        .orderBy("id", "desc")
        .limit(1)
        .executeTakeFirstOrThrow();
      expect(visit.body.click.id).to.equal(token);
      const { boosted, defaultBps } = readTerms(terms);
      return Number(boosted?.defaultBps ?? defaultBps);
    };

    beforeEach(async () => {
      ({ database } = await open());
      api = await startInProcess(database, { SIMULATED_PURCHASES: "false", SALE_REF_KEYS: `0x${"5a".repeat(32)}` });
      // What no group names counts by the lowest alone, and is promised so.
      await database.kysely
        .updateTable("store_cashbacks")
        .set(({ ref }) => ({ group_code: ref("category") }))
        .execute();
      [admin, other, buyer] = [await api.admin("catalogue"), await api.admin("owner"), await api.user()];
      start = Math.floor(realNow() / 1_000) * 1_000;
      at(start);
    });
    afterEach(async () => {
      Date.now = realNow;
      await api.stop();
    });

    it("count for a click a moment before the end, and for none after it", async () => {
      expect((await next("8,5")).status).to.equal(200);
      const [begin, end] = [start + 10 * MINUTE, start + 20 * MINUTE];
      const promised: number[] = [];
      for (const ms of [begin - 1_000, begin, end - 1_000, end, end + 1_000]) promised.push(await promisedAt(ms));
      expect(promised).to.deep.equal([350, 850, 850, 350, 350]);
      expect((await boosts()).map((one: { state: string }) => one.state)).to.deep.equal(["over"]);
    });

    it("are shown with their end while they run, also by a server that nobody writes to", async () => {
      await next("9");
      expect((await store()).boost).to.equal(undefined);
      at(start + 10 * MINUTE);
      const shown = await store();
      expect(shown).to.deep.include({ cashback: "9%", max_cashback: 9 });
      expect(shown.boost).to.deep.equal({ percent: "9", ends_at: iso(start + 20 * MINUTE), is_whole: true });
      expect(shown.cashbacks[0]).to.deep.include({
        cashback_percent: "9",
        boost: { plain_percent: "5", ends_at: iso(start + 20 * MINUTE) },
      });
      at(start + 20 * MINUTE);
      expect(await store()).to.include({ cashback: "3.5% - 5%", max_cashback: 5 });
    });

    it("move the store in the order of percents when they start and end", async () => {
      await next("10");
      const first = async () => (await buyer.get("/api/stores?sort=cashback&limit=1")).body.stores[0].id;
      const before = await first();
      expect(before).not.to.equal(STORE);
      let now = start + 10 * MINUTE;
      const follows = (wanted: number) =>
        until(`store ${wanted} is first`, async () => {
          // Each look is later than what the server remembers.
          now += 400;
          at(now);
          return (await first()) === wanted;
        });
      await follows(STORE);
      now = start + 20 * MINUTE;
      await follows(before);
    });

    it("end early for later clicks only, and are withdrawn before they begin", async () => {
      const { id } = (await next("9")).body;
      expectRefusal(await admin.post(`/api/admin/boosts/${id}/end`), 409, "BOOST_STATE");
      expect(await promisedAt(start + 11 * MINUTE)).to.equal(900);
      expectRefusal(await admin.post(`/api/admin/boosts/${id}/withdraw`), 409, "BOOST_STATE");
      expect((await admin.post(`/api/admin/boosts/${id}/end`)).status).to.equal(200);
      expect(await promisedAt(start + 11 * MINUTE + 1)).to.equal(350);
      const clicks = await database.kysely.selectFrom("clicks").select("terms").orderBy("id").execute();
      expect(readTerms(clicks[0]?.terms ?? "").boosted).to.deep.include({ defaultBps: 900n });
      const [ended] = await boosts();
      expect(ended).to.include({ state: "over", ends_at: iso(start + 11 * MINUTE) });
      expect(ended.planned_end_at).to.equal(iso(start + 20 * MINUTE));

      const later = { starts_at: iso(start + 30 * MINUTE), ends_at: iso(start + 40 * MINUTE) };
      const planned = (await plan({ percent: 7, ...later })).body.id;
      expect((await admin.post(`/api/admin/boosts/${planned}/withdraw`)).status).to.equal(200);
      expect(await promisedAt(start + 31 * MINUTE)).to.equal(350);
      const actions = (await admin.get("/api/admin/audit-log?state=catalogue")).body.rows;
      expect(actions.map((row: { action: string }) => row.action)).to.deep.equal([
        "boost.withdraw",
        "boost.plan",
        "boost.end",
        "boost.plan",
      ]);
    });

    it("are ended with their category", async () => {
      const [category] = (await store()).cashbacks;
      await next("9", { category_id: category.id });
      at(start + 11 * MINUTE);
      expect((await store()).cashback).to.equal("3.5% - 9%");
      await admin.send("DELETE", `/api/store/${STORE}/cashback/${category.id}`);
      expect((await boosts())[0]).to.include({ state: "over", category: category.category });
      expect(await promisedAt(start + 12 * MINUTE)).to.equal(350);
    });

    it("do nothing above the limit until a second person agrees", async () => {
      const planned = await next("12");
      expect(planned.status).to.equal(202);
      const asked = planned.body.approval_id;
      const decide = (who: Caller, verb: string, id = asked) =>
        who.post(`/api/admin/percent-approvals/${id}/${verb}`, { reason: "Combinado" });
      expect(await promisedAt(start + 11 * MINUTE)).to.equal(350);
      expect((await boosts())[0].state).to.equal("waiting");
      expect((await admin.get("/api/admin/attention")).body.attention.open_percents).to.equal(1);
      expectRefusal(await decide(admin, "approve"), 403, "OWN_REQUEST");
      expectRefusal(await decide(await api.admin("operator"), "approve"), 403, "ROLE_NOT_ALLOWED");
      expect((await decide(other, "approve")).status).to.equal(200);
      expectRefusal(await decide(other, "approve"), 409, "DECIDED");
      expect(await promisedAt(start + 12 * MINUTE)).to.equal(1_200);
      const [row] = (await other.get("/api/admin/percent-approvals")).body.rows;
      expect(row).to.include({ kind: "boost", percent: "12", state: "approved", asked_by: admin.address });

      const again = (await plan({ percent: 20, ends_at: iso(start + 30 * MINUTE) })).body;
      await decide(other, "refuse", again.approval_id);
      expect(await promisedAt(start + 13 * MINUTE)).to.equal(1_200);
      expect((await boosts())[0]).to.include({ id: again.id, state: "refused" });
      const gone = (await plan({ percent: 30, ends_at: iso(start + 30 * MINUTE) })).body;
      await admin.post(`/api/admin/boosts/${gone.id}/withdraw`);
      expectRefusal(await decide(other, "approve", gone.approval_id), 409, "LAPSED");
    });

    it("lapse with the role of who asked, and with their end", async () => {
      const asked = (await next("12")).body.approval_id;
      const late = (await next("13")).body.approval_id;
      (api.services.adminWallets as Map<string, string>).set(admin.address, "support");
      expectRefusal(await other.post(`/api/admin/percent-approvals/${asked}/approve`), 409, "LAPSED");
      expect((await boosts()).map((one: { state: string }) => one.state)).to.deep.equal(["waiting", "withdrawn"]);
      (api.services.adminWallets as Map<string, string>).set(admin.address, "catalogue");
      at(start + 20 * MINUTE);
      await other.enter();
      expectRefusal(await other.post(`/api/admin/percent-approvals/${late}/approve`), 409, "LAPSED");
    });

    it(`are refused where they make no sense${tag}`, async () => {
      const ends_at = iso(start + 20 * MINUTE);
      for (const percent of [0, "100.5", "abc", "9.999"]) expectInvalid(await plan({ percent, ends_at }), "percent");
      expectInvalid(await plan({ percent: 9, ends_at: iso(start) }), "ends_at");
      expectInvalid(await plan({ percent: 9, ends_at: iso(start + 400 * 86_400_000) }), "ends_at");
      expectInvalid(await plan({ percent: 9, starts_at: ends_at, ends_at }), "ends_at");
      expectInvalid(await plan({ percent: 9, starts_at: iso(start - 10 * MINUTE), ends_at }), "starts_at");
      expectInvalid(await plan({ percent: 9, ends_at: "2026-11-29" }), "ends_at");
      expectRefusal(await plan({ percent: 3, ends_at }), 409, "BOOST_TOO_LOW");
      expectRefusal(await plan({ percent: 9, ends_at, category_id: 9_999 }), 404, "NOT_FOUND");
      expectRefusal(await plan({ percent: 9, ends_at }, admin, 9_999), 404, "NOT_FOUND");
      expectRefusal(await plan({ percent: 9, ends_at }, await api.admin("support")), 403, "ROLE_NOT_ALLOWED");
    });

    it(`are bounded by the shop's percent in all three doors, also when it is lowered later${tag}`, async () => {
      const bound = (percent: number) => boundBoosts(database.kysely, BigInt(percent) * 100n);
      await bound(9);
      expectRefusal(await next("9.01"), 409, "BOOST_TOO_HIGH");
      const file = (percent: number) =>
        [
          "type,store,cashback_percent,starts_at,ends_at",
          `boost,${name},${percent},${iso(start + MINUTE)},${iso(start + 9 * MINUTE)}`,
        ].join("\n");
      const { name } = await store();
      const read = await admin.post("/api/admin/catalogue", { format: "csv", content: file(9.5), apply: true });
      expect(read.body.problems?.[0], read.text).to.include({ problem: "boost_too_high" });
      const entry = readCatalogue("csv", file(9.5));
      const byCommand = await apply(database, entry, "catalog script").catch((error: unknown) => error);
      expect(byCommand).to.be.instanceOf(CatalogueFileError);
      expect(await boosts()).to.deep.equal([]);

      await bound(100);
      const asked = (await next("40")).body.approval_id;
      expect((await next("9")).status).to.equal(200);
      expect(await promisedAt(start + 11 * MINUTE)).to.equal(900);
      await bound(8);
      expectRefusal(await other.post(`/api/admin/percent-approvals/${asked}/approve`), 409, "LAPSED");
      expect(await promisedAt(start + 12 * MINUTE)).to.equal(800);
      expect((await store()).boost).to.include({ percent: "8" });
      const [first] = await database.kysely.selectFrom("clicks").select("terms").orderBy("id").execute();
      expect(readTerms(first?.terms ?? "").boosted, "the click before").to.deep.include({ defaultBps: 900n });
      const indexed = await database.kysely
        .selectFrom("stores")
        .select("max_cashback_bps")
        .where("id", "=", BigInt(STORE))
        .executeTakeFirstOrThrow();
      expect(indexed.max_cashback_bps).to.equal(800n);
    });

    it(`leave a category's raised percent to a second person too, and what was asked before lapses${tag}`, async () => {
      const [category] = (await store()).cashbacks;
      const path = `/api/store/${STORE}/cashback/${category.id}`;
      const raise = (body: object) => admin.send("PUT", path, JSON.stringify(body));
      const first = await raise({ cashback_percent: "15", category_en: "Jerseys" });
      expect(first.status).to.equal(202);
      expect((await store()).cashbacks[0]).to.include({ cashback_percent: "5", category_en: "Jerseys" });
      const second = await raise({ cashback_percent: "14" });
      const approve = (id: number) => other.post(`/api/admin/percent-approvals/${id}/approve`);
      expectRefusal(await approve(first.body.approval_id), 409, "LAPSED");
      expect((await approve(second.body.approval_id)).status).to.equal(200);
      expect((await store()).cashbacks[0].cashback_percent).to.equal("14");
      expect((await raise({ cashback_percent: "12" })).status, "lowered").to.equal(200);
      await database.kysely.updateTable("stores").set({ created_at: 1n }).where("id", "=", BigInt(STORE)).execute();
      const added = { category: "Bolas", cashback_percent: 20, is_default: true };
      const more = await admin.post(`/api/store/${STORE}/cashback`, added);
      expect(more.status).to.equal(202);
      expect((await store()).cashbacks).to.have.length(2);
      await approve(more.body.approval_id);
      expect((await store()).cashbacks[2]).to.deep.include({
        category: "Bolas",
        cashback_percent: "20",
        is_default: true,
      });
      const { id } = (await admin.post("/api/store", { name: "Nova", country: "Brasil" })).body;
      const begun = await admin.post(`/api/store/${id}/cashback`, { category: "Tudo", cashback_percent: 20 });
      expect(begun.status, "of a store's first day").to.equal(200);
    });

    it(`leave the percents of a direct shop, whose sales no commission bounds, to a second person on any day${tag}`, async () => {
      const create = async (name: string, network: string | null) =>
        (await admin.post("/api/store", { name, country: "Brasil", network, account: network && "shop" })).body.id;
      const add = async (id: number, percent: number) =>
        (await admin.post(`/api/store/${id}/cashback`, { category: "Tudo", cashback_percent: percent })).status;
      const link = (id: number, change: object) => admin.send("PUT", `/api/store/${id}`, JSON.stringify(change));
      const direct = { network: "direct", account: "shop" };
      const linked = await create("Direta", "direct");
      expect([await add(linked, 100), await add(linked, 10)]).to.deep.equal([202, 200]);
      expect((await link(linked, { ...direct, country: "Chile" })).status, "unchanged").to.equal(200);
      const later = await create("Depois", null);
      expect(await add(later, 100)).to.equal(200);
      expectRefusal(await link(later, direct), 409, "PERCENT_UNAGREED");
      const rows = (name: string, percent: number) =>
        `type,store,name,country,network,account,category,cashback_percent\nstore,,${name},Brasil,direct,shop,,\ncashback,${name},,,,,Tudo,${percent}\n`;
      const imported = async (content: string) =>
        (await admin.post("/api/admin/catalogue", { format: "csv", content, apply: true })).body;
      expect((await imported(rows("Depois", 100))).problems).to.deep.equal([
        { problem: "percent_unagreed", values: ["Depois", "10"] },
      ]);
      expect((await imported(rows("Nova", 90))).preview[1]).to.include({ name: "Tudo", waits: true });
      const asked = (await other.get("/api/admin/percent-approvals?state=open")).body.rows;
      expect(asked.map(({ store, percent }: Record<string, string>) => [store, percent])).to.deep.equal([
        ["Nova", "90"],
        ["Direta", "100"],
      ]);
    });

    it(`leave a category's percent that a catalogue file raises to a second person too${tag}`, async () => {
      const [category, second] = (await store()).cashbacks;
      const name = (await store()).name;
      const content = [
        "type,store,category,cashback_percent",
        `cashback,${name},${category.category},15`,
        `cashback,${name},${second.category},9`,
      ].join("\n");
      const read = await admin.post("/api/admin/catalogue", { format: "csv", content, apply: true });
      expect(read.body.preview, read.text).to.have.length(2);
      expect(read.body.preview.map((one: { waits?: true }) => one.waits)).to.deep.equal([true, undefined]);
      const percents = async () =>
        (await store()).cashbacks.map((one: { cashback_percent: string }) => one.cashback_percent);
      expect(await percents()).to.deep.equal(["5", "9"]);
      const [asked] = (await other.get("/api/admin/percent-approvals")).body.rows;
      expect(asked).to.include({ kind: "category", percent: "15", asked_by: admin.address });
      expectRefusal(await admin.post(`/api/admin/percent-approvals/${asked.id}/approve`), 403, "OWN_REQUEST");
      expect((await other.post(`/api/admin/percent-approvals/${asked.id}/approve`)).status).to.equal(200);
      expect(await percents()).to.deep.equal(["15", "9"]);
    });

    describe(`a category's group, mark or deletion that raises a percent above the limit${tag}`, () => {
      /** 20 % for televisions since the store's first day, 3 % for what no category names. */
      async function shop() {
        const { id } = (await admin.post("/api/store", { name: "Nova", country: "Brasil" })).body;
        const add = async (category: string, cashback_percent: number, more: object = {}) =>
          (await admin.post(`/api/store/${id}/cashback`, { category, cashback_percent, ...more })).body.id as number;
        const televisions = await add("TVs", 20, { group_code: "TV" });
        const others = await add("Som", 3, { group_code: "SOM" });
        const terms = async () => {
          const categories = (await readCategories(database.kysely, [BigInt(id)])).get(BigInt(id)) ?? [];
          const rates = categories.map((one) => ({ ...one, bps: one.plainBps }));
          const frozen = freezeTerms(rates, 0n, 0n);
          return { tv: frozen?.groups.tv, som: frozen?.groups.som, other: frozen?.defaultBps };
        };
        const put = (category: number, body: object) =>
          admin.send("PUT", `/api/store/${id}/cashback/${category}`, JSON.stringify(body));
        const remove = (category: number) => admin.send("DELETE", `/api/store/${id}/cashback/${category}`);
        const approve = (asked: number) => other.post(`/api/admin/percent-approvals/${asked}/approve`);
        return { id, televisions, others, terms, put, remove, add, approve };
      }
      const BEFORE = { tv: 2_000n, som: 300n, other: 300n };

      it("waits for a second person, who sees what is raised", async () => {
        const { televisions, terms, put, approve } = await shop();
        const asked = await put(televisions, { is_default: true, category_en: "Televisions" });
        expect([asked.status, await terms()]).to.deep.equal([202, BEFORE]);
        const [row] = (await other.get("/api/admin/percent-approvals")).body.rows;
        expect(row).to.deep.include({ percent: "20", from_percent: "3", change: { is_default: true } });
        expectRefusal(await admin.post(`/api/admin/percent-approvals/${row.id}/approve`), 403, "OWN_REQUEST");
        expect((await approve(row.id)).status).to.equal(200);
        expect(await terms()).to.deep.equal({ ...BEFORE, other: 2_000n });
      });

      it("waits whichever way it is done, alone or with another percent", async () => {
        const { televisions, others, terms, put, remove, add } = await shop();
        const marked = await add("Tudo", 2, { is_default: true });
        const now = { ...BEFORE, other: 200n };
        expect(await terms()).to.deep.equal(now);
        const ways = [
          () => put(televisions, { group_code: "GAMES" }),
          () => put(televisions, { group_code: "GAMES", cashback_percent: 19 }),
          () => put(televisions, { is_default: true, cashback_percent: 25 }),
        ];
        for (const way of ways) expect((await way()).status).to.equal(202);
        expect(await terms()).to.deep.equal({ ...now, tv: 1_900n });
        expect((await put(others, { is_default: true })).status, "3 % for all others").to.equal(200);
        expect((await put(others, { group_code: null })).status, "at the same percent").to.equal(200);
        expect((await remove(marked)).status).to.equal(200);
        expect((await remove(others)).status, "then 19 % is the lowest").to.equal(202);
        expect(await terms()).to.deep.equal({ tv: 1_900n, som: undefined, other: 300n });
      });

      it("lapses when the percents are no longer those that were asked about", async () => {
        const { televisions, others, terms, put, approve } = await shop();
        const asked = (await put(televisions, { is_default: true })).body.approval_id;
        await put(others, { cashback_percent: 4 });
        expectRefusal(await approve(asked), 409, "LAPSED");
        expect(await terms()).to.deep.equal({ tv: 2_000n, som: 400n, other: 400n });
      });

      it("waits when a catalogue file does it, and nobody needs to agree to a deletion that raises nothing", async () => {
        const { televisions, terms, remove } = await shop();
        const content = "type,store,category,cashback_percent,is_default\ncashback,Nova,TVs,20,true";
        const read = await admin.post("/api/admin/catalogue", { format: "csv", content, apply: true });
        expect(read.body.preview[0], read.text).to.include({ waits: true });
        expect(await terms()).to.deep.equal(BEFORE);
        expect((await remove(televisions)).status).to.equal(200);
      });
    });

    it(`are in the catalogue file, and read again they are planned once${tag}`, async () => {
      await next("9");
      const [category] = (await store()).cashbacks;
      await next("7", { category_id: category.id, ends_at: iso(start + 25 * MINUTE) });
      const file = (await admin.get("/api/admin/catalogue?format=csv")).text;
      const lines = file.split("\n").filter((line) => line.startsWith('"boost",'));
      expect(lines).to.have.length(2);
      const read = (content: string, apply = true) =>
        admin.post("/api/admin/catalogue", { format: "csv", content, apply });
      expect((await read(file)).body.changes).to.deep.equal([]);
      at(start + 11 * MINUTE);
      await admin.post(`/api/admin/boosts/${(await boosts())[1].id}/end`);
      expect((await read(file)).body.changes, "ended early").to.deep.equal([]);
      const head = (file.split("\n")[0] ?? "").replace(/["\r\uFEFF]/g, "");
      const row = (percent: number, more: Record<string, string> = {}) => {
        const values: Record<string, string> = {
          type: "boost",
          store: "Fanatics Brasil",
          cashback_percent: String(percent),
          starts_at: iso(start + 50 * MINUTE),
          ends_at: iso(start + 60 * MINUTE),
          ...more,
        };
        return head
          .split(",")
          .map((column) => values[column] ?? "")
          .join(",");
      };
      const name = (await store()).name;
      const made = await read([head, row(30, { store: name })].join("\n"));
      expect(made.body.preview, made.text).to.have.length(1);
      expect(made.body.preview[0]).to.include({ what: "boost", waits: true });
      expect((await boosts())[0]).to.include({ percent: "30", state: "waiting" });
      const wrong = [
        row(31, { store: name }),
        row(9, { store: name, starts_at: iso(start), ends_at: iso(start + MINUTE) }),
        row(9, { store: name, category: "Nada" }),
      ];
      const refused = await read([head, ...wrong].join("\n"));
      expectRefusal(refused, 422, "CATALOGUE_FILE");
      expect(refused.body.problems.map((one: { problem: string }) => one.problem)).to.deep.equal([
        "boost_known",
        "boost_span",
        "no_category",
      ]);
    });
  });
});
