import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import pino from "pino";
import { inTransaction } from "../../core/database/transaction.ts";
import { DAY_MS } from "../../core/rules/iso-time.ts";
import { storePushes } from "../../core/sales/hints.ts";
import { type AnyNetwork, findNetwork } from "../../core/sales/networks.ts";
import { Reader } from "../../core/sales/reader.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { until } from "../testing/until.ts";
import { RULES, Shop } from "./support/shop.ts";

const MOSCOW_MS = 3 * 3_600_000;

type Answer = { status?: number; headers?: Record<string, string>; text: string };

/**
 * A minimal network server written from the networks' own documentation, independent of `scripts/rehearse/simulators/`: a
 * misunderstanding shared by adapter and simulator would otherwise go unnoticed.
 */
class Papers {
  readonly asked: { method: string; url: URL; headers: IncomingMessage["headers"]; body: string }[] = [];
  readonly #server: Server;

  constructor(answer: (asked: Papers["asked"][number]) => Answer) {
    this.#server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      const url = new URL(request.url ?? "", "http://network");
      const asked = { method: request.method ?? "", url, headers: request.headers, body };
      this.asked.push(asked);
      const { status = 200, headers = {}, text } = answer(asked);
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const seconds = (at: number) => new Date(at).toISOString().slice(0, 19);

describe("The networks according to their documentation", function () {
  this.timeout(300_000);
  onEitherEngine((engine) => {
    const ends: (() => Promise<unknown>)[] = [];
    afterEach(async () => {
      for (const end of ends.splice(0).reverse()) await end();
    });

    async function open(name: string, fields: object, answer: (asked: Papers["asked"][number]) => Answer) {
      const papers = new Papers(answer);
      const api_url = await papers.listen();
      ends.push(() => papers.close());
      const network = findNetwork(name) as AnyNetwork;
      const account = network.accountSchema.parse({ network: name, account: "br", api_url, ...fields });
      const { database } = await engine.open();
      const shop = await Shop.open(database);
      await database.kysely.updateTable("stores").set({ network: name }).execute();
      await database.kysely
        .insertInto("settings")
        .values({ name: "ids_open", value: "9".repeat(15), updated_at: 1n })
        .execute();
      const click = await shop.click(await shop.buyer("a"));
      await database.kysely
        .updateTable("clicks")
        .set({ created_at: BigInt(Date.now() - 3_600_000) })
        .execute();
      const start = () => {
        const ending = new AbortController();
        const rules = { ...RULES, accounts: [account] };
        const options = { database, network, account, rules, log: pino({ level: "silent" }), signal: ending.signal };
        const running = new Reader({ ...options, assertLease: async () => {} }).run();
        const end = async () => {
          ending.abort();
          await running;
        };
        ends.push(end);
        return end;
      };
      const sales = () => database.kysely.selectFrom("sales").selectAll().orderBy("sale_key").execute();
      const hint = (key: string) =>
        inTransaction(database.kysely, (queries) =>
          storePushes(queries, [{ key: { network: name, account: "br" }, saleKeys: [key] }]),
        );
      return { papers, shop, click, start, sales, hint };
    }

    describe("Awin", () => {
      const ACCOUNT = { publisher_id: "45628", token: "the token", poll_seconds: 0.3, calls_per_minute: 600 };
      /** Strict about header, time zone and window; the URL must not contain the token. */
      const refusal = ({ url, headers }: Papers["asked"][number]): Answer | undefined => {
        const { searchParams: query } = url;
        if (headers.authorization !== "Bearer the token" || query.has("accessToken"))
          return { status: 401, text: "{}" };
        if (!/^\/publishers\/45628\/transactions\/?$/.test(url.pathname)) return { status: 404, text: "{}" };
        if (query.get("timezone") !== "UTC") return { status: 400, text: '{"error":"timezone"}' };
        if (query.has("ids")) return undefined;
        const [from, to] = ["startDate", "endDate"].map((name) => Date.parse(`${query.get(name)}Z`));
        if (!(to! - from! <= 31 * DAY_MS)) return { status: 400, text: '{"error":"31 days"}' };
        const isKnown = ["transaction", "validation", "amendment"].includes(query.get("dateType") ?? "");
        return isKnown ? undefined : { status: 400, text: '{"error":"dateType"}' };
      };
      const row = (click: string, id: string, more = "") => `{
        "id": ${id}, "url": "https://shop.example/", "advertiserId": 17000, "publisherId": 45628, "siteName": "T",
        "commissionStatus": "approved", "commissionAmount": {"amount": 31.499999999999998, "currency": "BRL"},
        "saleAmount": {"amount": 250.1, "currency": "BRL"}, "clickRefs": {"clickRef": "${click}", "clickRef2": "x"},
        "clickDate": "2026-11-20T14:01:00", "transactionDate": "${seconds(Date.now() - 1_000)}", "validationDate": null,
        "type": "Commission group transaction", "declineReason": null, "voucherCodeUsed": false, "amended": false,
        "oldSaleAmount": null, "oldCommissionAmount": null, "paidToPublisher": false, "paymentId": 0,
        "transactionQueryId": 0, "originalSaleAmount": null, "orderRef": "P-1", "customParameters": [], "transactionParts": [
          {"commissionGroupId": 1, "amount": 150.10, "commissionAmount": 4.5, "commissionGroupCode": "DEFAULT", "commissionGroupName": "D", "trackedParts": null},
          {"commissionGroupId": 2, "amount": 1e2, "commissionAmount": 7.0, "commissionGroupCode": "FASHION", "commissionGroupName": "F"}
        ]${more} }`;

      it("are read by three timestamps, without paging, with numbers kept exactly", async () => {
        const { papers, click, start, sales, hint } = await open("awin", ACCOUNT, (asked) => {
          const isAsked = asked.url.searchParams.has("ids") || asked.url.searchParams.get("dateType") === "transaction";
          const plain = row(click.token, "9007199254740993001").replace("1e2", "100.0");
          return refusal(asked) ?? { text: isAsked ? `[${plain}]` : "[]" };
        });
        start();
        const [sale] = await until("the sale is read", async () => {
          const found = await sales();
          return found.length === 1 && found;
        });
        // An id beyond the precision of a double; 31.499999999999998 is rounded to six places.
        expect(sale).to.deep.include({
          sale_key: "9007199254740993001",
          status: "approved",
          state: "approved",
          order_ref: "P-1",
          advertiser_id: "17000",
          click_id: click.id,
          amount_cents: 25_010n,
          commission_cents: 3_150n,
          cashback_cent_bps: 15_010n * 500n + 10_000n * 700n,
        });
        for (const kind of ["amendment", "transaction", "validation"])
          await until(`it is asked by ${kind}`, () =>
            papers.asked.some(({ url }) => url.searchParams.get("dateType") === kind),
          );
        await hint("9007199254740993001");
        await until("it is read by its id", () =>
          papers.asked.some(({ url }) => url.searchParams.get("ids")?.includes("9007199254740993001")),
        );
        const ofSales = papers.asked.filter(({ url }) => url.pathname.includes("/transactions/"));
        expect(ofSales.every((asked) => refusal(asked) === undefined)).to.equal(true);
      });

      it("hold unknown formats: an amount with an exponent, a new status", async () => {
        const { click, start, sales } = await open("awin", ACCOUNT, (asked) => {
          const other = row(click.token, "2").replace("1e2", "100").replace('"approved"', '"under review"');
          return refusal(asked) ?? { text: `[${row(click.token, "1")}, ${other}, {"advertiserId": 17000}]` };
        });
        start();
        const found = await until("both are read", async () => {
          const rows = await sales();
          return rows.length === 2 && rows;
        });
        expect(found.map(({ state }) => state)).to.deep.equal(["held", "held"]);
        expect(found[0]?.reason).to.contain("transactionParts[1].amount");
        expect(found[1]?.reason).to.contain("under review");
      });

      it("prefer reais where the buyer paid in them, and take a deletion as declined", async () => {
        const { click, start, sales } = await open("awin", ACCOUNT, (asked) => {
          const tracked = ', "trackedCurrencyAmount": {"amount": 1300.00, "currency": "BRL"}';
          const foreign = row(click.token, "1", tracked).replaceAll('"BRL"}, "clickRefs', '"USD"}, "clickRefs');
          const usd = foreign
            .replace("250.1", "250.10")
            .replace("1e2", "100")
            .replace('998, "currency": "BRL"', '998, "currency": "USD"');
          const deleted = row(click.token, "2").replace("1e2", "100").replace('"approved"', '"deleted"');
          return refusal(asked) ?? { text: `[${usd}, ${deleted}]` };
        });
        start();
        const [usd, deleted] = await until("both are read", async () => {
          const rows = await sales();
          return rows.length === 2 && rows;
        });
        // 1,300 × 150.10 / 250.10 rounded down, the rest to the largest part, which is that one.
        expect(usd).to.deep.include({ currency: "USD", amount_cents: 130_000n });
        expect(usd?.cashback_cent_bps).to.equal((130_000n - 51_979n) * 500n + 51_979n * 700n);
        expect(deleted).to.deep.include({ status: "declined", state: "declined" });
      });

      it("are not called after a 429 without Retry-After, by this or the next process", async () => {
        let isBusy = true;
        const { papers, start, shop } = await open("awin", ACCOUNT, () =>
          isBusy ? { status: 429, text: '{"error":"limit"}' } : { text: "[]" },
        );
        const startedAt = Date.now();
        const end = start();
        await until("it is refused", () => papers.asked.length > 0);
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        await end();
        const endedAt = Date.now();
        isBusy = false;
        start();
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        expect(papers.asked.length).to.equal(1);
        const status = await shop.database.kysely.selectFrom("affiliate_status").selectAll().executeTakeFirstOrThrow();
        expect(Number(status.blocked_until)).to.be.within(startedAt + 60_000, endedAt + 60_000);
      });

      it("are polled soon for a push about a sale that cannot be read by id", async () => {
        let isSold = false;
        const { papers, click, start, sales, hint } = await open(
          "awin",
          { ...ACCOUNT, poll_seconds: 3_600 },
          (asked) => {
            if (asked.url.searchParams.has("ids")) return { status: 400, text: '{"error":"ids"}' };
            return { text: isSold ? `[${row(click.token, "7").replace("1e2", "100")}]` : "[]" };
          },
        );
        start();
        await until("the first poll is over", () => papers.asked.length >= 12);
        isSold = true;
        await hint("7");
        await until("the sale is read", async () => (await sales()).length === 1);
      });
    });

    describe("Admitad", () => {
      const ACCOUNT = {
        website_id: "22",
        client_id: "me",
        client_secret: "my secret",
        poll_seconds: 0.3,
        calls_per_minute: 600,
        timezone: "Europe/Moscow",
      };
      const local = (at: number) => seconds(at + MOSCOW_MS).replace("T", " ");
      const read = (text: string | null) => {
        const [, day, month, year, time = "00:00:00"] =
          /^(\d\d)\.(\d\d)\.(\d{4})(?: (\d\d:\d\d:\d\d))?$/.exec(text ?? "") ?? [];
        return Date.parse(`${year}-${month}-${day}T${time}Z`) - MOSCOW_MS;
      };
      type Action = { id: number; at: number; changedAt: number; more?: object };
      /** Tokens expire; at most 500 rows, newest first, 20 by default. */
      function admitad(actions: () => Action[], click: () => string) {
        let tokens = 0;
        const expired = new Set<string>();
        const answer = ({ method, url, headers, body }: Papers["asked"][number]): Answer => {
          if (url.pathname === "/token/") {
            const form = new URLSearchParams(body);
            const basic = `Basic ${Buffer.from("me:my secret").toString("base64")}`;
            const isRight =
              method === "POST" &&
              headers.authorization === basic &&
              headers["content-type"]?.startsWith("application/x-www-form-urlencoded") &&
              form.get("grant_type") === "client_credentials" &&
              form.get("client_id") === "me" &&
              form.get("scope") === "statistics";
            if (!isRight) return { status: 400, text: '{"error":"invalid_request"}' };
            tokens += 1;
            return {
              text: `{"access_token":"token-${tokens}","expires_in":604800,"token_type":"bearer","scope":"statistics"}`,
            };
          }
          if (url.pathname !== "/statistics/actions/") return { status: 404, text: "{}" };
          const bearer = headers.authorization?.replace("Bearer ", "") ?? "";
          if (bearer !== `token-${tokens}` || expired.has(bearer))
            return { status: 401, text: '{"error":"invalid_token"}' };
          const query = url.searchParams;
          const limit = Number(query.get("limit") ?? 20);
          const offset = Number(query.get("offset") ?? 0);
          if (limit > 500) return { status: 400, text: '{"error":"limit"}' };
          const within = (at: number, from: string, to: string, lengthMs: number) =>
            (!query.has(from) || at >= read(query.get(from))) &&
            (!query.has(to) || at < read(query.get(to)) + lengthMs);
          const found = actions()
            .filter(({ changedAt }) => within(changedAt, "status_updated_start", "status_updated_end", 1_000))
            .filter(({ at }) => within(at, "date_start", "date_end", DAY_MS))
            .sort((a, b) => b.at - a.at || b.id - a.id);
          const results = found.slice(offset, offset + limit).map(({ id, at, changedAt, more }) => ({
            id,
            action_id: id + 5,
            action: "Sale",
            action_type: "sale",
            status: "approved",
            cart: "250.00",
            payment: "30.00",
            currency: "BRL",
            order_id: `A-${id}`,
            advcampaign_id: 17_000,
            website_id: 22,
            subid4: click(),
            click_date: local(at - 60_000),
            action_date: local(at),
            status_updated: local(changedAt),
            reward_ready: true,
            paid: 0,
            positions: [],
            comment: null,
            ...more,
          }));
          return { text: JSON.stringify({ results, _meta: { count: found.length, limit, offset } }) };
        };
        return { answer, expire: () => expired.add(`token-${tokens}`), tokens: () => tokens };
      }

      it("are read by change and by day, in the account's zone, with text and number amounts and by tariffs", async () => {
        const at = Date.now() - 5_000;
        let token = "";
        const actions: Action[] = [
          { id: 1, at, changedAt: at },
          {
            id: 2,
            at,
            changedAt: at,
            more: { cart: 99.9, payment: 12, subid4: "", status: "pending", reward_ready: false },
          },
          {
            id: 3,
            at,
            changedAt: at,
            more: {
              cart: "300.00",
              positions: [
                { tariff_id: "fashion", amount: "100.00", payment: "9.00" },
                { tariff_id: 77, amount: 200, payment: 1 },
              ],
            },
          },
          { id: 4, at, changedAt: at, more: { status: "approved_but_stalled" } },
          { id: 5, at, changedAt: at, more: { website_id: 23 } },
        ];
        const network = admitad(
          () => actions,
          () => token,
        );
        const { click, start, sales, papers } = await open("admitad", ACCOUNT, network.answer);
        token = click.token;
        start();
        const found = await until("all are read", async () => {
          const rows = await sales();
          return rows.length === 4 && rows;
        });
        expect(found.map(({ sale_key, state }) => [sale_key, state])).to.deep.equal([
          ["1", "payable"],
          ["2", "unmatched"],
          ["3", "payable"],
          ["4", "open"],
        ]);
        expect(found[0]).to.deep.include({
          amount_cents: 25_000n,
          cashback_cent_bps: 25_000n * 500n,
          order_ref: "A-1",
        });
        expect(Number(found[0]?.occurred_at)).to.be.closeTo(at, 1_000);
        expect(found[1]?.amount_cents).to.equal(9_990n);
        expect(found[2]).to.deep.include({ cashback_cent_bps: 10_000n * 700n + 20_000n * 500n, unknown_groups: "77" });
        for (const name of ["status_updated_start", "date_start"])
          await until(`it is asked by ${name}`, () => papers.asked.some(({ url }) => url.searchParams.has(name)));
      });

      it("are read completely even if pages shift, with a new token when the old one expires", async () => {
        const at = Date.now() - 60_000;
        const actions: Action[] = Array.from({ length: 520 }, (_, id) => ({
          id: id + 1,
          at: at - id,
          changedAt: at,
        }));
        let shifts = 0;
        const network = admitad(
          () => actions,
          () => "nobody",
        );
        const { start, sales, papers } = await open("admitad", ACCOUNT, (asked) => {
          // A new sale appears at the front while the pages are read.
          if (asked.url.searchParams.get("offset") === "500" && shifts < 3) {
            shifts += 1;
            actions.push({ id: 5_000 + shifts, at: at + shifts, changedAt: at });
          }
          return network.answer(asked);
        });
        start();
        await until("all are read", async () => (await sales()).length === 523);
        const before = network.tokens();
        network.expire();
        actions.push({ id: 9_999, at: Date.now() - 1_000, changedAt: Date.now() - 1_000 });
        await until("the next is read too", async () => (await sales()).length === 524);
        expect(network.tokens()).to.equal(before + 1);
        expect(Math.max(...papers.asked.map(({ url }) => Number(url.searchParams.get("limit") ?? 0)))).to.equal(500);
      });

      it("are called again after Retry-After, in seconds or as a date", async () => {
        let waits: string[] = ["2", new Date(Date.now() + 5_000).toUTCString()];
        const refused: number[] = [];
        const network = admitad(
          () => [],
          () => "",
        );
        const { start, papers, shop } = await open("admitad", ACCOUNT, (asked) => {
          const [wait, ...rest] = waits;
          if (wait === undefined || asked.url.pathname === "/token/") return network.answer(asked);
          waits = rest;
          refused.push(Date.now());
          return { status: 429, headers: { "retry-after": wait }, text: "{}" };
        });
        start();
        await until("it is read", async () => {
          const row = await shop.database.kysely.selectFrom("affiliate_status").select("read_at").executeTakeFirst();
          return row?.read_at != null;
        });
        expect(papers.asked.length).to.be.greaterThan(3);
        expect((refused[1] ?? 0) - (refused[0] ?? 0)).to.be.at.least(1_900);
      });
    });
  });
});
