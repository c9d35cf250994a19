import { expect } from "chai";
import pino from "pino";
import { listRunning } from "../../core/catalogue/offer-list.ts";
import { insertOffer } from "../../core/catalogue/offers.ts";
import { insertStore } from "../../core/catalogue/store-rows.ts";
import { readSetting, writeSetting } from "../../core/database/settings.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { DAY_MS, HOUR_MS } from "../../core/rules/iso-time.ts";
import type { AccountTerms } from "../../core/rules/sale/rules.ts";
import { awin } from "../../core/sales/awin/awin.ts";
import { CallRefusedError } from "../../core/sales/http-calls.ts";
import type { Request } from "../../core/sales/network.ts";
import { type AnyNetwork, findNetwork } from "../../core/sales/networks.ts";
import { plainOf } from "../../core/sales/offer-row.ts";
import { hastenOffers, OffersRound } from "../../core/sales/offers-round.ts";
import { ReadProgress } from "../../core/sales/read-progress.ts";
import { Reader } from "../../core/sales/reader.ts";
import { AwinSimulator } from "../../scripts/rehearse/simulators/awin.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { until } from "../testing/until.ts";
import { RULES, Shop } from "./support/shop.ts";

const ACCOUNTS = {
  awin: { network: "awin", account: "br", publisher_id: "45628", token: "awin-token" },
  admitad: { network: "admitad", account: "br", website_id: "22", client_id: "me", client_secret: "secret" },
  impact: { network: "impact", account: "br", account_sid: "IRsid", token: "impact-token" },
};
type Name = keyof typeof ACCOUNTS;

/** A page of each network with these offers, as it writes them. */
const PAGES: Record<Name, (offers: readonly Plain[]) => unknown> = {
  awin: (offers) => ({
    data: offers.map(({ id, title, code, start, end, text, url }) => ({
      ...{ promotionId: id, type: code ? "voucher" : "promotion", advertiser: { id: 17000, name: "Loja" } },
      ...{
        title,
        description: text,
        terms: "",
        startDate: start,
        endDate: end,
        url,
        urlTracking: "https://awin1.example/",
      },
      ...(code && { voucher: { code, exclusive: false } }),
    })),
    pagination: { page: 1, pageSize: 200, total: offers.length },
  }),
  admitad: (offers) => ({
    results: offers.map(({ id, title, code, start, end, text }) => ({
      ...{ id, name: title, short_name: title, description: text, campaign: { id: 17000, name: "Loja" } },
      ...{ promocode: code ?? "Не нужен -", date_start: start?.replace("T", " "), date_end: end?.replace("T", " ") },
      ...(code ? {} : { promocode: "" }),
    })),
    _meta: { count: offers.length, limit: 500, offset: 0 },
  }),
  impact: (offers) => ({
    Deals: offers.map(({ id, title, code, start, end, text }) => ({
      ...{ Id: String(id), Name: title, Description: text, State: "ACTIVE", Type: "GENERAL" },
      ...{ DefaultPromoCode: code ?? "", StartDate: start && `${start}Z`, EndDate: end && `${end}Z` },
    })),
    "@nextpageuri": "",
  }),
};
type Plain = { id: number; title?: string; code?: string; start?: string; end?: string; text?: string; url?: string };

const plainTime = (at: number) => new Date(at).toISOString().slice(0, 19);

/** docs/product.md#offers-of-networks */
describe("Offers of networks", () => {
  onEitherEngine((engine) => {
    const realNow = Date.now;
    let shop: Shop;
    let start: number;
    afterEach(() => {
      Date.now = realNow;
    });

    beforeEach(async () => {
      const { database } = await engine.open();
      shop = await Shop.open(database);
      start = Math.floor(realNow() / 1_000) * 1_000;
      Date.now = () => start;
      await database.kysely
        .updateTable("stores")
        .set({
          affiliate_link: "https://go.example/?c={click}",
          max_cashback_bps: 500n,
          store_url: "https://loja.example/",
        })
        .where("id", "=", shop.storeId)
        .execute();
    });

    const stored = () => shop.database.kysely.selectFrom("offers").selectAll().orderBy("id").execute();
    const running = () => listRunning(shop.database.kysely, { limit: 100, now: BigInt(Date.now()) });

    async function networkOf(name: Name) {
      await shop.database.kysely.updateTable("stores").set({ network: name }).where("id", "=", shop.storeId).execute();
      return findNetwork(name) as AnyNetwork;
    }

    /** A whole round; `answer` is the body of each call for offers. */
    async function read(
      name: Name,
      answer: (request: Request, call: number) => unknown,
      others: readonly AccountTerms[] = [],
    ): Promise<Request[]> {
      const network = await networkOf(name);
      const account = network.accountSchema.parse(ACCOUNTS[name]);
      const { kysely } = shop.database;
      const round = new OffersRound({
        ...{ database: shop.database, network, account, log: pino({ level: "silent" }) },
        rules: { accounts: [account, ...others] },
        progress: new ReadProgress(kysely, { network: name, account: "br" }),
        write: (work) => inTransaction(kysely, work),
      });
      const calls: Request[] = [];
      const session = {
        account,
        memory: new Map<string, string>(),
        call: async (request: Request) => {
          if (request.url.endsWith("/token/")) return JSON.stringify({ access_token: "t" });
          calls.push(request);
          const body = answer(request, calls.length);
          return typeof body === "string" ? body : JSON.stringify(body);
        },
      };
      while (await round.readPage(session));
      return calls;
    }

    for (const name of ["awin", "admitad", "impact"] as const) {
      it(`of ${name} are read, changed and ended by themselves`, async () => {
        const first = {
          id: 1,
          title: "Dez",
          code: "DEZ",
          start: plainTime(start - DAY_MS),
          end: plainTime(start + DAY_MS),
        };
        const page = PAGES[name];
        await read(name, () => page([first, { id: 2, title: "Frete" }]));
        expect(
          (await running()).map(({ title, code, ends_at }) => [title, code, Number(ends_at) < start + 2 * DAY_MS]),
        ).to.deep.equal([
          ["Dez", "DEZ", true],
          ["Frete", null, false],
        ]);
        expect(await read(name, () => page([])), "once a day").to.deep.equal([]);
        Date.now = () => start + DAY_MS - 1_000;
        await read(name, () => page([]));
        expect((await running()).length, "a bad day ends nothing that runs").to.equal(2);
      });
    }

    it("without an end go once the network lists others only, two rounds a day apart", async () => {
      const page = PAGES.awin;
      await read("awin", () =>
        page([
          { id: 1, title: "Frete" },
          { id: 2, title: "Outra" },
        ]),
      );
      const titles = async () => (await running()).map(({ title }) => title);
      for (const [day, left] of [
        [1, ["Frete", "Outra"]],
        [2, ["Outra"]],
      ] as const) {
        Date.now = () => start + day * DAY_MS;
        await read("awin", () => page([{ id: 2, title: "Outra" }]));
        expect(await titles()).to.deep.equal(left);
      }
      Date.now = () => start + 3 * DAY_MS;
      await read("awin", () => page([{ id: 1, title: "Frete de volta" }]));
      expect((await titles()).toSorted()).to.deep.equal(["Frete de volta", "Outra"]);
    });

    it("are plain text, whatever the network writes", async () => {
      await read("awin", () => ({
        data: [
          {
            ...{
              promotionId: "7",
              advertiserId: "17000",
              title: "<p>10&nbsp;%&#32;<b>off</b>\u202e<script>alert(1)</script></p>",
            },
            ...{ description: `${"x".repeat(5_000)}`, terms: null, endDate: plainTime(start + HOUR_MS), code: 10 },
            url: "https://evil.example/",
          },
          {
            promotionId: 8,
            advertiserId: 17000,
            title: "",
            description: "&lt;b&gt;",
            url: "https://www.loja.example/x",
          },
          { promotionId: 9, advertiserId: 17000, title: "x", endDate: "soon" },
          { promotionId: 10, advertiserId: 99, title: "Another shop's" },
          { promotionId: 11, advertiserId: 17000, title: "Over", endDate: plainTime(start - HOUR_MS) },
          { promotionId: 12, advertiserId: 17000, title: "\u200b\u202e" },
          ...[null, 7, "x", []],
        ],
      }));
      const rows = await running();
      expect(
        rows.map(({ title, code, terms, url }) => ({ title, code, terms: terms?.length ?? null, url })),
      ).to.deep.equal([
        { title: "10 % off", code: "10", terms: 1_000, url: null },
        { title: "<b>", code: null, terms: null, url: "https://www.loja.example/x" },
      ]);
    });

    it("say where the shop pays no cashback", async () => {
      const rows = [
        ["a", "Válido no site. Não cumulativo com cashback."],
        ["b", "Not valid with cashback sites."],
        ["c", "Ganhe mais: vale também no app."],
        ["d", "Cashback is not paid on this code"],
      ].map(([title, text], index) => ({ id: index + 1, title: title ?? "", text: text ?? "" }));
      await read("impact", () => PAGES.impact(rows));
      expect((await running()).map(({ title, with_cashback }) => [title, with_cashback])).to.deep.equal([
        ["a", 0n],
        ["b", 0n],
        ["c", 1n],
        ["d", 0n],
      ]);
      await read("awin", () => ({
        data: [{ promotionId: 1, advertiserId: 17000, title: "e", cashbackAllowed: "false" }],
      }));
      expect((await running()).find(({ title }) => title === "e")?.with_cashback).to.equal(0n);
    });

    it("that have not changed drop no cache", async () => {
      const page = PAGES.awin([{ id: 1, title: "Dez", text: "a", end: plainTime(start + 9 * DAY_MS) }]);
      await read("awin", () => page);
      const version = () => readSetting(shop.database.kysely, "catalogue_version");
      const before = await version();
      Date.now = () => start + DAY_MS;
      await read("awin", () => page);
      expect(await version()).to.equal(before);
      expect((await stored())[0]?.seen_at).to.equal(BigInt(start + DAY_MS));
    });

    it("never touch one that a person wrote", async () => {
      const { kysely } = shop.database;
      await insertOffer(kysely, shop.storeId, { title: "Dez", code: "NOSSO" });
      const [before] = await stored();
      await read("awin", () => PAGES.awin([{ id: 1, title: "Dez", code: "DELES" }]));
      expect((await stored())[0]).to.deep.equal(before);
      expect(await stored()).to.have.length(2);
    });

    it("are read page by page, though the pages move, and at most 50 a store are kept", async () => {
      const rows = Array.from({ length: 230 }, (_, index) => ({ id: index + 1, title: `Oferta ${index + 1}` }));
      const calls = await read("awin", (_, page) => PAGES.awin(page === 1 ? rows.slice(0, 200) : rows.slice(150)));
      expect(calls).to.have.length(2);
      expect(await stored()).to.have.length(50);
    });

    it("cost a refusal nothing but an hour, and a store of another account none", async () => {
      const refused = await read("awin", () => {
        throw new CallRefusedError(403, "no");
      });
      expect(refused).to.have.length(1);
      expect(await stored()).to.deep.equal([]);
      const other = { name: "Outra", country: "Brasil", network: "impact", account: "other", advertiser_id: "5" };
      await insertStore(shop.database.kysely, other);
      const calls = await read("impact", () => PAGES.impact([]));
      expect(calls.map(({ url }) => new URL(url).pathname)).to.deep.equal([
        "/Mediapartners/IRsid/Campaigns/17000/Deals",
      ]);
    });

    it("are of nobody where a store names none of a network's two accounts", async () => {
      const { kysely } = shop.database;
      await kysely.updateTable("stores").set({ account: null }).where("id", "=", shop.storeId).execute();
      expect(await read("impact", () => PAGES.impact([]), [{ network: "impact", account: "other" }])).to.deep.equal([]);
      Date.now = () => start + DAY_MS;
      expect(await read("impact", () => PAGES.impact([]))).to.have.length(1);
    });

    it("are read again for a new store, once, and no sooner than is asked for", async () => {
      const empty = () => PAGES.awin([]);
      expect(await read("awin", empty)).to.have.lengthOf(1);
      const key = { network: "awin", account: "br" };
      await hastenOffers(shop.database.kysely, key, HOUR_MS);
      await hastenOffers(shop.database.kysely, key, 2 * HOUR_MS);
      expect(await read("awin", empty)).to.have.lengthOf(0);
      start += HOUR_MS;
      expect(await read("awin", empty)).to.have.lengthOf(1);
      start += 2 * HOUR_MS;
      expect(await read("awin", empty)).to.have.lengthOf(0);
    });

    it("come with the reader of sales, once", async () => {
      Date.now = realNow;
      const simulator = new AwinSimulator({ publisherId: "45628", token: "awin-token" }, 600);
      simulator.offers.push({ promotionId: 1, advertiser: { id: 17000 }, title: "Dez", voucher: { code: "DEZ" } });
      const api_url = await simulator.listen();
      const account = awin.accountSchema.parse({ ...ACCOUNTS.awin, api_url, poll_seconds: 0.2, calls_per_minute: 600 });
      const ending = new AbortController();
      const reader = new Reader({
        ...{ database: shop.database, network: findNetwork("awin") as AnyNetwork, account },
        ...{ rules: { ...RULES, accounts: [account] }, log: pino({ level: "silent" }), signal: ending.signal },
        assertLease: async () => {},
      });
      await writeSetting(shop.database.kysely, "ids_open", String(realNow() + HOUR_MS));
      const running = reader.run();
      await until("the offer is there", async () => (await stored())[0]);
      ending.abort();
      await running;
      await simulator.close();
      expect((await stored())[0]).to.deep.include({ title: "Dez", code: "DEZ", network: "awin", account: "br" });
      expect(simulator.calls.filter(({ path }) => path.endsWith("/promotions"))).to.have.length(1);
    });
  });

  it("are cut to plain text", () => {
    expect(plainOf("<p>10&nbsp;% <b>off</b></p><p>a\tb</p>", 40)).to.equal("10 % off\na b");
    expect(plainOf("a < b &amp;lt; c", 40)).to.equal("a < b &lt; c");
    expect(plainOf("abcdef", 4)).to.equal("abc…");
    const began = performance.now();
    for (const one of ["<a", "<", "&#", "cashback no "]) plainOf(one.repeat(100_000), 1_000);
    expect(performance.now() - began).to.be.below(500);
  });
});
