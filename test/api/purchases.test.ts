import { setTimeout as delay } from "node:timers/promises";
import { expect } from "chai";
import { createPublicClient, encodeFunctionData, http } from "viem";
import { testFanTokenAbi } from "../../core/chain/generated/test-fan-token.ts";
import { NETWORK_RULES } from "../../core/process/network-rules.ts";
import { readLedger } from "../testing/ledger.ts";
import { until } from "../testing/until.ts";
import type { Caller } from "./support/caller.ts";
import { expectInvalid, expectRefusal } from "./support/expect-refusal.ts";
import { buyConfirmed, confirm, mint } from "./support/live-purchase.ts";
import { type ApiSystem, onBothSystems, startSystem } from "./support/system.ts";

const CENT_IN_WEI = 10n ** 16n;
const MINUTE_MS = 60_000;

onBothSystems("A purchase", { SIMULATED_STEP_DELAY_MS: "3600000" }, (system) => {
  let admin: Caller;
  let service: Caller;
  before(async () => {
    admin = await system().adminCaller();
    service = system().service();
  });

  const pay = (user: Caller, amount: number | string, headers: Record<string, string> = {}) =>
    service.post("/api/distribute-cashback", { user: user.address, amount }, headers);
  const put = (path: string, body: unknown) => admin.send("PUT", path, JSON.stringify(body));
  const ledger = () => ledgerOf(system());
  const newStore = async (percent: string, fields: Record<string, unknown> = {}) => {
    const store = await admin.post("/api/store", {
      name: "Loja dos termos",
      country: "Brasil",
      affiliate_link: "https://example.com/termos",
      ...fields,
    });
    const category = await admin.post(`/api/store/${store.body.id}/cashback`, {
      category: "Tudo",
      cashback_percent: percent,
    });
    return { id: store.body.id as number, categoryId: category.body.id as number };
  };

  describe("keeps the terms of its registration (F30)", () => {
    it("when the percent is edited before the mint, and the store renamed (F30)", async () => {
      const store = await newStore("4");
      const buyer = await system().user();
      const id = await buyer.buy(store.id, 200);
      await put(`/api/store/${store.id}/cashback/${store.categoryId}`, { cashback_percent: "9" });
      await put(`/api/store/${store.id}`, { name: "Outro nome" });
      await mint(buyer, id);
      await put(`/api/store/${store.id}/cashback/${store.categoryId}`, { cashback_percent: "1" });
      await confirm(system(), buyer, id);
      expectRefusal(await pay(buyer, 100), 409, "WRONG_AMOUNT");
      expect((await pay(buyer, 8)).status).to.equal(202);
      const paid = await buyer.seen(id, (one) => one.cashback_state === "paid");
      expect(paid).to.include({ cashback_percent: "4", cashback_amount: "8", store: "Outro nome" });
      const [payment] = (await ledger()).paymentsOf(id);
      expect(payment?.args.amount).to.equal(800n * CENT_IN_WEI);
      expect(payment?.args.recipient.toLowerCase()).to.equal(buyer.address);
      // So is its ticket drawn, in every list.
      const me = (await buyer.get("/api/me")).body.data;
      const listed = me.nfts.find(({ tokenId }: { tokenId: string }) => tokenId === String(id));
      const alone = (await buyer.get(`/api/nfts/${id}`)).body;
      for (const text of [listed, alone].map((one) => JSON.stringify(one)))
        expect(text).to.include('{"trait_type":"Loja","value":"Outro nome"}');
    });

    it("when the store and its categories are deleted at once (F30)", async () => {
      const store = await newStore("6");
      const buyer = await system().user();
      const id = await buyer.buy(store.id, 100);
      await admin.send("DELETE", `/api/store/${store.id}/cashback/${store.categoryId}`);
      await admin.send("DELETE", `/api/store/${store.id}`);
      await mint(buyer, id);
      await confirm(system(), buyer, id);
      expect((await pay(buyer, 6)).status).to.equal(202);
      await buyer.seen(id, (one) => one.cashback_state === "paid");
      expect((await ledger()).paymentsOf(id).map((one) => one.args.amount)).to.deep.equal([600n * CENT_IN_WEI]);
    });

    it("whatever other terms the buyer sends", async () => {
      const buyer = await system().user();
      const answer = await buyer.post("/api/register-purchase", {
        user: buyer.address,
        store_id: 3,
        amount: 100,
        cashback_percent: "99",
        cashback_bps: 9_900,
        bonus_percent: "50",
        status: "confirmed",
        wei_per_cent: "1",
        id: 1,
      });
      expect(answer.body.purchase).to.include({ cashback_percent: "4", bonus_percent: "0", status: "processing" });
    });
  });

  describe("has the bonus of its buyer's holding, read on the chain by the server (program club)", () => {
    const tokenOf = (slug: string) => {
      const token = system().deployment.fanTokens.find((one) => one.slug === slug);
      if (!token) throw new Error(`No fan token ${slug}`);
      return token;
    };
    const give = async (slug: string, to: `0x${string}`, units: bigint) => {
      const [from] = await system().anvil.request<string[]>("eth_accounts");
      const data = encodeFunctionData({ abi: testFanTokenAbi, functionName: "mint", args: [to, units] });
      const hash = await system().anvil.request("eth_sendTransaction", { from, to: tokenOf(slug).address, data });
      await until("the tokens arrived", () => system().anvil.request("eth_getTransactionReceipt", hash));
      // A balance is read at most once in the time of a block.
      await delay(NETWORK_RULES.localhost.blockMs);
    };
    const bonusOf = async (buyer: Caller, storeId: number, slug: string) => {
      const request = { user: buyer.address, store_id: storeId, amount: 100, token_slug: slug };
      const answer = await buyer.post("/api/register-purchase", request);
      expect(answer.status, answer.text).to.equal(200);
      return answer.body.purchase;
    };

    it("2 % for the club's token, and 0.5, 1 and 2 % more from 10, 30 and 50 tokens", async () => {
      const one = 10n ** BigInt(tokenOf("verdao").decimals);
      const steps: [bigint, string][] = [
        [0n, "2"],
        [10n * one - 1n, "2"],
        [10n * one, "2.5"],
        [30n * one - 1n, "2.5"],
        [30n * one, "3"],
        [50n * one - 1n, "3"],
        [50n * one, "4"],
      ];
      const buyer = await system().user();
      let held = 0n;
      for (const [wanted, percent] of steps) {
        if (wanted > held) await give("verdao", buyer.account.address, wanted - held);
        held = wanted;
        expect((await bonusOf(buyer, 1, "verdao")).bonus_percent, `${wanted} units`).to.equal(percent);
      }
      const me = await buyer.me();
      expect(me.tokens.find((token) => token.symbol === "VERDAO")?.balance).to.equal("50");
    });

    it("counts whole tokens if a token has no decimals", async () => {
      expect(tokenOf("psg").decimals).to.equal(0);
      const buyer = await system().user();
      await give("psg", buyer.account.address, 30n);
      expect((await bonusOf(buyer, 2, "psg")).bonus_percent).to.equal("3");
    });

    it("none for another club's token, whatever the holding, or at a store without a club", async () => {
      const buyer = await system().user();
      await give("psg", buyer.account.address, 1_000n);
      expect((await bonusOf(buyer, 1, "psg")).bonus_percent).to.equal("0");
      expect((await bonusOf(buyer, 3, "psg")).bonus_percent).to.equal("0");
    });

    it("records the block of the reading, and keeps the bonus when the holding changes later", async () => {
      const buyer = await system().user();
      await give("psg", buyer.account.address, 10n);
      const { id } = await bonusOf(buyer, 2, "psg");
      await give("psg", buyer.account.address, 90n);
      const { kysely } = await system().database();
      const row = await kysely
        .selectFrom("purchases")
        .select("balance_block")
        .where("id", "=", BigInt(id))
        .executeTakeFirstOrThrow();
      const units = await createPublicClient({ transport: http(system().anvil.rpcUrl) }).readContract({
        address: tokenOf("psg").address,
        abi: testFanTokenAbi,
        functionName: "balanceOf",
        args: [buyer.address],
        blockNumber: row.balance_block ?? 0n,
      });
      expect(units).to.equal(10n);
      expect((await buyer.me()).purchases.find((one) => one.id === id)?.bonus_percent).to.equal("2.5");
    });

    it("is on the ticket, in the whole percent and as its own attribute", async () => {
      const buyer = await system().user();
      await give("psg", buyer.account.address, 50n);
      const { id } = await bonusOf(buyer, 2, "psg");
      await mint(buyer, id);
      const uri = await (await ledger()).tokenUri(id);
      const { attributes } = JSON.parse(Buffer.from(uri.slice(uri.indexOf(",") + 1), "base64").toString("utf8"));
      const values = new Map(
        attributes.map((one: { trait_type: string; value: string }) => [one.trait_type, one.value]),
      );
      expect([values.get("Cashback"), values.get("Bônus")]).to.deep.equal(["11%", "4% (incluído)"]);
      const nft = (await buyer.me()).nfts.find((one) => one.tokenId === String(id));
      for (const { trait_type, value } of nft?.metadata.attributes ?? []) {
        expect(values.get(trait_type), trait_type).to.equal(value);
      }
    });
  });

  describe("has an amount in reais", () => {
    it("as a number or text, from a cent to the cap, exactly", async () => {
      const buyer = await system().user();
      const given: [unknown, string][] = [
        [0.01, "0.01"],
        ["0.01", "0.01"],
        [100.1, "100.10"],
        [1.15, "1.15"],
        ["12.50", "12.50"],
        [1_000_000, "1000000.00"],
        ["1000000.00", "1000000.00"],
      ];
      for (const [amount, text] of given) {
        const answer = await buyer.post("/api/register-purchase", { user: buyer.address, store_id: 1, amount });
        expect(answer.body.purchase?.amount, answer.text).to.equal(text);
      }
      for (const amount of [1_000_000.01, "1000000.01", 0.001, "-0.01", "+1", "1e3", "١", " 1 "]) {
        const answer = await buyer.post("/api/register-purchase", { user: buyer.address, store_id: 1, amount });
        expectInvalid(answer, "amount", String(amount));
      }
    });

    it("whose cashback is exact to the gwei, rounded down", async () => {
      const store = await newStore("3.33");
      const buyer = await system().user();
      const id = await buyer.buy(store.id, "0.07");
      const [record] = (await buyer.me()).purchases;
      expect(record?.cashback_amount).to.equal("0.002331");
      await mint(buyer, id);
      await confirm(system(), buyer, id);
      expect((await pay(buyer, "0.002331")).status).to.equal(202);
      await buyer.seen(id, (one) => one.cashback_state === "paid");
      expect((await buyer.me()).nativeBalance).to.equal("0.002331");
    });
  });

  it("belongs to its buyer: nobody else can list it, mint it or claim it", async () => {
    const [buyer, other] = [await system().user(), await system().user()];
    const id = await buyer.buy();
    expect((await other.get("/api/purchases")).body.purchases).to.deep.equal([]);
    expect((await other.me()).purchases).to.deep.equal([]);
    for (const user of [buyer.address, other.address]) {
      expectRefusal(await other.post("/api/mint-nft", { user, purchase_id: id }), 404, "NOT_FOUND");
      expectRefusal(await service.post("/api/mint-nft", { user: other.address, purchase_id: id }), 403, "FORBIDDEN");
    }
    const wish = { user: buyer.address, store_id: 1, amount: 1 };
    expectRefusal(await other.post("/api/register-purchase", wish), 403, "FORBIDDEN");
    expectRefusal(await admin.post("/api/register-purchase", wish), 403, "FORBIDDEN");
    expect((await ledger()).mintsOf(id)).to.deep.equal([]);
  });

  it("may have its own metadata, until it is minted", async () => {
    const buyer = await system().user();
    const id = await buyer.buy();
    const metadata_uri = "ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi/1.json";
    await buyer.post("/api/mint-nft", { user: buyer.address, purchase_id: id, metadata_uri });
    await buyer.seen(id, (one) => one.status === "pending");
    expect(await (await ledger()).tokenUri(id)).to.equal(metadata_uri);
    await buyer.post("/api/mint-nft", { user: buyer.address, purchase_id: id, metadata_uri: "ipfs://other" });
    expect(await (await ledger()).tokenUri(id)).to.equal(metadata_uri);
  });

  it("can be withdrawn by its buyer until its ticket is sent, and earns nothing then", async () => {
    const [buyer, other] = [await system().user(), await system().user()];
    const id = await buyer.buy();
    const withdraw = (who: Caller, purchase: number) => who.post(`/api/purchases/${purchase}/withdraw`, {});
    expectRefusal(await withdraw(other, id), 404, "NOT_FOUND");
    expectRefusal(await withdraw(buyer, 4_711_000), 404, "NOT_FOUND");
    const overview = async () => (await admin.get("/api/admin/overview")).body.data;
    const before = await overview();
    for (const again of [1, 2]) expect((await withdraw(buyer, id)).status, `time ${again}`).to.equal(200);
    const { purchases, totals, statement } = await buyer.me();
    expect([purchases[0]?.situation, totals.total, statement.sum]).to.deep.equal(["withdrawn", "0", "0"]);
    const { activity, ...after } = await overview();
    expect(before.purchases - after.purchases, "counted in the panel").to.equal(1);
    expect(activity.find((one: { id: number }) => one.id === id)?.status, "in the panel").to.equal("cancelled");
    const { steps } = (await admin.get(`/api/admin/purchases/${id}`)).body.purchase;
    const reversed = steps.find((step: { kind: string }) => step.kind === "reversed");
    expect(reversed?.text, "in its history").to.equal("cancelled by its buyer");
    expectRefusal(await buyer.post("/api/mint-nft", { user: buyer.address, purchase_id: id }), 409, "REVERSED");
    const minted = await buyer.buy();
    await mint(buyer, minted);
    expectRefusal(await withdraw(buyer, minted), 409, "TICKET_SENT");
    expect((await ledger()).mintsOf(id)).to.deep.equal([]);
  });

  it("cannot be confirmed by its own buyer, even an admin", async () => {
    const id = await admin.buy();
    await mint(admin, id);
    expectRefusal(await admin.post("/api/confirm-purchase", { purchase_id: id }), 403, "FORBIDDEN");
    await confirm(system(), admin, id);
  });

  describe("is registered", () => {
    const register = (buyer: Caller, change: object, key: string) =>
      buyer.post(
        "/api/register-purchase",
        { user: buyer.address, store_id: 1, amount: 100, ...change },
        { "idempotency-key": key },
      );
    const idsOf = async (buyer: Caller) =>
      (await buyer.get("/api/purchases")).body.purchases.map((one: { id: number }) => one.id);

    it("once for one Idempotency-Key, also fifty times at once; another body gets 422", async () => {
      const buyer = await system().user();
      const answers = await Promise.all(Array.from({ length: 50 }, () => register(buyer, {}, "a-cart")));
      expect(new Set(answers.map((one) => one.status))).to.deep.equal(new Set([200]));
      const [first] = answers;
      for (const one of answers) expect(one.body.purchase).to.deep.equal(first?.body.purchase);
      expect((await register(buyer, { amount: "100.00" }, "a-cart")).body.purchase).to.deep.equal(first?.body.purchase);
      expect(await idsOf(buyer)).to.deep.equal([first?.body.purchase.id]);
      expectRefusal(await register(buyer, { amount: 90 }, "a-cart"), 422, "IDEMPOTENCY_KEY_REUSED");
      expectRefusal(await pay(buyer, 5, { "idempotency-key": "a-cart" }), 409, "NOTHING_PAYABLE");
      expectInvalid(await register(buyer, {}, "a b"), "Idempotency-Key");
      // Keys are per caller.
      const other = await system().user();
      expect((await register(other, {}, "a-cart")).body.purchase.id).to.not.equal(first?.body.purchase.id);
      expect((await register(buyer, {}, "another-cart")).status).to.equal(200);
      expect(await idsOf(buyer)).to.have.length(2);
    });
  });

  describe("is paid", () => {
    it("once for one Idempotency-Key: the same body gets the same response, another body 422", async () => {
      const buyer = await system().user();
      const id = await buyer.buy();
      const key = { "idempotency-key": `november-${id}` };
      expectRefusal(await pay(buyer, 5, key), 409, "NOTHING_PAYABLE");
      await mint(buyer, id);
      await confirm(system(), buyer, id);
      const first = await pay(buyer, 5, key);
      expect(first.status, "a refusal is not remembered").to.equal(202);
      const again = await pay(buyer, "5.0", key);
      expect([again.status, again.body.amount]).to.deep.equal([202, "5"]);
      const [payment] = again.body.payments;
      expect(payment).to.include({ purchase_id: id, amount: "5" });
      expectRefusal(await pay(buyer, 4, key), 422, "IDEMPOTENCY_KEY_REUSED");
      expectRefusal(await pay(await system().user(), 5, key), 422, "IDEMPOTENCY_KEY_REUSED");
      expectRefusal(await pay(buyer, 5), 409, "NOTHING_PAYABLE");
      await buyer.seen(id, (one) => one.cashback_state === "paid");
      const late = await pay(buyer, 5, key);
      expect(late.body.payments[0]).to.include({ purchase_id: id, amount: "5", status: "paid" });
      const [onChain] = (await ledger()).paymentsOf(id);
      expect(late.body.payments[0].tx_hash).to.equal(onChain?.transactionHash);
      // Keys are per caller: an admin's identical key is a different one.
      const others = await admin.post("/api/distribute-cashback", { user: buyer.address, amount: 4 }, key);
      expectRefusal(others, 409, "NOTHING_PAYABLE");
      expect((await ledger()).paymentsOf(id)).to.have.length(1);
    });

    it("once, when requested fifty times at once, with one key or none (F11, F12, F13)", async () => {
      const buyer = await system().user();
      const id = await buyer.buy();
      const atOnce = <T>(call: () => Promise<T>) => Promise.all(Array.from({ length: 50 }, call));
      const countOf = (answers: { status: number }[], status: number) =>
        answers.filter((one) => one.status === status).length;

      const mints = await atOnce(() => buyer.post("/api/mint-nft", { user: buyer.address, purchase_id: id }));
      expect(countOf(mints, 202) + countOf(mints, 200), mints.map((one) => one.text).join()).to.equal(50);
      await buyer.seen(id, (one) => one.status === "pending");
      const confirms = await atOnce(() => service.post("/api/confirm-purchase", { purchase_id: id }));
      expect(countOf(confirms, 202) + countOf(confirms, 200), confirms.map((one) => one.text).join()).to.equal(50);
      await buyer.seen(id, (one) => one.status === "confirmed");
      const key = { "idempotency-key": `fifty-${id}` };
      const [keyed, keyless] = await Promise.all([atOnce(() => pay(buyer, 5, key)), atOnce(() => pay(buyer, 5))]);
      // Whichever request was first, all with the key get the same response.
      const isKeyFirst = countOf(keyed, 202) > 0;
      expect([countOf(keyed, 202), countOf(keyless, 202)]).to.deep.equal(isKeyFirst ? [50, 0] : [0, 1]);
      expect(countOf([...keyed, ...keyless], 409)).to.equal(isKeyFirst ? 50 : 99);
      await buyer.seen(id, (one) => one.cashback_state === "paid");
      const { mintsOf, paymentsOf } = await ledger();
      expect([mintsOf(id).length, paymentsOf(id).length]).to.deep.equal([1, 1]);
      expect((await buyer.me()).nativeBalance).to.equal("5");
    });

    it("not with an invalid Idempotency-Key", async () => {
      const buyer = await system().user();
      for (const key of ["", "x".repeat(129), "a b"]) {
        expectInvalid(await pay(buyer, 5, { "idempotency-key": key }), "Idempotency-Key", key);
      }
    });

    it("by an admin only with a sign-in of the last fifteen minutes, and never by a fixed sentence", async () => {
      const buyer = await system().user();
      const id = await buyConfirmed(system(), buyer);
      const wish = { user: buyer.address, amount: 5 };
      const tired = await system().adminCaller();
      await system().age(tired.token, 15 * MINUTE_MS + 1_000);
      expectRefusal(await tired.post("/api/distribute-cashback", wish), 403, "SIGN_IN_AGAIN");
      expect((await tired.get("/api/admin/overview")).status, "other calls still work").to.equal(200);
      const signature = await admin.signSentence("login");
      const fixed = await admin.post("/api/login", { address: admin.address, signature });
      expectRefusal(fixed, 400, "NONCE_REQUIRED");
      const almost = await system().adminCaller();
      await system().age(almost.token, 14 * MINUTE_MS);
      expect((await almost.post("/api/distribute-cashback", { ...wish, reason: "asked by mail" })).status).to.equal(
        202,
      );
      const [entry] = (await almost.get(`/api/admin/audit-log?query=user:${buyer.address}`)).body.rows;
      expect(entry).to.deep.include({
        actor: almost.address,
        action: "cashback_distribution.create",
        params: { reason: "asked by mail", amount: "5", purchases: [id] },
      });
      await buyer.seen(id, (one) => one.cashback_state === "paid");
    });

    it("together with the buyer's others, and only to that wallet", async () => {
      const buyer = await system().user();
      const ids = [await buyer.buy(1, 100), await buyer.buy(3, 50), await buyer.buy(1, 10)];
      for (const id of ids.slice(0, 2)) {
        await mint(buyer, id);
        await confirm(system(), buyer, id);
      }
      const answer = await pay(buyer, "7");
      expect(answer.body.payments.map((one: { purchase_id: number }) => one.purchase_id)).to.deep.equal(
        ids.slice(0, 2),
      );
      for (const id of ids.slice(0, 2)) await buyer.seen(id, (one) => one.cashback_state === "paid");
      const { totals, nativeBalance } = await buyer.me();
      expect(nativeBalance).to.equal("7");
      expect(totals).to.include({ total: "7.5", confirmed: "7", pending: "0.5", paid: "7", count: 3 });
    });

    it("not while payouts are paused", async () => {
      const buyer = await system().user();
      const id = await buyConfirmed(system(), buyer);
      await admin.post("/api/admin/payouts", { paused: true, reason: "exercise" });
      const refused = await pay(buyer, 5);
      expectRefusal(refused, 503, "PAYOUTS_PAUSED");
      expect(refused.body.message).to.contain("exercise");
      expect((await admin.get("/api/admin/overview")).body.data.payouts).to.deep.equal({
        paused: true,
        reason: "exercise",
        cause: null,
      });
      await admin.post("/api/admin/payouts", { paused: false });
      expect((await pay(buyer, 5)).status).to.equal(202);
      await buyer.seen(id, (one) => one.cashback_state === "paid");
    });
  });
});

describe("A purchase in simulated mode", function () {
  this.timeout(300_000);
  let system: ApiSystem;
  before(async () => {
    // The hold applies to live purchases only and must not delay this one.
    system = await startSystem({ HOLD_SECONDS: "3600", SIMULATED_STEP_DELAY_MS: "300" });
  });
  after(() => system?.stop());

  it("is minted, confirmed and paid automatically, one step after the other, once", async () => {
    const buyer = await system.user();
    const id = await buyer.buy(1, 100, "verdao");
    expect((await buyer.me()).purchases[0]).to.include({ status: "processing", cashback_state: "unpaid" });
    const seen: string[] = [];
    await buyer.seen(id, (one) => {
      const state = `${one.status} ${one.cashback_state}`;
      if (seen.at(-1) !== state) seen.push(state);
      return one.cashback_state === "paid";
    });
    const order = ["processing unpaid", "pending unpaid", "confirmed unpaid", "confirmed paid"];
    expect(seen).to.deep.equal(order.filter((state) => seen.includes(state)));
    expect(seen).to.include("pending unpaid");
    const { nativeBalance, totals, purchases } = await buyer.me();
    expect(nativeBalance).to.equal("7");
    expect(totals).to.include({ total: "7", confirmed: "7", paid: "7", confirmed_count: 1 });
    const [record] = purchases;
    const times = [record?.created_at, record?.minted_at, record?.confirmed_at, record?.paid_at].map(String);
    expect(times).to.not.include("null");
    for (const hash of [record?.mint_tx, record?.status_tx, record?.payment_tx])
      expect(hash).to.match(/^0x[0-9a-f]{64}$/);
    const { mintsOf, paymentsOf } = await ledgerOf(system);
    expect([mintsOf(id).length, paymentsOf(id).length]).to.deep.equal([1, 1]);
  });

  it("does not wait for an admin, and cannot be paid again by one", async () => {
    const buyer = await system.user();
    const id = await buyer.buy();
    await buyer.seen(id, (one) => one.cashback_state === "paid");
    const service = system.service();
    const again = await service.post("/api/confirm-purchase", { purchase_id: id });
    expect([again.status, again.body.status]).to.deep.equal([200, "confirmed"]);
    const wish = { user: buyer.address, amount: 5 };
    expectRefusal(await service.post("/api/distribute-cashback", wish), 409, "NOTHING_PAYABLE");
    expect((await ledgerOf(system)).paymentsOf(id)).to.have.length(1);
  });
});

function ledgerOf({ anvil, deployment }: ApiSystem) {
  return readLedger({
    rpcUrl: anvil.rpcUrl,
    purchaseNft: deployment.purchaseNft.address,
    cashbackDistributor: deployment.cashbackDistributor.address,
  });
}
