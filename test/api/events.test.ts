import { expect } from "chai";
import { onEitherEngine } from "../testing/databases.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

describe("A user's events", () => {
  onEitherEngine(({ open }) => {
    let api: InProcessApi;
    beforeEach(async () => {
      api = await startInProcess((await open()).database, {});
    });
    afterEach(() => api.stop());

    it("are their own, paged, and read up to one", async () => {
      const [buyer, other] = [await api.user(), await api.user()];
      const ids = [await buyer.buy(1, 10), await buyer.buy(1, 20), await buyer.buy(1, 30)];
      const first = (await buyer.get("/api/events?limit=2")).body;
      expect(first).to.include({ success: true, unread: 3 });
      const [newest, middle] = first.events;
      expect(newest).to.include({ kind: "tracked", value: "30.00", amount: null, is_read: false, purchase_id: ids[2] });
      const rest = (await buyer.get(`/api/events?limit=2&before=${first.next_before}`)).body;
      expect(rest.events.map((event: { purchase_id: number }) => event.purchase_id)).to.deep.equal([ids[0]]);
      expect(rest.next_before).to.equal(null);

      expect((await other.post("/api/events/read", { through: newest.id })).status).to.equal(200);
      expect((await buyer.post("/api/events/read", { through: middle.id })).status).to.equal(200);
      const after = (await buyer.get("/api/events")).body;
      expect(after.unread).to.equal(1);
      expect(after.events.map((event: { is_read: boolean }) => event.is_read)).to.deep.equal([false, true, true]);
      expect((await other.get("/api/events")).body).to.include({ unread: 0, next_before: null });
      expect((await buyer.post("/api/events/read", { through: 0 })).status).to.equal(400);
    });
  });
});
