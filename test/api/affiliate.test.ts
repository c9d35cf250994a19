import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { readLedger } from "../testing/ledger.ts";
import { until } from "../testing/until.ts";
import { type Letter, tell } from "./support/affiliate-network.ts";
import type { Caller } from "./support/caller.ts";
import { expectInvalid, expectRefusal } from "./support/expect-refusal.ts";
import { AFFILIATE_SECRET, onBothSystems } from "./support/system.ts";

const OTHER_SECRET = "another-secret-that-is-long-enough-1234";
const CENT_IN_WEI = 10n ** 16n;

/** Answers R$ 5 for each day, but R$ 9 for a euro today; not at all at first. */
const feed = { isAway: true };
const rateFeed = createServer(({ url = "" }, response) => {
  const [, currency, from, today] = url.split("/");
  const rate = (day = "", cotacaoVenda = 5) => {
    const [month, date, year] = day.split("-");
    return { cotacaoVenda, dataHoraCotacao: `${year}-${month}-${date} 13:00:00` };
  };
  response.writeHead(feed.isAway ? 503 : 200);
  response.end(JSON.stringify({ value: [rate(from), rate(today, currency === "EUR" ? 9 : 5)] }));
});
await once(rateFeed.listen(0, "127.0.0.1").unref(), "listening");
const { port: feedPort } = rateFeed.address() as AddressInfo;

const environment = {
  SIMULATED_PURCHASES: "false",
  SALE_MIN_SECONDS: "0",
  FX_URL: `http://127.0.0.1:${feedPort}/{currency}/{from}/{day}`,
  // During rotation an account has two secrets.
  AFFILIATE_SECRETS: `awin:${AFFILIATE_SECRET},awin:${OTHER_SECRET},rakuten:${OTHER_SECRET}`,
};

onBothSystems("Reports of a shop", environment, (system) => {
  let eventCount = 0;
  const eventId = () => `event-${++eventCount}`;
  before(async () => {
    const { kysely } = await system().database();
    const ofAccount = { network: "direct", account: "awin" };
    await kysely.updateTable("stores").set(ofAccount).where("id", "=", 1n).execute();
    // Other groups have 5 %.
    await kysely
      .updateTable("store_cashbacks")
      .set({ is_default: 1n })
      .where("store_id", "=", 1n)
      .where("cashback_bps", "=", 500n)
      .execute();
  });
  /** Visits a store with a single percent, 5 %. */
  const visit = async (buyer: Caller): Promise<string> => {
    const { body } = await buyer.post("/api/register-purchase", {
      user: buyer.address,
      store_id: 1,
      amount: 1_000_000,
    });
    expect(body.purchase, "nothing that a buyer types is a purchase").to.equal(null);
    return body.click.id;
  };
  const known = async (event_id: string) => {
    const { kysely } = await system().database();
    return kysely.selectFrom("affiliate_events").selectAll().where("event_id", "=", event_id).execute();
  };
  const saleOf = async (saleKey: string) => {
    const { kysely } = await system().database();
    return kysely.selectFrom("sales").selectAll().where("sale_key", "=", saleKey).executeTakeFirstOrThrow();
  };
  const paymentsTo = async (buyer: Caller) => {
    const { purchaseNft, cashbackDistributor } = system().deployment;
    const ledger = await readLedger({
      rpcUrl: system().anvil.rpcUrl,
      purchaseNft: purchaseNft.address,
      cashbackDistributor: cashbackDistributor.address,
    });
    const { purchases } = await buyer.me();
    return purchases.flatMap((one) => ledger.paymentsOf(one.id).map((payment) => payment.args.amount));
  };
  const paid = (buyer: Caller, sum: bigint) =>
    until(`${sum} are paid`, async () => (await paymentsTo(buyer)).reduce((a, b) => a + b, 0n) === sum);
  /** The complete state of a sale. */
  const report = (click_id: string, more: Record<string, unknown> = {}) => ({
    event_id: eventId(),
    sale_key: `sale-${eventCount}`,
    click_id,
    status: "approved",
    payable: true,
    amount: "100.00",
    changed_at: Date.now(),
    ...more,
  });

  describe("in the earlier shape", () => {
    it("a report mints, a confirmation confirms and pays, at the network's own and last amount", async () => {
      const buyer = await system().user();
      const click_id = await visit(buyer);
      const first = await tell(system(), { event_id: eventId(), type: "report", click_id, amount: "80.00" });
      expect(first.status, first.text).to.equal(200);
      const { purchase_id } = first.body;
      await buyer.seen(purchase_id, (one) => one.status === "pending");
      await tell(system(), { event_id: eventId(), type: "confirm", click_id, amount: 60 });
      await paid(buyer, 300n * CENT_IN_WEI);
      const late = await tell(system(), { event_id: eventId(), type: "report", click_id, amount: 500 });
      expect([late.status, late.body.purchase_id]).to.deep.equal([200, purchase_id]);
      expect((await saleOf(click_id)).amount_cents, "a late report changes nothing").to.equal(6_000n);
    });

    it("a return before its approval wins", async () => {
      const buyer = await system().user();
      const click_id = await visit(buyer);
      await tell(system(), { event_id: eventId(), type: "reverse", click_id });
      await tell(system(), { event_id: eventId(), type: "confirm", click_id, amount: 100 });
      expect((await saleOf(click_id)).state).to.equal("declined");
      expect((await buyer.me()).purchases).to.deep.equal([]);
    });

    it("requires an amount", async () => {
      const click_id = await visit(await system().user());
      for (const type of ["report", "confirm"])
        expectInvalid(await tell(system(), { event_id: eventId(), type, click_id }), "amount", type);
    });
  });

  describe("of a sale", () => {
    it("are paid by parts once payable; a return is deducted from the next payout (F31)", async () => {
      const buyer = await system().user();
      const click_id = await visit(buyer);
      const first = report(click_id, { payable: false });
      await tell(system(), first);
      await until("it is confirmed", async () => (await buyer.me()).purchases[0]?.status === "confirmed");
      const distribute = { user: buyer.address, amount: 5 };
      const early = await system().service().post("/api/distribute-cashback", distribute);
      expectRefusal(early, 409, "NOTHING_PAYABLE");
      const again = { ...first, event_id: eventId(), changed_at: Date.now() };
      await tell(system(), { ...again, payable: true });
      await paid(buyer, 500n * CENT_IN_WEI);
      await tell(system(), { ...again, event_id: eventId(), status: "declined", changed_at: Date.now() });
      await tell(system(), report(click_id, { amount: 160 }));
      await paid(buyer, 800n * CENT_IN_WEI);
    });

    it("count by their own time, whatever order they arrive in", async () => {
      const click_id = await visit(await system().user());
      const late = report(click_id, { payable: false, amount: 70, changed_at: "2026-11-20T12:00:00-03:00" });
      await tell(system(), late);
      await tell(system(), { ...late, event_id: eventId(), status: "declined", changed_at: "2026-11-20T14:59:59Z" });
      const sale = await saleOf(late.sale_key);
      expect([sale.state, sale.amount_cents]).to.deep.equal(["approved", 7_000n]);
    });

    it("count once by their event_id, and never with another body", async () => {
      const click_id = await visit(await system().user());
      const sent = report(click_id, { payable: false });
      expect((await tell(system(), sent)).body.duplicate).to.equal(false);
      const same = await tell(system(), { ...sent, amount: 100, order_ref: null });
      expect([same.status, same.body.duplicate], "the same in other words").to.deep.equal([200, true]);
      expectRefusal(await tell(system(), { ...sent, status: "declined" }), 409, "EVENT_REUSED");
      expectRefusal(await tell(system(), { ...sent, sale_key: "another" }), 409, "EVENT_REUSED");
      const ahead = { ...sent, event_id: eventId(), changed_at: Date.now() + 600_000 };
      expectInvalid(await tell(system(), ahead), "changed_at");
    });

    it("name the store that sold where the account has several, and are held at another one than the click's", async () => {
      const { kysely } = await system().database();
      const move = (account: string | null) =>
        kysely.updateTable("stores").set({ network: "direct", account }).where("id", "=", 2n).execute();
      const click_id = await visit(await system().user());
      await move("awin");
      try {
        expectInvalid(await tell(system(), report(click_id)), "store_id");
        expectInvalid(await tell(system(), report(click_id, { store_id: 3 })), "store_id");
        const own = report(click_id, { store_id: 1, payable: false });
        expect((await tell(system(), own)).status).to.equal(200);
        const other = report(click_id, { store_id: 2 });
        expect((await tell(system(), other)).status).to.equal(200);
        expect([(await saleOf(own.sale_key)).state, (await saleOf(other.sale_key)).hold_reasons]).to.deep.equal([
          "approved",
          "other_store",
        ]);
      } finally {
        await move(null);
      }
    });

    it("for an unknown click are stored, and wait for a claim", async () => {
      const stored = report("nobody");
      const answer = await tell(system(), stored);
      expect([answer.status, answer.body.purchase_id]).to.deep.equal([200, null]);
      expect((await saleOf(stored.sale_key)).state).to.equal("unmatched");
    });

    it("of another account are held", async () => {
      const buyer = await system().user();
      const stolen = report(await visit(buyer));
      const answer = await tell(system(), stolen, { network: "rakuten", secret: OTHER_SECRET });
      expect([answer.status, (await saleOf(stolen.sale_key)).hold_reasons]).to.deep.equal([200, "other_account"]);
      expect((await buyer.me()).purchases).to.deep.equal([]);
    });

    it("are held for a click from before the store was this shop's: nobody agreed to its percents here", async () => {
      const [admin, second] = [await system().adminCaller(), await system().adminCaller("catalogue")];
      const link = async (network: string | null, account: string | null) => {
        const asked = await admin.send("PUT", "/api/store/1", JSON.stringify({ network, account }));
        expect(asked.status, asked.text).to.be.oneOf([200, 202]);
        if (asked.status === 202) {
          const agreed = await second.post(`/api/admin/proposals/${asked.body.proposal_id}/agree`);
          expect(agreed.status, agreed.text).to.equal(200);
        }
        const { kysely } = await system().database();
        const store = kysely.selectFrom("stores").select(["network", "account"]).where("id", "=", 1n);
        expect(await store.executeTakeFirst()).to.deep.equal({ network, account });
      };
      const holdOf = async (network: string | null, account: string | null) => {
        await link(network, account);
        const click = await visit(await system().user());
        await link("direct", "awin");
        const sent = report(click);
        expect((await tell(system(), sent)).status).to.equal(200);
        return (await saleOf(sent.sale_key)).hold_reasons;
      };
      expect(await holdOf("awin", "br")).to.equal("other_account");
      expect(await holdOf("direct", "rakuten")).to.equal("other_account");
      expect(await holdOf(null, null)).to.equal("other_account");
      expect(await holdOf("direct", "awin")).to.equal("");
    });

    it("without a rate wait for it, and for a person if it has jumped, and are paid then", async () => {
      const { kysely } = await system().database();
      const buyer = await system().user();
      feed.isAway = true;
      const sent = [report(await visit(buyer), { currency: "USD" }), report(await visit(buyer), { currency: "EUR" })];
      for (const one of sent) expect((await tell(system(), one)).status).to.equal(200);
      const admin = await system().adminCaller();
      const held = async () => {
        const { body } = await admin.get("/api/admin/sales?state=held");
        const own = body.rows.filter((row: { sale_key: string }) => sent.some((one) => one.sale_key === row.sale_key));
        return own.flatMap(({ currency, held_for }: { currency: string; held_for: { reason: string }[] }) =>
          held_for.map(({ reason }) => `${currency} ${reason}`),
        );
      };
      expect(await held()).to.have.members(["USD no_rate", "EUR no_rate"]);
      feed.isAway = false;
      // The next question would be asked half a minute later.
      await kysely.updateTable("fx_requests").set({ due_at: 0n }).execute();
      await paid(buyer, 2_500n * CENT_IN_WEI);
      expect(await held()).to.deep.equal(["EUR no_rate"]);
      const { day } = await kysely.selectFrom("fx_rates").select("day").executeTakeFirstOrThrow();
      const accepted = await admin.post(`/api/admin/fx-rates/EUR/${day}/accept`, {});
      expect(accepted.status, accepted.text).to.equal(200);
      await paid(buyer, 7_000n * CENT_IN_WEI);
    });

    it("cannot be minted, confirmed or paid by hand before they are due", async () => {
      const buyer = await system().user();
      const { kysely } = await system().database();
      await kysely.updateTable("stores").set({ mint_delay_seconds: 3_600n }).where("id", "=", 1n).execute();
      try {
        const { body } = await tell(system(), report(await visit(buyer), { status: "pending" }));
        const wish = { user: buyer.address, purchase_id: body.purchase_id };
        const refused = await buyer.post("/api/mint-nft", wish);
        expectRefusal(refused, 409, "NOT_DUE");
        expect(Date.parse(refused.body.due_at)).to.be.closeTo(Date.now() + 3_600_000, 60_000);
      } finally {
        await kysely.updateTable("stores").set({ mint_delay_seconds: null }).where("id", "=", 1n).execute();
      }
    });

    it("are not confirmed by hand while the network has not approved them", async () => {
      const buyer = await system().user();
      const { body } = await tell(system(), report(await visit(buyer), { status: "pending" }));
      await buyer.seen(body.purchase_id, (one) => one.status === "pending");
      const answer = await system().service().post("/api/confirm-purchase", { purchase_id: body.purchase_id });
      expectRefusal(answer, 409, "NOT_APPROVED");
    });
  });

  describe("reported twice", () => {
    it("count once per account: another account may use the same id", async () => {
      const event = report(await visit(await system().user()));
      expect((await tell(system(), event)).body.duplicate).to.equal(false);
      expect((await tell(system(), event)).body.duplicate).to.equal(true);
      const other = await tell(system(), event, { network: "rakuten", secret: OTHER_SECRET });
      expect([other.status, other.body.duplicate]).to.deep.equal([200, false]);
      expect((await known(event.event_id)).map((row) => row.network).sort()).to.deep.equal(["awin", "rakuten"]);
    });
  });

  describe("are accepted", () => {
    it("with either of an account's secrets, in hex of any case", async () => {
      const event = report(await visit(await system().user()));
      expect((await tell(system(), event, { secret: OTHER_SECRET })).status).to.equal(200);
      const body = JSON.stringify(event);
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const mac = createHmac("sha256", AFFILIATE_SECRET).update(`${timestamp}.${body}`).digest("hex").toUpperCase();
      const headers = { "x-torcida-timestamp": timestamp, "x-torcida-signature": mac };
      expect((await tell(system(), body, { headers })).status).to.equal(200);
    });

    it("up to five minutes early or late", async () => {
      const event = report(await visit(await system().user()));
      const nowS = Date.now() / 1_000;
      for (const atS of [nowS - 310, nowS + 310, 0]) {
        expectRefusal(await tell(system(), event, { atS }), 400, "TIMESTAMP_OUT_OF_WINDOW");
      }
      for (const atS of [nowS - 280, nowS + 280]) expect((await tell(system(), event, { atS })).status).to.equal(200);
    });

    it("not without a signature, or with one over other bytes, for another time or of another account", async () => {
      const event = report(await visit(await system().user()));
      // Not the next second, because a busy machine may sign in that one.
      const later = String(Math.floor(Date.now() / 1_000) + 60);
      const letters: Letter[] = [
        { headers: { "x-torcida-signature": "" } },
        { headers: { "x-torcida-signature": "0".repeat(64) } },
        { headers: { "x-torcida-signature": `sha256=${"0".repeat(64)}` } },
        { headers: { "x-torcida-timestamp": later } },
        { signed: JSON.stringify({ ...event, status: "declined" }) },
        { signed: `${JSON.stringify(event)} ` },
        { secret: "x".repeat(40) },
        { network: "rakuten" },
      ];
      for (const letter of letters) {
        expectRefusal(await tell(system(), event, letter), 403, "SIGNATURE_INVALID", JSON.stringify(letter));
      }
      for (const timestamp of ["", "now", "-1", "1e9"]) {
        const answer = await tell(system(), event, { headers: { "x-torcida-timestamp": timestamp } });
        expectInvalid(answer, "x-torcida-timestamp", timestamp);
      }
      expectRefusal(await tell(system(), event, { network: "nobody" }), 404, "NOT_FOUND");
      expect(await known(event.event_id)).to.deep.equal([]);
      await until("the log says so", async () =>
        system().apiLog().includes("An affiliate call had an invalid signature"),
      );
      expect(system().apiLog()).to.not.contain(AFFILIATE_SECRET);
    });
  });

  it("are refused if they are malformed, even when signed", async () => {
    const event: Record<string, unknown> = report(await visit(await system().user()));
    for (const field of ["event_id", "sale_key", "status", "amount", "changed_at"]) {
      const { [field]: _left, ...rest } = event;
      expectInvalid(await tell(system(), rest), field, "missing");
      for (const value of ["", " ", null, [], "x".repeat(200)]) {
        expectInvalid(await tell(system(), { ...event, [field]: value }), field, JSON.stringify(value));
      }
    }
    for (const amount of [-1, "1,50", "1e3", null]) {
      expectInvalid(await tell(system(), { ...event, amount }), "amount", String(amount));
    }
    expectRefusal(await tell(system(), "{"), 400, "INVALID_JSON");
    expectRefusal(await tell(system(), "[]"), 400, "INVALID_REQUEST");
    expectRefusal(await tell(system(), '{"event_id":"a","event_id":"b"}'), 400, "INVALID_JSON");
    const plain = await tell(system(), event, { headers: { "content-type": "text/plain" } });
    expectRefusal(plain, 415, "UNSUPPORTED_MEDIA_TYPE");
    expect(await known(String(event.event_id))).to.deep.equal([]);
  });
});
