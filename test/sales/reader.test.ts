import { expect } from "chai";
import pino from "pino";
import { inTransaction } from "../../core/database/transaction.ts";
import { DAY_MS } from "../../core/rules/iso-time.ts";
import { admitad } from "../../core/sales/admitad/admitad.ts";
import { awin } from "../../core/sales/awin/awin.ts";
import { openReaderHealth, type ReaderStatus } from "../../core/sales/health-server.ts";
import { storePushes } from "../../core/sales/hints.ts";
import { impact } from "../../core/sales/impact/impact.ts";
import { type AnyNetwork, findNetwork } from "../../core/sales/networks.ts";
import { listFailing } from "../../core/sales/read-progress.ts";
import { Reader } from "../../core/sales/reader.ts";
import { AdmitadSimulator } from "../../scripts/rehearse/simulators/admitad.ts";
import { AwinSimulator } from "../../scripts/rehearse/simulators/awin.ts";
import type { Book, SimulatedSale } from "../../scripts/rehearse/simulators/book.ts";
import type { Simulator } from "../../scripts/rehearse/simulators/simulator.ts";
import { onEitherEngine } from "../testing/databases.ts";
import { freePorts } from "../testing/free-port.ts";
import { until } from "../testing/until.ts";
import { ImpactSimulator } from "./support/impact-simulator.ts";
import { ACCOUNT, RULES, reportOf, Shop } from "./support/shop.ts";

const CALLS = 600;

type Network = {
  simulator: Simulator & { book: Book };
  network: AnyNetwork;
  account: (url: string, more?: object) => Parameters<typeof readerOf>[2];
};

const NETWORKS: Record<string, (callsPerMinute?: number) => Network> = {
  awin: (calls = CALLS) => ({
    simulator: new AwinSimulator({ publisherId: "45628", token: "awin-token" }, calls),
    network: findNetwork("awin") as AnyNetwork,
    account: (api_url, more) =>
      awin.accountSchema.parse({
        network: "awin",
        account: "br",
        publisher_id: "45628",
        token: "awin-token",
        api_url,
        poll_seconds: 0.2,
        calls_per_minute: calls,
        ...more,
      }),
  }),
  admitad: (calls = CALLS) => ({
    simulator: new AdmitadSimulator({ clientId: "me", clientSecret: "secret" }, calls),
    network: findNetwork("admitad") as AnyNetwork,
    account: (api_url, more) =>
      admitad.accountSchema.parse({
        network: "admitad",
        account: "br",
        website_id: "22",
        client_id: "me",
        client_secret: "secret",
        api_url,
        poll_seconds: 0.2,
        calls_per_minute: calls,
        ...more,
      }),
  }),
  impact: (calls = CALLS) => ({
    simulator: new ImpactSimulator({ sid: "IRsid", token: "impact-token" }, calls),
    network: findNetwork("impact") as AnyNetwork,
    account: (api_url, more) =>
      impact.accountSchema.parse({
        network: "impact",
        account: "br",
        account_sid: "IRsid",
        token: "impact-token",
        api_url,
        poll_seconds: 0.2,
        calls_per_minute: calls,
        ...more,
      }),
  }),
};

function readerOf(
  shop: Shop,
  network: AnyNetwork,
  account: { account: string; network: string } & Parameters<AnyNetwork["buildLink"]>[0],
) {
  const ending = new AbortController();
  const reader = new Reader({
    database: shop.database,
    network,
    account,
    rules: { ...RULES, accounts: [account] },
    log: pino({ level: "silent" }),
    signal: ending.signal,
    assertLease: async () => {},
  });
  const running = reader.run();
  return async () => {
    ending.abort();
    await running;
  };
}

const part = (reais: number, group = "DEFAULT"): SimulatedSale["parts"][number] => ({
  group,
  cents: reais * 100,
  commissionCents: reais * 10,
});

const firstPoll = ({ database }: Shop) =>
  until("the first poll is over", () =>
    database.kysely.selectFrom("affiliate_cursors").select("pass").where("pass", "=", "validation").executeTakeFirst(),
  );

describe("The network reader", function () {
  this.timeout(300_000);
  onEitherEngine((engine) => {
    const ends: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (const end of ends.splice(0).reverse()) await end();
    });

    async function open(name: string, options: { calls?: number; account?: object; isIdle?: boolean } = {}) {
      const made = NETWORKS[name]?.(options.calls);
      if (!made) throw new Error(name);
      const { database } = await engine.open();
      const shop = await Shop.open(database);
      await database.kysely.updateTable("stores").set({ network: name }).execute();
      await database.kysely
        .insertInto("settings")
        .values({ name: "ids_open", value: "9".repeat(15), updated_at: 1n })
        .execute();
      const url = await made.simulator.listen();
      ends.push(() => made.simulator.close());
      const account = made.account(url, options.account);
      // The planner decides sales anew, and knows the same accounts as the reader.
      shop.rules = { ...RULES, accounts: [account] };
      const start = () => {
        const end = readerOf(shop, made.network, account);
        ends.push(end);
        return end;
      };
      if (!options.isIdle) start();
      const wallet = await shop.buyer("a");
      const click = await shop.click(wallet);
      const sell = (reais = 100, more = {}) =>
        made.simulator.book.sell({
          click: click.token,
          advertiserId: "17000",
          parts: [part(reais)],
          soldAt: Date.now() + 30_000,
          ...more,
        });
      const inState = (id: string, state: string) =>
        until(`sale ${id} is ${state}`, async () => {
          const sale = await shop.database.kysely
            .selectFrom("sales")
            .select(["state", "reason"])
            .where("sale_key", "=", id)
            .executeTakeFirst();
          return sale?.state === state;
        });
      return { ...made, shop, wallet, click, sell, inState, start, account, url };
    }

    for (const name of Object.keys(NETWORKS)) {
      it(`follows a sale of ${name} from the order to the payment, and back`, async () => {
        const { simulator, sell, inState, shop, wallet } = await open(name);
        // The sale is half a minute after the click; a sale in the future of the network's clock would not be read.
        await shop.database.kysely
          .updateTable("clicks")
          .set((set) => ({ created_at: set("created_at", "-", 60_000n) }))
          .execute();
        const { id } = sell(100, { soldAt: Date.now() });
        await inState(id, "open");
        simulator.book.amend(id, [part(60), part(20, "FASHION")]);
        simulator.book.approve(id);
        await inState(id, "approved");
        simulator.book.pay(id);
        await inState(id, "payable");
        await shop.run();
        await inState(id, "settled");
        expect(await shop.received(wallet)).to.equal(3 + 1.4);
        simulator.book.decline(id, "returned");
        await inState(id, "declined");
        expect((await shop.sale(id)).reason).to.equal("returned");
        simulator.book.restore(id);
        await inState(id, "open");
      });

      it(`holds a sale of ${name} with an unknown status`, async () => {
        const { simulator, sell, inState, shop } = await open(name);
        const { id } = sell(100, { soldAt: Date.now() });
        simulator.book.drift(id, "frozen");
        await inState(id, "held");
        expect((await shop.sale(id)).reason).to.match(/frozen/);
      });
    }

    it("starts with the longest validation period, in windows the network accepts, then reads from two days before the last success", async () => {
      const { simulator, sell, inState, start, shop } = await open("awin", { isIdle: true });
      const old = sell(100, { soldAt: Date.now() - 100 * DAY_MS });
      start();
      await until("the old sale is stored", () =>
        shop.database.kysely.selectFrom("sales").select("id").where("sale_key", "=", old.id).executeTakeFirst(),
      );
      await until("the first reading is over", () =>
        shop.database.kysely
          .selectFrom("affiliate_status")
          .select("read_at")
          .where("read_at", "is not", null)
          .executeTakeFirst(),
      );
      const { id } = sell(10, { soldAt: Date.now() });
      await inState(id, "held");
      expect(simulator.calls.every((call) => call.status === 200)).to.equal(true);
      const last = new URL(
        simulator.calls.filter((call) => call.path.includes("startDate")).at(-1)?.path ?? "",
        "http://x",
      );
      const startedAt = Date.parse(`${last.searchParams.get("startDate")}Z`);
      expect(startedAt).to.be.closeTo(Date.now() - 2 * DAY_MS, 60_000);
    });

    it("reads open sales by id with a budget of five calls a minute, however old they are", async () => {
      const { simulator, sell, start, shop, click } = await open("awin", {
        calls: 5,
        account: { poll_seconds: 600 },
        isIdle: true,
      });
      const { kysely } = shop.database;
      // No poll looks back as far as this sale.
      const now = BigInt(Date.now());
      const passes = findNetwork("awin")?.passes ?? [];
      await kysely
        .insertInto("affiliate_cursors")
        .values(
          [...passes.map(({ name }) => name), "nightly"].map((pass) => ({
            ...ACCOUNT,
            ...{ pass, through_at: now, updated_at: now },
          })),
        )
        .execute();
      const soldAt = Date.now() - 130 * DAY_MS;
      const { id } = sell(100, { soldAt });
      await shop.read(reportOf(click, { saleKey: id, occurredAt: BigInt(soldAt) }));
      await kysely
        .updateTable("sales")
        .set({ created_at: BigInt(soldAt), read_at: 1n })
        .execute();
      // Nor is it listed by its validation: only its own id tells.
      simulator.book.sales.set(id, { ...simulator.book.find(id), status: "approved", validatedAt: soldAt });
      start();
      await until("it is read again", async () => (await shop.sale(id)).status === "approved");
      const status = kysely.selectFrom("affiliate_status").select("calls_needed");
      expect((await status.executeTakeFirstOrThrow()).calls_needed).to.equal(1n);
    });

    it("reads all pages of a window", async () => {
      const { sell, shop } = await open("admitad");
      for (let count = 0; count < 1_001; count++) sell(1, { soldAt: Date.now(), click: "nobody" });
      await until(
        "all are stored",
        async () => {
          const { n } = await shop.database.kysely
            .selectFrom("sales")
            .select(({ fn }) => fn.countAll<bigint>().as("n"))
            .executeTakeFirstOrThrow();
          return BigInt(n) === 1_001n;
        },
        200_000,
      );
    });

    it("keeps its cursor through outages, errors and a 429, and does not call before Retry-After", async () => {
      const { simulator, sell, inState } = await open("awin");
      const first = sell(10, { soldAt: Date.now() });
      await inState(first.id, "held");
      simulator.faults.isAway = true;
      const second = sell(10, { soldAt: Date.now() });
      await new Promise((resolve) => setTimeout(resolve, 700));
      simulator.faults.isAway = false;
      await inState(second.id, "held");
      simulator.faults.status = 429;
      simulator.faults.retryAfterSeconds = 3;
      const before = simulator.calls.length;
      await until("it is refused", () => Promise.resolve(simulator.calls.length > before));
      const refusedAt = simulator.calls.at(-1)?.at ?? 0;
      const count = simulator.calls.length;
      delete simulator.faults.status;
      const third = sell(10, { soldAt: Date.now() });
      await inState(third.id, "held");
      expect((simulator.calls[count]?.at ?? 0) - refusedAt).to.be.at.least(2_900);
    });

    it("tells which account cannot be read, since when and why, until it can", async () => {
      const { simulator, sell, inState, shop, account } = await open("awin");
      const { kysely } = shop.database;
      const row = () => kysely.selectFrom("affiliate_status").select("error_at").executeTakeFirstOrThrow();
      simulator.faults.status = 401;
      await until("it fails", async () => (await row()).error_at !== null);
      expect(await listFailing(kysely, [ACCOUNT]), "it may pass").to.deep.equal([]);
      await kysely.updateTable("affiliate_status").set({ error_at: 1n }).execute();
      const calls = simulator.calls.length;
      await until("it fails again", () => Promise.resolve(simulator.calls.length > calls));
      expect((await row()).error_at, "since the first failure").to.equal(1n);

      const status: ReaderStatus = { isReading: true, queries: kysely };
      const [port = 0] = await freePorts(1);
      const end = await openReaderHealth({ port, host: "127.0.0.1", accounts: [account], status });
      ends.push(async () => end());
      const read = async (path: string) => {
        const response = await fetch(`http://127.0.0.1:${port}${path}`);
        return { status: response.status, text: await response.text() };
      };
      expect((await read("/healthz")).status).to.equal(200);
      const ready = await read("/readyz");
      expect(ready.status).to.equal(503);
      expect(ready.text).to.match(/awin\/br cannot be read since \d+ min: The network answered 401/);
      expect((await read("/metrics")).text).to.include('torcida_affiliate_failing{network="awin",account="br"} 1');
      expect(await listFailing(kysely, [{ network: "awin", account: "closed" }]), "not ours any more").to.deep.equal(
        [],
      );

      delete simulator.faults.status;
      await inState(sell(10, { soldAt: Date.now() }).id, "held");
      await until("it is over", async () => (await read("/readyz")).status === 200);
      expect((await read("/metrics")).text).to.not.include("torcida_affiliate_failing{");
    });

    it("stays within its budget, also after a restart", async () => {
      const { simulator, sell, inState, start } = await open("awin", { calls: 20, isIdle: true });
      const { id } = sell(10, { soldAt: Date.now() });
      const end = start();
      await inState(id, "held");
      await end();
      start();
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      expect(simulator.calls.length).to.be.at.most(20);
      expect(simulator.calls.map((call) => call.status)).not.to.include(429);
    });

    it("reads a sale named in a push by its id, at once, and trusts nothing in the push", async () => {
      const { simulator, sell, inState, shop, account } = await open("awin", { account: { poll_seconds: 3_600 } });
      await firstPoll(shop);
      const { id } = sell(10, { soldAt: Date.now() });
      await inTransaction(shop.database.kysely, (queries) =>
        storePushes(queries, [
          { key: { network: account.network, account: account.account }, saleKeys: [id, "900000999"] },
        ]),
      );
      await inState(id, "held");
      expect(simulator.calls.some((call) => call.path.includes("ids="))).to.equal(true);
      // A sale that the network does not know yet is requested again later.
      await until("only the unknown sale is left to ask for", async () => {
        const hints = await shop.database.kysely.selectFrom("sale_hints").select("sale_key").execute();
        return hints.map((hint) => hint.sale_key).join() === "900000999";
      });
      expect((await shop.database.kysely.selectFrom("sales").select("id").execute()).length).to.equal(1);
    });

    it("rereads old sales while a leaked push URL is flooded", async () => {
      const { sell, inState, shop, account } = await open("awin", {
        account: { poll_seconds: 3_600, calls_per_minute: 600 },
      });
      const { kysely } = shop.database;
      await firstPoll(shop);
      const { id } = sell(10, { soldAt: Date.now() - 20 * DAY_MS });
      const key = { network: account.network, account: account.account };
      await inTransaction(kysely, (queries) => storePushes(queries, [{ key, saleKeys: [id] }]));
      await inState(id, "held");
      const push = (_: unknown, place: number) => ({
        key,
        saleKeys: Array.from({ length: 50 }, (_, index) => String(800_000_000 + 50 * place + index)),
      });
      await inTransaction(kysely, (queries) => storePushes(queries, Array.from({ length: 60 }, push)));
      await kysely.updateTable("sales").set({ read_at: 1n }).execute();
      await until("the old sale was read", async () => {
        const sale = await kysely.selectFrom("sales").select("read_at").executeTakeFirstOrThrow();
        return sale.read_at > 1n;
      });
      const waiting = await kysely.selectFrom("sale_hints").select("id").where("attempts", "=", 0n).limit(1).execute();
      expect(waiting, "hints that were not asked for yet").to.have.length(1);
    });
  });
});
