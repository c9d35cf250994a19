import { expect } from "chai";
import pino from "pino";
import { insertCategory } from "../../core/catalogue/categories.ts";
import { findStore, insertStore, updateStore } from "../../core/catalogue/stores.ts";
import type { Database } from "../../core/database/connect.ts";
import { DAY_MS, HOUR_MS } from "../../core/rules/iso-time.ts";
import { admitad } from "../../core/sales/admitad/admitad.ts";
import { awin } from "../../core/sales/awin/awin.ts";
import { HttpCalls } from "../../core/sales/http-calls.ts";
import { impact } from "../../core/sales/impact/impact.ts";
import type { PolledAccount } from "../../core/sales/network.ts";
import { type AnyNetwork, findNetwork } from "../../core/sales/networks.ts";
import { ProgrammeRounds } from "../../core/sales/programme-rounds.ts";
import { acceptWithheld, groupsIn } from "../../core/sales/programme-rows.ts";
import { AdmitadSimulator } from "../../scripts/rehearse/simulators/admitad.ts";
import { AwinSimulator } from "../../scripts/rehearse/simulators/awin.ts";
import type { Programmes } from "../../scripts/rehearse/simulators/programmes.ts";
import type { Simulator } from "../../scripts/rehearse/simulators/simulator.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { ImpactSimulator } from "./support/impact-simulator.ts";
import { reportOf } from "./support/shop.ts";

const CALLS = 100_000;
type Made = { simulator: Simulator & { programmes: Programmes }; account: (api_url: string) => PolledAccount };
const common = { account: "br", poll_seconds: 600, calls_per_minute: CALLS };

const NETWORKS: Record<string, () => Made> = {
  awin: () => ({
    simulator: new AwinSimulator({ publisherId: "45628", token: "awin-token" }, CALLS),
    account: (api_url) =>
      awin.accountSchema.parse({ network: "awin", publisher_id: "45628", token: "awin-token", api_url, ...common }),
  }),
  admitad: () => ({
    simulator: new AdmitadSimulator({ clientId: "me", clientSecret: "secret" }, CALLS),
    account: (api_url) =>
      admitad.accountSchema.parse({
        ...{ network: "admitad", website_id: "22", client_id: "me", client_secret: "secret", api_url },
        ...common,
      }),
  }),
  impact: () => ({
    simulator: new ImpactSimulator({ sid: "IRsid", token: "impact-token" }, CALLS),
    account: (api_url) =>
      impact.accountSchema.parse({
        network: "impact",
        account_sid: "IRsid",
        token: "impact-token",
        api_url,
        ...common,
      }),
  }),
};

/** A shop with one account, whose programmes are read as often as a test says. */
async function openShop(database: Database, name: string) {
  const { simulator, account: accountAt } = (NETWORKS[name] as () => Made)();
  const account = accountAt(await simulator.listen());
  const calls = new HttpCalls(database, account, new AbortController().signal);
  await calls.load();
  const rounds = () =>
    new ProgrammeRounds({
      database,
      network: findNetwork(name) as AnyNetwork,
      account,
      rules: { accounts: [account], sharePercent: 60n },
      calls,
      log: pino({ level: "silent" }),
      assertLease: async () => {},
      isOver: () => false,
    });
  const { kysely } = database;
  /** Everything that is due now. */
  const read = async () => {
    const reader = rounds();
    let steps = 0;
    while ((await reader.step()) && steps < 10_000) steps++;
    return steps;
  };
  /** As if this much time had passed. */
  const pass = async (ms: number) => {
    const by = BigInt(ms);
    await kysely
      .updateTable("programme_rounds")
      .set(({ eb }) => ({ next_at: 0n, began_at: eb("began_at", "-", by) }))
      .execute();
    await kysely
      .updateTable("programmes")
      .set(({ eb }) => ({
        seen_at: eb("seen_at", "-", by),
        missing_since: eb("missing_since", "-", by),
        groups_due_at: 0n,
      }))
      .execute();
  };
  const nextDay = async () => {
    await pass(DAY_MS);
    return read();
  };
  const addStore = async (advertiser: string, groupCode = "DEFAULT", bps = 480n, isByHand = false) => {
    const storeId = await insertStore(kysely, {
      ...{ name: `Loja ${advertiser}`, country: "Brasil", network: name, account: "br", advertiser_id: advertiser },
      store_url: `https://www.${advertiser}.example/`,
    });
    const followed = { isByHand, agreedBps: bps };
    await insertCategory(kysely, storeId, { category: "Geral", cashbackBps: bps, groupCode, ...followed });
    return storeId;
  };
  const store = async (id: bigint) => {
    const found = await findStore(kysely, id);
    const [category] = found?.categories ?? [];
    return { paused: found?.paused_reason, bps: category?.plainBps, category };
  };
  const rows = () => kysely.selectFrom("programmes").selectAll().orderBy("id").execute();
  const round = () => kysely.selectFrom("programme_rounds").selectAll().executeTakeFirst();
  const approvals = () => kysely.selectFrom("percent_approvals").selectAll().orderBy("id").execute();
  const { programmes } = simulator;
  return {
    database,
    simulator,
    programmes,
    calls,
    rounds,
    read,
    pass,
    nextDay,
    addStore,
    store,
    rows,
    round,
    approvals,
  };
}

/** docs/product.md#programmes */
describe("Programmes of affiliate networks", function () {
  this.timeout(120_000);
  onEitherEngine((engine) => {
    for (const name of Object.keys(NETWORKS)) {
      it(`are read once a day from ${name}, with their groups`, async () => {
        const { database } = await engine.open();
        const { simulator, programmes, read, rows, pass } = await openShop(database, name);
        programmes.join({ id: "17", name: "Loja do Zé", domains: ["loja.example", "www.loja.example"] });
        programmes.join({
          id: "18",
          name: "Duas",
          groups: [
            { code: "A", name: "Camisas", percent: "7.999" },
            { code: "B", name: "Fixo", amount: 5 },
          ],
        });
        programmes.join({ id: "19", name: "Três" });
        await read();
        const found = await rows();
        expect(found.map((row) => [row.advertiser_id, row.name, row.state, row.suggestion])).to.deep.equal([
          ["17", "Loja do Zé", "active", "open"],
          ["18", "Duas", "active", "open"],
          ["19", "Três", "active", "open"],
        ]);
        expect(found[0]?.store_url).to.equal("https://www.17.example/");
        expect(groupsIn(found[1] as (typeof found)[0])).to.deep.equal([
          { code: "A", name: "Camisas", bps: 799 },
          { code: "B", name: "Fixo", bps: null },
        ]);
        const made = simulator.calls.length;
        await read();
        expect(simulator.calls, "nothing is asked twice a day").to.have.lengthOf(made);
        await pass(DAY_MS);
        await read();
        expect(simulator.calls.length).to.be.above(made);
        await simulator.close();
      });

      it(`move the followed percents of ${name}: down and back up at once, higher ones as proposals`, async () => {
        const { database } = await engine.open();
        const { simulator, programmes, read, nextDay, addStore, store, approvals } = await openShop(database, name);
        programmes.join({ id: "17", name: "Um" });
        const id = await addStore("17");
        const byHand = await addStore("18", "DEFAULT", 900n, true);
        programmes.join({ id: "18", name: "Dois" });
        await read();
        await nextDay();
        expect((await store(id)).bps).to.equal(475n);
        expect((await store(byHand)).bps, "by hand").to.equal(900n);
        expect((await store(byHand)).category?.commissionBps).to.equal(800n);
        const say = (percent: string | number) =>
          programmes.change("17", { groups: [{ code: "default", name: "x", percent }] });
        say(4);
        await nextDay();
        expect((await store(id)).bps).to.equal(225n);
        say("10.00");
        await nextDay();
        // Back to what a person agreed to by itself, and the rest is asked for, once.
        expect((await store(id)).bps).to.equal(480n);
        await nextDay();
        expect((await approvals()).map(({ bps, state, asked_by }) => [bps, state, asked_by])).to.deep.equal([
          [600n, "open", "network"],
        ]);
        await simulator.close();
      });

      it(`of ${name} are read at once when a sale comes with a lower commission`, async () => {
        const { database } = await engine.open();
        const { simulator, programmes, rounds, read, nextDay, addStore, store } = await openShop(database, name);
        programmes.join({ id: "17", name: "Um" });
        const id = await addStore("17");
        await read();
        await nextDay();
        expect((await store(id)).bps).to.equal(475n);
        programmes.change("17", { groups: [{ code: "default", name: "x", percent: 4 }] });
        // Two hours later nothing is due.
        const hours = 2n * BigInt(HOUR_MS);
        await database.kysely
          .updateTable("programme_rounds")
          .set(({ eb }) => ({ began_at: eb("began_at", "-", hours) }))
          .execute();
        await database.kysely
          .updateTable("programmes")
          .set(({ eb }) => ({ groups_due_at: eb("groups_due_at", "-", hours) }))
          .execute();
        const reader = rounds();
        const sell = async (commissionMicros: bigint) => {
          await reader.notice(reportOf(undefined, { advertiserId: "17", commissionMicros }));
          let steps = 0;
          while (await reader.step()) steps++;
          return steps;
        };
        expect(await sell(8_000_000n), "what is known").to.equal(0);
        expect((await store(id)).bps).to.equal(475n);
        expect(await sell(4_000_000n), "calls for half of it").to.be.above(0);
        expect((await store(id)).bps).to.equal(225n);
        await simulator.close();
      });

      it(`pause a store of ${name} at once when the network says so, and let it sell again`, async () => {
        const { database } = await engine.open();
        const { simulator, programmes, read, nextDay, addStore, store } = await openShop(database, name);
        programmes.join({ id: "17", name: "Um" });
        const id = await addStore("17");
        await read();
        programmes.change("17", { status: "suspended" });
        await nextDay();
        expect((await store(id)).paused).to.equal("paused");
        programmes.change("17", { status: "active" });
        await nextDay();
        expect((await store(id)).paused).to.equal(null);
        await simulator.close();
      });
    }

    it("count as left only when two rounds a day apart do not have them", async () => {
      const { database } = await engine.open();
      const { simulator, programmes, read, pass, nextDay, addStore, store, rows } = await openShop(database, "admitad");
      programmes.join({ id: "17", name: "Um" });
      programmes.join({ id: "18", name: "Dois" });
      const id = await addStore("17");
      await read();
      programmes.leave("17");
      programmes.leave("18");
      await nextDay();
      expect((await store(id)).paused).to.equal(null);
      await pass(3_600_000);
      await read();
      expect((await store(id)).paused, "an hour later").to.equal(null);
      await nextDay();
      expect((await store(id)).paused).to.equal("left");
      expect((await rows()).map(({ suggestion }) => suggestion)).to.deep.equal(["accepted", "gone"]);
      programmes.join({ id: "17", name: "Um" });
      await nextDay();
      expect((await store(id)).paused).to.equal(null);
      await simulator.close();
    });

    it("empty no shop on a network's bad day, until a person accepts it", async () => {
      const { database } = await engine.open();
      const { simulator, programmes, read, nextDay, addStore, store, round } = await openShop(database, "awin");
      const ids: bigint[] = [];
      for (let number = 1; number <= 12; number++) {
        programmes.join({ id: String(number), name: `Loja ${number}` });
        ids.push(await addStore(String(number)));
      }
      await read();
      const pausedCount = async () =>
        (await Promise.all(ids.map(store))).filter(({ paused }) => paused !== null).length;
      simulator.faults.alter = (body) => (Array.isArray(body) ? [] : body);
      await nextDay();
      await nextDay();
      expect([await pausedCount(), (await round())?.withheld]).to.deep.equal([0, 12n]);
      delete simulator.faults.alter;
      await nextDay();
      expect([await pausedCount(), (await round())?.withheld]).to.deep.equal([0, null]);
      // Two are no bad day.
      programmes.change("1", { status: "suspended" });
      programmes.change("2", { status: "closed" });
      await nextDay();
      expect(await pausedCount()).to.equal(2);
      for (const id of ["3", "4", "5"]) programmes.change(id, { status: "suspended" });
      await nextDay();
      expect([await pausedCount(), (await round())?.withheld]).to.deep.equal([2, 3n]);
      await acceptWithheld(database.kysely, { network: "awin", account: "br" });
      await read();
      expect([await pausedCount(), (await round())?.withheld]).to.deep.equal([5, null]);
      await simulator.close();
    });

    it("change nothing by half a list, a refusal, an error page or pages that move", async () => {
      const { database } = await engine.open();
      const { simulator, programmes, read, nextDay, addStore, store, round, rows } = await openShop(
        database,
        "admitad",
      );
      for (let number = 1; number <= 3; number++) programmes.join({ id: String(number), name: `Loja ${number}` });
      const id = await addStore("1");
      await read();
      const half = (body: unknown) => {
        const { results, ...rest } = body as { results?: unknown[] };
        return results ? { ...rest, results: results.slice(1) } : body;
      };
      for (const alter of [half, () => "<html>Maintenance</html>", () => ({ results: null })]) {
        simulator.faults.alter = alter;
        await nextDay();
        expect((await round())?.problem).to.be.a("string");
      }
      delete simulator.faults.alter;
      simulator.faults.status = 403;
      await nextDay();
      expect((await store(id)).paused).to.equal(null);
      expect((await rows()).every(({ missing_since }) => missing_since === null)).to.equal(true);
      delete simulator.faults.status;
      await nextDay();
      expect((await round())?.problem).to.equal(null);
      await simulator.close();
    });

    it("pause a store that no longer earns, and never lower its last percent to nothing", async () => {
      const { database } = await engine.open();
      const { simulator, programmes, read, nextDay, addStore, store } = await openShop(database, "admitad");
      programmes.join({ id: "17", name: "Um" });
      const id = await addStore("17");
      await read();
      programmes.change("17", { groups: [{ code: "DEFAULT", name: "x", percent: 0 }] });
      await nextDay();
      expect(await store(id)).to.include({ paused: "no_commission", bps: 475n });
      programmes.change("17", { groups: [{ code: "OTHER", name: "x", percent: 9 }] });
      await nextDay();
      const { paused, category } = await store(id);
      expect([paused, category?.isGroupGone, category?.plainBps]).to.deep.equal([null, true, 475n]);
      await simulator.close();
    });

    it("survive names, pages and figures as other people's software writes them", async () => {
      const { database } = await engine.open();
      const { simulator, programmes, read, rows } = await openShop(database, "awin");
      programmes.join({ id: "1", name: "a".repeat(400) });
      programmes.join({ id: "2", name: "<b>Loja</b> &amp; <script>alert(1)</script>Cia", url: "javascript:alert(1)" });
      programmes.join({ id: "3", name: "\u202egnp.exe", domains: ["http://LOJA.example/path", "nada", "-"] });
      programmes.join({
        id: "4",
        name: "Duas vezes",
        groups: [
          { code: "A", name: "x", percent: "12,5" },
          { code: "a", name: "y", percent: "3" },
          { code: "C", name: "z", percent: "cem" },
          { code: "D", name: "z", percent: "250" },
        ],
      });
      programmes.join({ id: "4", name: "Outra vez" });
      await read();
      const found = await rows();
      expect(found.map(({ name }) => name)).to.deep.equal([
        "a".repeat(40),
        "Loja & alert(1) Cia",
        "gnp.exe",
        "Duas vezes",
      ]);
      expect(found.map(({ store_url }) => store_url)[1]).to.equal(null);
      expect(found[2]?.domains).to.equal("3.example,loja.example");
      expect(groupsIn(found[3] as (typeof found)[0])).to.deep.equal([{ code: "A", name: "x", bps: 300 }]);
      await simulator.close();
    });

    it("propose, and do not make, what later changes of a programme would do to its store", async () => {
      const { database } = await engine.open();
      const { kysely } = database;
      const { simulator, programmes, read, nextDay, addStore } = await openShop(database, "admitad");
      programmes.join({ id: "17", name: "Um" });
      const id = await addStore("17");
      await read();
      const taken = { name: "Um", store_url: "https://www.17.example/", domains: "17.example", link_code: "code17" };
      await kysely
        .updateTable("programmes")
        .set({ taken: JSON.stringify(taken) })
        .execute();
      await updateStore(kysely, id, { domains: "17.example" });
      programmes.change("17", { name: "Outro nome", url: "https://elsewhere.example/" });
      await nextDay();
      await nextDay();
      const proposals = await kysely.selectFrom("proposals").selectAll().where("state", "=", "open").execute();
      expect(proposals.map((one) => [one.kind, one.asked_by, JSON.parse(one.to_fields)])).to.deep.equal([
        [
          "store_link",
          "network",
          { name: "Outro nome", store_url: "https://elsewhere.example/", domains: "elsewhere.example" },
        ],
      ]);
      expect((await findStore(kysely, id))?.store_url).to.equal("https://www.17.example/");
      await simulator.close();
    });

    it("read 2,000 of them in less than ten calls", async () => {
      const { database } = await engine.open();
      const { simulator, programmes, read, rows } = await openShop(database, "admitad");
      for (let number = 1; number <= 2_000; number++) programmes.join({ id: String(number), name: `Loja ${number}` });
      await read();
      expect(await rows()).to.have.lengthOf(2_000);
      expect(simulator.calls.length).to.be.below(10);
      await simulator.close();
    });
  });
});
