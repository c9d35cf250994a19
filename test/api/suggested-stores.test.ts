import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { followCommissions } from "../../core/catalogue/followed-percents.ts";
import { pauseStores } from "../../core/catalogue/pauses.ts";
import type { Database } from "../../core/database/connect.ts";
import { ANSWER_TOO_LARGE } from "../../core/process/outside.ts";
import { concludeRows, storeProgrammes } from "../../core/sales/programme-rows.ts";
import { onBothEngines } from "../testing/databases.ts";
import type { Caller } from "./support/caller.ts";
import { expectRefusal } from "./support/expect-refusal.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

const AWIN = { network: "awin", account: "br" };
const programme = (advertiserId: string, name: string, more: object = {}) => ({
  ...{ advertiserId, name, state: "active" as const, country: "Brasil", linkCode: null, category: "Moda" },
  ...{ storeUrl: `https://www.${advertiserId}.example/`, domains: [`${advertiserId}.example`], logoUrl: null },
  terms: {
    groups: [
      { code: "A", name: "Camisas", bps: 800 },
      { code: "B", name: "Bolas", bps: 1_010 },
      { code: "C", name: "Fixo", bps: null },
    ],
    expectedDays: 40,
  },
  ...more,
});

function accountsFile(): string {
  const file = join(tmpdir(), `accounts-${crypto.randomUUID()}.json`);
  const account = { ...AWIN, publisher_id: "1", token: "t", cashback_share_percent: 50 };
  writeFileSync(file, JSON.stringify([account]), { mode: 0o600 });
  return file;
}

/** docs/product.md#suggested-stores */
describe("Suggested stores", () => {
  onBothEngines(({ open }) => {
    let database: Database;
    let api: InProcessApi;
    let admin: Caller;
    let other: Caller;
    let buyer: Caller;
    const PATH = "/api/admin/suggested-stores";
    const list = async (query = "") => (await admin.get(`${PATH}${query}`)).body.rows;
    const accept = async (...ids: number[]) => (await admin.post(`${PATH}/accept`, { ids })).body;

    beforeEach(async () => {
      ({ database } = await open());
      api = await startInProcess(database, {
        SIMULATED_PURCHASES: "false",
        AFFILIATE_ACCOUNTS: accountsFile(),
        CASHBACK_SHARE_PERCENT: "70",
      });
      admin = await api.admin("catalogue");
      other = await api.admin("owner");
      buyer = await api.user();
      const { terms: _, ...unread } = programme("19", "Sem taxas");
      const page = [programme("17", "Loja do Zé"), programme("18", "Duas"), unread];
      await storeProgrammes(database.kysely, AWIN, page, BigInt(Date.now()));
    });
    afterEach(() => api.stop());

    it("are listed with what they would earn, and become stores, many at once", async () => {
      const rows = await list("?sort=id");
      expect(rows[0]).to.deep.equal({
        ...{ id: rows[0].id, ...AWIN, advertiser_id: "17", name: "Loja do Zé", domains: ["17.example"] },
        country: "Brasil",
        categories: [
          { group_code: "A", name: "Camisas", commission_percent: "8", percent: "4" },
          { group_code: "B", name: "Bolas", commission_percent: "10.1", percent: "5" },
          { group_code: "C", name: "Fixo", commission_percent: null, percent: null },
        ],
        ...{ is_unread: false, expected_days: 40, state: "open", store_id: null },
      });
      const ids = rows.map(({ id }: { id: number }) => id);
      const { stores, refused } = await accept(...ids, 999);
      expect(stores.map(({ id }: { id: number }) => id)).to.deep.equal(ids.slice(0, 2));
      expect(refused).to.deep.equal([
        { id: ids[2], code: "RATES_UNREAD" },
        { id: 999, code: "NOT_FOUND" },
      ]);
      const { store } = (await admin.get(`/api/stores/${stores[0].store_id}`)).body;
      expect(store).to.deep.include({
        ...{ name: "Loja do Zé", network: "awin", account: "br", advertiser_id: "17", category: "Moda" },
        ...{ store_url: "https://www.17.example/", domains: ["17.example"], paused: null },
      });
      expect(
        store.cashbacks.map((one: Record<string, unknown>) => [one.cashback_percent, one.is_by_hand]),
      ).to.deep.equal([
        ["4", false],
        ["5", false],
        ["0", true],
      ]);
      expect((await accept(ids[0])).refused).to.deep.equal([{ id: ids[0], code: "DECIDED" }]);
      const twin = programme("20", "LOJA DO ZE");
      await storeProgrammes(database.kysely, AWIN, [twin], 1n);
      const [{ id }] = await list("?state=open&query=loja do ze");
      expect((await accept(id)).refused).to.deep.equal([{ id, code: "STORE_NAME_TAKEN" }]);
      expect((await admin.post(`${PATH}/dismiss`, { ids: [id] })).status).to.equal(200);
      expect(await list("?state=dismissed")).to.have.lengthOf(1);
    });

    it("have a category of its own for each group, however alike their names are", async () => {
      const name = "Camisas oficiais de time, com personalização, manga longa e fr";
      const groups = ["A", "B", "C", "D".repeat(64)].map((code) => ({
        code,
        name: [...name].slice(0, 60).join(""),
        bps: 800,
      }));
      const one = programme("30", "Muitas", { terms: { groups, expectedDays: null } });
      await storeProgrammes(database.kysely, AWIN, [one], BigInt(Date.now()));
      const [{ id }] = await list("?query=Muitas");
      const { stores } = await accept(id);
      const { store } = (await admin.get(`/api/stores/${stores[0].store_id}`)).body;
      const names = store.cashbacks.map(({ category }: { category: string }) => category);
      expect(new Set(names).size).to.equal(4);
      for (const one of names) expect([...one].length).to.be.at.most(60);
    });

    it("can be stores again after their store was deleted, and lead where it led", async () => {
      const [{ id }] = await list("?sort=id");
      const { stores } = await accept(id);
      expect((await admin.send("DELETE", `/api/store/${stores[0].store_id}`)).status).to.equal(200);
      await concludeRows(database.kysely, AWIN, BigInt(Date.now()));
      expect((await list("?state=dismissed")).map((row: { id: number }) => row.id)).to.deep.equal([id]);
      const again = await accept(id);
      expect(again.refused).to.deep.equal([]);
      const { store } = (await admin.get(`/api/stores/${again.stores[0].store_id}`)).body;
      expect(store).to.deep.include({
        name: "Loja do Zé",
        network: "awin",
        advertiser_id: "17",
        domains: ["17.example"],
      });
      expect((await list("?state=accepted"))[0].store_id).to.equal(again.stores[0].store_id);
    });

    it("have percents that follow: a person's own is by hand, and only the staff sees what the network pays", async () => {
      const [first] = await list("?sort=id");
      const { stores } = await accept(first.id);
      const [{ store_id }] = stores;
      const path = `/api/store/${store_id}`;
      const category = async () => (await admin.get(`/api/stores/${store_id}`)).body.store.cashbacks[0];
      const { id } = await category();
      const put = (body: object) => admin.send("PUT", `${path}/cashback/${id}`, JSON.stringify(body));
      await put({ category: "Camisetas", cashback_percent: "4" });
      expect(await category(), "the same percent").to.include({ cashback_percent: "4", is_by_hand: false });
      await put({ cashback_percent: "9" });
      expect(await category()).to.include({ cashback_percent: "9", is_by_hand: true, commission_percent: "8" });
      const attention = async () => (await admin.get("/api/admin/attention")).body.attention.uncovered_percents;
      expect(await attention()).to.equal(1);
      expect((await admin.get("/api/admin/stores?state=uncovered")).body.total).to.equal(1);
      await put({ is_by_hand: false });
      expect(await category()).to.include({ cashback_percent: "4", is_by_hand: false });
      expect(await attention()).to.equal(0);
      await admin.send("PUT", path, JSON.stringify({ cashback_share_percent: 75 }));
      expect(await category()).to.include({ cashback_percent: "6" });
      await put({ cashback_share_percent: 100 });
      expect(await category()).to.include({ cashback_percent: "8", cashback_share_percent: 100 });
      await database.kysely.deleteFrom("operations").execute();
      const seen = (await buyer.get(`/api/stores/${store_id}`)).text;
      expect(seen)
        .to.include("Camisetas")
        .and.not.match(/commission|share|by_hand/);
    });

    it("have a higher percent proposed by their network: one person below the limit, two above it", async () => {
      const [first] = await list("?sort=id");
      const { stores } = await accept(first.id);
      const [{ store_id }] = stores;
      const say = (bps: number) =>
        followCommissions(database.kysely, BigInt(store_id), [{ code: "A", name: "", bps }], {
          store: null,
          shop: 50n,
        });
      const open = async () => (await admin.get("/api/admin/percent-approvals?state=open")).body.rows;
      const percent = async () => (await admin.get(`/api/stores/${store_id}`)).body.store.cashbacks[0].cashback_percent;
      await say(1_600);
      const [asked] = await open();
      expect(asked).to.include({ percent: "8", from_percent: "4", asked_by: "network" });
      expect((await admin.post(`/api/admin/percent-approvals/${asked.id}/approve`, {})).status).to.equal(200);
      expect(await percent()).to.equal("8");
      await say(800);
      await say(1_600);
      expect(await percent(), "back to what a person agreed to").to.equal("8");
      await say(3_000);
      const [above] = await open();
      const approve = (who: Caller) => who.post(`/api/admin/percent-approvals/${above.id}/approve`, {});
      expect((await approve(admin)).status).to.equal(200);
      expect(await percent(), "one person took it up").to.equal("8");
      expectRefusal(await approve(admin), 403, "OWN_REQUEST");
      expect((await approve(other)).status).to.equal(200);
      expect(await percent()).to.equal("15");
    });

    it("refuse buyers while their network pauses them, and say so", async () => {
      const [first] = await list("?sort=id");
      const { stores } = await accept(first.id);
      const [{ store_id }] = stores;
      await database.kysely.deleteFrom("operations").execute();
      const buy = () => buyer.post("/api/register-purchase", { user: buyer.address, store_id, amount: 1 });
      expect((await buy()).status).to.equal(200);
      await pauseStores(database.kysely, [BigInt(store_id)], "left");
      expectRefusal(await buy(), 409, "STORE_PAUSED");
      await new Promise((resolve) => setTimeout(resolve, 400));
      const { paused } = (await buyer.get(`/api/stores/${store_id}`)).body.store;
      expect(paused).to.include({ reason: "left" });
      await pauseStores(database.kysely, [BigInt(store_id)], null);
      expect((await buy()).status).to.equal(200);
    });

    it("are asked for again on demand, and a network's bad day is let through by a person", async () => {
      expect((await admin.post(`${PATH}/read`, {})).status).to.equal(200);
      const { kysely } = database;
      expect(await kysely.selectFrom("programme_rounds").select(["network", "next_at"]).execute()).to.deep.equal([
        { network: "awin", next_at: 0n },
      ]);
      expectRefusal(await admin.post(`${PATH}/withheld`, AWIN), 409, "DECIDED");
      await kysely.updateTable("programme_rounds").set({ withheld: 5n }).execute();
      expect((await admin.get("/api/admin/networks")).body.programmes).to.deep.include({
        ...{
          ...AWIN,
          read_at: null,
          next_at: "1970-01-01T00:00:00.000Z",
          withheld: 5,
          problem: null,
          is_too_large: false,
        },
      });
      expect((await admin.get("/api/admin/attention")).body.attention.withheld_rounds).to.equal(1);
      expect((await admin.post(`${PATH}/withheld`, AWIN)).status).to.equal(200);
      await kysely.updateTable("programme_rounds").set({ problem: ANSWER_TOO_LARGE }).execute();
      expect((await admin.get("/api/admin/attention")).body.attention.large_lists).to.equal(1);
      const [{ is_too_large }] = (await admin.get("/api/admin/networks")).body.programmes;
      expect(is_too_large).to.equal(true);
    });
  });
});
