import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { updateFanToken } from "../../core/catalogue/fan-tokens.ts";
import { findBrokenAudit } from "../../core/database/audit-log.ts";
import type { FanToken, Store } from "../../core/rules/api/catalogue.ts";
import { until } from "../testing/until.ts";
import type { Caller } from "./support/caller.ts";
import { expectInvalid, expectRefusal } from "./support/expect-refusal.ts";
import { onBothSystems } from "./support/system.ts";

const IMAGE = "https://example.com/token.png";

onBothSystems("The catalogue, written by admins", { SIMULATED_STEP_DELAY_MS: "3600000" }, (system) => {
  let admin: Caller;
  before(async () => {
    admin = await system().adminCaller();
  });

  const put = (path: string, body: unknown) => admin.send("PUT", path, JSON.stringify(body));
  const store = async (id: number): Promise<Store> => (await admin.get(`/api/stores/${id}`)).body.store;
  let storeCount = 0;
  const createStore = async (fields: Record<string, unknown> = {}): Promise<number> => {
    const answer = await admin.post("/api/store", {
      // Store names are unique.
      name: `Loja ${++storeCount}`,
      country: "Brasil",
      affiliate_link: "https://example.com/loja",
      ...fields,
    });
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.id;
  };
  /** A store is a draft until its name is on chain. */
  const named = (id: number) =>
    until(`${id} is on offer`, async () => (await system().anonymous().get(`/api/stores/${id}`)).status === 200);
  const addCategory = async (storeId: number, percent: unknown = "5", more = {}): Promise<number> => {
    const category = { category: "Tudo", cashback_percent: percent, ...more };
    const answer = await admin.post(`/api/store/${storeId}/cashback`, category);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.id;
  };
  const fanTokens = async (): Promise<FanToken[]> => (await admin.get("/api/fan-tokens")).body.data;

  describe("A percent", () => {
    it("is accepted with a dot, with a comma and as a number, from 0 to 100, and returned with a dot", async () => {
      const id = await createStore();
      const given: [unknown, string][] = [
        ["5.75", "5.75"],
        ["5,75", "5.75"],
        [" 6 ", "6"],
        [7.5, "7.5"],
        ["7.50", "7.5"],
        [0, "0"],
        ["100.00", "100"],
      ];
      for (const [percent] of given) await addCategory(id, percent);
      const seen = (await store(id)).cashbacks.map((row) => row.cashback_percent);
      expect(seen).to.deep.equal(given.map(([, text]) => text));
      expect(await store(id)).to.include({ cashback: "0% - 100%", cashback_min: 0, cashback_max: 100 });
    });

    it("is rejected if it is invalid, and changes nothing (F24)", async () => {
      const id = await createStore();
      const categoryId = await addCategory(id, "5");
      const hostile = [
        "100.01",
        100.01,
        "-1",
        -1,
        "5.755",
        5.755,
        "",
        " ",
        "5%",
        "1e1",
        "0x5",
        "5.",
        ".5",
        "NaN",
        "abc",
      ];
      for (const percent of [...hostile, null, true, [5], {}, "1.000,5", "٥", "9".repeat(40)]) {
        const about = JSON.stringify(percent);
        const fields = { category: "Tudo", cashback_percent: percent };
        expectInvalid(await admin.post(`/api/store/${id}/cashback`, fields), "cashback_percent", about);
        const path = `/api/store/${id}/cashback/${categoryId}`;
        expectInvalid(await put(path, { cashback_percent: percent }), "cashback_percent", about);
      }
      const { cashbacks } = await store(id);
      expect(cashbacks).to.have.lengthOf(1);
      expect(cashbacks[0]).to.include({ id: categoryId, category: "Tudo", cashback_percent: "5", is_by_hand: true });
    });
  });

  describe("A store", () => {
    it("keeps the fields missing from an update, and clears the empty ones", async () => {
      const id = await createStore({ club: "Santos", category: "Moda", description: "Camisas", logo: IMAGE });
      expect((await put(`/api/store/${id}`, { name: "Loja da Vila" })).status).to.equal(200);
      expect(await store(id)).to.include({ name: "Loja da Vila", club: "Santos", category: "Moda", logo: IMAGE });
      expect((await put(`/api/store/${id}`, { club: "", category: null, logo: "" })).status).to.equal(200);
      expect(await store(id)).to.include({ club: null, category: null, logo: null, description: "Camisas" });
    });

    it("names the rule that a field breaks, and its figure", async () => {
      const long = await put("/api/store/1", { claim_days: 999 });
      expectInvalid(long, "claim_days");
      expect(long.body).to.deep.include({ rule: "max", params: { max: 730 } });
      const local = await put("/api/store/1", { store_url: "https://10.0.0.1" });
      expect(local.body).to.include({ field: "store_url", rule: "public_link" });
      expect((await admin.post("/api/store", { country: "Brasil" })).body).to.include({
        field: "name",
        rule: "missing",
      });
    });

    it("refuses unknown fields", async () => {
      const before = await store(1);
      for (const field of ["id", "deleted_at", "created_at", "cashback", "max_cashback", "isAdmin", "name "]) {
        expectInvalid(await admin.post("/api/store", { name: "X", country: "Y", [field]: 1 }), field);
        expectInvalid(await put("/api/store/1", { [field]: 1 }), field);
      }
      expect(await store(1)).to.deep.equal(before);
    });

    it("treats markup and right-to-left marks as text, and refuses what is too long (F27)", async () => {
      const name = '<script>alert("é")</script>';
      const description = "\u202Eabc\u202C </p><img src=x onerror=alert(1)>";
      const id = await createStore({ name, description });
      expect(await store(id)).to.include({ name, description });
      expectInvalid(await admin.post("/api/store", { name: "x".repeat(10_000), country: "BR" }), "name");
      expectInvalid(await admin.post("/api/store", { name: "é".repeat(41), country: "BR" }), "name");
      expectInvalid(await admin.post("/api/store", { name: "a\nb", country: "BR" }), "name");
      expectInvalid(await admin.post("/api/store", { name: "X", country: "x".repeat(61) }), "country");
      expectInvalid(
        await admin.post("/api/store", { name: "X", country: "BR", description: "x".repeat(1_001) }),
        "description",
      );
    });

    it("is on a page of the list, with the filters of all stores, and a bad question is refused", async () => {
      const shopper = system().anonymous();
      const whole: Store[] = (await shopper.get("/api/stores?sort=newest")).body.stores;
      const first = (await shopper.get("/api/stores?sort=newest&limit=3")).body;
      expect(first.stores).to.deep.equal(whole.slice(0, 3));
      const second = (await shopper.get(`/api/stores?sort=newest&limit=3&after=${first.next_after}`)).body;
      expect(second.stores).to.deep.equal(whole.slice(3, 6));
      expect(second.filters).to.deep.equal(first.filters);
      expect(first.filters.country).to.include.members(["Brasil", "Portugal"]);
      const found = await shopper.get("/api/stores?query=VERDAO&country=brasil");
      expect(found.body.stores.map((one: Store) => one.name)).to.deep.equal(["Verdão Store"]);
      const hostile = { limit: "0", sort: "x", after: "x", featured: "yes", query: "x".repeat(129), ids: "1,,2" };
      for (const [field, value] of Object.entries({ ...hostile, country: "x".repeat(61) })) {
        expectInvalid(await shopper.get(`/api/stores?${field}=${value}`), field);
      }
      expectInvalid(await shopper.get("/api/stores?limit=501"), "limit");
      expectInvalid(await shopper.get(`/api/stores?sort=name&after=5`), "after");
    });

    it("stops selling once it is deleted, but its purchases keep it (F30)", async () => {
      const id = await createStore({ name: "Loja que fecha" });
      const categoryId = await addCategory(id, "4");
      await named(id);
      const buyer = await system().user();
      const purchaseId = await buyer.buy(id, 50);
      expect((await admin.send("DELETE", `/api/store/${id}`)).status).to.equal(200);
      expectRefusal(await admin.get(`/api/stores/${id}`), 404, "NOT_FOUND");
      expect((await admin.get("/api/stores")).body.stores.map((one: Store) => one.id)).to.not.include(id);
      const request = { user: buyer.address, store_id: id, amount: 50 };
      expectRefusal(await buyer.post("/api/register-purchase", request), 404, "NOT_FOUND");
      expectRefusal(await put(`/api/store/${id}`, { name: "Nova" }), 404, "NOT_FOUND");
      expectRefusal(await put(`/api/store/${id}/cashback/${categoryId}`, { category: "Nova" }), 404, "NOT_FOUND");
      const wish = { category: "Nova", cashback_percent: 1 };
      expectRefusal(await admin.post(`/api/store/${id}/cashback`, wish), 404, "NOT_FOUND");
      const [record] = (await buyer.me()).purchases;
      expect(record).to.include({ id: purchaseId, store: "Loja que fecha", cashback_percent: "4" });
    });

    it("without a category does not sell, and says what to do", async () => {
      const id = await createStore();
      const categoryId = await addCategory(id);
      await admin.send("DELETE", `/api/store/${id}/cashback/${categoryId}`);
      const buyer = await system().user();
      const answer = await buyer.post("/api/register-purchase", { user: buyer.address, store_id: id, amount: 1 });
      expectRefusal(answer, 409, "NO_CASHBACK");
    });

    it("without a link or a percent above zero is a draft: admins see it, and nobody can buy there", async () => {
      const whole = await createStore();
      await addCategory(whole);
      await named(whole);
      const noLink = await createStore({ affiliate_link: null });
      await addCategory(noLink);
      const free = await createStore();
      await addCategory(free, "0");
      const noPercent = await createStore();
      const drafts = [noLink, free, noPercent];
      const buyer = await system().user();
      const idsSeenBy = async (caller: Caller, query = "") => {
        const { body, headers } = await caller.get(`/api/stores${query}`);
        expect(headers.get("vary")).to.match(/authorization/i);
        return body.stores.map((one: Store) => one.id);
      };
      expect(await idsSeenBy(admin, `?ids=${[whole, ...drafts]}`)).to.have.members([whole, ...drafts]);
      expect(await idsSeenBy(buyer, `?ids=${[whole, ...drafts]}`)).to.deep.equal([whole]);
      expect(await idsSeenBy(admin)).not.to.include.members(drafts);
      for (const caller of [system().anonymous(), buyer]) {
        const seen = await idsSeenBy(caller);
        expect(seen).to.include(whole);
        for (const id of drafts) {
          expect(seen).not.to.include(id);
          expectRefusal(await caller.get(`/api/stores/${id}`), 404, "NOT_FOUND");
        }
      }
      const buy = (id: number) =>
        buyer.post("/api/register-purchase", { user: buyer.address, store_id: id, amount: 1 });
      expectRefusal(await buy(noLink), 409, "NO_LINK");
      for (const id of [free, noPercent]) expectRefusal(await buy(id), 409, "NO_CASHBACK");
      await put(`/api/store/${noLink}`, { affiliate_link: "https://example.com/loja" });
      await named(noLink);
      expect(await idsSeenBy(buyer)).to.include(noLink);
      expect((await buy(noLink)).status).to.equal(200);
    });

    it("is a draft until the chain has its name, and while its registration waits", async () => {
      const id = await createStore();
      await addCategory(id);
      await named(id);
      expect(await store(id)).to.include({ is_draft: false });
      const { kysely } = await system().database();
      const setStatus = (change: { status: "waiting" | "done"; reason: "paused" | null; not_before?: bigint }) =>
        kysely
          .updateTable("operations")
          .set(change)
          .where("kind", "=", "register_store")
          .where("subject_id", "=", BigInt(id))
          .execute();
      await setStatus({ status: "waiting", reason: "paused", not_before: BigInt(Date.now() + 3_600_000) });
      await until("it is a draft", async () => (await store(id)).is_draft);
      expectRefusal(await system().anonymous().get(`/api/stores/${id}`), 404, "NOT_FOUND");
      const buyer = await system().user();
      const request = { user: buyer.address, store_id: id, amount: 1 };
      expectRefusal(await buyer.post("/api/register-purchase", request), 409, "STORE_UNKNOWN");
      await setStatus({ status: "done", reason: null });
      await named(id);
    });

    it("has each commission group at most once", async () => {
      const id = await createStore();
      const fashion = await addCategory(id, "7", { category: "Moda", group_code: "FASHION" });
      const rest = await addCategory(id, "3", { group_code: "DEFAULT" });
      const path = (category: number) => `/api/store/${id}/cashback/${category}`;
      const again = { category: "Moda infantil", cashback_percent: 9, group_code: " fashion " };
      expectRefusal(await admin.post(`/api/store/${id}/cashback`, again), 409, "GROUP_TAKEN");
      expectRefusal(await put(path(rest), { group_code: "Fashion" }), 409, "GROUP_TAKEN");
      expect((await put(path(fashion), { group_code: "FASHION", cashback_percent: 8 })).status).to.equal(200);
      expect((await admin.send("DELETE", path(fashion))).status).to.equal(200);
      expect((await put(path(rest), { group_code: "Fashion" })).status).to.equal(200);
      expect((await store(id)).cashbacks).to.have.length(1);
    });

    it("has its own categories, which other stores cannot use", async () => {
      const [one, other] = [await createStore(), await createStore()];
      const categoryId = await addCategory(one, "3");
      const path = `/api/store/${other}/cashback/${categoryId}`;
      expectRefusal(await put(path, { cashback_percent: 99 }), 404, "NOT_FOUND");
      expectRefusal(await admin.send("DELETE", path), 404, "NOT_FOUND");
      expect((await store(one)).cashbacks.map((row) => row.cashback_percent)).to.deep.equal(["3"]);
    });
  });

  describe("A fan token", () => {
    it("has a slug that no other token has, until it is deleted", async () => {
      const one = await admin.post("/api/admin/fan-token", { name: "Flamengo", slug: "mengo", image: IMAGE });
      const wish = { name: "Outro", slug: "mengo", image: IMAGE };
      expectRefusal(await admin.post("/api/admin/fan-token", wish), 409, "SLUG_TAKEN");
      const other = await admin.post("/api/admin/fan-token", { ...wish, slug: "outro" });
      const clash = await admin.post("/api/admin/fan-token", { ...wish, id: other.body.id });
      expectRefusal(clash, 409, "SLUG_TAKEN");
      expect((await fanTokens()).filter((token) => token.slug === "mengo")).to.have.length(1);
      await admin.send("DELETE", `/api/admin/fan-token/${one.body.id}`);
      expect((await admin.post("/api/admin/fan-token", { ...wish, id: other.body.id })).status).to.equal(200);
    });

    it("that is deleted stops giving a bonus", async () => {
      const token = await admin.post("/api/admin/fan-token", { name: "Vasco", slug: "vasco", image: IMAGE });
      const buyer = await system().user();
      await buyer.buy(1, 10, "vasco");
      await admin.send("DELETE", `/api/admin/fan-token/${token.body.id}`);
      const request = { user: buyer.address, store_id: 1, amount: 10, token_slug: "vasco" };
      expectInvalid(await buyer.post("/api/register-purchase", request), "token_slug");
      expect((await buyer.me()).purchases.map((one) => one.token_slug)).to.deep.equal(["vasco"]);
    });

    it("needs a name, a slug of small letters, digits and hyphens, an image, and a contract that is an address", async () => {
      const fields: Record<string, unknown> = { name: "Token", slug: "token", image: IMAGE };
      for (const field of Object.keys(fields)) {
        const { [field]: _left, ...rest } = fields;
        expectInvalid(await admin.post("/api/admin/fan-token", rest), field, "missing");
        expectInvalid(await admin.post("/api/admin/fan-token", { ...fields, [field]: "  " }), field, "blank");
      }
      for (const slug of ["a b", "á", "a_b", "../x", "x".repeat(33)]) {
        expectInvalid(await admin.post("/api/admin/fan-token", { ...fields, slug }), "slug", slug);
      }
      for (const contract of ["0x", "token", 1, `0x${"g".repeat(40)}`]) {
        expectInvalid(await admin.post("/api/admin/fan-token", { ...fields, contract }), "contract", String(contract));
      }
    });

    it("counts as not held if its contract is not a token, and the purchase is made", async () => {
      const contract = "0x00000000000000000000000000000000000000aa";
      const fields = { name: "Palmeiras", slug: "fantasma", image: IMAGE, contract };
      const asked = await admin.post("/api/admin/fan-token", fields);
      expect(asked.status, "its contract waits").to.equal(202);
      const { kysely } = await system().database();
      await updateFanToken(kysely, BigInt(asked.body.id), { contract });
      await until("its contract counts", async () => {
        const { data } = (await admin.get("/api/fan-tokens")).body;
        return data.some((one: FanToken) => one.slug === "fantasma" && one.contract === contract);
      });
      const buyer = await system().user();
      const request = { user: buyer.address, store_id: 1, amount: 10, token_slug: "fantasma" };
      const answer = await buyer.post("/api/register-purchase", request);
      expect(answer.status, answer.text).to.equal(200);
      expect(answer.body.purchase.bonus_percent, "the store bonus, no holding bonus").to.equal("2");
      expect((await buyer.me()).tokens.find((token) => token.symbol === "FANTASMA")?.balance).to.equal("0");
    });
  });

  describe("The URL of a picture or a shop (F26)", () => {
    let trap: Server;
    let visits = 0;
    before(async () => {
      trap = createServer((_request, response) => response.end());
      trap.on("connection", () => visits++);
      await new Promise<void>((resolve) => trap.listen(0, "127.0.0.1", resolve));
    });
    after(() => trap.close());

    it("is public https, or refused without a request (F26)", async () => {
      const { port } = trap.address() as AddressInfo;
      const hostile = [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\tscript:alert(1)",
        "data:image/svg+xml,<svg onload=alert(1)>",
        "vbscript:x",
        "file:///etc/passwd",
        "ftp://example.com/x",
        "http://example.com/x.png",
        "http://169.254.169.254/",
        `http://127.0.0.1:${port}/`,
        `https://127.0.0.1:${port}/`,
        `https://localhost:${port}/`,
        `https://localhost.:${port}/`,
        "https://169.254.169.254/latest/meta-data",
        "https://2852039166/",
        "https://2130706433/",
        "https://0x7f.1/",
        "https://0177.0.0.1/",
        "https://127.1/",
        "https://10.0.0.1/",
        "https://8.8.8.8/",
        "https://[::1]/",
        "https://[::ffff:169.254.169.254]/",
        "https://[fd00::1]/",
        "https://metadata.google.internal/",
        "https://printer.local/",
        "https://user:password@example.com/",
        "https://user@example.com/",
        "https://intranet/",
        "https:///x",
        "//example.com/x.png",
        "/x.png",
        "example.com",
        "https://",
        "https://exa mple.com/",
        `https://example.com/${"x".repeat(2_048)}`,
      ];
      const before = [await store(1), await fanTokens()];
      const buyer = await system().user();
      const purchaseId = await buyer.buy();
      for (const url of hostile) {
        for (const field of ["logo", "affiliate_link"]) {
          expectInvalid(await put("/api/store/1", { [field]: url }), field, url);
          expectInvalid(await admin.post("/api/store", { name: "X", country: "Y", [field]: url }), field, url);
        }
        const token = { name: "X", slug: "hostile", image: url };
        expectInvalid(await admin.post("/api/admin/fan-token", token), "image", url);
        const wish = { user: buyer.address, purchase_id: purchaseId, metadata_uri: url };
        expectInvalid(await buyer.post("/api/mint-nft", wish), "metadata_uri", url);
      }
      expect([await store(1), await fanTokens()]).to.deep.equal(before);
      expect(visits, "requests to any of them").to.equal(0);
    });

    it("may be any public URL, with a port, a query and letters of any script", async () => {
      for (const url of [
        "https://example.com:8443/a?b=c#d",
        "https://münchen.example/ü.png",
        "https://a.b.example/@x",
      ]) {
        // A store's first link: another host would take a second person.
        const id = await createStore({ affiliate_link: "" });
        expect((await put(`/api/store/${id}`, { logo: url, affiliate_link: url })).status, url).to.equal(200);
        expect(await store(id)).to.include({ logo: url, affiliate_link: url });
      }
    });
  });

  describe("The audit log", () => {
    it("records every write, who made it and what changed, newest first and in pages", async () => {
      const storeId = await createStore({ name: "Auditada" });
      const categoryId = await addCategory(storeId, "2.5");
      await put(`/api/store/${storeId}`, { country: "Chile" });
      await put(`/api/store/${storeId}/cashback/${categoryId}`, { cashback_percent: "3" });
      await admin.send("DELETE", `/api/store/${storeId}/cashback/${categoryId}`);
      await admin.send("DELETE", `/api/store/${storeId}`);
      const token = await admin.post("/api/admin/fan-token", { name: "Audit", slug: "audit", image: IMAGE });
      const tokenId = token.body.id;
      await admin.post("/api/admin/fan-token", { id: tokenId, name: "Audit 2", slug: "audit", image: IMAGE });
      await admin.send("DELETE", `/api/admin/fan-token/${tokenId}`);
      await admin.post("/api/admin/payouts", { paused: true, reason: "exercise" });
      await admin.post("/api/admin/payouts", { paused: false });

      const page = (await admin.get("/api/admin/audit-log?limit=11")).body;
      const told = page.rows.map((one: { action: string; subject: string }) => `${one.action} ${one.subject}`);
      expect(told.reverse()).to.deep.equal([
        `store.create store:${storeId}`,
        `cashback.create store:${storeId}/cashback:${categoryId}`,
        `store.update store:${storeId}`,
        `cashback.update store:${storeId}/cashback:${categoryId}`,
        `cashback.delete store:${storeId}/cashback:${categoryId}`,
        `store.delete store:${storeId}`,
        `fan_token.create fan_token:${tokenId}`,
        `fan_token.update fan_token:${tokenId}`,
        `fan_token.delete fan_token:${tokenId}`,
        "payouts.pause payouts",
        "payouts.resume payouts",
      ]);
      for (const entry of page.rows) {
        expect(entry.actor).to.equal(admin.address);
        expect(Date.parse(entry.at)).to.be.closeTo(Date.now(), 60_000);
      }
      expect(JSON.parse(page.rows[8].detail)).to.deep.equal({
        country: "Chile",
        store: "Auditada",
        was: { country: "Brasil" },
      });
      const next = (await admin.get(`/api/admin/audit-log?limit=1&before=${page.next_before}`)).body;
      expect(next.rows[0].id).to.equal(page.next_before - 1);
    });

    it("does not record a refused write", async () => {
      const newest = async () => (await admin.get("/api/admin/audit-log?limit=1")).body.rows[0];
      const before = await newest();
      await put("/api/store/999999", { name: "X" });
      await admin.post("/api/store", { name: "" });
      await admin.post("/api/admin/fan-token", { name: "Verdão", slug: "verdao", image: IMAGE });
      expect(await newest()).to.deep.equal(before);
    });

    it("records concurrent writes without losing one, and keeps the hash chain intact", async () => {
      const id = await createStore();
      const { kysely } = await system().database();
      const count = async () => (await kysely.selectFrom("audit_log").select("id").execute()).length;
      const before = await count();
      const writes = Array.from({ length: 12 }, (_, index) => [
        put(`/api/store/${id}`, { country: `País ${index}` }),
        admin.post("/api/admin/payouts", { paused: index % 2 === 0 }),
      ]).flat();
      const answers = await Promise.all(writes);
      expect(answers.map((one) => one.status)).to.deep.equal(answers.map(() => 200));
      expect(await count()).to.equal(before + writes.length);
      expect(await findBrokenAudit(kysely)).to.equal(undefined);
    });

    it("detects a row that was changed, removed or inserted", async () => {
      const { kysely } = await system().database();
      const rows = await kysely.selectFrom("audit_log").selectAll().orderBy("id").execute();
      const row = rows[3];
      const following = rows[4];
      if (!row || !following) throw new Error("The log is too short for this test");
      for (const change of [{ detail: '{"country":"Peru"}' }, { actor: "0x0" }, { at: row.at + 1n }, { hash: "0" }]) {
        await kysely.updateTable("audit_log").set(change).where("id", "=", row.id).execute();
        expect(await findBrokenAudit(kysely), JSON.stringify(Object.keys(change))).to.equal(row.id);
        await kysely.updateTable("audit_log").set(row).where("id", "=", row.id).execute();
        expect(await findBrokenAudit(kysely)).to.equal(undefined);
      }
      await kysely.deleteFrom("audit_log").where("id", "=", row.id).execute();
      expect(await findBrokenAudit(kysely), "taken out").to.equal(following.id);
      await kysely.insertInto("audit_log").values(row).execute();
      expect(await findBrokenAudit(kysely)).to.equal(undefined);
    });
  });
});
