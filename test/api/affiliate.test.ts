import { createHmac } from "node:crypto";
import { expect } from "chai";
import { CHAIN_STATUS } from "../../domain/purchase/life.ts";
import { readLedger } from "../testing/ledger.ts";
import { until } from "../testing/until.ts";
import { clickIdOf, type Letter, tell } from "./support/affiliate-network.ts";
import type { Caller } from "./support/caller.ts";
import { expectInvalid, expectRefusal } from "./support/expect-refusal.ts";
import { mint } from "./support/live-purchase.ts";
import { AFFILIATE_SECRET, onBothSystems } from "./support/system.ts";

const OTHER_SECRET = "another-secret-that-is-long-enough-1234";
const CENT_IN_WEI = 10n ** 16n;

const environment = {
  SIMULATED_PURCHASES: "false",
  // During a change of secrets a network has two.
  AFFILIATE_SECRETS: `awin:${AFFILIATE_SECRET},awin:${OTHER_SECRET},rakuten:${OTHER_SECRET}`,
};

onBothSystems("Reports of an affiliate network", environment, (system) => {
  let eventCount = 0;
  const eventId = () => `event-${++eventCount}`;
  const buy = async (buyer: Caller, amount = 100) => {
    const id = await buyer.buy(1, amount);
    return { id, click_id: await clickIdOf(system(), id) };
  };
  const known = async (event_id: string) => {
    const { kysely } = await system().database();
    return kysely.selectFrom("affiliate_events").selectAll().where("event_id", "=", event_id).execute();
  };
  const paymentsOf = async (id: number) => {
    const { purchaseNft, cashbackDistributor } = system().deployment;
    const ledger = await readLedger({
      rpcUrl: system().anvil.rpcUrl,
      purchaseNft: purchaseNft.address,
      cashbackDistributor: cashbackDistributor.address,
    });
    return ledger.paymentsOf(id).map((one) => one.args.amount);
  };

  describe("of a sale", () => {
    it("is a link to the store with the purchase's own click id", async () => {
      const buyer = await system().user();
      const request = { user: buyer.address, store_id: 1, amount: 100 };
      const { purchase } = (await buyer.post("/api/register-purchase", request)).body;
      const url = new URL(purchase.affiliate_url);
      expect(url.origin + url.pathname).to.equal("https://example.com/verdao-store");
      expect(url.searchParams.get("click_id")).to.equal(await clickIdOf(system(), purchase.id));
    });

    it("a report mints, a confirmation confirms and pays; each response says what happened", async () => {
      const buyer = await system().user();
      const { id, click_id } = await buy(buyer);
      const report = await tell(system(), { event_id: eventId(), type: "report", click_id });
      expect(report.status, report.text).to.equal(200);
      expect(report.body).to.include({ success: true, purchase_id: id, duplicate: false });
      await buyer.seen(id, (one) => one.status === "pending");
      await tell(system(), { event_id: eventId(), type: "confirm", click_id });
      await buyer.seen(id, (one) => one.cashback_state === "paid");
      expect(await paymentsOf(id)).to.deep.equal([500n * CENT_IN_WEI]);
    });

    it("a confirmation without a report does both", async () => {
      const buyer = await system().user();
      const { id, click_id } = await buy(buyer);
      await tell(system(), { event_id: eventId(), type: "confirm", click_id });
      await buyer.seen(id, (one) => one.cashback_state === "paid");
    });

    it("its own amount counts, until the ticket is minted", async () => {
      const buyer = await system().user();
      const { id, click_id } = await buy(buyer, 100);
      await tell(system(), { event_id: eventId(), type: "report", click_id, amount: "80.00" });
      const minted = await buyer.seen(id, (one) => one.status === "pending");
      expect(minted).to.include({ amount: "80.00", cashback_amount: "4" });
      const late = await tell(system(), { event_id: eventId(), type: "confirm", click_id, amount: 60 });
      expectRefusal(late, 409, "ALREADY_MINTED");
      const same = await tell(system(), { event_id: eventId(), type: "confirm", click_id, amount: 80 });
      expect(same.status).to.equal(200);
      await buyer.seen(id, (one) => one.cashback_state === "paid");
      expect(await paymentsOf(id)).to.deep.equal([400n * CENT_IN_WEI]);
    });
  });

  describe("of a return", () => {
    it("before the mint leaves no ticket", async () => {
      const buyer = await system().user();
      const { id, click_id } = await buy(buyer);
      await tell(system(), { event_id: eventId(), type: "reverse", click_id });
      expect((await buyer.me()).purchases[0]).to.include({ status: "cancelled", stored_status: "Cancelado" });
      const wish = { user: buyer.address, purchase_id: id };
      expectRefusal(await buyer.post("/api/mint-nft", wish), 409, "REVERSED");
      await tell(system(), { event_id: eventId(), type: "confirm", click_id });
      const later = await buy(buyer);
      await tell(system(), { event_id: eventId(), type: "confirm", click_id: later.click_id });
      await buyer.seen(later.id, (one) => one.cashback_state === "paid");
      expect((await buyer.me()).purchases.find((one) => one.id === id)).to.include({
        status: "cancelled",
        token_id: null,
      });
      expect((await buyer.me()).totals).to.include({ total: "5", count: 1 });
    });

    it("between mint and confirmation cancels the ticket for ever", async () => {
      const buyer = await system().user();
      const { id, click_id } = await buy(buyer);
      await mint(buyer, id);
      await tell(system(), { event_id: eventId(), type: "reverse", click_id });
      await tell(system(), { event_id: eventId(), type: "confirm", click_id });
      const { kysely } = await system().database();
      await until("the token is cancelled", async () => {
        const row = await kysely
          .selectFrom("nfts")
          .select("status")
          .where("token_id", "=", BigInt(id))
          .executeTakeFirstOrThrow();
        return row.status === BigInt(CHAIN_STATUS.cancelled);
      });
      expect(await paymentsOf(id)).to.deep.equal([]);
    });

    it("after the payment is taken from the next sales, to the gwei, and never paid twice", async () => {
      const buyer = await system().user();
      const first = await buy(buyer, 100);
      await tell(system(), { event_id: eventId(), type: "confirm", click_id: first.click_id });
      await buyer.seen(first.id, (one) => one.cashback_state === "paid");
      await tell(system(), { event_id: eventId(), type: "reverse", click_id: first.click_id });
      const { kysely } = await system().database();
      await until("the debt is recorded", () =>
        kysely.selectFrom("adjustments").selectAll().where("wallet", "=", buyer.address).executeTakeFirst(),
      );
      // 3 of the 5 CHZ of debt, then 4: two of them remain payable.
      const small = await buy(buyer, 60);
      await tell(system(), { event_id: eventId(), type: "confirm", click_id: small.click_id });
      await until("the small one is settled without a payout", async () => {
        const row = await kysely
          .selectFrom("purchases")
          .select(["settled_at", "offset_gwei"])
          .where("id", "=", BigInt(small.id))
          .executeTakeFirstOrThrow();
        return row.settled_at !== null && row.offset_gwei === 3_000_000_000n;
      });
      const large = await buy(buyer, 80);
      await tell(system(), { event_id: eventId(), type: "confirm", click_id: large.click_id });
      await buyer.seen(large.id, (one) => one.cashback_state === "paid");
      expect(await paymentsOf(small.id)).to.deep.equal([]);
      expect(await paymentsOf(large.id)).to.deep.equal([200n * CENT_IN_WEI]);
      // A second return of the same sale adds no debt.
      await tell(system(), { event_id: eventId(), type: "reverse", click_id: first.click_id });
      const last = await buy(buyer, 20);
      await tell(system(), { event_id: eventId(), type: "confirm", click_id: last.click_id });
      await buyer.seen(last.id, (one) => one.cashback_state === "paid");
      expect(await paymentsOf(last.id)).to.deep.equal([100n * CENT_IN_WEI]);
      expect((await buyer.me()).nativeBalance).to.equal("8");
    });
  });

  describe("twice", () => {
    it("counts once per network: another network may use the same id", async () => {
      const buyer = await system().user();
      const { click_id } = await buy(buyer);
      const event = { event_id: eventId(), type: "report", click_id };
      expect((await tell(system(), event)).body.duplicate).to.equal(false);
      expect((await tell(system(), event)).body.duplicate).to.equal(true);
      const rakuten = await tell(system(), event, { network: "rakuten", secret: OTHER_SECRET });
      expect([rakuten.status, rakuten.body.duplicate]).to.deep.equal([200, false]);
      expectRefusal(await tell(system(), { ...event, type: "reverse" }), 409, "EVENT_REUSED");
      const [first, second, ...others] = await known(event.event_id);
      expect([first?.network, second?.network].sort()).to.deep.equal(["awin", "rakuten"]);
      expect(others).to.deep.equal([]);
      expect((await buyer.me()).purchases[0]?.status).to.not.equal("cancelled");
    });
  });

  describe("is believed", () => {
    it("with either of a network's secrets, in hex of any case", async () => {
      const buyer = await system().user();
      const { click_id } = await buy(buyer);
      const event = { event_id: eventId(), type: "report", click_id };
      expect((await tell(system(), event, { secret: OTHER_SECRET })).status).to.equal(200);
      const body = JSON.stringify(event);
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const mac = createHmac("sha256", AFFILIATE_SECRET).update(`${timestamp}.${body}`).digest("hex").toUpperCase();
      const headers = { "x-torcida-timestamp": timestamp, "x-torcida-signature": mac };
      expect((await tell(system(), body, { headers })).status).to.equal(200);
    });

    it("up to five minutes early or late", async () => {
      const buyer = await system().user();
      const { click_id } = await buy(buyer);
      const event = { event_id: eventId(), type: "report", click_id };
      const nowS = Date.now() / 1_000;
      for (const atS of [nowS - 310, nowS + 310, 0]) {
        expectRefusal(await tell(system(), event, { atS }), 400, "TIMESTAMP_OUT_OF_WINDOW");
      }
      for (const atS of [nowS - 280, nowS + 280]) expect((await tell(system(), event, { atS })).status).to.equal(200);
    });

    it("not without a signature, or with one over other bytes, for another time or of another network", async () => {
      const buyer = await system().user();
      const { id, click_id } = await buy(buyer);
      const event = { event_id: eventId(), type: "confirm", click_id };
      const later = String(Math.floor(Date.now() / 1_000) + 1);
      const letters: Letter[] = [
        { headers: { "x-torcida-signature": "" } },
        { headers: { "x-torcida-signature": "0".repeat(64) } },
        { headers: { "x-torcida-signature": `sha256=${"0".repeat(64)}` } },
        { headers: { "x-torcida-timestamp": later } },
        { signed: JSON.stringify({ ...event, type: "reverse" }) },
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
      expect((await buyer.me()).purchases.find((one) => one.id === id)?.status).to.equal("processing");
      expect(system().apiLog()).to.contain("An affiliate call had a wrong signature");
      expect(system().apiLog()).to.not.contain(AFFILIATE_SECRET);
    });
  });

  it("is refused if it is malformed, even when signed", async () => {
    const buyer = await system().user();
    const { click_id } = await buy(buyer);
    const event: Record<string, unknown> = { event_id: eventId(), type: "report", click_id };
    for (const field of Object.keys(event)) {
      const { [field]: _left, ...rest } = event;
      expectInvalid(await tell(system(), rest), field, "missing");
      for (const value of ["", " ", 7, null, [], "x".repeat(200)]) {
        expectInvalid(await tell(system(), { ...event, [field]: value }), field, JSON.stringify(value));
      }
    }
    for (const amount of [0, -1, "1,50", 1.001, 10_000_000, null]) {
      expectInvalid(await tell(system(), { ...event, amount }), "amount", String(amount));
    }
    const stranger = { ...event, click_id: "0".repeat(32) };
    expectRefusal(await tell(system(), stranger), 404, "NOT_FOUND");
    expectRefusal(await tell(system(), "{"), 400, "INVALID_JSON");
    expectRefusal(await tell(system(), "[]"), 400, "INVALID_REQUEST");
    expectRefusal(
      await tell(system(), `{"event_id":"a","event_id":"b","click_id":"${click_id}"}`),
      400,
      "INVALID_JSON",
    );
    const plain = await tell(system(), event, { headers: { "content-type": "text/plain" } });
    expectRefusal(plain, 415, "UNSUPPORTED_MEDIA_TYPE");
    expect(await known(String(event.event_id))).to.deep.equal([]);
  });
});
