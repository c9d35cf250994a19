import { expect } from "chai";
import type { Database } from "../../database/connect.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { approvedSale, tell } from "./support/affiliate-network.ts";
import { Caller } from "./support/caller.ts";
import { expectRefusal } from "./support/expect-refusal.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";
import { AFFILIATE_SECRET } from "./support/system.ts";

const ENVIRONMENT = {
  SIMULATED_PURCHASES: "false",
  AFFILIATE_SECRETS: `awin:${AFFILIATE_SECRET}`,
  SALE_MIN_SECONDS: "0",
  CLAIM_AFTER_DAYS: "0",
  APPROVAL_ABOVE_CHZ: "1",
};

/** What the decision is based on. */
const SEEN = { holds: ["low_commission"] };

describe("Two people for a sale above the sum", () => {
  onEitherEngine(({ open }) => {
    let api: InProcessApi;
    let database: Database;
    let one: Caller;
    let two: Caller;
    let buyer: Caller;

    beforeEach(async () => {
      ({ database } = await open());
      api = await startInProcess(database, ENVIRONMENT);
      await database.kysely.updateTable("stores").set({ network: "direct", account: "awin" }).execute();
      one = await api.admin("operator");
      two = await api.admin("operator");
      buyer = await api.user();
    });
    afterEach(() => api.stop());

    const visit = async (who: Caller): Promise<string> => {
      const request = { user: who.address, store_id: 1, amount: 100 };
      return (await who.post("/api/register-purchase", request)).body.click.id;
    };
    const report = async (click_id: string | null, more: Record<string, unknown> = {}): Promise<number> => {
      const answer = await tell({ anonymous: () => new Caller(api.url) }, approvedSale(click_id, more));
      expect(answer.status, answer.text).to.equal(200);
      return answer.body.sale_id;
    };
    const saleOf = async (id: number) => (await one.get(`/api/admin/sales/${id}`)).body.sale;
    /** The first call is refused and changes nothing; a second person approves it. */
    async function expectApprovalOf(call: () => ReturnType<Caller["post"]>, action: string, wallet: string) {
      const asked = await call();
      expectRefusal(asked, 403, "APPROVAL_NEEDED");
      const path = `/api/admin/approvals/${asked.body.approval_id}`;
      const [row] = (await two.get("/api/admin/approvals?state=open")).body.rows;
      expect(row).to.include({ action, wallet, asked_by: one.address });
      expect(Number(row.amount)).to.be.greaterThan(1);
      expectRefusal(await one.post(`${path}/approve`), 403, "OWN_REQUEST");
      expectRefusal(await call(), 403, "APPROVAL_NEEDED");
      expect((await two.post(`${path}/approve`)).status).to.equal(200);
    }

    it("releases a held sale only with another's approval, once; a small one at once", async () => {
      const click = await visit(buyer);
      const small = await report(click, { amount: "5.00", commission: "0.01" });
      expect((await one.post(`/api/admin/sales/${small}/release`, SEEN)).status, "below the sum").to.equal(200);
      const id = await report(click, { commission: "1.00" });
      const release = () => one.post(`/api/admin/sales/${id}/release`, SEEN);
      await expectApprovalOf(release, "sale.release", buyer.address);
      expect(await saleOf(id), "an approval moves nothing by itself").to.include({ state: "held", released_by: null });
      expectRefusal(await two.post(`/api/admin/sales/${id}/release`, SEEN), 403, "APPROVAL_NEEDED");
      expect((await release()).status).to.equal(200);
      expect((await saleOf(id)).released_by).to.equal(one.address);
      expectRefusal(await release(), 409, "DECISION_REFUSED");
    });

    it("lets nobody approve, or release, what pays their own wallet", async () => {
      const id = await report(await visit(two), { commission: "1.00" });
      const asked = await one.post(`/api/admin/sales/${id}/release`, SEEN);
      expectRefusal(asked, 403, "APPROVAL_NEEDED");
      expectRefusal(await two.post(`/api/admin/approvals/${asked.body.approval_id}/approve`), 403, "OWN_REQUEST");
      expectRefusal(await two.post(`/api/admin/sales/${id}/release`, SEEN), 403, "OWN_SALE");
    });

    it("assigns a sale only to the buyer whom the other person approved", async () => {
      const accomplice = await api.user();
      const [click, other] = [await visit(buyer), await visit(accomplice)];
      const id = await report(null);
      const assign = (click_id: string) => one.post(`/api/admin/sales/${id}/assign`, { click_id });
      await expectApprovalOf(() => assign(click), "sale.assign", buyer.address);
      expectRefusal(await assign(other), 403, "APPROVAL_NEEDED");
      expect(await saleOf(id)).to.include({ state: "unmatched", wallet: null });
      expect((await assign(click)).status).to.equal(200);
      expect((await saleOf(id)).wallet).to.equal(buyer.address);
    });

    it("matches a claim to a sale without a buyer only with approval, and to the buyer's own at once", async () => {
      const [click, other] = [await visit(buyer), await visit(buyer)];
      const claim = async (order_ref: string, click_id: string): Promise<number> => {
        const date = new Date().toISOString().slice(0, 10);
        const body = { store_id: 1, click_id, order_ref, amount: "100.00", date };
        const answer = await buyer.post("/api/claims", body);
        expect(answer.status, answer.text).to.equal(200);
        return answer.body.claim.id;
      };
      const match = (claimId: number, sale_id: number) => one.post(`/api/admin/claims/${claimId}/match`, { sale_id });
      const [lost, own] = [await report(null), await report(other)];
      const [first, second] = [await claim("P-1", click), await claim("P-2", other)];
      expect((await match(second, own)).status).to.equal(200);
      await expectApprovalOf(() => match(first, lost), "claim.match", buyer.address);
      expect((await saleOf(lost)).wallet).to.equal(null);
      expect((await buyer.get("/api/claims")).body.claims.at(-1).state).to.equal("open");
      expect((await match(first, lost)).status).to.equal(200);
      expect((await saleOf(lost)).wallet).to.equal(buyer.address);
    });
  });
});
