import { expect } from "chai";
import { sql } from "kysely";
import pino from "pino";
import { saleCashback } from "../../core/rules/sale/value.ts";
import { isPlainText } from "../../core/rules/text.ts";
import { admitad } from "../../core/sales/admitad/admitad.ts";
import { awin } from "../../core/sales/awin/awin.ts";
import { impact } from "../../core/sales/impact/impact.ts";
import type { Page } from "../../core/sales/network.ts";
import { type AnyNetwork, findNetwork } from "../../core/sales/networks.ts";
import { Reader } from "../../core/sales/reader.ts";
import { AwinSimulator } from "../../scripts/rehearse/simulators/awin.ts";
import { onBothEngines } from "../testing/databases.ts";
import { until } from "../testing/until.ts";
import { RULES, Shop } from "./support/shop.ts";

const POISONS: unknown[] = [
  ...["constructor", "__proto__", "Constructor", "toString", "hasOwnProperty", "a\u0000b", "\ud800", "\n", "9e99", "-"],
  ...["x".repeat(9_000), "9".repeat(400), "0001-01-01T00:00:00", "9999-12-31T23:59:59", "2026-02-30 25:00:00"],
  ...["999999999999", 1e308, -1e15, 0, true, null, {}, [], [[]], { amount: {} }, [null, 1, "x"]],
];

const KEYS = { awin: "id", admitad: "id", impact: "Id" };
const ROWS: Record<keyof typeof KEYS, Record<string, unknown>> = {
  awin: {
    id: 1,
    advertiserId: 17000,
    commissionStatus: "pending",
    saleAmount: { amount: 100, currency: "BRL" },
    commissionAmount: { amount: 10, currency: "BRL" },
    trackedCurrencyAmount: { amount: 100, currency: "BRL" },
    clickRefs: { clickRef: "abc" },
    transactionDate: "2026-11-20T14:03:00",
    declineReason: null,
    amendReason: "why",
    paidToPublisher: false,
    orderRef: "P-1",
    transactionParts: [{ commissionGroupCode: "FASHION", amount: 100 }],
  },
  admitad: {
    id: "1",
    website_id: "22",
    status: "pending",
    cart: "100.00",
    payment: "10.00",
    currency: "BRL",
    order_id: "P-1",
    advcampaign_id: 17000,
    subid4: "abc",
    action: "Sale",
    action_date: "2026-11-20 14:03:00",
    status_updated: "2026-11-20 14:03:00",
    reward_ready: false,
    comment: "why",
    positions: [{ tariff_id: 5, amount: "100.00" }],
  },
  impact: {
    Id: "1",
    State: "PENDING",
    Amount: "100.00",
    Payout: "10.00",
    Currency: "BRL",
    SubId1: "abc",
    CampaignId: "17000",
    Oid: "P-1",
    EventDate: "2026-11-20T14:03:00-03:00",
    ClearedDate: null,
    AdjustmentReason: "why",
    Items: [{ Category: "FASHION", SaleAmount: "100.00" }],
  },
};

/** A row with each of its fields replaced by each poison. */
function* poisoned(value: unknown): Generator<unknown> {
  yield* POISONS;
  if (Array.isArray(value))
    for (const [index, one] of value.entries()) {
      for (const bad of poisoned(one)) yield value.with(index, bad);
    }
  else if (typeof value === "object" && value !== null)
    for (const [field, one] of Object.entries(value)) {
      for (const bad of poisoned(one)) yield { ...value, [field]: bad };
    }
}

/** A database that refuses one sale. */
function refusalOf(engine: "SQLite" | "PostgreSQL", saleKey: string) {
  const poisoned = sql`new.sale_key = ${sql.lit(saleKey)}`;
  if (engine === "SQLite") {
    const rule = sql`create trigger poison before insert on sales when ${poisoned} begin select raise(abort, 'poisoned'); end`;
    return { rule: [rule], lift: sql`drop trigger poison` };
  }
  const refuse = sql`create function poison() returns trigger language plpgsql as 'begin raise exception ''poisoned''; end'`;
  const rule = sql`create trigger poison before insert on sales for each row when (${poisoned}) execute function poison()`;
  return { rule: [refuse, rule], lift: sql`drop trigger poison on sales` };
}

async function readBy(name: keyof typeof KEYS, rows: readonly unknown[]): Promise<Page> {
  const network = findNetwork(name) as AnyNetwork;
  const account = {
    awin: () => awin.accountSchema.parse({ network: "awin", account: "br", publisher_id: "1", token: "t" }),
    admitad: () =>
      admitad.accountSchema.parse({
        network: "admitad",
        account: "br",
        website_id: "22",
        client_id: "a",
        client_secret: "b",
      }),
    impact: () => impact.accountSchema.parse({ network: "impact", account: "br", account_sid: "1", token: "t" }),
  }[name]();
  const memory = new Map([
    ["access token statistics", "t"],
    ["access token's end statistics", String(Date.now() + 1e6)],
  ]);
  const body = { awin: rows, admitad: { results: rows, _meta: { count: rows.length } }, impact: { Actions: rows } }[
    name
  ];
  // JSON.stringify would write a lone surrogate as an escape, which is what a network sends.
  const session = { account, memory, call: async () => JSON.stringify(body) };
  const [pass] = network.passes;
  if (!pass) throw new Error(name);
  const pages: Page[] = [];
  for await (const page of network.readWindow(session, pass, { from: new Date(0), to: new Date() })) pages.push(page);
  return { reports: pages.flatMap((page) => page.reports), unread: pages.flatMap((page) => page.unread) };
}

describe("One bad row", function () {
  this.timeout(300_000);
  for (const name of ["awin", "admitad", "impact"] as const) {
    it(`of ${name} costs no other row, whatever is in whichever field`, async () => {
      const good = [7, 8].map((id) => ({ ...ROWS[name], [KEYS[name]]: String(id) }));
      let count = 0;
      for (const bad of poisoned(ROWS[name])) {
        count += 1;
        const { reports, unread } = await readBy(name, [good[0], bad, good[1]]);
        const said = JSON.stringify(bad).slice(0, 300);
        expect(
          reports.map(({ saleKey }) => saleKey),
          said,
        ).to.include.members(["7", "8"]);
        expect(reports.length + unread.length, said).to.be.within(2, 3);
        for (const one of reports) {
          const texts = [
            one.saleKey,
            one.clickRef,
            one.advertiserId,
            one.orderRef,
            one.currency,
            one.reason,
            ...(one.drift ?? []).flatMap(({ field = null, value = null }) => [field, value]),
          ];
          for (const text of [...texts, ...one.parts.map(({ group }) => group)]) {
            expect(text === null || isPlainText(text, 500), said).to.equal(true);
          }
        }
        for (const { text, problem } of unread)
          expect(isPlainText(text, 2_000) && isPlainText(problem, 500)).to.equal(true);
      }
      expect(count).to.be.above(300);
    });
  }

  for (const [name, field] of [
    ["awin", "transactionDate"],
    ["awin", "advertiserId"],
    ["admitad", "action_date"],
    ["admitad", "advcampaign_id"],
    ["impact", "EventDate"],
    ["impact", "CampaignId"],
  ] as const) {
    it(`of ${name} without its ${field} is not understood`, async () => {
      for (const value of [undefined, null, ""]) {
        const { reports } = await readBy(name, [{ ...ROWS[name], [field]: value }]);
        expect(reports.map(({ drift }) => drift)).to.deep.equal([[{ code: "missing", field }]]);
      }
    });
  }

  it("named like a property of every object is an unknown group", () => {
    const terms = { groups: { shirts: 700n }, defaultBps: 500n, bonusBps: 0n };
    for (const group of ["Constructor", "__proto__", "toString", "valueOf"]) {
      const { centBps, unknownGroups } = saleCashback([{ group, amountCents: 100n }], terms);
      expect({ centBps, unknownGroups }).to.deep.equal({ centBps: 50_000n, unknownGroups: [group] });
    }
  });

  onBothEngines((engine) => {
    async function start() {
      const { database } = await engine.open();
      const shop = await Shop.open(database);
      await database.kysely
        .insertInto("settings")
        .values({ name: "ids_open", value: "9".repeat(15), updated_at: 1n })
        .execute();
      const simulator = new AwinSimulator({ publisherId: "45628", token: "t" }, 600);
      const account = awin.accountSchema.parse({
        network: "awin",
        account: "br",
        publisher_id: "45628",
        token: "t",
        api_url: await simulator.listen(),
        poll_seconds: 0.2,
        calls_per_minute: 600,
      });
      const ending = new AbortController();
      const run = () =>
        new Reader({
          database,
          network: findNetwork("awin") as AnyNetwork,
          account,
          rules: { ...RULES, accounts: [account] },
          log: pino({ level: "silent" }),
          signal: ending.signal,
          assertLease: async () => {},
        }).run();
      const click = await shop.click(await shop.buyer("a"), {
        groups: { fashion: 700n },
        defaultBps: 500n,
        bonusBps: 0n,
      });
      const sell = (group: string) =>
        simulator.book.sell({
          click: click.token,
          advertiserId: "17000",
          parts: [{ group, cents: 10_000, commissionCents: 1_000 }],
          soldAt: Date.now() - 1_000,
        });
      const end = async (running: Promise<void>) => {
        ending.abort();
        await running;
        await simulator.close();
      };
      const isStored = (id: string) => async () =>
        (await database.kysely.selectFrom("sales").select("id").where("sale_key", "=", id).executeTakeFirst()) !==
        undefined;
      const unread = () => database.kysely.selectFrom("unread_rows").selectAll().orderBy("row_key").execute();
      return { database, shop, simulator, sell, run, end, isStored, unread };
    }

    it("stops no sale of its account, is kept with its text and counted, and goes once it is readable", async () => {
      const { database, simulator, sell, run, end, isStored, unread } = await start();
      const first = sell("Constructor");
      const poisons = [
        { id: null, orderRef: "no id" },
        { ...ROWS.awin, id: "with\u0000nul" },
        { ...ROWS.awin, id: "5".repeat(9_000) },
        "not an object",
        { ...ROWS.awin, id: 555, orderRef: "9".repeat(9_000), clickRefs: { clickRef: "a\u0000b" } },
      ];
      simulator.faults.alter = (body) => [...poisons, ...(body as unknown[])];
      const running = run();
      await until("the sale after them is stored", isStored(first.id));
      const second = sell("__proto__");
      await until("the next sale is stored", isStored(second.id));
      // Its order number and click are left out, and it is held for a person.
      await until("the row with a key is stored", isStored("555"));
      expect((await unread()).map(({ text }) => text.slice(0, 30))).to.have.members([
        '{"id":null,"orderRef":"no id"}',
        '{"id":"with\\u0000nul","adverti',
        `{"id":"${"5".repeat(23)}`,
        '"not an object"',
      ]);
      const status = await database.kysely.selectFrom("affiliate_status").selectAll().executeTakeFirstOrThrow();
      expect(status).to.include({ drift_count: 4n, error: null });
      await end(running);
    });

    it("that cannot be stored is read again, and stored as soon as it can be", async () => {
      const { database, sell, run, end, isStored, unread } = await start();
      const victim = sell("FASHION");
      const { rule, lift } = refusalOf(engine.name, victim.id);
      for (const statement of rule) await statement.execute(database.kysely);
      const other = sell("FASHION");
      const running = run();
      await until("the other sale is stored", isStored(other.id));
      await until("the victim is set aside", async () => (await unread()).length === 1);
      const [row] = await unread();
      expect(row).to.include({ sale_key: victim.id });
      expect(row?.problem).to.contain("poisoned");
      await lift.execute(database.kysely);
      await database.kysely.updateTable("unread_rows").set({ retry_at: 0n }).execute();
      await until("the victim is stored", isStored(victim.id));
      await until("nothing is set aside", async () => (await unread()).length === 0);
      await end(running);
    });
  });
});
