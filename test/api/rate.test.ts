import { expect } from "chai";
import pino from "pino";
import type { AcceptedRate } from "../../core/rates/rate-feed.ts";
import { httpRate } from "../../core/rates/rate-feed.ts";
import type { RateSource } from "../../core/rates/rate-source.ts";
import { readLedger } from "../testing/ledger.ts";
import { until } from "../testing/until.ts";
import { expectRefusal } from "./support/expect-refusal.ts";
import { buyConfirmed, mint } from "./support/live-purchase.ts";
import { type RateFeed, startRateFeed } from "./support/rate-feed.ts";
import { type ApiSystem, startSystem } from "./support/system.ts";

const RATE = 10n ** 16n;

describe("The exchange rate of a feed (F29)", () => {
  const silent = pino({ level: "silent" });
  let feed: RateFeed;
  let remembered: AcceptedRate | undefined;
  let source: RateSource | undefined;
  beforeEach(async () => {
    feed = await startRateFeed();
    remembered = undefined;
  });
  afterEach(() => {
    source?.stop();
    feed.stop();
  });

  const start = (maximumAgeSeconds = 900): RateSource => {
    source?.stop();
    source = httpRate({
      url: feed.url,
      refreshMs: 20,
      maximumAgeSeconds,
      maximumJumpPercent: 20,
      memory: {
        read: async () => remembered,
        write: async (rate) => {
          remembered = rate;
        },
      },
      log: silent,
    });
    return source;
  };
  const isRate = (rates: RateSource, weiPerCent: bigint) =>
    until(`the rate is ${weiPerCent}`, () => {
      const now = rates.current();
      return now.kind === "rate" && now.weiPerCent === weiPerCent;
    });
  const isNone = (rates: RateSource, why: RegExp) =>
    until(`there is no rate: ${why}`, () => {
      const now = rates.current();
      return now.kind === "unavailable" && why.test(now.reason);
    });

  it("is undefined until the feed has responded, then the feed's", async () => {
    const rates = start();
    expect(rates.current()).to.deep.include({ kind: "unavailable", lastWeiPerCent: undefined });
    feed.say(RATE);
    await isRate(rates, RATE);
    feed.say((RATE * 119n) / 100n);
    await isRate(rates, (RATE * 119n) / 100n);
  });

  it("is undefined while the feed's response is invalid, and recovers with it", async () => {
    const rates = start();
    const now = new Date().toISOString();
    const hostile = [
      "",
      "<html>Bad gateway</html>",
      "null",
      "[]",
      "1e16",
      `{"wei_per_cent":"0","at":"${now}"}`,
      `{"wei_per_cent":"-1","at":"${now}"}`,
      `{"wei_per_cent":"1e16","at":"${now}"}`,
      `{"wei_per_cent":10000000000000000,"at":"${now}"}`,
      `{"wei_per_cent":"${2n ** 63n}","at":"${now}"}`,
      `{"wei_per_cent":"${RATE}"}`,
      `{"wei_per_cent":"${RATE}","at":"yesterday"}`,
      `{"wei_per_cent":"${RATE}","at":"${now}"`,
    ];
    for (const text of hostile) {
      feed.say(RATE);
      await isRate(rates, RATE);
      feed.answer(text);
      await isNone(rates, /shape/);
      expect(rates.current(), text).to.include({ lastWeiPerCent: RATE });
    }
  });

  it("is undefined while the feed's rate is old, or in the future", async () => {
    const rates = start(900);
    feed.say(RATE, 901_000);
    await isNone(rates, /too old/);
    feed.say(RATE, 890_000);
    await isRate(rates, RATE);
    feed.say(RATE, -120_000);
    await isNone(rates, /not come yet/);
  });

  it("is undefined after a jump up or down, until it is back or the new level has lasted", async () => {
    const rates = start(1);
    feed.say(RATE);
    await isRate(rates, RATE);
    for (const jump of [RATE / 2n, (RATE * 3n) / 2n, (RATE * 121n) / 100n, 1n]) {
      feed.say(jump);
      await isNone(rates, /jumped by more than 20 %/);
      feed.say(RATE);
      await isRate(rates, RATE);
    }
    feed.say(RATE / 2n);
    await isNone(rates, /jumped/);
    feed.hangUp();
    await isNone(rates, /does not answer/);
    feed.say(RATE / 2n);
    await isRate(rates, RATE / 2n);
  });

  it("outlasts a silent feed until it is too old, and is then undefined", async () => {
    const rates = start(1);
    feed.say(RATE);
    await isRate(rates, RATE);
    feed.hangUp();
    const from = performance.now();
    await isNone(rates, /does not answer/);
    expect(performance.now() - from).to.be.greaterThan(500);
    feed.answer("", 503);
    await isNone(rates, /status 503/);
    feed.say(RATE);
    await isRate(rates, RATE);
  });

  it("is compared with the last one before a restart", async () => {
    feed.say(RATE);
    await isRate(start(), RATE);
    feed.say(RATE * 2n);
    await isNone(start(), /jumped/);
  });
});

describe("The shop while its rate feed fails (F29)", function () {
  this.timeout(300_000);
  let feed: RateFeed;
  let system: ApiSystem;
  before(async () => {
    feed = await startRateFeed();
    feed.say(RATE);
    system = await startSystem({
      SIMULATED_STEP_DELAY_MS: "3600000",
      RATE_URL: feed.url,
      RATE_REFRESH_SECONDS: "1",
      WEI_PER_CENT: "1",
    });
  });
  after(async () => {
    await system?.stop();
    feed?.stop();
  });

  const readiness = async () => {
    const response = await fetch(`${system.url}/readyz`);
    return { status: response.status, text: await response.text() };
  };
  const metrics = async () => (await fetch(`${system.url}/metrics`)).text();

  it("pauses confirmations with an alert, keeps frozen rates and pays them, and resumes by itself (F29)", async () => {
    await until("it is ready", async () => (await readiness()).status === 200);
    expect(await metrics()).to.match(/^torcida_rate_available 1$/m);
    const buyer = await system.user();
    const earlier = await buyConfirmed(system, buyer);

    feed.say(0n);
    await until("it is reported", async () => {
      const { status, text } = await readiness();
      return status === 503 && text.includes("There is no exchange rate");
    });
    expect(await metrics()).to.match(/^torcida_rate_available 0$/m);
    expect(system.apiLog()).to.contain("The rate feed was rejected");
    // Minted while there is no rate, so that none is frozen for it.
    const waiting = await buyer.buy();
    await mint(buyer, waiting);
    const service = system.service();
    const refused = await service.post("/api/confirm-purchase", { purchase_id: waiting });
    expectRefusal(refused, 503, "RATE_UNAVAILABLE");
    expect(refused.headers.get("retry-after")).to.match(/^\d+$/);
    const { purchases, totals } = await buyer.me();
    expect(purchases.find((one) => one.id === waiting)).to.include({ status: "pending", cashback_amount: "5" });
    expect(totals).to.include({ total: "10", confirmed: "5", pending: "5" });
    expect((await buyer.get("/api/config")).body.data.wei_per_cent, "the last accepted rate").to.equal(`${RATE}`);

    const wish = { user: buyer.address, amount: 5 };
    expect((await service.post("/api/distribute-cashback", wish)).status).to.equal(202);
    await buyer.seen(earlier, (one) => one.cashback_state === "paid");

    feed.say((RATE * 11n) / 10n);
    await until("it is ready again", async () => (await readiness()).status === 200);
    expect((await service.post("/api/confirm-purchase", { purchase_id: waiting })).status).to.equal(202);
    await buyer.seen(waiting, (one) => one.status === "confirmed");
    const owed = { user: buyer.address, amount: "5.5" };
    expect((await service.post("/api/distribute-cashback", owed)).status).to.equal(202);
    await buyer.seen(waiting, (one) => one.cashback_state === "paid");
    const ledger = await readLedger({
      rpcUrl: system.anvil.rpcUrl,
      purchaseNft: system.deployment.purchaseNft.address,
      cashbackDistributor: system.deployment.cashbackDistributor.address,
    });
    expect(ledger.paymentsOf(earlier).map((one) => one.args.amount)).to.deep.equal([500n * RATE]);
    expect(ledger.paymentsOf(waiting).map((one) => one.args.amount)).to.deep.equal([550n * RATE]);
  });
});
