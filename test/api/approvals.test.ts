import { expect } from "chai";
import { approvalsAnnouncer } from "../../api/admin/approvals.ts";
import type { Database } from "../../core/database/connect.ts";
import type { Logger } from "../../core/process/log.ts";
import { attribute } from "../../core/purchases/approvals.ts";
import { planNextSteps } from "../../core/purchases/next-step.ts";
import { recountPurchases } from "../../core/purchases/purchase-rows.ts";
import { fixedRate } from "../../core/rates/rate-source.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { insertPlainPurchase, PLAIN_TICKET } from "../testing/plain-purchase.ts";
import { standIn } from "../testing/stand-in.ts";
import type { Caller } from "./support/caller.ts";
import { expectRefusal } from "./support/expect-refusal.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

/** docs/product.md#panel-approvals */
describe("Two people for what one may not pay alone", () => {
  onEitherEngine(({ open }) => {
    let api: InProcessApi;
    let database: Database;
    let one: Caller;
    let two: Caller;
    let buyer: Caller;

    beforeEach(async () => {
      ({ database } = await open());
      api = await startInProcess(database, { APPROVAL_ABOVE_CHZ: "8" });
      [one, two, buyer] = [await api.admin("operator"), await api.admin("operator"), await api.user()];
      await database.kysely
        .insertInto("chain_cursor")
        .values({ id: 1n, block_number: 1_000n, block_hash: "0x1" })
        .execute();
    });
    afterEach(() => api.stop());

    /** A confirmed purchase that is owed so many CHZ, held, so that only a person lets it be paid. */
    async function held(chz: number, who = buyer): Promise<number> {
      const { kysely } = database;
      const wallet = who.address;
      const amount = { amountCents: BigInt(chz * 2_000), weiPerCent: 10n ** 16n };
      const id = await insertPlainPurchase(kysely, { wallet, ...amount });
      await kysely
        .insertInto("nfts")
        .values({ ...PLAIN_TICKET, token_id: id, owner: wallet, value_cents: amount.amountCents })
        .execute();
      await kysely.updateTable("purchases").set({ payable_at: 1n, held_at: 1n }).where("id", "=", id).execute();
      await recountPurchases(kysely, [id]);
      return Number(id);
    }
    const release = (who: Caller, id: number) => who.post(`/api/admin/purchases/${id}/release`);
    const decide = (who: Caller, id: unknown, verb: string) => who.post(`/api/admin/approvals/${id}/${verb}`);
    const approvalOf = async (call: ReturnType<typeof release>) => {
      const answer = await call;
      expect(answer.status, answer.text).to.equal(202);
      return Number(answer.body.approval_id);
    };
    const listed = async (state: string) => (await two.get(`/api/admin/approvals?state=${state}`)).body.rows;
    /** The purchases whose payouts are queued after a round of the planner. */
    async function queued(approvals = api.services.approvals): Promise<number[]> {
      const { saleRules: rules } = api.services;
      const round = {
        rules,
        approvals,
        rates: fixedRate(10n ** 16n),
        stepDelayMs: 0,
        payoutConfirmations: 1,
      };
      await planNextSteps(database, { ...round, assertLease: async () => {} });
      const { kysely } = database;
      const rows = await kysely.selectFrom("operations").select("subject_id").where("kind", "=", "pay").execute();
      return rows.map((row) => Number(row.subject_id)).sort((a, b) => a - b);
    }

    it("counts what a person's decisions pay in a day: the payout that crosses it waits, and all later ones", async () => {
      const [first, crossing, small, others] = [await held(5), await held(5), await held(1), await held(5)];
      expect((await release(one, first)).status).to.equal(200);
      const asked = await approvalOf(release(one, crossing));
      await approvalOf(release(one, small));
      expect((await release(two, others)).status, "another person's day").to.equal(200);
      expect(await queued()).to.deep.equal([first, others]);
      const [, row] = await listed("open");
      expect(row).to.include({ id: asked, purchase_id: crossing, wallet: buyer.address, amount: "5" });
      const waits = (await one.get(`/api/admin/purchases/${crossing}`)).body.purchase;
      expect(waits).to.include({ waits_for: "second_person", state: "confirmed" });
      expect((await one.get("/api/admin/attention")).body.attention).to.include({ open_approvals: 2 });
      expectRefusal(await decide(one, asked, "approve"), 403, "OWN_REQUEST");
      expectRefusal(await decide(await api.admin("auditor"), asked, "approve"), 403, "ROLE_NOT_ALLOWED");
      expect((await decide(two, asked, "approve")).status).to.equal(200);
      expectRefusal(await decide(two, asked, "refuse"), 409, "DECIDED");
      expect(await queued()).to.deep.equal([first, crossing, others]);
      expect((await listed("used")).map(({ id }: { id: number }) => id)).to.deep.equal([asked]);
    });

    it("asks a second person once for all that one person decided, and takes one decision about it", async () => {
      const ids = [await held(9), await held(3), await held(4), await held(5, two), await held(6)];
      const asked: number[] = [];
      for (const id of ids) asked.push(await approvalOf(release(one, id)));
      const three = await api.admin("operator");
      await approvalOf(release(three, await held(20)));
      const groups = async (who = two) => (await who.get("/api/admin/approvals/together")).body.groups;
      const read = async () => (await groups()).find((group: { asked_by: string }) => group.asked_by === one.address);
      const decideAll = (who: Caller, seen: object, verb = "approve") =>
        who.post(`/api/admin/approvals/${verb}`, { ...seen, reason: "checked" });
      const seenOf = ({ asked_by, until, count, amount }: Record<string, unknown>) => ({
        asked_by,
        until,
        count,
        amount,
      });

      const before = await read();
      expect(before, "not what would pay the reader").to.include({ count: 4, amount: "22", largest: "9", buyers: 1 });
      expect([before.oldest <= before.newest, before.until]).to.deep.equal([true, asked[4]]);
      expect(
        (await groups(one)).map((group: { count: number }) => group.count),
        "its own too",
      ).to.deep.equal([5, 1]);
      expectRefusal(await decideAll(one, seenOf(before)), 403, "OWN_REQUEST");
      expectRefusal(await decideAll(await api.admin("auditor"), seenOf(before)), 403, "ROLE_NOT_ALLOWED");

      // What changed since it was read is read again; nothing is decided.
      await one.post(`/api/admin/purchases/${ids[2]}/hold`);
      expectRefusal(await decideAll(two, seenOf(before)), 409, "REQUESTS_CHANGED");
      const later = await held(7);
      await approvalOf(release(one, later));
      const now = await read();
      expect(now).to.include({ count: 4, amount: "25" });
      expectRefusal(await decideAll(two, { ...seenOf(now), amount: "24" }), 409, "REQUESTS_CHANGED");
      expect(await queued()).to.deep.equal([]);

      // Two people at once: one decision counts.
      const answers = await Promise.all([decideAll(two, seenOf(now)), decideAll(three, seenOf(now))]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409]);
      expect(await queued()).to.deep.equal([ids[0], ids[1], ids[4], later]);
      const log = (await two.get("/api/admin/audit-log?limit=3")).body.rows;
      const entries = log.filter((row: { action: string }) => row.action === "approval.approve_all");
      expect(entries, "one decision, one entry").to.have.length(1);
      expect(JSON.stringify(entries[0])).to.include("checked").and.to.include("25");

      const [other] = await groups();
      expect((await decideAll(two, seenOf(other), "refuse")).status).to.equal(200);
      expect(await groups()).to.deep.equal([]);
      expect((await listed("refused")).map((row: { amount: string }) => row.amount)).to.deep.equal(["20"]);
    });

    it("logs once that another api runs with another sum, in each of them", async () => {
      const warned: unknown[] = [];
      const log = standIn<Logger>({ warn: (figures: unknown) => void warned.push(figures) });
      const announcer = (chz: number | undefined) =>
        approvalsAnnouncer({ APPROVAL_ABOVE_CHZ: chz, ADMIN_WALLETS: [] }, database, log);
      const [lower, none] = [announcer(8), announcer(undefined)];
      for (const announce of [lower, lower, none, none, lower]) await announce();
      expect(warned).to.deep.equal([
        { own: "no limit", in_force: "8" },
        { own: 8, in_force: "8" },
      ]);
    });

    it("lets nobody decide about their own wallet", async () => {
      const own = await held(20, two);
      const refused = [
        release(two, own),
        two.post("/api/distribute-cashback", { user: two.address, amount: "20" }),
        two.post(`/api/admin/purchases/${own}/hold`),
      ];
      for (const call of refused) expectRefusal(await call, 403, "OWN_SALE");
      const asked = await approvalOf(release(one, own));
      expectRefusal(await decide(two, asked, "approve"), 403, "OWN_REQUEST");
      expect(await queued()).to.deep.equal([]);
    });

    it("says to buyer and staff that a payout waits or was refused, until somebody decides again", async () => {
      const id = await held(9);
      const told = async () => {
        const { situation } = (await buyer.get("/api/purchases")).body.purchases[0];
        const { waits_for } = (await one.get(`/api/admin/purchases/${id}`)).body.purchase;
        const { open_approvals, refused_payouts } = (await one.get("/api/admin/attention")).body.attention;
        const { waiting, on_the_way } = (await buyer.get("/api/me")).body.data.statement;
        return { situation, waits_for, tasks: [open_approvals, refused_payouts], figures: [waiting, on_the_way] };
      };
      const asked = await approvalOf(release(one, id));
      const waits = { situation: "awaiting_approval", waits_for: "second_person", tasks: [1, 0], figures: ["9", "0"] };
      expect(await told()).to.deep.equal(waits);
      expect((await decide(two, asked, "refuse")).status).to.equal(200);
      const refused = { ...waits, situation: "payout_refused", waits_for: "second_decision", tasks: [0, 1] };
      expect(await queued()).to.deep.equal([]);
      expect(await told()).to.deep.equal(refused);
      expect(await queued({ ...api.services.approvals, aboveGwei: undefined }), "a limit that is gone").to.deep.equal(
        [],
      );
      expect(await told()).to.deep.equal(refused);
      const again = await approvalOf(release(one, id));
      expect(again).to.be.above(asked);
      expect(await told()).to.deep.equal(waits);
      expect((await decide(two, again, "refuse")).status).to.equal(200);
      expect((await one.post(`/api/admin/purchases/${id}/hold`)).status).to.equal(200);
      expect(await told()).to.deep.include({ situation: "in_review", tasks: [0, 0] });
      const third = await approvalOf(release(one, id));
      expect((await decide(two, third, "approve")).status).to.equal(200);
      expect(await queued()).to.deep.equal([id]);
      expect(await told()).to.deep.include({ situation: "paying", tasks: [0, 0], figures: ["0", "9"] });
      expectRefusal(await release(one, id), 409, "NOT_HELD");
    });

    it("asks anew where the amount changed, and where one of both lost the role", async () => {
      const id = await held(9);
      const asked = await approvalOf(release(one, id));
      await one.post(`/api/admin/purchases/${id}/hold`);
      expectRefusal(await decide(two, asked, "approve"), 409, "LAPSED");
      const again = await approvalOf(release(one, id));
      expect((await decide(two, again, "approve")).status).to.equal(200);
      (api.services.adminWallets as Map<string, unknown>).delete(two.address);
      expect(await queued(), "who approved is no admin any more").to.deep.equal([]);
      const three = await api.admin("operator");
      const [open] = (await three.get("/api/admin/approvals?state=open")).body.rows;
      expect((await decide(three, open.id, "approve")).status).to.equal(200);
      expect(await queued()).to.deep.equal([id]);
    });

    it("takes a payout by hand as a decision, and its repeat as the same request", async () => {
      const ids = [await held(5), await held(5)];
      await database.kysely.updateTable("purchases").set({ held_at: null }).execute();
      const pay = (amount: string) => one.post("/api/distribute-cashback", { user: buyer.address, amount });
      const answer = await pay("10");
      expect(answer.status).to.equal(202);
      expect(answer.body.payments.map((payment: { status: string }) => payment.status)).to.deep.equal([
        "queued",
        "waiting",
      ]);
      expect(await approvalOf(pay("5"))).to.equal(answer.body.approval_id);
      expect(await queued()).to.deep.equal(ids.slice(0, 1));
    });

    it("takes a retried payout from the queue until a second person agrees, and needs no third", async () => {
      const id = await held(9);
      const asked = await approvalOf(release(one, id));
      await decide(two, asked, "approve");
      expect(await queued()).to.deep.equal([id]);
      const { kysely } = database;
      const fail = async () => {
        await kysely.updateTable("operations").set({ status: "failed", reason: "refused" }).execute();
        return (await kysely.selectFrom("operations").select("id").executeTakeFirstOrThrow()).id;
      };
      const retry = async (who: Caller) => who.post(`/api/admin/operations/${await fail()}/retry`);
      expect((await retry(one)).status, "both have agreed to it").to.equal(200);
      const anew = await approvalOf(retry(two));
      expect(await queued()).to.deep.equal([]);
      expect((await decide(one, anew, "approve")).status).to.equal(200);
      expect(await queued()).to.deep.equal([id]);
    });

    it("decides anew how much a retried payout pays, and whether", async () => {
      const id = await held(6);
      expect((await release(one, id)).status).to.equal(200);
      const { kysely } = database;
      const fail = async () => {
        await kysely.updateTable("operations").set({ status: "failed", reason: "refused" }).execute();
        return (await kysely.selectFrom("operations").select("id").executeTakeFirstOrThrow()).id;
      };
      const retry = async () => one.post(`/api/admin/operations/${await fail()}/retry`);
      // Corrected meanwhile.
      const change = kysely.updateTable("purchases").where("id", "=", BigInt(id));
      await change.set({ cashback_cent_bps: 4_000_000n }).execute();
      const retried = await retry();
      expect(retried.status).to.equal(200);
      expect(retried.body.operation).to.include({ state: "queued", amount: "4" });
      await change.set({ reversed_at: 1n }).execute();
      const refused = await retry();
      expect(refused.body.operation).to.include({ state: "withdrawn" });
      expect(await kysely.selectFrom("operations").select("id").where("kind", "=", "pay").execute()).to.deep.equal([]);
    });

    it("takes all services together as one person", async () => {
      const ids = [BigInt(await held(5)), BigInt(await held(5))];
      const { kysely } = database;
      await kysely.updateTable("purchases").set({ held_at: null }).execute();
      for (const [index, id] of ids.entries()) await attribute(kysely, [id], `service:shop-${index}`);
      expect(await queued()).to.have.lengthOf(1);
      expect((await listed("open"))[0]).to.include({ asked_by: "service" });
    });
  });
});
