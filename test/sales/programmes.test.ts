import { expect } from "chai";
import { deleteStore, updateStore } from "../../core/catalogue/store-rows.ts";
import { findStore } from "../../core/catalogue/stores.ts";
import { ANSWER_TOO_LARGE } from "../../core/process/outside.ts";
import { DAY_MS, HOUR_MS } from "../../core/rules/iso-time.ts";
import {
  acceptWithheld,
  expediteRound,
  groupsIn,
  type ProgrammeRow,
  setSuggestion,
} from "../../core/sales/programme-rows.ts";
import { groupsOf } from "../../core/sales/programmes.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { NETWORKS, openShop } from "./support/programme-shop.ts";
import { reportOf } from "./support/shop.ts";

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

    it("empty no shop by a bad day that takes two stores an hour", async () => {
      const { database } = await engine.open();
      const { simulator, programmes, read, addStore, store, round } = await openShop(database, "admitad");
      const ids: bigint[] = [];
      for (let number = 1; number <= 10; number++) {
        programmes.join({ id: String(number), name: `Loja ${number}` });
        ids.push(await addStore(String(number)));
      }
      await read();
      const pausedCount = async () =>
        (await Promise.all(ids.map(store))).filter(({ paused }) => paused !== null).length;
      const nextHour = async (...suspended: string[]) => {
        for (const id of suspended) programmes.change(id, { status: "suspended" });
        await database.kysely.updateTable("programme_rounds").set({ next_at: 0n }).execute();
        await read();
      };
      await nextHour("1", "2");
      expect([await pausedCount(), (await round())?.withheld]).to.deep.equal([2, null]);
      await nextHour("3", "4");
      expect([await pausedCount(), (await round())?.withheld]).to.deep.equal([2, 2n]);
      await acceptWithheld(database.kysely, { network: "admitad", account: "br" });
      await read();
      expect([await pausedCount(), (await round())?.withheld]).to.deep.equal([4, null]);
      await simulator.close();
    });

    it("can be stores after all: once dismissed, or once their store was deleted", async () => {
      const { database } = await engine.open();
      const { kysely } = database;
      const { simulator, programmes, rounds, read, addStore, rows } = await openShop(database, "awin");
      for (const id of ["17", "18", "19"]) programmes.join({ id, name: `Loja ${id}` });
      const storeId = await addStore("19");
      const reader = rounds();
      // Both lists, and what they lead to: no rates yet.
      for (let step = 0; step < 3; step++) await reader.step();
      const [early] = await rows();
      await setSuggestion(kysely, [early?.id ?? 0n], { suggestion: "dismissed" });
      await read();
      const asked = async () => {
        const before = simulator.calls.length;
        await kysely
          .updateTable("programmes")
          .set(({ eb }) => ({ groups_due_at: eb("groups_due_at", "-", BigInt(DAY_MS)) }))
          .where("groups_due_at", "<", BigInt(Date.now() + 2 * DAY_MS))
          .execute();
        await read();
        return simulator.calls
          .slice(before)
          .flatMap(({ path }) => /commissiongroups\?advertiserId=(\d+)/.exec(path)?.[1] ?? [])
          .toSorted();
      };
      expect(groupsIn((await rows())[0] as ProgrammeRow), "read once, so that it can be accepted").to.have.lengthOf(1);
      expect(await asked()).to.deep.equal(["18", "19"]);
      await deleteStore(kysely, storeId);
      await kysely.updateTable("programme_rounds").set({ next_at: 0n }).execute();
      await read();
      expect((await rows()).map(({ suggestion, store_id }) => [suggestion, store_id])).to.deep.equal([
        ["dismissed", null],
        ["open", null],
        ["dismissed", null],
      ]);
      expect(await asked()).to.deep.equal(["18"]);
      await setSuggestion(kysely, [early?.id ?? 0n], { suggestion: "accepted", store_id: await addStore("17") });
      expect(await asked(), "what an accepted one pays").to.deep.equal(["17", "18"]);
      await simulator.close();
    });

    it("ask for the days of payment once a week where the network says none", async () => {
      const { database } = await engine.open();
      const { simulator, programmes, read, nextDay } = await openShop(database, "awin");
      for (let number = 1; number <= 14; number++) programmes.join({ id: String(number), name: `Loja ${number}` });
      await read();
      await database.kysely.updateTable("programmes").set({ created_at: 0n }).execute();
      const asked = async () => {
        const before = simulator.calls.length;
        await nextDay();
        return simulator.calls.slice(before).filter(({ path }) => path.includes("/programmedetails")).length;
      };
      expect(await asked(), "of fourteen, on a day").to.equal(2);
      await simulator.close();
    });

    it("follow the least of more groups than are kept", () => {
      const many = Array.from({ length: 10_000 }, (_, index) => ({ code: `G${index}`, name: null, percent: "8" }));
      many.push({ code: "G9000", name: null, percent: "2" }, { code: "G0", name: null, percent: "3" });
      const groups = groupsOf(many);
      expect(groups.length).to.be.below(250);
      expect(groups.find(({ code }) => code === "G0")?.bps).to.equal(300);
      expect(groups.find(({ code }) => code === "G9000")?.bps).to.equal(200);
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

    it("that are more than is read are asked for again after a day, or by a person", async () => {
      const { database } = await engine.open();
      const { simulator, programmes, rounds, pass, read, addStore, store, round } = await openShop(database, "awin");
      programmes.join({ id: "1", name: "Loja" });
      const id = await addStore("1");
      await read();
      simulator.faults.alter = () => "[".padEnd(9 * 1024 * 1024);
      await pass(DAY_MS);
      const reader = rounds();
      const asks = async () => {
        const before = simulator.calls.length;
        while (await reader.step());
        return simulator.calls.slice(before).filter(({ path }) => path.includes("/programmes?")).length;
      };
      expect(await asks()).to.equal(1);
      expect((await round())?.problem).to.equal(ANSWER_TOO_LARGE);
      expect(Number((await round())?.next_at)).to.be.closeTo(Date.now() + DAY_MS, HOUR_MS / 2);
      expect((await store(id)).paused).to.equal(null);
      await expediteRound(database.kysely, { network: "awin", account: "br" }, HOUR_MS);
      expect(Number((await round())?.next_at), "a person asks").to.equal(0);
      await read();
      const asked = simulator.calls.length;
      // Another process may have another account.
      delete simulator.faults.alter;
      await read();
      expect(simulator.calls.length).to.be.above(asked);
      expect((await round())?.problem).to.equal(null);
      await simulator.close();
    });

    it("are read from pages that are shorter than was asked for", async () => {
      const { database } = await engine.open();
      const { simulator, programmes, read, rows, round } = await openShop(database, "admitad");
      for (let number = 1; number <= 7; number++) programmes.join({ id: String(number), name: `Loja ${number}` });
      simulator.faults.alter = (body) => {
        const { results, ...rest } = body as { results?: object[] };
        return results ? { ...rest, results: results.slice(0, 3) } : body;
      };
      await read();
      expect([(await rows()).length, (await round())?.problem]).to.deep.equal([7, null]);
      await simulator.close();
    });

    it("are asked for in smaller pages where their rates fill an answer", async () => {
      const { database } = await engine.open();
      const { simulator, programmes, read, rows, round } = await openShop(database, "admitad");
      for (let number = 1; number <= 20; number++) programmes.join({ id: String(number), name: `Loja ${number}` });
      const description = "x".repeat(600_000);
      simulator.faults.alter = (body) => {
        const { results, ...rest } = body as { results?: object[] };
        return results ? { ...rest, results: results.map((row) => ({ ...row, description })) } : body;
      };
      await read();
      expect((await round())?.problem).to.equal(null);
      expect(await rows()).to.have.lengthOf(20);
      expect(simulator.calls.length).to.be.below(20);
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
      expect(found.map(({ name }) => name)).to.deep.equal(["a".repeat(40), "Loja & Cia", "gnp.exe", "Duas vezes"]);
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
      const openProposals = () => kysely.selectFrom("proposals").selectAll().where("state", "=", "open").execute();
      // What can no longer be read is no other name, and no other page.
      programmes.change("17", { name: "<b></b>", url: "-" });
      await nextDay();
      expect(await openProposals()).to.deep.equal([]);
      programmes.change("17", { name: "Outro nome", url: "https://elsewhere.example/" });
      await nextDay();
      await nextDay();
      expect((await openProposals()).map((one) => [one.kind, one.asked_by, JSON.parse(one.to_fields)])).to.deep.equal([
        [
          "store_link",
          "network",
          { name: "Outro nome", store_url: "https://elsewhere.example/", domains: "elsewhere.example" },
        ],
      ]);
      expect((await findStore(kysely, id))?.store_url).to.equal("https://www.17.example/");
      await simulator.close();
    });

    it("take back what they proposed once the network pays no more than now", async () => {
      const { database } = await engine.open();
      const { simulator, programmes, read, nextDay, addStore, store, approvals } = await openShop(database, "admitad");
      programmes.join({ id: "17", name: "Um" });
      const id = await addStore("17", "DEFAULT", 475n);
      await read();
      const say = async (percent: string) => {
        programmes.change("17", { groups: [{ code: "DEFAULT", name: "x", percent }] });
        await nextDay();
        return (await approvals()).map(({ bps, state }) => `${bps} ${state}`);
      };
      expect(await say("10")).to.deep.equal(["600 open"]);
      expect(await say("8")).to.deep.equal(["600 lapsed"]);
      expect((await store(id)).bps).to.equal(475n);
      expect(await say("10"), "asked for again").to.deep.equal(["600 lapsed", "600 open"]);
      await simulator.close();
    });

    it("move no percent by a figure that is none, nor above what a person agreed to", async () => {
      const { database } = await engine.open();
      const { simulator, programmes, read, nextDay, addStore, store, round } = await openShop(database, "awin");
      programmes.join({ id: "17", name: "Um" });
      const id = await addStore("17", "DEFAULT", 475n);
      await read();
      const say = async (percent: string | number) => {
        programmes.change("17", { groups: [{ code: "DEFAULT", name: "x", percent }] });
        await nextDay();
        const { bps, paused } = await store(id);
        return [bps, paused];
      };
      for (const odd of [
        "1000000000",
        1e9,
        "-8",
        -8,
        "8 e meio",
        "",
        "NaN",
        "Infinity",
        "8.0.0",
        "1e400",
        "0x10",
        1e-7,
      ])
        expect(await say(odd), String(odd)).to.deep.equal([475n, null]);
      for (const [said, percent] of [
        ["8,0", 475n],
        ["8 %", 475n],
        ["4,5", 250n],
        [100, 475n],
      ] as const)
        expect(await say(said), String(said)).to.deep.equal([percent, null]);
      // Next to nothing is nothing: the store waits, and its percent stays.
      const isHastened = async () => {
        const { began_at = 0n, next_at = 0n } = (await round()) ?? {};
        return next_at - began_at === BigInt(HOUR_MS);
      };
      for (const none of ["0.0000001", "0.00499999999999999", "0"]) {
        expect(await say(none)).to.deep.equal([475n, null]);
        // The rates were read after the round: the next one comes soon.
        expect(await isHastened(), none).to.equal(true);
        expect(await say(none)).to.deep.equal([475n, "no_commission"]);
        expect(await isHastened()).to.equal(false);
        await say(8);
        expect(await isHastened(), "it earns again").to.equal(true);
        expect(await say(8)).to.deep.equal([475n, null]);
      }
      await simulator.close();
    });

    it("pause and come back forty times, and leave a store as it was", async () => {
      const { database } = await engine.open();
      const { simulator, programmes, read, nextDay, addStore, store, approvals } = await openShop(database, "impact");
      programmes.join({ id: "17", name: "Um" });
      const id = await addStore("17", "DEFAULT", 475n);
      await read();
      const before = await findStore(database.kysely, id);
      for (let time = 0; time < 40; time++) {
        programmes.turn("17", "pause");
        await nextDay();
        expect((await store(id)).paused).to.equal("paused");
        programmes.turn("17", "resume");
        await nextDay();
        expect((await store(id)).paused).to.equal(null);
      }
      expect(await findStore(database.kysely, id)).to.deep.equal(before);
      expect(await approvals()).to.deep.equal([]);
      const acts = await database.kysely.selectFrom("audit_log").select("action").execute();
      expect(acts.filter(({ action }) => action === "store.pause")).to.have.lengthOf(40);
      expect(acts.filter(({ action }) => action === "store.unpause")).to.have.lengthOf(40);
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
