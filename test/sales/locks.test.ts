import { expect } from "chai";
import { type Kysely, type RawBuilder, sql } from "kysely";
import { connect, type Database } from "../../core/database/connect.ts";
import type { Schema } from "../../core/database/generated/schema.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { decideSales } from "../../core/purchases/decide-sales.ts";
import { purchaseEncoders } from "../../core/purchases/encoders.ts";
import { payBuyer } from "../../core/purchases/settlement.ts";
import { holdPurchase, releasePurchase } from "../../core/purchases/staff.ts";
import type { WalletAddress } from "../../core/rules/wallet-address.ts";
import { assignSale, declineSale, releaseSale } from "../../core/sales/decisions.ts";
import { markRead, storeReport } from "../../core/sales/reports.ts";
import { requeueOperations } from "../../core/sender/moves.ts";
import { type EngineUnderTest, onBothEngines } from "../testing/databases.ts";
import { standIn } from "../testing/stand-in.ts";
import { until } from "../testing/until.ts";
import { ACCOUNT, RULES, reportOf, Shop } from "./support/shop.ts";

const payable = { status: "approved", payable: true } as const;
const AT_ONCE = 8;
const ROUNDS = 4;

/** docs/architecture.md#locks */
describe("Locks on PostgreSQL", function () {
  this.timeout(600_000);
  onBothEngines((engine) => {
    // SQLite has one writer.
    if (engine.name === "SQLite") return;

    it("let one order of two buyers be reported eight at a time without a deadlock", async () => {
      const { shop, clicks, acting, deadlocks } = await open(engine);
      const reports = Array.from({ length: AT_ONCE }, (_, index) =>
        reportOf(clicks[index % 2], { ...payable, orderRef: "one order" }),
      );
      for (let round = 0; round < ROUNDS; round++) {
        const changed = reports.map((report) => ({
          ...report,
          amountMicros: report.amountMicros + BigInt(round) * 10_000n,
        }));
        await Promise.all(
          changed.map((report) =>
            inTransaction(acting.kysely, (queries) => storeReport(queries, ACCOUNT, report, RULES)),
          ),
        );
      }
      expect(await deadlocks()).to.equal(0);
      const held = await shop.database.kysely.selectFrom("sales").select("hold_reasons").execute();
      expect(held.every(({ hold_reasons }) => hold_reasons === "order_twice")).to.equal(true);
    });

    it("let a third buyer be paid while somebody holds the first two", async () => {
      const { shop, clicks } = await open(engine);
      const third = await shop.buyer("3");
      const click = await shop.click(third);
      for (const one of [clicks[0], clicks[1], click]) await shop.read(reportOf(one, payable));
      await shop.run(2);
      const before = await queuedOf(shop.database, third);
      const holder = holding(shop.database.kysely, ["1", "2"].map(walletOf));
      await holder.isHeld;
      const planning = shop.plan();
      await until("the third buyer goes on", async () => (await queuedOf(shop.database, third)) > before);
      await holder.end();
      await planning;
      await shop.run();
      for (const wallet of [third, ...["1", "2"].map(walletOf)]) expect(await shop.received(wallet)).to.equal(5);
    });

    it("let any two acts happen at once without a deadlock @deep", async () => {
      const { acts, deadlocks, shop } = await openActs(engine);
      const names = Object.keys(acts);
      for (const one of names)
        for (const other of names) await Promise.all([one, other, one, other].map((name) => acts[name]?.()));
      expect(await deadlocks()).to.equal(0);
      await shop.run();
      for (const digit of ["1", "2"]) expect(await shop.received(walletOf(digit))).to.be.lessThan(200);
    });
  });
});

const walletOf = (digit: string): WalletAddress => `0x${digit.repeat(40)}`;

async function open(engine: EngineUnderTest) {
  const { database, url } = await engine.open();
  const shop = await Shop.open(database);
  // Higher addresses have lower ids, so that no order by chance is the right one.
  const wallets = [await shop.buyer("2"), await shop.buyer("1")];
  const clicks = await Promise.all(wallets.map((wallet) => shop.click(wallet)));
  const address = new URL(url);
  address.searchParams.set("application_name", "acting");
  const acting = await connect(address.href);
  /** What its connections met, which they say when they end. */
  const deadlocks = async () => {
    await acting.close();
    const count = async (query: RawBuilder<{ n: bigint }>) => Number((await query.execute(database.kysely)).rows[0]?.n);
    const left = sql<{ n: bigint }>`select count(*) as n from pg_stat_activity where application_name = 'acting'`;
    await until("the connections have ended", async () => (await count(left)) === 0);
    return count(sql`select deadlocks as n from pg_stat_database where datname = current_database()`);
  };
  return { shop, wallets, clicks, acting, deadlocks };
}

async function queuedOf({ kysely }: Database, wallet: WalletAddress): Promise<number> {
  const rows = await kysely
    .selectFrom("operations")
    .innerJoin("purchases", "purchases.id", "operations.subject_id")
    .select("operations.id")
    .where("purchases.wallet", "=", wallet)
    .execute();
  return rows.length;
}

/** A transaction that holds these buyers until its end. */
function holding(kysely: Kysely<Schema>, wallets: readonly WalletAddress[]) {
  const held = Promise.withResolvers<void>();
  const ending = Promise.withResolvers<void>();
  const work = kysely.transaction().execute(async (queries) => {
    await queries.selectFrom("users").select("wallet").where("wallet", "in", wallets).forUpdate().execute();
    held.resolve();
    await ending.promise;
  });
  const end = async () => {
    ending.resolve();
    await work;
  };
  return { isHeld: held.promise, end };
}

/** Every act that decides about money, of two sales of one order and one more of each buyer. */
async function openActs(engine: EngineUnderTest) {
  const { shop, wallets, clicks, acting, deadlocks } = await open(engine);
  const twins = clicks.map((click) => reportOf(click, { ...payable, orderRef: "one order" }));
  const others = clicks.map((click) => reportOf(click, payable));
  for (const report of [...twins, ...others]) await shop.read(report);
  await shop.run(4);
  const [first, second] = await Promise.all(twins.map(({ saleKey }) => shop.sale(saleKey)));
  const [purchase] = await shop.purchases();
  let cents = 0n;
  const write = (work: (queries: Queries) => Promise<unknown>) => async () => {
    // A decision that no longer fits is none of this test's.
    await inTransaction(acting.kysely, work).catch((error: unknown) => {
      if (String(error).includes("deadlock")) throw error;
    });
  };
  const by = { rules: RULES, actor: "admin" };
  const report = (one: (typeof twins)[number] | undefined, more: object) =>
    write((queries) => {
      cents += 10_000n;
      return storeReport(
        queries,
        ACCOUNT,
        { ...(one as (typeof twins)[number]), amountMicros: 100_000_000n + cents, ...more },
        RULES,
      );
    });
  const id = (sale: { id: bigint } | undefined) => sale?.id ?? 0n;
  const encoders = purchaseEncoders(standIn({ rules: RULES, contracts: {} }));
  const acts: Record<string, () => Promise<unknown>> = {
    "a report of the first": report(twins[0], {}),
    "a report of the second": report(twins[1], {}),
    "a return of the first": report(twins[0], { status: "declined" }),
    "a report that moves the second": report(twins[1], { clickRef: clicks[0]?.token }),
    "a new sale of the order": write((queries) =>
      storeReport(queries, ACCOUNT, reportOf(clicks[1], { orderRef: "one order" }), RULES),
    ),
    "a release": write((queries) => releaseSale(queries, id(second), { ...by, holds: ["order_twice"] })),
    "a decline": write((queries) => declineSale(queries, id(second), "no", by)),
    "an assignment": write((queries) => assignSale(queries, id(first), clicks[1]?.token ?? "", by)),
    "a hold": write((queries) => holdPurchase(queries, purchase?.id ?? 0n, { actor: "admin", reason: null })),
    "its end": write((queries) => releasePurchase(queries, purchase?.id ?? 0n, "admin")),
    "a settlement": write((queries) =>
      payBuyer(queries, {
        ...{
          wallet: wallets[0] as WalletAddress,
          amountGwei: 1n,
          deepestBlock: 100n,
          requireRate: () => shop.weiPerCent,
        },
        ...{ rules: RULES, approvals: shop.approvals, actor: "admin" },
      }),
    ),
    "a changed rule": write((queries) => decideSales(queries, [id(second), id(first)], RULES)),
    "an unchanged read": () => markRead(acting.kysely, [id(second), id(first)], BigInt(Date.now())),
    "a failed transaction": write(async (queries) => {
      const sent = await queries
        .selectFrom("operations")
        .select("transaction_id")
        .where("transaction_id", "is not", null)
        .executeTakeFirst();
      if (sent?.transaction_id) await requeueOperations(queries, encoders, sent.transaction_id, "nonce_lost");
    }),
    "the planner": () => shop.plan(acting),
  };
  return { acts, deadlocks, shop };
}
