import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import { sql } from "kysely";
import pino from "pino";
import { createStore } from "../../core/catalogue/store-moves.ts";
import { bumpCatalogueVersion } from "../../core/catalogue/version.ts";
import type { Database } from "../../core/database/connect.ts";
import { createStoreRequestSchema } from "../../core/rules/api/catalogue.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { Caller } from "./support/caller.ts";
import { expectInvalid, expectRefusal } from "./support/expect-refusal.ts";
import { type InProcessApi, startInProcess } from "./support/in-process.ts";

const directory = mkdtempSync(join(tmpdir(), "torcida-links-"));
const ACCOUNTS = join(directory, "accounts.json");
const AWIN = JSON.stringify([{ network: "awin", account: "main", publisher_id: "777", token: "token-of-awin" }]);
const LIVE = { SIMULATED_PURCHASES: "false", AFFILIATE_ACCOUNTS: ACCOUNTS };
/** Told apart from anything else that a database could hold. */
const SECRET = "needle-in-the-haystack";
const PAGE = `https://www.loja-um.com.br/tv/${SECRET}?cor=azul`;

/** docs/product.md#links */
describe("A link to a product", () => {
  before(() => writeFileSync(ACCOUNTS, AWIN, { mode: 0o600 }));
  after(() => rmSync(directory, { recursive: true }));
  onEitherEngine((engine) => {
    let database: Database;
    let api: InProcessApi;
    let stranger: Caller;
    let ids: Record<"one" | "two" | "again", number>;
    const start = async (more: Record<string, string> = LIVE) => {
      ({ database } = await engine.open());
      api = await startInProcess(database, more);
      stranger = new Caller(api.url);
      const awin = { network: "awin", account: "main", advertiser_id: "42" };
      ids = {
        one: await sells({
          ...{ name: "Loja Um", store_url: "https://loja-um.com.br", domains: "short:l1.co", claim_days: 7, ...awin },
        }),
        two: await sells({
          name: "Loja Dois",
          affiliate_link: "https://rede.example/?c={click}",
          domains: "loja-dois.com",
        }),
        again: await sells({
          name: "Loja Dois (outro)",
          affiliate_link: "https://rede.example/?k={click}&to={url}",
          domains: ["https://www.loja-dois.com/"],
        }),
      };
    };
    /** A store on offer. */
    const sells = async (fields: object): Promise<number> => {
      const { kysely } = database;
      const store = createStoreRequestSchema.parse({ country: "Brasil", ...fields });
      const { id } = await createStore(kysely, store, { actor: "test", asker: undefined });
      const now = BigInt(Date.now());
      const terms = { category: "Tudo", cashback_bps: 500n, created_at: now, updated_at: now };
      await kysely
        .insertInto("store_cashbacks")
        .values({ ...terms, store_id: id })
        .execute();
      await kysely.updateTable("stores").set({ max_cashback_bps: 500n }).where("id", "=", id).execute();
      await bumpCatalogueVersion(kysely);
      return Number(id);
    };
    const clicks = async () =>
      Number((await sql<{ n: bigint }>`select count(*) as n from clicks`.execute(database.kysely)).rows[0]?.n);
    afterEach(() => api?.stop());

    it("leads a user to that page, with a click like any other", async () => {
      await start();
      const user = await api.user();
      const { status, body } = await user.post("/api/links", { user: user.address, url: `${PAGE}&utm_source=x&awc=1` });
      expect(status).to.equal(200);
      expect(body.store).to.deep.equal({ id: ids.one, name: "Loja Um" });
      expect(body).to.include({ url: PAGE, leads_to_page: true, is_short: false, was_referral: true, purchase: null });
      const out = new URL(body.click.affiliate_url);
      expect(out.host).to.equal("www.awin1.com");
      expect(out.searchParams.get("ued")).to.equal(PAGE);
      expect(out.searchParams.get("clickref")).to.equal(body.click.id);
      const own = (await user.get("/api/clicks")).body.clicks;
      expect(own.map((click: { id: string }) => click.id)).to.deep.equal([body.click.id]);
    });

    it("is kept in no table", async () => {
      await start();
      const user = await api.user();
      await user.post("/api/links", { user: user.address, url: PAGE });
      const tables = await database.kysely.introspection.getTables();
      for (const { name, columns } of tables) {
        for (const column of columns) {
          const found = await sql`select 1 from ${sql.table(name)} where cast(${sql.ref(column.name)} as text)
            like ${`%${SECRET}%`} limit 1`.execute(database.kysely);
          expect(found.rows, `${name}.${column.name}`).to.have.length(0);
        }
      }
    });

    it("is told to no log, whether it is answered or refused", async () => {
      await start();
      const user = await api.user();
      const logged: string[] = [];
      Object.assign(api.services, { log: pino({ level: "trace" }, { write: (line: string) => logged.push(line) }) });
      const ask = async (url: string) => (await user.post("/api/links", { user: user.address, url })).status;
      const other = PAGE.replace("loja-um", "loja-que-nao-ha");
      const two = PAGE.replace("loja-um.com.br", "loja-dois.com");
      const answers = [await ask(PAGE), await ask(other), await ask(two), await ask(`ftp://${SECRET}`)];
      expect(answers).to.deep.equal([200, 404, 409, 400]);
      expect(await ask(`${PAGE}&a=${"b".repeat(8_192)}`)).to.equal(400);
      await user.post("/api/links", { user: user.address, url: [PAGE] });
      await user.get(`/go?url=${encodeURIComponent(PAGE)}`);
      expect(logged.filter((line) => line.includes("/api/links"))).to.have.length(6);
      expect(logged.filter((line) => line.includes(SECRET) || line.includes("loja"))).to.deep.equal([]);
    });

    it("says a stranger whose page it is, and records nothing", async () => {
      await start();
      const { status, body } = await stranger.post("/api/links", { url: PAGE });
      expect(status).to.equal(200);
      expect(body.store.id).to.equal(ids.one);
      expect(body).to.not.have.property("click");
      expect(await clicks()).to.equal(0);
    });

    it("records nothing for another wallet", async () => {
      await start();
      const [user, other] = [await api.user(), await api.user()];
      expectRefusal(await stranger.post("/api/links", { user: user.address, url: PAGE }), 401, "UNAUTHORIZED");
      expectRefusal(await other.post("/api/links", { user: user.address, url: PAGE }), 403, "FORBIDDEN");
      expect(await clicks()).to.equal(0);
    });

    it("of a shop in two programmes asks which, and follows the choice", async () => {
      await start();
      const user = await api.user();
      const asked = { user: user.address, url: "https://loja-dois.com/tv" };
      const which = await user.post("/api/links", asked);
      expectRefusal(which, 409, "LINK_AMBIGUOUS");
      expect(which.body.stores.map(({ id }: { id: number }) => id)).to.have.members([ids.two, ids.again]);
      const first = (await user.post("/api/links", { ...asked, store_id: ids.two })).body;
      expect(first.leads_to_page, "its template cannot name a page").to.equal(false);
      expect(first.click.affiliate_url).to.equal(`https://rede.example/?c=${first.click.id}`);
      const second = (await user.post("/api/links", { ...asked, store_id: ids.again })).body;
      expect(second.leads_to_page).to.equal(true);
      expect(second.click.affiliate_url).to.equal(
        `https://rede.example/?k=${second.click.id}&to=${encodeURIComponent(asked.url)}`,
      );
      expectRefusal(await user.post("/api/links", { ...asked, store_id: ids.one }), 404, "LINK_UNKNOWN");
    });

    it("that is shortened leads to the shop's first page", async () => {
      await start();
      const user = await api.user();
      const { body } = await user.post("/api/links", { user: user.address, url: "https://l1.co/abc" });
      expect(body).to.include({ is_short: true, leads_to_page: false });
      expect(new URL(body.click.affiliate_url).searchParams.get("ued")).to.equal("https://loja-um.com.br");
    });

    it("of an unknown shop is refused with what it may mean", async () => {
      await start();
      for (const url of [
        "https://l0ja-um.com.br/tv",
        "https://loja-um.com.br.evil.com/",
        "https://xn--lja-um-bya.com.br",
      ])
        expectRefusal(await stranger.post("/api/links", { url }), 404, "LINK_UNKNOWN");
      const { body } = await stranger.post("/api/links", { url: "https://l0ja-um.com.br/tv" });
      expect(body.like[0]).to.deep.equal({ id: ids.one, name: "Loja Um" });
    });

    it("that is none is refused", async () => {
      await start();
      for (const url of ["javascript:alert(1)", "https://a:b@loja-um.com.br/", "tv", "https://127.0.0.1/"])
        expectRefusal(await stranger.post("/api/links", { url }), 400, "LINK_INVALID");
      expectInvalid(await stranger.post("/api/links", { url: "" }), "url");
      expectInvalid(await stranger.post("/api/links", {}), "url");
    });

    it("buys nothing in simulated mode", async () => {
      await start({});
      const user = await api.user();
      const { body } = await user.post("/api/links", { user: user.address, url: PAGE });
      expect(body).to.include({ url: PAGE, purchase: null });
      expect(body).to.not.have.property("click");
      expect(await clicks()).to.equal(0);
    });

    it("is of no store that was taken off", async () => {
      await start();
      expect((await stranger.post("/api/links", { url: PAGE })).status).to.equal(200);
      const admin = await api.admin();
      expect((await admin.send("DELETE", `/api/store/${ids.one}`)).status).to.equal(200);
      expectRefusal(await stranger.post("/api/links", { url: PAGE }), 404, "LINK_UNKNOWN");
    });

    it("lists the stores' domains for any site, with an ETag", async () => {
      await start();
      const answer = await fetch(`${api.url}/api/stores/domains`, { headers: { origin: "https://shop.example" } });
      expect(answer.headers.get("access-control-allow-origin")).to.equal("*");
      const { stores } = await answer.json();
      expect(stores.find(({ id }: { id: number }) => id === ids.one)).to.deep.equal({
        id: ids.one,
        name: "Loja Um",
        domains: ["loja-um.com.br"],
        claim_days: 7,
      });
      expect(
        stores.find(({ id }: { id: number }) => id === ids.two),
        "by the usual days",
      ).to.not.have.key("claim_days");
      const etag = answer.headers.get("etag") ?? "";
      const again = await fetch(`${api.url}/api/stores/domains`, { headers: { "if-none-match": etag } });
      expect(again.status).to.equal(304);
    });

    it("of a further shop is a move of buyers, which a second person agrees to", async () => {
      await start();
      const admin = await api.admin();
      const put = (domains: string) => admin.send("PUT", `/api/store/${ids.one}`, JSON.stringify({ domains }));
      expect((await put("short:l1.co,outra-loja.com")).status, "another shop's").to.equal(202);
      expect((await put("short:l1.co,loja-um.com.br")).status, "its own").to.equal(200);
      expect((await put("")).status, "none").to.equal(200);
      expectInvalid(await put("nada, isto nao"), "domains");
    });
  });
});
