import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import type { Database } from "../../core/database/connect.ts";
import { inTransaction } from "../../core/database/transaction.ts";
import { decideSales } from "../../core/purchases/decide-sales.ts";
import type { FxRates } from "../../core/rules/sale/rules.ts";
import { saoPauloDay } from "../../core/rules/sao-paulo-time.ts";
import { acceptRate, fetchRate, findRate, listDoubtfulRates } from "../../core/sales/fx.ts";
import { hasOpenSale, listWithoutRate } from "../../core/sales/queries.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { ACCOUNT, RULES, reportOf, Shop } from "./support/shop.ts";

/** 21 November 2026 is a Saturday: its rate is that of Friday, the 20th. */
const SATURDAY = Date.parse("2026-11-21T15:00:00Z");
const bulletin = (day: string, time: string, rate: number, tipoBoletim: string) => ({
  paridadeCompra: 1,
  paridadeVenda: 1,
  cotacaoCompra: rate - 0.0006,
  cotacaoVenda: rate,
  dataHoraCotacao: `${day} ${time}`,
  tipoBoletim,
});
const PTAX = [
  bulletin("2026-11-19", "13:04:27.921", 5.41, "Fechamento PTAX"),
  bulletin("2026-11-20", "10:08:19.3", 5.2, "Abertura"),
  bulletin("2026-11-20", "13:04:27.921", 5.3123, "Fechamento PTAX"),
  bulletin("2026-11-20", "12:05:00.11", 5.35, "Intermediário"),
];

const askAgain = (database: Database) => database.kysely.updateTable("fx_requests").set({ due_at: 0n }).execute();

/** The central bank's feed according to its documentation: a period, a currency, several bulletins a day. */
class Feed {
  status = 200;
  text: string | undefined;
  readonly asked: URL[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer((request, response) => {
      const url = new URL(request.url ?? "", "http://feed");
      this.asked.push(url);
      const day = (name: string) => {
        const [, month, date, year] = /^'(\d\d)-(\d\d)-(\d{4})'$/.exec(url.searchParams.get(name) ?? "") ?? [];
        return `${year}-${month}-${date}`;
      };
      const [from, to] = [day("@dataInicial"), day("@dataFinalCotacao")];
      const value = PTAX.filter(({ dataHoraCotacao: at }) => at.slice(0, 10) >= from && at.slice(0, 10) <= to);
      const isKnown =
        url.pathname.endsWith(
          "/CotacaoMoedaPeriodo(moeda=@moeda,dataInicial=@dataInicial,dataFinalCotacao=@dataFinalCotacao)",
        ) && url.searchParams.get("$format") === "json";
      const isDollar = url.searchParams.get("@moeda") === "'USD'";
      response.writeHead(isKnown ? this.status : 400, { "content-type": "application/json;odata.metadata=minimal" });
      response.end(this.text ?? JSON.stringify({ "@odata.context": "x", value: isDollar ? value : [] }));
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/olinda/servico/PTAX/versao/v1/odata`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

describe("The exchange rate feed", function () {
  this.timeout(300_000);
  onEitherEngine((engine) => {
    let feed: Feed;
    let fx: FxRates;
    beforeEach(async () => {
      feed = new Feed();
      fx = { url: await feed.listen(), fixed: new Map([["USD", 9_000_000n]]) };
    });
    afterEach(() => feed.close());
    const open = async () => {
      const { database } = await engine.open();
      const shop = await Shop.open(database);
      await shop.database.kysely.updateTable("stores").set({ mint_delay_seconds: 0n }).execute();
      const click = await shop.click(await shop.buyer("a"));
      await database.kysely
        .updateTable("clicks")
        .set({ created_at: BigInt(SATURDAY - 60_000) })
        .execute();
      return { database, shop, click };
    };
    const dollars = { currency: "USD", commissionCurrency: "USD", occurredAt: BigInt(SATURDAY) };

    it("gives the closing rate of the sale's day, or of the last one before, once for all revisions", async () => {
      const { database, shop, click } = await open();
      expect(await fetchRate(database, fx, "USD", BigInt(SATURDAY))).to.equal(true);
      const sale = reportOf(click, { ...dollars, reais: 10.01 });
      await shop.read(sale, { ...RULES, fx });
      // 10.01 × 5.3123 = 53.176123.
      expect(await shop.sale(sale.saleKey)).to.include({ amount_cents: 5_317n, fx_rate_micros: 5_312_300n });
      PTAX.push(bulletin("2026-11-21", "13:00:00.0", 7, "Fechamento PTAX"));
      try {
        expect(await fetchRate(database, fx, "USD", BigInt(SATURDAY))).to.equal(true);
        await shop.read({ ...sale, amountMicros: 20_000_000n }, { ...RULES, fx });
      } finally {
        PTAX.pop();
      }
      expect((await shop.sale(sale.saleKey)).amount_cents).to.equal(10_624n);
      expect(feed.asked, "asked once a day and currency").to.have.length(1);
    });

    it("uses calendar days in Brazil", async () => {
      const { database } = await open();
      // 01:30 on the 20th in UTC is 22:30 on the 19th in Brazil.
      await fetchRate(database, fx, "USD", BigInt(Date.parse("2026-11-20T01:30:00Z")));
      const rows = await database.kysely.selectFrom("fx_rates").select(["day", "rate_micros"]).execute();
      expect(rows).to.deep.equal([{ day: "2026-11-19", rate_micros: 5_410_000n }]);
    });

    it("holds the sale until it has a rate, after an outage, an unknown currency or an invalid rate", async () => {
      const { database, shop, click } = await open();
      const rules = { ...RULES, fx };
      const sale = reportOf(click, { ...dollars, status: "approved", payable: true });
      await shop.read(sale, rules);
      expect(await shop.sale(sale.saleKey)).to.include({ state: "held", amount_cents: null });
      expect((await shop.sale(sale.saleKey)).reason).to.contain("no exchange rate for USD");
      for (const [status, text] of [
        [503, "{}"],
        [200, "<html>"],
        [200, '{"value":[{"cotacaoVenda":"5,31","dataHoraCotacao":"2026-11-20 13:00:00"}]}'],
        [200, '{"value":[{"cotacaoVenda":-5.31,"dataHoraCotacao":"2026-11-20 13:00:00"}]}'],
        [200, '{"value":[]}'],
      ] as const) {
        Object.assign(feed, { status, text });
        await askAgain(database);
        const found = await fetchRate(database, fx, "USD", BigInt(SATURDAY)).catch(() => false);
        expect(found, text).to.equal(false);
      }
      expect(await fetchRate(database, fx, "QQQ", BigInt(SATURDAY)).catch(() => false)).to.equal(false);
      Object.assign(feed, { status: 200, text: undefined });
      await askAgain(database);
      expect(await fetchRate(database, fx, "USD", BigInt(SATURDAY))).to.equal(true);
      for (const one of await listWithoutRate(database.kysely, ACCOUNT, 10))
        await inTransaction(database.kysely, (queries) => decideSales(queries, [one.id], rules));
      expect(await shop.sale(sale.saleKey)).to.include({ state: "payable", amount_cents: 53_123n });
    });

    const publish = (...rates: [day: string, rate: number, bulletin?: string][]) => {
      const value = rates.map(([day, rate, kind = "Fechamento PTAX"]) => bulletin(day, "13:00:00", rate, kind));
      feed.text = JSON.stringify({ value });
    };
    const ask = (database: Database, day: string, currency = "EUR") =>
      fetchRate(database, fx, currency, BigInt(Date.parse(`${day}T15:00:00Z`)));

    it("is asked ever more seldom for a currency that it does not have, also by other processes", async () => {
      const { database, again } = await engine.open();
      feed.status = 404;
      for (let call = 0; call < 20; call++) await ask(database, "2026-11-20").catch(() => {});
      await ask(await again(), "2026-11-20").catch(() => {});
      expect(feed.asked).to.have.length(1);
      const waits: number[] = [];
      for (let turn = 0; turn < 12; turn++) {
        await askAgain(database);
        await ask(database, "2026-11-20").catch(() => {});
        const { due_at } = await database.kysely.selectFrom("fx_requests").selectAll().executeTakeFirstOrThrow();
        waits.push(Math.round((Number(due_at) - Date.now()) / 60_000));
      }
      expect(waits.slice(0, 3)).to.deep.equal([1, 2, 4]);
      expect(waits.at(-1)).to.equal(360);
      feed.status = 200;
      publish(["2026-11-20", 6]);
      expect(await ask(database, "2026-11-20", "GBP"), "another currency").to.equal(true);
    });

    it("is believed about a jump only once a person accepts it, and so the next day", async () => {
      const { database } = await engine.open();
      publish(["2026-11-17", 6], ["2026-11-18", 500], ["2026-11-19", 500], ["2026-11-20", 6.1]);
      expect(await ask(database, "2026-11-17")).to.equal(true);
      expect(await ask(database, "2026-11-18")).to.equal(false);
      expect(await ask(database, "2026-11-19"), "wrong for two days").to.equal(false);
      expect(await ask(database, "2026-11-20")).to.equal(true);
      const [, first] = await listDoubtfulRates(database.kysely);
      expect(first).to.include({ day: "2026-11-18", rate_micros: 500_000_000n, doubted_from: 6_000_000n });
      expect(await acceptRate(database.kysely, "EUR", "2026-11-17", "staff")).to.equal(undefined);
      expect(await acceptRate(database.kysely, "EUR", "2026-11-18", "staff")).to.include({ accepted_by: "staff" });
      expect(await findRate(database.kysely, fx, "EUR", "2026-11-18")).to.equal(500_000_000n);
      expect(await findRate(database.kysely, fx, "EUR", "2026-11-19")).to.equal(null);
    });

    it("concerns a wallet by its sale's currency, and by that of its commission", async () => {
      const { shop, click } = await open();
      await shop.read(reportOf(click, { currency: "USD", commissionCurrency: "EUR" }));
      const concerned = ["USD", "EUR", "GBP"].map((one) => hasOpenSale(shop.database.kysely, click.wallet, one));
      expect(await Promise.all(concerned)).to.deep.equal([true, true, false]);
    });

    it("may move by 10 % a day", async () => {
      const { database } = await engine.open();
      publish(["2026-11-17", 6], ["2026-11-18", 6.6], ["2026-11-19", 5.94]);
      for (const day of ["2026-11-18", "2026-11-19"]) expect(await ask(database, day)).to.equal(true);
    });

    it("counts for a week, and never with the first rate of a day or one out of bounds", async () => {
      const { database } = await engine.open();
      publish(["2026-11-10", 6], ["2026-11-18", 6.1, "Abertura"]);
      expect(await ask(database, "2026-11-17")).to.equal(true);
      expect(await ask(database, "2026-11-18"), "eight days old").to.equal(false);
      publish(["2026-11-19", 1_001]);
      expect(await ask(database, "2026-11-19", "GBP"), "more than 1,000 reais").to.equal(false);
    });

    it("has no rate for a day that is not over and has not closed", async () => {
      const { database } = await engine.open();
      const today = saoPauloDay(BigInt(Date.now()));
      const yesterday = saoPauloDay(BigInt(Date.now() - 86_400_000));
      publish([yesterday, 6], [today, 6.1, "Abertura"]);
      expect(await fetchRate(database, fx, "EUR", BigInt(Date.now()))).to.equal(false);
      publish([yesterday, 6], [today, 6.1, "Abertura"], [today, 6.2]);
      await askAgain(database);
      expect(await fetchRate(database, fx, "EUR", BigInt(Date.now()))).to.equal(true);
      expect(await findRate(database.kysely, fx, "EUR", today)).to.equal(6_200_000n);
    });
  });
});
