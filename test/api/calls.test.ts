import { expect } from "chai";
import type { z } from "zod";
import {
  fanTokensResponseSchema,
  storeCashbackSchema,
  storeResponseSchema,
  storeSchema,
  storesResponseSchema,
} from "../../core/rules/api/catalogue.ts";
import { checkUserResponseSchema, meResponseSchema, purchaseNftSchema } from "../../core/rules/api/people.ts";
import { purchaseRecordSchema } from "../../core/rules/api/purchases.ts";
import { type Answer, PERSON } from "../testing/shopper.ts";
import { Caller } from "./support/caller.ts";
import { expectInvalid, expectRefusal } from "./support/expect-refusal.ts";
import { buyConfirmed, confirm, mint } from "./support/live-purchase.ts";
import { onBothSystems } from "./support/system.ts";

const IMAGE = "https://example.com/token.png";
const UNKNOWN_ID = 999_999;

// What a client that knows only docs/product.md can rely on.
onBothSystems("The calls of the API", { SIMULATED_STEP_DELAY_MS: "3600000" }, (system) => {
  let owner: Caller;
  let admin: Caller;
  let service: Caller;
  before(async () => {
    owner = await system().user();
    admin = await system().adminCaller();
    service = system().service();
  });

  describe("GET /api", () => {
    it("reports its health", async () => {
      expectDone(await system().anonymous().get("/api"), { success: true, status: "ok" });
    });
  });

  describe("POST /api/check-user", () => {
    it("reports whether a wallet is registered, in any spelling of its address", async () => {
      const stranger = system().anonymous();
      const unknown = await stranger.post("/api/check-user", { address: stranger.address });
      expect([unknown.status, unknown.body.success, unknown.body.exists]).to.deep.equal([200, true, false]);
      for (const address of [owner.address, owner.account.address, `0x${owner.address.slice(2).toUpperCase()}`]) {
        const known = await stranger.post("/api/check-user", { address });
        expect([known.status, known.body.success, known.body.exists], address).to.deep.equal([200, true, true]);
        const { challenge } = matching(checkUserResponseSchema, known.body);
        expect(challenge.message).to.contain(challenge.nonce).and.to.contain(`Login Torcida para ${owner.address}`);
      }
    });

    it("refuses what is not an address", async () => {
      for (const address of ["", "0x", owner.address.slice(1), `${owner.address}0`, 1, null, [owner.address], {}]) {
        expectInvalid(await system().anonymous().post("/api/check-user", { address }), "address", String(address));
      }
      expectInvalid(await system().anonymous().post("/api/check-user", {}), "address");
      const misspelt = "0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
      expectInvalid(await system().anonymous().post("/api/check-user", { address: misspelt }), "address", "a checksum");
    });
  });

  describe("POST /api/register-user-data", () => {
    const registration = async (caller: Caller) => ({
      address: caller.address,
      ...PERSON,
      signature: await caller.signSentence("register"),
    });

    it("registers once, with the fixed texts", async () => {
      const caller = system().anonymous();
      const request = await registration(caller);
      const answer = await caller.post("/api/register-user-data", request);
      expect(answer.status).to.equal(200);
      expect(answer.body).to.include({ success: true, message: "Account created successfully" });
      const again = await caller.post("/api/register-user-data", request);
      expectRefusal(again, 409, "ALREADY_REGISTERED");
      expect(again.body.error).to.equal("This wallet is already registered");
    });

    it("requires every field and a valid e-mail address", async () => {
      const caller = system().anonymous();
      const request: Record<string, unknown> = await registration(caller);
      for (const field of ["address", "first_name", "last_name", "email", "signature"]) {
        const { [field]: _left, ...rest } = request;
        expectInvalid(await caller.post("/api/register-user-data", rest), field, "missing");
        expectInvalid(await caller.post("/api/register-user-data", { ...request, [field]: " " }), field, "blank");
        expectInvalid(await caller.post("/api/register-user-data", { ...request, [field]: 7 }), field, "a number");
      }
      expectInvalid(await caller.post("/api/register-user-data", { ...request, email: "ana" }), "email");
      expect((await caller.post("/api/check-user", { address: caller.address })).body.exists).to.equal(false);
    });

    it("accepts only the wallet's own signature over its own sentence", async () => {
      const caller = system().anonymous();
      const request = await registration(caller);
      const stranger = system().anonymous();
      const signatures = [
        await stranger.signSentence("register"),
        await caller.signSentence("login"),
        await caller.account.signMessage({ message: `Cadastro Torcida para ${caller.account.address}` }),
      ];
      for (const signature of signatures) {
        const answer = await caller.post("/api/register-user-data", { ...request, signature });
        expectRefusal(answer, 400, "SIGNATURE_INVALID");
      }
    });
  });

  describe("POST /api/login", () => {
    it("returns a working token for the fixed sentence", async () => {
      const caller = system().anonymous();
      await caller.post("/api/register-user-data", {
        address: caller.address,
        ...PERSON,
        signature: await caller.signSentence("register"),
      });
      const answer = await caller.post("/api/login", {
        address: caller.address,
        signature: await caller.signSentence("login"),
      });
      expect([answer.status, answer.body.success]).to.deep.equal([200, true]);
      expect(answer.body.token).to.be.a("string").and.to.have.length.greaterThan(40);
      caller.token = answer.body.token;
      expect((await caller.get("/api/me")).status).to.equal(200);
    });

    it("returns 404 for an unregistered wallet, and 400 for a wrong signature", async () => {
      const caller = system().anonymous();
      const signature = await caller.signSentence("login");
      expectRefusal(await caller.post("/api/login", { address: caller.address, signature }), 404, "NOT_FOUND");
      expectInvalid(await caller.post("/api/login", { address: caller.address }), "signature");
      const { nonce } = await owner.challenge();
      const wrong = await caller.post("/api/login", { address: owner.address, signature, nonce });
      expectRefusal(wrong, 400, "SIGNATURE_INVALID");
    });
  });

  describe("GET /api/me", () => {
    it("returns the user's own profile, and nobody else's", async () => {
      const answer = await owner.get("/api/me");
      expect(answer.headers.get("cache-control")).to.equal("no-store");
      const { data } = matching(meResponseSchema, answer.body);
      expect(data).to.include({ wallet: owner.address, ...PERSON, nativeBalance: "0" });
      expect(data.tokens.map((token) => token.symbol)).to.include.members(["PSG", "VERDAO"]);
      for (const token of data.tokens) expect(token.balance).to.match(/^\d+(\.\d+)?$/);
      expect(data.nfts).to.deep.equal([]);
      expect(data.totals).to.deep.equal({
        total: "0",
        confirmed: "0",
        pending: "0",
        paid: "0",
        count: 0,
        confirmed_count: 0,
        pending_count: 0,
      });
    });

    it("returns 401 without a session and with an expired one", async () => {
      expectRefusal(await system().anonymous().get("/api/me"), 401, "UNAUTHORIZED");
      expectRefusal(await new Caller(system().url, undefined, "0".repeat(43)).get("/api/me"), 401, "UNAUTHORIZED");
    });
  });

  describe("A purchase's life: register-purchase, mint-nft, confirm-purchase, distribute-cashback", () => {
    it("has the documented shapes, step by step", async () => {
      const buyer = await system().user();
      const request = { user: buyer.account.address, store_id: 1, amount: 100, token_slug: "verdao" };
      const registered = await buyer.post("/api/register-purchase", request);
      expect([registered.status, registered.body.success], registered.text).to.deep.equal([200, true]);
      expect(registered.body.message).to.be.a("string");
      const { purchase } = registered.body;
      expect(purchase).to.include({
        store_id: 1,
        amount: "100.00",
        cashback_percent: "5",
        bonus_percent: "2",
        total_percent: "7",
        token_slug: "verdao",
        status: "processing",
      });
      expect(Date.parse(purchase.created_at)).to.be.closeTo(Date.now(), 60_000);
      const id: number = purchase.id;

      const wish = { user: buyer.address, purchase_id: id, metadata_uri: "" };
      const queued = await buyer.post("/api/mint-nft", wish);
      expect(queued.status, queued.text).to.equal(202);
      expect(queued.body).to.include({ success: true, purchase_id: id, token_id: String(id), status: "queued" });
      expect(queued.body).to.have.property("tx_hash");
      await buyer.seen(id, (one) => one.status === "pending");
      const minted = await buyer.post("/api/mint-nft", wish);
      expect(minted.status).to.equal(200);
      expect(minted.body).to.include({ success: true, purchase_id: id, token_id: String(id), status: "pending" });
      expect(minted.body.tx_hash).to.match(/^0x[0-9a-f]{64}$/);

      const confirming = await service.post("/api/confirm-purchase", { purchase_id: id });
      expect(confirming.status).to.equal(202);
      expect(confirming.body).to.include({ success: true, purchase_id: id, status: "queued" });
      await buyer.seen(id, (one) => one.status === "confirmed");
      const confirmed = await service.post("/api/confirm-purchase", { purchase_id: String(id) });
      expect(confirmed.status).to.equal(200);
      expect(confirmed.body).to.include({ success: true, purchase_id: id, status: "confirmed" });

      const wrong = await service.post("/api/distribute-cashback", { user: buyer.address, amount: 6.99 });
      expectRefusal(wrong, 409, "WRONG_AMOUNT");
      expect(wrong.body.message, "the right figure").to.contain("7 CHZ");
      const paying = await service.post("/api/distribute-cashback", { user: buyer.address, amount: "7.00" });
      expect(paying.status, paying.text).to.equal(202);
      expect(paying.body).to.deep.include({ success: true, user: buyer.address, amount: "7" });
      expect(paying.body.payments).to.deep.equal([{ purchase_id: id, amount: "7", status: "queued", tx_hash: null }]);
      await buyer.seen(id, (one) => one.cashback_state === "paid");

      const { data } = matching(meResponseSchema, (await buyer.get("/api/me")).body);
      expect(data.nativeBalance).to.equal("7");
      expect(data.totals).to.deep.equal({
        total: "7",
        confirmed: "7",
        pending: "0",
        paid: "7",
        count: 1,
        confirmed_count: 1,
        pending_count: 0,
      });
      const [record] = data.purchases;
      expect(record).to.include({
        id,
        store: "Verdão Store",
        amount: "100.00",
        cashback: 7,
        tokenType: "VERDAO",
        destination: buyer.address,
        stored_status: "Confirmado",
      });
      const [nft] = data.nfts;
      expect(nft).to.include({
        tokenId: String(id),
        txHash: minted.body.tx_hash,
        contract: system().deployment.purchaseNft.address.toLowerCase(),
      });
      const attributes = new Map(nft?.metadata.attributes.map((one) => [one.trait_type, one.value]));
      expect([...attributes.keys()].slice(0, 5)).to.deep.equal([
        "Loja",
        "Valor da Compra",
        "Cashback",
        "Status",
        "Comprador",
      ]);
      expect(attributes.get("Loja")).to.equal("Verdão Store");
      expect(attributes.get("Valor da Compra")).to.equal("R$ 100,00");
      expect(attributes.get("Cashback")).to.equal("7%");
      expect(attributes.get("Status")).to.equal("Confirmed");
      expect(attributes.get("Comprador")).to.equal(buyer.account.address);
    });

    it("shows the token to anyone, with the ticket that the contract draws", async () => {
      const id = await buyConfirmed(system(), owner);
      const anyone = system().anonymous();
      const answer = await anyone.get(`/api/nfts/${id}`);
      expect(matching(purchaseNftSchema, answer.body.data).tokenId).to.equal(String(id));
      const picture = await anyone.get(answer.body.data.metadata.image);
      expect(picture.headers.get("content-type")).to.match(/^image\/svg\+xml/);
      expect(picture.text).to.match(/^<svg /);
      expectRefusal(await anyone.get(`/api/nfts/${UNKNOWN_ID}`), 404, "NOT_FOUND");
    });

    it("lists the user's own purchases in pages", async () => {
      const buyer = await system().user();
      const ids = [await buyer.buy(), await buyer.buy(), await buyer.buy()];
      const first = await buyer.get("/api/purchases?limit=2");
      const seen = first.body.purchases.map((one: unknown) => matching(purchaseRecordSchema, one).id);
      expect(seen).to.deep.equal([ids[2], ids[1]]);
      const second = await buyer.get(`/api/purchases?limit=2&before=${first.body.next_before}`);
      expect(second.body.purchases.map((one: { id: number }) => one.id)).to.deep.equal([ids[0]]);
      expect(second.body.next_before).to.equal(null);
      const simulated = await buyer.get("/api/purchases?source=simulated&limit=2");
      expect(simulated.body).to.deep.equal(first.body);
      expect((await buyer.get("/api/purchases?source=live")).body.purchases).to.deep.equal([]);
      for (const query of [
        "limit=0",
        "limit=501",
        "limit=x",
        "limit=0x10",
        "before=0",
        "before=x",
        "source=x",
        `before=1${"0".repeat(30)}`,
      ]) {
        expectInvalid(await buyer.get(`/api/purchases?${query}`), query.split("=")[0] ?? "", query);
      }
    });

    it("requires its fields and existing resources", async () => {
      const request: Record<string, unknown> = { user: owner.address, store_id: 1, amount: 100 };
      for (const field of Object.keys(request)) {
        const { [field]: _left, ...rest } = request;
        expectInvalid(await owner.post("/api/register-purchase", rest), field);
      }
      expectRefusal(await owner.post("/api/register-purchase", { ...request, store_id: UNKNOWN_ID }), 404, "NOT_FOUND");
      expectInvalid(await owner.post("/api/register-purchase", { ...request, token_slug: "none" }), "token_slug");
      expectInvalid(await owner.post("/api/register-purchase", { ...request, store_id: "sample-1" }), "store_id");
      for (const path of ["/api/mint-nft", "/api/confirm-purchase"]) {
        const body = { user: owner.address, purchase_id: UNKNOWN_ID };
        expectRefusal(await service.post(path, body), 404, "NOT_FOUND");
        expectInvalid(await service.post(path, { user: owner.address }), "purchase_id");
      }
      expectInvalid(await service.post("/api/distribute-cashback", { user: owner.address }), "amount");
      expectInvalid(await service.post("/api/distribute-cashback", { amount: 1 }), "user");
    });

    it("does not confirm before the mint, or pay before the confirmation", async () => {
      const buyer = await system().user();
      const id = await buyer.buy();
      expectRefusal(await service.post("/api/confirm-purchase", { purchase_id: id }), 409, "NOT_MINTED");
      await mint(buyer, id);
      const wish = { user: buyer.address, amount: 5 };
      expectRefusal(await service.post("/api/distribute-cashback", wish), 409, "NOTHING_PAYABLE");
      await confirm(system(), buyer, id);
      expect((await service.post("/api/distribute-cashback", wish)).status).to.equal(202);
      expectRefusal(await service.post("/api/distribute-cashback", wish), 409, "NOTHING_PAYABLE");
    });
  });

  describe("GET /api/is-admin", () => {
    it("is true only for an admin", async () => {
      const asked = [admin, owner, service, system().anonymous()];
      const answers = await Promise.all(asked.map((caller) => caller.get("/api/is-admin")));
      expect(answers.map((one) => one.status)).to.deep.equal([200, 200, 200, 200]);
      expect(answers.map((one) => one.body)).to.deep.equal(
        [true, false, false, false].map((isAdmin) => ({ success: true, isAdmin })),
      );
    });
  });

  describe("Stores and their cashback categories", () => {
    it("are listed for anyone, with the range of their cashback as text and as numbers", async () => {
      const answer = await system().anonymous().get("/api/stores");
      const { stores } = matching(storesResponseSchema, answer.body);
      expect(stores).to.have.length.at.least(8);
      const [first] = stores;
      expect(first).to.deep.include({
        name: "Verdão Store",
        country: "Brasil",
        club: "Palmeiras",
        featured: true,
        cashback: "3.5% - 5%",
        cashback_min: 3.5,
        cashback_max: 5,
        max_cashback: 5,
      });
      expect(first?.cashbacks.map((one) => one.cashback_percent)).to.deep.equal(["5", "3.5"]);
    });

    it("are compressed for callers that accept it, and not changed by it", async () => {
      const read = async (encoding: string, path = "/api/stores") => {
        const response = await fetch(system().url + path, { headers: { "accept-encoding": encoding } });
        return { headers: response.headers, text: await response.text() };
      };
      for (const encoding of ["gzip", "br"]) {
        const { headers, text } = await read(encoding);
        expect(headers.get("content-encoding")).to.equal(encoding);
        expect(headers.get("vary"))
          .to.match(/accept-encoding/i)
          .and.match(/authorization/i);
        expect(text).to.equal((await read("identity")).text);
      }
      expect((await read("identity")).headers.get("content-encoding")).to.equal(null);
      // Short responses are not compressed.
      const short = await read("gzip", "/api");
      expect(short.headers.get("content-encoding")).to.equal(null);
      expect(short.headers.get("content-length")).to.equal(String(Buffer.byteLength(short.text)));
    });

    it("return 304 if the caller has the current version", async () => {
      const anyone = system().anonymous();
      const etag = (await anyone.get("/api/stores")).headers.get("etag") ?? "";
      expect(etag).to.match(/^W\/"/);
      for (const header of [etag, etag.slice(2), `"other", ${etag}`, "*"]) {
        const again = await anyone.send("GET", "/api/stores", undefined, { "if-none-match": header });
        expect([again.status, again.text], header).to.deep.equal([304, ""]);
      }
      const other = await anyone.send("GET", "/api/stores", undefined, { "if-none-match": '"other"' });
      expect(other.status).to.equal(200);
    });

    it("are created, read, changed and deleted, with the fixed texts", async () => {
      const anyone = system().anonymous();
      const created = await admin.post("/api/store", {
        name: "Loja do Porto",
        country: "Portugal",
        club: "Porto",
        category: "Moda",
        description: "Camisas",
      });
      expect(created.status, created.text).to.equal(200);
      expect(created.body).to.include({ success: true, message: "Loja criada com sucesso!" });
      const { id } = created.body;
      expectRefusal(await anyone.get(`/api/stores/${id}`), 404, "NOT_FOUND");
      const empty = matching(storeResponseSchema, (await admin.get(`/api/stores/${id}`)).body);
      expect(empty.cashbacks).to.deep.equal([]);
      expect(matching(storeSchema, empty.store)).to.include({
        name: "Loja do Porto",
        country: "Portugal",
        club: "Porto",
        category: "Moda",
        description: "Camisas",
        logo: null,
        featured: false,
        cashback: "0%",
        cashback_min: 0,
        cashback_max: 0,
        max_cashback: 0,
      });

      const added = await admin.post(`/api/store/${id}/cashback`, { category: "Camisas", cashback_percent: "5.75" });
      expect(added.status, added.text).to.equal(200);
      expect(added.body).to.include({ success: true, message: "Cashback adicionado com sucesso!" });
      const one = matching(storeResponseSchema, (await admin.get(`/api/stores/${id}`)).body);
      expect(one.store.cashback).to.equal("5.75%");
      expect(one.cashbacks.map((row) => matching(storeCashbackSchema, row))).to.deep.equal([
        { id: added.body.id, category: "Camisas", cashback_percent: "5.75" },
      ]);
      const changed = await admin.send("PUT", `/api/store/${id}/cashback/${added.body.id}`, '{"cashback_percent":"6"}');
      expectDone(changed, { success: true, message: "Cashback atualizado com sucesso!" });
      expect((await admin.get(`/api/stores/${id}`)).body.cashbacks).to.deep.equal([
        { id: added.body.id, category: "Camisas", cashback_percent: "6" },
      ]);
      const removed = await admin.send("DELETE", `/api/store/${id}/cashback/${added.body.id}`);
      expectDone(removed, { success: true, message: "Cashback excluído com sucesso!" });
      expect((await admin.get(`/api/stores/${id}`)).body.cashbacks).to.deep.equal([]);

      const updated = await admin.send("PUT", `/api/store/${id}`, '{"name":"Loja do Dragão","country":"Portugal"}');
      expectDone(updated, { success: true, message: "Loja atualizada com sucesso!" });
      expect((await admin.get(`/api/stores/${id}`)).body.store).to.include({ name: "Loja do Dragão", club: "Porto" });
      expectDone(await admin.send("DELETE", `/api/store/${id}`), {
        success: true,
        message: "Loja excluída com sucesso!",
      });
      expectRefusal(await anyone.get(`/api/stores/${id}`), 404, "NOT_FOUND");
      expectRefusal(await admin.send("DELETE", `/api/store/${id}`), 404, "NOT_FOUND");
    });

    it("require a name and a country, a category and a percent", async () => {
      expectInvalid(await admin.post("/api/store", { country: "Brasil" }), "name");
      expectInvalid(await admin.post("/api/store", { name: "  ", country: "Brasil" }), "name");
      expectInvalid(await admin.post("/api/store", { name: "Sem país" }), "country");
      expectInvalid(await admin.post("/api/store/1/cashback", { category: "Tudo" }), "cashback_percent");
      expectInvalid(await admin.post("/api/store/1/cashback", { cashback_percent: "5" }), "category");
    });

    it("return 404 for unknown ids", async () => {
      for (const id of [
        UNKNOWN_ID,
        "0",
        "-1",
        "1e3",
        "1.5",
        "abc",
        "sample-1",
        "9".repeat(40),
        "%00",
        "1%20or%201=1",
      ]) {
        expectRefusal(await system().anonymous().get(`/api/stores/${id}`), 404, "NOT_FOUND", String(id));
      }
    });
  });

  describe("Fan tokens", () => {
    it("are listed for anyone, created, changed by id and deleted", async () => {
      const anyone = system().anonymous();
      const { data } = matching(fanTokensResponseSchema, (await anyone.get("/api/fan-tokens")).body);
      expect(data.map((token) => token.slug)).to.include.members(["psg", "verdao"]);
      const fields = { name: "Juventus", slug: "juv", image: IMAGE };
      const created = await admin.post("/api/admin/fan-token", { id: null, ...fields });
      expect(created.status, created.text).to.equal(200);
      expect(created.body.success).to.equal(true);
      expect(created.body.message).to.be.a("string");
      const { id } = created.body;
      const changed = await admin.post("/api/admin/fan-token", { id, name: "Juve", slug: "juve", image: IMAGE });
      expect([changed.status, changed.body.success, changed.body.id]).to.deep.equal([200, true, id]);
      const after = matching(fanTokensResponseSchema, (await anyone.get("/api/fan-tokens")).body).data;
      expect(after.find((token) => token.id === id)).to.include({ name: "Juve", slug: "juve", image: IMAGE });
      const removed = await admin.send("DELETE", `/api/admin/fan-token/${id}`);
      expect([removed.status, removed.body.success]).to.deep.equal([200, true]);
      expect((await anyone.get("/api/fan-tokens")).body.data.map((token: { id: number }) => token.id)).to.not.include(
        id,
      );
      expectRefusal(await admin.send("DELETE", `/api/admin/fan-token/${id}`), 404, "NOT_FOUND");
      const late = await admin.post("/api/admin/fan-token", { id, name: "Juve", slug: "juve", image: IMAGE });
      expectRefusal(late, 404, "NOT_FOUND");
    });
  });

  describe("Every call", () => {
    it("responds in JSON, with headers that prevent rendering as a page", async () => {
      for (const path of [
        "/api",
        "/API/me",
        "//api/me",
        "/api/",
        "/api/stores/1/",
        "/api/nothing",
        "/api/stores/%zz",
      ]) {
        const answer = await system().anonymous().get(path);
        expect(answer.headers.get("content-type"), path).to.match(/^application\/json/);
        expect(answer.headers.get("x-content-type-options"), path).to.equal("nosniff");
        expect(answer.headers.get("content-security-policy"), path).to.contain("default-src 'none'");
        expect(answer.headers.get("x-powered-by"), path).to.equal(null);
        expect(answer.headers.get("x-request-id"), path).to.match(/^[0-9a-f-]{36}$/);
      }
    });

    it("allows no other origin", async () => {
      const anyone = system().anonymous();
      const foreign = { origin: "https://evil.example", "access-control-request-method": "POST" };
      for (const method of ["OPTIONS", "GET"]) {
        const answer = await anyone.send(method, "/api/stores", undefined, foreign);
        expect(answer.headers.get("access-control-allow-origin"), method).to.equal(null);
      }
    });

    it("accepts or rejects text that a database may not be able to store, and never fails", async () => {
      const nul = "a\u0000b";
      const answers = [
        await admin.post("/api/store", { name: "Nulo", country: nul }),
        await admin.post("/api/store", { name: "Nulo", country: "BR", description: nul }),
        await admin.post("/api/store/1/cashback", { category: nul, cashback_percent: 1 }),
        await admin.post("/api/admin/fan-token", { name: nul, slug: "nul", image: IMAGE }),
        await admin.post("/api/admin/payouts", { paused: false, reason: nul }),
        await owner.post("/api/login", { address: owner.address, signature: "0x00", nonce: nul }),
        await owner.post("/api/register-user-data", {
          ...PERSON,
          address: system().anonymous().address,
          signature: "0x00",
          first_name: nul,
        }),
      ];
      for (const answer of answers) expect(answer.status, answer.text).to.equal(400);
      const named = await admin.post("/api/admin/fx-rates/USD/%00/accept", {});
      expect(named.status, named.text).to.equal(404);
    });
  });
});

function expectDone(answer: Answer, body: Record<string, unknown>): void {
  expect(answer.status, answer.text).to.equal(200);
  expect(answer.body).to.deep.equal(body);
}

/** The value, validated strictly against the schema. */
function matching<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  expect(result.error?.message, JSON.stringify(value).slice(0, 500)).to.equal(undefined);
  return result.data as T;
}
