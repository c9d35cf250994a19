import { readFileSync } from "node:fs";
import { expect } from "chai";
import { parse } from "csv-parse/sync";
import { takeEffect } from "../../api/admin/proposals.ts";
import { readEnvironment } from "../../api/environment.ts";
import { listSettings } from "../../api/settings-in-force.ts";
import { writeSetting } from "../../core/database/settings.ts";
import { countChange } from "../../indexer/store/chain-index.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { dueProposals } from "../testing/due-proposals.ts";
import { PERSON } from "../testing/shopper.ts";
import { Caller } from "./support/caller.ts";
import { expectRefusal } from "./support/expect-refusal.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

const LISTS = ["purchases", "payments", "users", "stores", "sales", "claims", "operations", "approvals", "audit-log"];
const CSV = { accept: "text/csv" };

describe("The panel's calls", () => {
  onEitherEngine(({ open }) => {
    let api: InProcessApi;

    beforeEach(async () => {
      api = await startInProcess((await open()).database);
    });
    afterEach(() => api.stop());

    it("return every list in the same format, as JSON and as CSV", async () => {
      const admin = await api.admin("auditor");
      const buyer = await api.user();
      for (let count = 0; count < 3; count++) await buyer.buy(1, 50 + count);
      for (const list of LISTS) {
        const path = `/api/admin/${list}`;
        const { body, status, headers } = await admin.get(`${path}?limit=2`);
        expect(status, list).to.equal(200);
        expect(body, list).to.have.all.keys("success", "rows", "next_before", "total");
        expect(headers.get("cache-control")).to.equal("no-store");
        expect(headers.get("vary")).to.include("Accept");
        const file = await admin.send("GET", path, undefined, CSV);
        expect(file.headers.get("content-type")).to.equal("text/csv; charset=utf-8");
        expect(file.headers.get("content-disposition")).to.equal(`attachment; filename="${list}.csv"`);
        const rows: Record<string, string>[] = parse(file.text, { columns: true, delimiter: ";" });
        expect(rows.length, list).to.equal(body.total);
        // JSON omits the texts that a store does not have; a CSV file has a column for each.
        const shown = body.rows[0];
        const columns = Object.keys(rows[0] ?? {}).filter((column) => column in (shown ?? {}));
        if (shown) expect(columns, list).to.deep.equal(Object.keys(shown));
        expectRefusal(await admin.get(`${path}?state=nothing`), 400, "INVALID_REQUEST");
        expectRefusal(await admin.get(`${path}?sort=nothing`), 400, "INVALID_REQUEST");
        for (const limit of ["501", "0x10", "1e1", "", "%2B5"])
          expectRefusal(await admin.get(`${path}?limit=${limit}`), 400, "INVALID_REQUEST");
        expectRefusal(await buyer.get(path), 403, "FORBIDDEN");
        expectRefusal(await buyer.send("GET", path, undefined, CSV), 403, "FORBIDDEN");
      }
      expectRefusal(await admin.get("/api/admin/purchases?before=x_y"), 400, "INVALID_REQUEST");
      // Neither database can store a NUL, so it is rejected in a cursor of text too.
      for (const nul of ["query=a%00b", "before=a%00_0x1&sort=name"])
        expectRefusal(await admin.get(`/api/admin/users?${nul}`), 400, "INVALID_REQUEST");
      expectRefusal(await admin.get("/api/admin/purchases?sort=amount&before=12"), 400, "INVALID_REQUEST");
    });

    it("page through equal amounts without repeating or skipping a row", async () => {
      const admin = await api.admin();
      const buyer = await api.user();
      const ids: number[] = [];
      for (let count = 0; count < 5; count++) ids.push(await buyer.buy(2, 77));
      const seen: number[] = [];
      for (let before = ""; ; ) {
        const page = `query=${buyer.address}&sort=amount&limit=2${before && `&before=${encodeURIComponent(before)}`}`;
        const { body } = await admin.get(`/api/admin/purchases?${page}`);
        expect(body.total).to.equal(5);
        seen.push(...body.rows.map((row: { id: number }) => row.id));
        if (body.next_before === null) break;
        before = String(body.next_before);
      }
      expect(seen).to.deep.equal(ids);
    });

    it("write CSV as the spreadsheets of the reader's language read it", async () => {
      const admin = await api.admin();
      const buyer = await api.user();
      await buyer.buy(1, 50.25);
      for (const [language, delimiter, amount] of [
        ["pt-BR", ";", "50,25"],
        ["en", ",", "50.25"],
      ] as const) {
        const headers = { ...CSV, "accept-language": language };
        const { text } = await admin.send("GET", "/api/admin/purchases", undefined, headers);
        const [row]: Record<string, string>[] = parse(text, { columns: true, delimiter });
        expect(row?.amount).to.equal(amount);
        // A moment has a point too, and no language.
        expect(row?.created_at).to.match(/\.\d{3}Z$/);
      }
    });

    it("write no formula into a CSV file", async () => {
      const admin = await api.admin();
      const stranger = new Caller(api.url);
      const challenge = await stranger.challenge();
      const registered = await stranger.post("/api/register-user-data", {
        ...PERSON,
        first_name: '=HYPERLINK("http://evil")',
        last_name: '@SUM(A1), "quoted"',
        address: stranger.address,
        signature: await stranger.account.signMessage({ message: challenge.message }),
        nonce: challenge.nonce,
      });
      expect(registered.status).to.equal(200);
      const file = await admin.send("GET", `/api/admin/users?query=${stranger.address}`, undefined, CSV);
      const [row] = parse(file.text, { columns: true, delimiter: ";" }) as Record<string, string>[];
      expect(row).to.include({ first_name: '\'=HYPERLINK("http://evil")', last_name: '\'@SUM(A1), "quoted"' });
      const [json] = (await admin.get(`/api/admin/users?query=${stranger.address}`)).body.rows;
      expect(json.first_name).to.equal('=HYPERLINK("http://evil")');
    });

    const REASON = { reason: "Asked for by letter" };
    const takeErasures = async () => {
      await dueProposals(api.services.database.kysely, 72);
      await takeEffect(api.services);
    };

    it("find a user, end their sessions and erase the profile", async () => {
      const support = await api.admin("support");
      const user = await api.user();
      const names = await support.get(
        `/api/admin/names?wallets=${user.address},${support.address},0x${"0".repeat(40)}`,
      );
      expect(names.body.names.map((one: { wallet: string }) => one.wallet)).to.deep.equal([
        user.address,
        support.address,
      ]);
      expect(names.body.names[0]).to.include({ name: "Ana Maria Silva", role: null });
      expect(names.body.names[1]).to.include({ role: "support" });
      const path = `/api/admin/users/${user.address}`;
      expect((await support.get(path)).body.user.sessions).to.have.lengthOf(1);
      expectRefusal(await (await api.admin("operator")).post(`${path}/erase`), 403, "ROLE_NOT_ALLOWED");
      expect((await support.post(`${path}/sessions/revoke`, { reason: "lost phone" })).body).to.include({ revoked: 1 });
      expect((await user.get("/api/me")).status).to.equal(401);
      await user.enter();
      expect((await support.post(`${path}/erase`, REASON)).status).to.equal(202);
      expect((await support.get(path)).body.user).to.include({ email: PERSON.email });
      await takeErasures();
      expect((await user.get("/api/me")).status).to.equal(401);
      expect((await support.get(path)).body.user).to.include({ state: "erased", email: "", first_name: "" });
      expectRefusal(await support.post(`${path}/erase`, REASON), 404, "NOT_FOUND");
      expectRefusal(await support.get("/api/admin/users/0x12"), 404, "NOT_FOUND");
      const [erased] = (await support.get(`/api/admin/audit-log?state=people&limit=1`)).body.rows;
      expect(erased).to.include({ action: "user.erase", subject: `user:${user.address}` });
      expect(JSON.stringify(erased)).not.to.include(PERSON.email);
    });

    it("leave the names, profiles and sessions of the team to an owner", async () => {
      const [support, owner, operator] = [await api.admin("support"), await api.admin(), await api.admin("operator")];
      const path = `/api/admin/users/${operator.address}`;
      for (const [call, body, status] of [
        ["nickname", { nickname: "Padaria" }, 200],
        ["erase", REASON, 202],
      ] as const) {
        expectRefusal(await support.post(`${path}/${call}`, body), 403, "ROLE_NOT_ALLOWED");
        expectRefusal(await support.post(`/api/admin/users/${support.address}/${call}`, body), 403, "ROLE_NOT_ALLOWED");
        expect((await owner.post(`${path}/${call}`, body)).status, call).to.equal(status);
      }
      await takeErasures();
      await operator.enter();
      expectRefusal(await support.post(`${path}/sessions/revoke`, {}), 403, "ROLE_NOT_ALLOWED");
      expect((await owner.post(`${path}/sessions/revoke`, {})).status).to.equal(202);
    });

    it("give a user's wallet a nickname, found and shown in the place of the name until it is taken away", async () => {
      const support = await api.admin("support");
      const user = await api.user();
      const path = `/api/admin/users/${user.address}`;
      const name = async () => (await support.get(`/api/admin/names?wallets=${user.address}`)).body.names[0].name;
      const found = async () =>
        (await support.get("/api/admin/users?query=padaria")).body.rows.map((row: { wallet: string }) => row.wallet);
      expectRefusal(
        await (await api.admin("operator")).post(`${path}/nickname`, { nickname: "x" }),
        403,
        "ROLE_NOT_ALLOWED",
      );
      expectRefusal(await support.post(`${path}/nickname`, { nickname: "a".repeat(41) }), 400, "INVALID_REQUEST");
      for (const [nickname, rule] of [
        ["a\u202eb", "hidden_characters"],
        ["\u3164", "hidden_characters"],
        ["Ana\u2800", "hidden_characters"],
        ["Ana (operação)", "team_words"],
        ["\u0410dm1n da loja", "team_words"],
      ]) {
        const { status, body } = await support.post(`${path}/nickname`, { nickname });
        expect([status, body.field, body.rule], nickname).to.deep.equal([400, "nickname", rule]);
      }
      expect((await support.post(`${path}/nickname`, { nickname: " Padaria do Zé " })).status).to.equal(200);
      expect([await name(), await found()]).to.deep.equal(["Padaria do Zé", [user.address]]);
      expect((await support.get(path)).body.user).to.include({ nickname: "Padaria do Zé", first_name: "Ana" });
      expect((await support.post(`${path}/nickname`, { nickname: "" })).status).to.equal(200);
      expect([await name(), await found()]).to.deep.equal(["Ana Maria Silva", []]);

      // Anybody registers under the name of their choice; the panel calls nobody by one that claims a role.
      const { kysely } = api.services.database;
      for (const first_name of ["Equipe", "\u3164"]) {
        await kysely
          .updateTable("users")
          .set({ first_name, last_name: "" })
          .where("wallet", "=", user.address)
          .execute();
        expect((await support.get(`/api/admin/names?wallets=${user.address}`)).body.names).to.deep.equal([]);
      }

      await support.post(`${path}/nickname`, { nickname: "Padaria" });
      expect((await support.post(`${path}/erase`, REASON)).status).to.equal(202);
      await takeErasures();
      expect((await support.get(path)).body.user.nickname).to.equal("");
      const log = await support.get("/api/admin/audit-log?state=people&limit=10");
      expect(JSON.stringify(log.body)).to.include("user.nickname").and.not.to.include("Padaria");
    });

    it("count the day's users, purchases and payouts, and what needs a person", async () => {
      const admin = await api.admin("auditor");
      const before = (await admin.get("/api/admin/figures")).body.data;
      const buyer = await api.user();
      const id = await buyer.buy(1, 50);
      await buyer.buy(1, "25.50");
      const owner = await api.admin();
      await owner.post(`/api/admin/purchases/${id}/hold`);
      await owner.post("/api/admin/payouts", { paused: true, reason: "a drill" });
      const { kysely } = api.services.database;
      await countChange(kysely, { tokenIds: [], payoutIds: [BigInt(id)] }, async () => {
        const payout = { token_id: BigInt(id), recipient: buyer.address, amount_gwei: 2_500_000_000n, log_index: 0n };
        const where = {
          state: "paid" as const,
          transaction_hash: "0x1",
          block_number: 1n,
          paid_at: BigInt(Date.now()),
        };
        await kysely
          .insertInto("payouts")
          .values({ ...payout, ...where })
          .execute();
        return [{ state: where.state, amountGwei: payout.amount_gwei, paidAtMs: Number(where.paid_at) }];
      });
      const { today, last_7_days, last_30_days, days, attention } = (await admin.get("/api/admin/figures")).body.data;
      expect(today.users - before.today.users).to.equal(2);
      expect(today).to.include({ purchases: 2, amount: "75.50", payouts: 1, paid: "2.5" });
      expect([last_7_days.purchases, last_30_days.purchases, days.length]).to.deep.equal([2, 2, 30]);
      expect(days.at(-1)).to.include({ day: new Date().toISOString().slice(0, 10), purchases: 2 });
      expect(attention).to.include({ held_purchases: 1, payouts_paused: "a drill", draft_stores: 0, total: 3 });
      expect(attention.faults).to.deep.equal([{ name: "chain_away", text: "The chain does not answer: none is here" }]);
      expect((await admin.get("/api/admin/attention")).body.attention).to.deep.equal(attention);
      await countChange(kysely, { tokenIds: [], payoutIds: [BigInt(id)] }, async () => {
        await kysely.deleteFrom("payouts").execute();
        return [];
      });
      expect((await admin.get("/api/admin/figures")).body.data.today).to.include({ payouts: 0, paid: "0" });
    });

    it("name the purchases that database and chain disagree about", async () => {
      const { kysely } = api.services.database;
      const admin = await api.admin("auditor");
      const attention = async () => (await admin.get("/api/admin/attention")).body.attention;
      expect(await attention()).to.deep.include({ differences: 0, difference_list: [] });
      await writeSetting(kysely, "differences", "2");
      expect((await attention()).difference_list).to.deep.equal([]);
      const listed = [
        { kind: "contradiction", purchase_id: 7 },
        { kind: "shortfall", purchase_id: null },
      ];
      await writeSetting(kysely, "difference_list", JSON.stringify(listed));
      expect(await attention()).to.deep.include({ differences: 2, difference_list: listed, total: 3 });
      await writeSetting(kysely, "differences", "0");
      expect(await attention()).to.deep.include({ differences: 0, difference_list: [] });
    });

    it("show the effective configuration without secrets", () => {
      const secrets = {
        OPERATOR_PRIVATE_KEY: `0x${"ab".repeat(32)}`,
        SERVICE_TOKENS: "a-service-token-that-is-long-enough-to-be-one",
        AFFILIATE_SECRETS: "loja:an-affiliate-secret-that-is-long-enough",
        SALE_REF_KEY: "5a".repeat(32),
        DATABASE_URL: "postgres://user:a-password@db.example/torcida",
        RPC_URLS: "https://rpc.example/v1/a-key-in-the-path,https://other.example/?key=a-key-in-the-query",
        RATE_URL: "https://user:a-password@feed.example/?token=a-key-in-the-query",
        NOTIFY_URL: "https://hooks.example/a-key-in-the-path",
        NOTIFY_SECRET: "a-notify-secret-that-is-long-enough-to-sign",
        ASSETS_URL: "https://a-key-in-the-name:a-password@s3.example/bucket",
        FX_URL: "https://user:a-password@fx.example/a-key-in-the-path",
        PAYER_SIGNER_URL: "https://user:a-password@signer.example/a-key-in-the-path",
        PAYER_ADDRESS: `0x${"cd".repeat(20)}`,
        SENDER_KEYS: "payer",
        CHAIN_ID: "88882",
        NETWORK: "spicy",
        PUBLIC_URL: "https://shop.example",
      };
      const settings = listSettings(readEnvironment(secrets), secrets);
      const text = JSON.stringify(settings);
      for (const secret of ["abab", "a-service-token", "an-affiliate-secret", "a-password", "a-key-in", "a-notify"])
        expect(text, secret).not.to.include(secret);
      const of = (name: string) => settings.find((one) => one.name === name);
      expect(of("SERVICE_TOKENS")).to.deep.equal({
        name: "SERVICE_TOKENS",
        value: null,
        is_secret: true,
        is_set: true,
      });
      expect(of("RPC_URLS")).to.include({ value: "https://rpc.example, https://other.example", is_secret: false });
      expect(of("SENDER_KEYS")).to.include({ value: "payer", is_secret: false });
      expect(of("HOLD_SECONDS")).to.include({ is_set: false });
      const declared = readFileSync(".env.example", "utf8");
      const unsaid = settings.filter(({ name }) => !declared.includes(name)).map(({ name }) => name);
      expect(unsaid, "not in .env.example").to.deep.equal([]);
    });
  });
});
