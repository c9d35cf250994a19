import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import pino from "pino";
import { DAY_MS } from "../../core/rules/iso-time.ts";
import { type AffiliateAccount, readAccounts } from "../../core/sales/accounts.ts";
import { awin } from "../../core/sales/awin/awin.ts";
import { type AnyNetwork, findNetwork } from "../../core/sales/networks.ts";
import { Reader } from "../../core/sales/reader.ts";
import { AwinSimulator } from "../../scripts/rehearse/simulators/awin.ts";
import { RULES } from "../sales/support/shop.ts";
import { TRUSTED_REAIS } from "../testing/direct-accounts.ts";
import { eraseNow } from "../testing/due-proposals.ts";
import { until } from "../testing/until.ts";
import { approvedSale, tell } from "./support/affiliate-network.ts";
import type { Caller } from "./support/caller.ts";
import { expectInvalid, expectRefusal } from "./support/expect-refusal.ts";
import { AFFILIATE_SECRET, onBothSystems } from "./support/system.ts";

const PUSH_SECRET = "push-secret-of-the-account";
const PUBLISHERS = {
  own: { publisherId: "45628", token: "a-token" },
  other: { publisherId: "45629", token: "a-token" },
};
const STORE = 1;
const PORTUGUESE = { "accept-language": "pt-BR" };

const directory = mkdtempSync(join(tmpdir(), "torcida-accounts-"));
const accountsFile = join(directory, "accounts.json");
const awinAccount = (account: keyof typeof PUBLISHERS) => ({
  network: "awin",
  account,
  publisher_id: PUBLISHERS[account].publisherId,
  token: PUBLISHERS[account].token,
  push_secrets: [PUSH_SECRET],
  api_url: "http://127.0.0.1:9",
  poll_seconds: 0.3,
  calls_per_minute: 600,
});
const direct = { network: "direct", account: "awin", secrets: [AFFILIATE_SECRET], credit_reais: TRUSTED_REAIS };
writeFileSync(accountsFile, JSON.stringify([awinAccount("own"), awinAccount("other"), direct]), { mode: 0o600 });
process.on("exit", () => rmSync(directory, { recursive: true, force: true }));

const environment = {
  SIMULATED_PURCHASES: "false",
  AFFILIATE_ACCOUNTS: accountsFile,
  SALE_MIN_SECONDS: "0",
  MARGIN_LOSS_REAIS: "40",
};

onBothSystems("Sales, claims and visits", environment, (system) => {
  let admin: Caller;
  before(async () => {
    admin = await system().adminCaller();
    const { kysely } = await system().database();
    const ofAccount = { network: "direct", account: "awin" };
    await kysely.updateTable("stores").set(ofAccount).where("id", "=", BigInt(STORE)).execute();
    await kysely
      .updateTable("store_cashbacks")
      .set({ is_default: 1n })
      .where("store_id", "=", BigInt(STORE))
      .where("cashback_bps", "=", 500n)
      .execute();
  });

  const visit = async (buyer: Caller, storeId = STORE): Promise<string> => {
    const request = { user: buyer.address, store_id: storeId, amount: 100 };
    return (await buyer.post("/api/register-purchase", request)).body.click.id;
  };
  /** Moves a visit back in time by days. */
  const age = async (click: string, days: number) => {
    const { kysely } = await system().database();
    await kysely
      .updateTable("clicks")
      .set((set) => ({
        created_at: set("created_at", "-", BigInt(days * DAY_MS)),
        expires_at: set("expires_at", "-", BigInt(days * DAY_MS)),
      }))
      .where("token", "=", click)
      .execute();
  };
  const report = async (click_id: string | null, more: Record<string, unknown> = {}) => {
    const event = approvedSale(click_id, more);
    const answer = await tell(system(), event);
    expect(answer.status, answer.text).to.equal(200);
    return { id: answer.body.sale_id as number, key: event.sale_key as string, order: event.order_ref as string };
  };
  const saleOf = async (id: number) => (await admin.get(`/api/admin/sales/${id}`)).body.sale;
  const inState = (id: number, state: string) =>
    until(`sale ${id} is ${state}`, async () => (await saleOf(id)).state === state);
  const balanceOf = async (buyer: Caller) => (await buyer.me()).nativeBalance;
  const claim = (buyer: Caller, more: Record<string, unknown> = {}) =>
    buyer.post("/api/claims", {
      store_id: STORE,
      order_ref: "P-77",
      amount: "100.00",
      date: new Date().toISOString().slice(0, 10),
      ...more,
    });

  describe("Visits", () => {
    it("are one click for one Idempotency-Key, also twenty times at once, and none with another body", async () => {
      const buyer = await system().user();
      const visitWith = (key: string, store_id = 1) =>
        buyer.post("/api/register-purchase", { user: buyer.address, store_id, amount: 1 }, { "idempotency-key": key });
      const answers = await Promise.all(Array.from({ length: 20 }, () => visitWith("a-tap")));
      expect(new Set(answers.map(({ body }) => body.click?.id)).size).to.equal(1);
      expectRefusal(await visitWith("a-tap", 2), 422, "IDEMPOTENCY_KEY_REUSED");
      expect((await visitWith("another-tap")).body.click.id).not.to.equal(answers[0]?.body.click.id);
      expect((await buyer.get("/api/clicks")).body.clicks).to.have.length(2);
    });

    it("are listed for their own buyer, newest first, in pages, with their sales", async () => {
      const buyer = await system().user();
      const other = await system().user();
      await visit(other);
      const clicks = [await visit(buyer), await visit(buyer, 2), await visit(buyer)];
      await report(clicks[0] ?? "", { status: "pending", payable: false });
      await report(clicks[0] ?? "", { status: "declined", payable: false });
      await report(clicks[0] ?? "", { status: "pending", payable: false, amount: "33.33" });
      await report(clicks[1] ?? "", { status: "declined", payable: false });
      const { body } = await buyer.get("/api/clicks");
      expect(body.clicks.map((one: { id: string }) => one.id)).to.deep.equal([...clicks].reverse());
      const [last, second, first] = body.clicks;
      expect(last).to.include({ sales: 0, declined: 0, amount: null, cashback: null, store_id: STORE });
      expect(second).to.include({ sales: 1, declined: 1, amount: null, cashback: null });
      expect(first).to.include({ sales: 3, declined: 1, amount: "133.33", cashback: "6.6665" });
      // Too few sales of this store to say.
      expect(first.usual_days).to.equal(null);
      expect(first.id).to.match(/^[a-z2-7]{26}$/);
      expect(Date.parse(first.claimable_at) - Date.parse(first.created_at)).to.equal(7 * DAY_MS);
      expect(Date.parse(first.expires_at) - Date.parse(first.created_at)).to.equal(60 * DAY_MS);
      const page = (await buyer.get("/api/clicks?limit=2")).body;
      expect(page.clicks).to.have.length(2);
      const rest = (await buyer.get(`/api/clicks?limit=2&before=${page.next_before}`)).body;
      expect(rest.clicks.map((one: { id: string }) => one.id)).to.deep.equal([clicks[0]]);
      expect(rest.next_before).to.equal(null);
      expectRefusal(await system().anonymous().get("/api/clicks"), 401, "UNAUTHORIZED");
    });
  });

  describe("Claims", () => {
    it("are accepted from seven days after the visit until the end of its window, once per order", async () => {
      const buyer = await system().user();
      const click = await visit(buyer);
      const early = await claim(buyer, { click_id: click });
      expectRefusal(early, 409, "CLAIM_TOO_EARLY");
      expect(Date.parse(early.body.due_at)).to.be.closeTo(Date.now() + 7 * DAY_MS, 60_000);
      await age(click, 8);
      const made = await claim(buyer, { click_id: click, note: "It is not there" });
      expect(made.status, made.text).to.equal(200);
      expect(made.body.claim).to.include({ state: "open", order_ref: "P-77", amount: "100.00", click_id: click });
      expectRefusal(await claim(buyer, { click_id: click }), 409, "CLAIMED");
      expectRefusal(await claim(buyer, { click_id: click, order_ref: "P-78" }), 409, "CLAIM_OPEN");
      const later = await visit(buyer);
      await age(later, 8);
      expect((await claim(buyer, { order_ref: "P-78" })).body.claim.click_id, "the last visit").to.equal(later);
      await age(click, 60);
      expectRefusal(await claim(buyer, { click_id: click, order_ref: "P-79" }), 409, "CLAIM_TOO_LATE");
      expect(
        (await buyer.get("/api/claims")).body.claims.map((one: { order_ref: string }) => one.order_ref),
      ).to.deep.equal(["P-78", "P-77"]);
      expect((await buyer.me()).purchases, "a claim alone moves nothing").to.deep.equal([]);
    });

    it("are one at a time for a visit, and ten a day for a wallet, however many arrive at once", async () => {
      const buyer = await system().user();
      const visits = await Promise.all(Array.from({ length: 12 }, () => visit(buyer)));
      await Promise.all(visits.map((click) => age(click, 8)));
      const [first = ""] = visits;
      const send = (click: string, order: string) => claim(buyer, { click_id: click, order_ref: order });
      const atOnce = await Promise.all(Array.from({ length: 5 }, (_, index) => send(first, `A-${index}`)));
      expect(atOnce.filter(({ status }) => status === 200)).to.have.length(1);
      for (const answer of atOnce.filter(({ status }) => status !== 200)) {
        expectRefusal(answer, 409, "CLAIM_OPEN");
        expect(answer.body.field).to.equal("click_id");
      }
      const others = await Promise.all(visits.slice(1).map((click, index) => send(click, `B-${index}`)));
      expect(others.filter(({ status }) => status === 200)).to.have.length(9);
      for (const answer of others.filter(({ status }) => status !== 200)) {
        expectRefusal(answer, 409, "CLAIMS_PER_DAY");
        expect(Date.parse(answer.body.due_at) % DAY_MS).to.equal(0);
      }
    });

    it("require an own visit to that store and all fields", async () => {
      const [buyer, other] = [await system().user(), await system().user()];
      const click = await visit(other);
      await age(click, 8);
      expectRefusal(await claim(buyer, { click_id: click }), 404, "NOT_FOUND");
      expectRefusal(await claim(other, { click_id: click, store_id: 2 }), 404, "NOT_FOUND");
      expectRefusal(await claim(buyer), 404, "NOT_FOUND");
      for (const [field, value] of [
        ...([
          ["amount", "0"],
          ["amount", "-5"],
          ["amount", "1.234"],
          ["order_ref", " "],
        ] as const),
        ...([
          ["date", "2026-13-01"],
          ["date", "2099-01-01"],
          ["click_id", "x' or 1=1"],
          ["note", "x".repeat(1_001)],
        ] as const),
      ]) {
        expectInvalid(await claim(other, { [field]: value }), field, String(value));
      }
      expectRefusal(await system().anonymous().post("/api/claims", {}), 401, "UNAUTHORIZED");
    });

    it("give the sale to the buyer and pay it if matched, and state the reason if rejected", async () => {
      const buyer = await system().user();
      const click = await visit(buyer);
      await age(click, 8);
      const { id: saleId, order } = await report(null);
      expect((await saleOf(saleId)).state).to.equal("unmatched");
      const matched = (await claim(buyer, { order_ref: order })).body.claim;
      const second = await visit(buyer);
      await age(second, 8);
      const refused = (await claim(buyer, { order_ref: "P-2" })).body.claim;
      const mine = `?query=${buyer.address.slice(0, 20)}`;
      const list = (await admin.get(`/api/admin/claims${mine}&limit=1`)).body;
      expect([list.total, list.rows.length, list.rows[0].id, list.rows[0].wallet]).to.deep.equal([
        2,
        1,
        refused.id,
        buyer.address,
      ]);
      const rest = (await admin.get(`/api/admin/claims${mine}&limit=1&before=${list.next_before}`)).body;
      expect(rest.rows[0].id).to.equal(matched.id);
      const decide = (id: number, verb: string, body: object) => admin.post(`/api/admin/claims/${id}/${verb}`, body);
      expectRefusal(await decide(matched.id, "match", { sale_id: 999_999 }), 409, "DECISION_REFUSED");
      expectInvalid(await decide(refused.id, "refuse", { reason: " " }), "reason");
      expect((await decide(matched.id, "match", { sale_id: saleId })).status).to.equal(200);
      expect((await decide(refused.id, "refuse", { reason: "It was bought elsewhere" })).status).to.equal(200);
      for (const verb of ["match", "refuse"] as const) {
        const again = await decide(matched.id, verb, verb === "match" ? { sale_id: saleId } : { reason: "x" });
        expectRefusal(again, 409, "DECISION_REFUSED");
      }
      const own = (await buyer.get("/api/claims")).body.claims;
      expect(own.map(({ state, reason }: { state: string; reason: string }) => [state, reason])).to.deep.equal([
        ["refused", "It was bought elsewhere"],
        ["matched", null],
      ]);
      const open = (await admin.get("/api/admin/claims?state=open&query=P-2")).body;
      expect(open.rows.map((one: { id: number }) => one.id)).not.to.include(refused.id);
      await inState(saleId, "settled");
      expect(await balanceOf(buyer)).to.equal("5");
      const other = await system().user();
      const otherClick = await visit(other);
      await age(otherClick, 8);
      const { body } = await claim(other, { order_ref: order });
      const taken = await decide(body.claim.id, "match", { sale_id: saleId });
      expectRefusal(taken, 409, "DECISION_REFUSED");
      expectRefusal(await decide(999_999, "match", { sale_id: saleId }), 404, "NOT_FOUND");
    });
  });

  describe("A claim's picture", () => {
    /** One pixel, after a comment that a camera may have written. */
    const SECRET = "lat -23.5 lon -46.6";
    const DRAWING = Buffer.from(
      "/9sAQwD//////////////////////////////////////////////////////////////////////////////////////8IACwgAAQABAQERAP/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAQMQ/9k=",
      "base64",
    );
    const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, SECRET.length + 2]), Buffer.from(SECRET)]);
    const PICTURE = Buffer.concat([Buffer.from("ffd8", "hex"), comment, DRAWING]);
    const attach = (caller: Caller, id: number, picture: Buffer) =>
      fetch(`${caller.url}/api/claims/${id}/picture`, {
        method: "POST",
        headers: { "content-type": "image/jpeg", authorization: `Bearer ${caller.token}` },
        body: new Uint8Array(picture),
      });
    const seenBy = (caller: Caller, id: number) => caller.get(`/api/admin/claims/${id}/picture`);

    it("is shown to staff alone, without what a camera adds, and erased with its buyer", async () => {
      const buyer = await system().user();
      await age(await visit(buyer), 8);
      const { id, has_picture, created_at, answer_by } = (await claim(buyer, { order_ref: "P-PIC" })).body.claim;
      expect(has_picture).to.equal(false);
      expect(Date.parse(answer_by) - Date.parse(created_at)).to.equal(10 * DAY_MS);
      expect((await seenBy(admin, id)).status).to.equal(404);
      expect((await attach(await system().user(), id, PICTURE)).status).to.equal(404);
      expect((await attach(buyer, id, Buffer.from("<svg onload=alert(1)>"))).status).to.equal(415);
      expect((await attach(buyer, id, Buffer.concat([PICTURE, Buffer.alloc(1_024 * 1_024)]))).status).to.equal(413);
      expect((await attach(buyer, id, PICTURE)).status).to.equal(200);
      expect((await attach(buyer, id, PICTURE)).status, "again").to.equal(200);
      expect((await buyer.get("/api/claims")).body.claims[0].has_picture).to.equal(true);
      expectRefusal(await seenBy(buyer, id), 403, "FORBIDDEN");
      const { picture } = (await seenBy(admin, id)).body;
      const [head, content] = picture.split(",");
      expect(head).to.equal("data:image/jpeg;base64");
      expect(Buffer.from(content, "base64").toString("latin1")).to.not.contain(SECRET);

      await eraseNow(buyer, (await system().database()).kysely);
      expect((await seenBy(admin, id)).status).to.equal(404);
      await admin.post(`/api/admin/claims/${id}/refuse`, { reason: "x" });
      await buyer.enter();
      expect((await attach(buyer, id, PICTURE)).status, "it is answered").to.equal(409);
    });
  });

  describe("The list of sales", () => {
    it("has exactly its rows' fields, is filtered and searched, and comes in pages", async () => {
      const buyer = await system().user();
      const click = await visit(buyer);
      const sales = [];
      for (const status of ["pending", "approved", "declined"])
        sales.push(await report(click, { status, payable: false, order_ref: `LIST-${status}` }));
      const { body } = await admin.get(`/api/admin/sales?query=${buyer.address}`);
      expect(Object.keys(body).sort()).to.deep.equal(["next_before", "rows", "success", "total"]);
      expect([body.total, body.next_before]).to.deep.equal([3, null]);
      expect(Object.keys(body.rows[0])).to.have.members(
        (
          "id network account sale_key order_ref state status payable reason store_id wallet click_id amount currency " +
          "amount_brl commission cashback occurred_at changed_at released_by held_for"
        ).split(" "),
      );
      expect(body.rows.map((one: { state: string }) => one.state)).to.deep.equal(["declined", "approved", "open"]);
      expect(body.rows[2]).to.deep.include({
        id: sales[0]?.id,
        network: "direct",
        account: "awin",
        sale_key: sales[0]?.key,
        order_ref: "LIST-pending",
        status: "pending",
        payable: false,
        reason: null,
        held_for: [],
        store_id: STORE,
        wallet: buyer.address,
        click_id: click,
        amount: "100.00",
        currency: "BRL",
        amount_brl: "100.00",
        commission: "12.00",
        cashback: "5.00",
      });
      const idsOf = async (query: string) =>
        (await admin.get(`/api/admin/sales?${query}`)).body.rows.map((one: { id: number }) => one.id);
      const [pending, approved] = sales;
      for (const query of [pending?.key, "LIST-pend", String(pending?.id)])
        expect(await idsOf(`query=${query}`), query).to.deep.equal([pending?.id]);
      expect(await idsOf(`query=${click}`)).to.have.length(3);
      expect(await idsOf(`query=${buyer.address.slice(0, 12)}&state=approved&network=direct`)).to.deep.equal([
        approved?.id,
      ]);
      expect(await idsOf(`query=${buyer.address}&network=awin`)).to.deep.equal([]);
      expect(await idsOf("query=%25")).to.deep.equal([]);
      const page = (await admin.get(`/api/admin/sales?query=${buyer.address}&limit=2`)).body;
      expect([page.rows.length, page.total]).to.deep.equal([2, 3]);
      expect(await idsOf(`query=${buyer.address}&limit=2&before=${page.next_before}`)).to.deep.equal([pending?.id]);
      expectInvalid(await admin.get("/api/admin/sales?state=lost"), "state");
      expectRefusal(await buyer.get("/api/admin/sales"), 403, "FORBIDDEN");
    });

    it("shows one with its revisions and purchases", async () => {
      const click = await visit(await system().user());
      const { id, key } = await report(click, { parts: [{ group: "Nobody", amount: 40 }, { amount: 60 }] });
      await inState(id, "settled");
      expect((await saleOf(id)).unknown_groups).to.equal("Nobody");
      const first = await report(click, { sale_key: key, amount: 40, changed_at: Date.now() });
      expect(first.id).to.equal(id);
      const sale = await saleOf(id);
      expect(
        sale.revisions.map((one: { amount: string; applied: boolean }) => [one.amount, one.applied]),
      ).to.deep.equal([
        ["40.00", true],
        ["100.00", true],
      ]);
      expect(sale.purchases).to.have.length(1);
      expect(sale.purchases[0]).to.deep.include({ stage: "paid", amount: "100.00", cashback: "5.00", owed_back: "3" });
      expectRefusal(await admin.get("/api/admin/sales/999999"), 404, "NOT_FOUND");
    });
  });

  describe("A decision", () => {
    it("is made on the figures that were seen: what a further sale of the order changes is read again", async () => {
      const order = { order_ref: "PED-SEEN", status: "pending", payable: false };
      const reportOfAnother = async () => report(await visit(await system().user()), order);
      await reportOfAnother();
      const { id } = await reportOfAnother();
      const read = async () => (await admin.get(`/api/admin/sales/${id}`)).body.sale;
      const release = ({ revision, holds, holds_key }: Awaited<ReturnType<typeof read>>) =>
        admin.post(`/api/admin/sales/${id}/release`, { revision, holds, holds_key });
      const before = await read();
      expect(before.holds).to.deep.equal(["order_twice"]);
      await reportOfAnother();
      const now = await read();
      expect([now.revision, now.holds]).to.deep.equal([before.revision, before.holds]);
      expectRefusal(await release(before), 409, "SALE_CHANGED");
      expect((await release(now)).status).to.equal(200);
    });

    it("releases a held sale, declines one permanently, and assigns a click to an unmatched one", async () => {
      const buyer = await system().user();
      const click = await visit(buyer);
      const decide = (id: number, verb: string, body?: object) => admin.post(`/api/admin/sales/${id}/${verb}`, body);
      const thin = await report(click, { commission: "1.00" });
      expect((await saleOf(thin.id)).held_for).to.deep.equal([
        { reason: "low_commission", figures: { commission: "100", cashback: "500" } },
      ]);
      expect(await saleOf(thin.id)).to.include({
        state: "held",
        reason: "The commission is below the cashback",
        commission: "1.00",
        cashback: "5.00",
      });
      const { sale } = (await admin.send("GET", `/api/admin/sales/${thin.id}`, undefined, PORTUGUESE)).body;
      expect(sale.reason).to.equal("A comissão (R$ 1,00) é menor que o cashback (R$ 5,00)");
      expectRefusal(await decide(thin.id, "release"), 409, "SALE_CHANGED");
      const seen = { revision: sale.revision, holds: sale.holds };
      expect((await decide(thin.id, "release", seen)).status).to.equal(200);
      expectRefusal(await decide(thin.id, "release", seen), 409, "DECISION_REFUSED");
      await inState(thin.id, "settled");
      expect((await saleOf(thin.id)).released_by).to.equal(admin.address);
      expect(await balanceOf(buyer)).to.equal("5");

      const wrong = await report(click, { commission: "1.00" });
      expectInvalid(await decide(wrong.id, "decline", {}), "reason");
      expect((await decide(wrong.id, "decline", { reason: "A reseller" })).status).to.equal(200);
      await report(click, { sale_key: wrong.key, changed_at: Date.now() });
      expect(await saleOf(wrong.id)).to.include({ state: "declined", reason: "A reseller" });
      expectRefusal(await decide(wrong.id, "decline", { reason: "Again" }), 409, "DECISION_REFUSED");

      const unmatched = await report(null, { amount: 20, commission: 3 });
      expectInvalid(await decide(unmatched.id, "assign", { click_id: "mine" }), "click_id");
      expectRefusal(await decide(unmatched.id, "assign", { click_id: "a".repeat(26) }), 409, "DECISION_REFUSED");
      expect((await decide(unmatched.id, "assign", { click_id: click })).status).to.equal(200);
      expectRefusal(await decide(unmatched.id, "assign", { click_id: click }), 409, "DECISION_REFUSED");
      await inState(unmatched.id, "settled");
      expect(await balanceOf(buyer)).to.equal("6");
      for (const verb of ["release", "decline", "assign"])
        expectRefusal(await decide(999_999, verb, bodyOf(verb, click)), 404, "NOT_FOUND");
      expectRefusal(await buyer.post(`/api/admin/sales/${thin.id}/release`), 403, "FORBIDDEN");
      const { body } = await admin.get("/api/admin/audit-log");
      expect(JSON.stringify(body))
        .to.contain("sale.release")
        .and.to.contain("sale.decline")
        .and.to.contain("sale.assign");
    });
  });

  describe("A decision on a sale that the network changes meanwhile", () => {
    it("is refused if it names the revision that was seen, and is accepted with the one that counts", async () => {
      const buyer = await system().user();
      const click = await visit(buyer);
      const decide = (id: number, verb: string, body: object) => admin.post(`/api/admin/sales/${id}/${verb}`, body);
      const bodies = {
        release: { holds: ["low_commission"] },
        decline: { reason: "A reseller" },
        assign: { click_id: click },
      };
      for (const [verb, body] of Object.entries(bodies)) {
        const from = verb === "assign" ? null : click;
        const seen = await report(from, { commission: "1.00" });
        const { revision } = await saleOf(seen.id);
        expect(revision, verb).to.be.a("number");
        await report(from, { sale_key: seen.key, commission: "2.00", changed_at: Date.now() });
        const before = await saleOf(seen.id);
        expectRefusal(await decide(seen.id, verb, { ...body, revision }), 409, "SALE_CHANGED");
        expect(await saleOf(seen.id), verb).to.deep.equal(before);
        expect(before.revision, verb).to.be.greaterThan(revision);
        expect((await decide(seen.id, verb, { ...body, revision: before.revision })).status, verb).to.equal(200);
      }
      expectInvalid(await decide(999_999, "release", { revision: "latest" }), "revision");
    });
  });

  describe("The margin", () => {
    it("reports earned, promised and paid amounts per network, store and month", async () => {
      const click = await visit(await system().user(), 2);
      const occurred_at = "2025-03-10T12:00:00Z";
      const { id, key } = await report(click, { occurred_at, amount: 200, commission: 24 });
      await report(click, { occurred_at, amount: 100, commission: 12, status: "pending", payable: false });
      await inState(id, "settled");
      const margin = async () => (await admin.get("/api/admin/margin?from=2025-03&to=2025-03")).body;
      const { rows, totals } = await margin();
      expect(rows).to.have.length(1);
      // Other groups have the store's lowest percent, 4.5 %.
      const figures = {
        sales: 2,
        amount: "300.00",
        commission_pending: "12.00",
        commission_earned: "24.00",
        cashback_promised: "13.50",
        cashback_paid: "9.00",
        margin: "22.50",
      };
      expect(rows[0]).to.deep.include({
        network: "direct",
        account: "awin",
        store_id: 2,
        month: "2025-03",
        ...figures,
      });
      expect(totals).to.deep.equal(figures);
      await report(click, { sale_key: key, occurred_at, status: "declined", changed_at: Date.now() });
      expect((await margin()).totals, "what is owed back is not paid").to.deep.include({
        sales: 1,
        commission_earned: "0.00",
        cashback_promised: "4.50",
        cashback_paid: "0.00",
      });
      expectInvalid(await admin.get("/api/admin/margin?from=2025-13"), "from");
    });

    it("reports what each account earned, promised and lost in a month, beside what it may lose", async () => {
      const click = await visit(await system().user(), 2);
      const occurred_at = "2025-05-10T12:00:00Z";
      const held = await report(click, { occurred_at, amount: 100, commission: 3 });
      await inState(held.id, "held");
      const margin = async () => (await admin.get("/api/admin/margin?from=2025-05&to=2025-05")).body;
      const account = { network: "direct", account: "awin", month: "2025-05" };
      const figures = { commission_pending: "0.00", commission_earned: "3.00", cashback_promised: "4.50" };
      expect((await margin()).accounts).to.deep.equal([{ ...account, ...figures, lost: "0.00" }]);
      const { revision } = (await admin.get(`/api/admin/sales/${held.id}`)).body.sale;
      const released = await admin.post(`/api/admin/sales/${held.id}/release`, { revision, holds: ["low_commission"] });
      expect(released.status, JSON.stringify(released.body)).to.equal(200);
      const { accounts, loss_limit } = await margin();
      expect([accounts, loss_limit]).to.deep.equal([[{ ...account, ...figures, lost: "1.50" }], "40.00"]);
    });
  });

  describe("Nobody causes a payout", () => {
    const purchasesAndSales = async () => {
      const { kysely } = await system().database();
      const counts = [];
      for (const table of ["purchases", "sales"] as const)
        counts.push((await kysely.selectFrom(table).select("id").execute()).length);
      // Those of an earlier test go on meanwhile, up to their payouts.
      const mints = await kysely.selectFrom("operations").select("id").where("kind", "=", "mint").execute();
      return [...counts, mints.length];
    };

    it("by a leaked push secret: pushes only trigger reads (F52)", async () => {
      const buyer = await system().user();
      const click = await visit(buyer);
      const simulator = new AwinSimulator(PUBLISHERS.own, 600);
      const end = readerOf(await simulator.listen(), "own");
      const before = await purchasesAndSales();
      const push = {
        transactionId: "900000001",
        clickRef: click,
        transactionAmount: "5000",
        commissionStatus: "approved",
      };
      const path = `/api/hooks/awin/own/${PUSH_SECRET}`;
      const form = { "content-type": "application/x-www-form-urlencoded" };
      const body = new URLSearchParams({ AwinTransactionPush: JSON.stringify({ ...push, paidToPublisher: true }) });
      try {
        for (let count = 0; count < 5; count++) {
          expect((await system().anonymous().raw("POST", path, String(body), form)).status).to.equal(200);
          const query = new URLSearchParams({ ...push, transactionId: String(900_000_002 + count) });
          expect((await system().anonymous().raw("GET", `${path}?${query}`)).status).to.equal(200);
        }
        await until("it is looked up", () => simulator.calls.some((call) => call.path.includes("ids=")));
      } finally {
        await end();
        await simulator.close();
      }
      expect(await purchasesAndSales()).to.deep.equal(before);
      expect(await balanceOf(buyer)).to.equal("0");
      for (const wrong of [`/api/hooks/awin/own/${PUSH_SECRET}x`, `/api/hooks/awin/nobody/${PUSH_SECRET}`])
        expectRefusal(await system().anonymous().raw("GET", wrong), 404, "NOT_FOUND");
    });

    it("by an account of a network, for visits to another account's store (F52)", async () => {
      const buyer = await system().user();
      const click = await visit(buyer);
      const simulator = new AwinSimulator(PUBLISHERS.other, 600);
      const { id } = simulator.book.sell({
        click,
        advertiserId: "1",
        parts: [{ group: "X", cents: 500_000, commissionCents: 90_000 }],
      });
      simulator.book.approve(id);
      simulator.book.pay(id);
      const end = readerOf(await simulator.listen(), "other");
      const found = await until("it is held", async () => {
        const { rows } = (await admin.get(`/api/admin/sales?query=${buyer.address}`)).body;
        return rows.length === 1 && rows[0].state === "held" && rows[0];
      });
      await end();
      await simulator.close();
      expect(found).to.include({ network: "awin", account: "other" });
      expect(found.reason).to.contain("another network or account");
      // Nor for a sale of the account it belongs to, even with the same key.
      const own = await report(click, { sale_key: id, amount: 20, commission: 3 });
      await inState(own.id, "settled");
      expect(await balanceOf(buyer)).to.equal("1");
      expect((await buyer.me()).purchases).to.have.length(1);
    });

    it("by what a buyer sends (F52)", async () => {
      const buyer = await system().user();
      const before = (await purchasesAndSales())[0];
      const click = await visit(buyer);
      await buyer.post("/api/register-purchase", { user: buyer.address, store_id: STORE, amount: 1_000_000 });
      for (let id = 1; id <= (before ?? 0) + 3; id++) {
        const { status } = await buyer.post("/api/mint-nft", {
          user: buyer.address,
          purchase_id: id,
          metadata_uri: "",
        });
        expect(status, String(id)).to.be.oneOf([403, 404]);
      }
      expectRefusal(await buyer.post("/api/confirm-purchase", { purchase_id: 1 }), 403, "FORBIDDEN");
      const money = { user: buyer.address, amount: 1 };
      expect((await buyer.post("/api/distribute-cashback", money)).status).to.equal(403);
      expect((await tell(system(), { event_id: "mine", click_id: click }, { secret: "x".repeat(40) })).status).to.equal(
        403,
      );
      await age(click, 8);
      expect((await claim(buyer, { click_id: click, amount: "1000000" })).status).to.equal(200);
      expect((await purchasesAndSales())[0]).to.equal(before);
      expect(await balanceOf(buyer)).to.equal("0");
    });

    /** The network reader for one account, on the system's database. */
    function readerOf(api_url: string, account: keyof typeof PUBLISHERS): () => Promise<void> {
      const ending = new AbortController();
      const accounts: AffiliateAccount[] = readAccounts(accountsFile, []);
      const own = awin.accountSchema.parse({ ...awinAccount(account), api_url });
      const running = system()
        .database()
        .then((database) =>
          new Reader({
            database,
            network: findNetwork("awin") as AnyNetwork,
            account: own,
            signal: ending.signal,
            rules: { ...RULES, accounts, limits: { ...RULES.limits, minimumSeconds: 0n } },
            log: pino({ level: "silent" }),
            assertLease: async () => {},
          }).run(),
        );
      return async () => {
        ending.abort();
        await running;
      };
    }
  });
});

function bodyOf(verb: string, click: string): object {
  if (verb === "decline") return { reason: "x" };
  return verb === "assign" ? { click_id: click } : {};
}
