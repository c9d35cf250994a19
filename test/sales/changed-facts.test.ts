import { expect } from "chai";
import { sql } from "kysely";
import { deleteStore, insertStore, updateStore } from "../../core/catalogue/store-rows.ts";
import type { StoreFields } from "../../core/catalogue/stores.ts";
import { readSetting } from "../../core/database/settings.ts";
import { inTransaction, type Queries } from "../../core/database/transaction.ts";
import { announceApprovals, areRulesDisputed, requestApprovals } from "../../core/purchases/approvals.ts";
import { decideChanged, noteRules } from "../../core/purchases/changed-facts.ts";
import { outstandingDebt } from "../../core/purchases/debt.ts";
import { stepNow } from "../../core/purchases/next-step.ts";
import { decideApproval } from "../../core/purchases/staff.ts";
import { OwnSaleError } from "../../core/rules/sale/own-sale-error.ts";
import type { SaleRules } from "../../core/rules/sale/rules.ts";
import { onBothEngines } from "../testing/databases.ts";
import { until } from "../testing/until.ts";
import { attributeSale } from "./support/attribute-sale.ts";
import { RULES, reportOf, Shop, WEI_PER_CENT } from "./support/shop.ts";

const approved = { status: "approved", payable: null } as const;
const payable = { status: "approved", payable: true } as const;
const HOUR = 3_600;
const operator = "operator";

/** What changes for many sales at once: a store, or the settings at a restart. docs/product.md#sales-decision */
describe("A fact of many sales that changes", function () {
  this.timeout(300_000);
  onBothEngines((engine) => {
    async function open() {
      const { database, again } = await engine.open();
      const shop = await Shop.open(database);
      const { kysely } = database;
      const wallet = await shop.buyer("a");
      const click = await shop.click(wallet);
      const change = (fields: Partial<StoreFields>, id = shop.storeId) =>
        inTransaction(kysely, (queries) => updateStore(queries, id, fields));
      const restart = (rules: Partial<SaleRules>) => {
        shop.rules = { ...shop.rules, ...rules };
        return inTransaction(kysely, (queries) => noteRules(queries, shop.rules));
      };
      /** An api starts with these; the one that plans and pays keeps its own, which allow all. */
      const announce = (aboveChz: bigint, ...wallets: string[]) => announceFor(undefined, aboveChz, ...wallets);
      /** 0n: it has ended. */
      const announceFor = (ms: bigint | undefined, aboveChz: bigint, ...wallets: string[]) => {
        const roles = new Map(wallets.map((wallet) => [wallet, operator] as const));
        return inTransaction(kysely, (queries) =>
          announceApprovals(queries, { aboveGwei: aboveChz * 10n ** 9n, roles }, ms),
        );
      };
      /** Sales of 5 CHZ each, paid by the decision of one person. */
      const sellBy = async (actor: string, count: number) => {
        for (let index = 0; index < count; index++) {
          const report = reportOf(await shop.click(wallet), payable);
          await shop.read(report);
          await attributeSale(kysely, (await shop.sale(report.saleKey)).id, actor);
        }
      };
      const unsent = async () => {
        const rows = await kysely.selectFrom("operations").select("kind").where("status", "=", "queued").execute();
        return rows.map(({ kind }) => kind);
      };
      const facts = () => kysely.selectFrom("changed_facts").select("fact").execute();
      return { shop, kysely, wallet, click, change, restart, announce, announceFor, sellBy, unsent, facts, again };
    }
    /** So many other connections wait for a lock; on PostgreSQL, because SQLite has one writer. */
    const untilWaiting = (queries: Queries, count = 1) =>
      until("others wait", async () => {
        const { rows } = await sql<{ n: bigint }>`select count(*) as n from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(queries);
        return Number(rows[0]?.n) >= count;
      });

    it("a longer waiting period takes back a payout that is not sent, and a shorter one pays", async () => {
      const { shop, wallet, click, change, unsent } = await open();
      await shop.read(reportOf(click, approved));
      await shop.runUntil("pay");
      await change({ hold_seconds: HOUR });
      await shop.plan();
      await shop.plan();
      const [purchase] = await shop.purchases();
      expect(await unsent()).to.deep.equal([]);
      expect(purchase?.payable_at).to.equal((purchase?.approved_at ?? 0n) + BigInt(HOUR) * 1_000n);
      await change({ hold_seconds: 0 });
      await shop.run();
      expect(await shop.received(wallet)).to.equal(5);
    });

    it("an edit that decides nothing touches no sale", async () => {
      const { shop, change, facts } = await open();
      await change({ hold_seconds: null, advertiser_id: "17000", description: "Camisas", claim_days: 9 });
      expect(await facts()).to.deep.equal([]);
      await change({ advertiser_id: "17001" });
      await shop.plan();
      expect(await facts(), "worked off").to.deep.equal([]);
    });

    it("another advertiser holds what is not sent, and the right one lets it go on", async () => {
      const { shop, wallet, click, change, unsent } = await open();
      const report = reportOf(click, payable);
      await shop.read(report);
      await shop.runUntil("pay");
      await change({ advertiser_id: "17001" });
      await shop.plan();
      expect(await unsent()).to.deep.equal([]);
      expect((await shop.sale(report.saleKey)).hold_reasons).to.equal("other_store");
      await change({ advertiser_id: "17001,17000" });
      await shop.run();
      expect(await shop.received(wallet)).to.equal(5);
    });

    it("of a store is not changed by the buyer of a held sale which it decides", async () => {
      const { shop, kysely, wallet, click, change } = await open();
      const report = reportOf(click, { ...payable, advertiserId: "17001" });
      await shop.read(report);
      expect((await shop.sale(report.saleKey)).hold_reasons).to.equal("other_store");
      const changeBy = (actor: string, fields: Partial<StoreFields>) =>
        inTransaction(kysely, (queries) => updateStore(queries, shop.storeId, fields, actor)).catch(
          (error: unknown) => error,
        );
      const right = { advertiser_id: "17000,17001" };
      expect(await changeBy(wallet, right)).to.be.instanceOf(OwnSaleError);
      expect(await changeBy(wallet, { description: "Camisas" })).to.equal(true);
      expect(await changeBy("another admin", right)).to.equal(true);
      await shop.run();
      expect(await shop.received(wallet)).to.equal(5);
      // It is held no longer.
      expect(await changeBy(wallet, { hold_seconds: 0 })).to.equal(true);
      await change({ advertiser_id: "17000" });
    });

    it("a link code tells the stores of a network apart from then on", async () => {
      const { shop, kysely, wallet, change } = await open();
      const key = { network: "admitad", account: "main" };
      shop.rules = { ...RULES, accounts: [...RULES.accounts, key] };
      const store = { name: "Outra", country: "Brasil", ...key, advertiser_id: "55" };
      const storeId = await insertStore(kysely, store);
      const report = reportOf(await shop.click(wallet, undefined, storeId), payable);
      await shop.read(report, shop.rules, key);
      expect((await shop.sale(report.saleKey)).state).to.equal("payable");
      await change({ link_code: "abc" }, storeId);
      await shop.plan();
      expect((await shop.sale(report.saleKey)).hold_reasons).to.equal("other_store");
    });

    it("a merchant that two stores share holds one order of both, and goes on once they are two", async () => {
      const { shop, kysely, wallet, click, change } = await open();
      const store = { name: "Outra", country: "Brasil", network: "awin", account: "br", advertiser_id: "18000" };
      const storeId = await insertStore(kysely, store);
      const one = reportOf(click, { ...payable, orderRef: "A1" });
      const other = { clickRef: (await shop.click(wallet, undefined, storeId)).token, advertiserId: "18000" };
      const two = reportOf(undefined, { ...payable, ...other, orderRef: "a1 " });
      await shop.read(one);
      await shop.read(two);
      const reasons = async () => [
        (await shop.sale(one.saleKey)).hold_reasons,
        (await shop.sale(two.saleKey)).hold_reasons,
      ];
      expect(await reasons()).to.deep.equal(["", ""]);
      await change({ merchant: "loja.example" });
      await change({ merchant: "LOJA.example" }, storeId);
      await shop.plan();
      await shop.plan();
      expect(await reasons()).to.deep.equal(["order_twice", "order_twice"]);
      await change({ merchant: "outra.example" }, storeId);
      await shop.run();
      expect([await reasons(), await shop.received(wallet)]).to.deep.equal([["", ""], 10]);
    });

    it("a higher limit lets two returned sales come back, and gives back once what another one paid of both", async () => {
      const { shop, kysely, wallet, click, restart } = await open();
      await restart({});
      const two = [reportOf(click, payable), reportOf(await shop.click(wallet), payable)];
      for (const one of two) await shop.read(one);
      await shop.run();
      for (const one of two) await shop.read({ ...one, status: "declined" });
      await shop.read(reportOf(await shop.click(wallet), payable));
      await shop.run();
      await restart({ limits: { ...RULES.limits, maximumCents: 9_999n } });
      for (const one of two) await shop.read({ ...one, reason: "back" }, shop.rules);
      await restart({ limits: RULES.limits });
      await shop.run();
      expect([await shop.received(wallet), await outstandingDebt(kysely, wallet)]).to.deep.equal([15, 0n]);
    });

    it("a lower limit takes back what is not sent, and a higher one lets it go on", async () => {
      const { shop, wallet, click, restart, unsent } = await open();
      await restart({});
      const report = reportOf(click, payable);
      await shop.read(report);
      await shop.runUntil("pay");
      await restart({ limits: { ...RULES.limits, maximumCents: 9_999n } });
      await shop.plan();
      expect(await unsent()).to.deep.equal([]);
      expect((await shop.sale(report.saleKey)).hold_reasons).to.equal("too_high");
      await restart({ limits: RULES.limits });
      await shop.run();
      expect(await shop.received(wallet)).to.equal(5);
    });

    it("the same settings as before touch no sale", async () => {
      const { shop, restart, announce, facts } = await open();
      await restart({});
      await announce(5n, "admin");
      await shop.run();
      await restart({ mintDelayMs: 5n });
      await announce(5n, "admin");
      expect(await facts()).to.deep.equal([]);
    });

    it("a lower sum for one person takes payouts back in their order, until a second one agrees", async () => {
      const { shop, kysely, wallet, announce, sellBy } = await open();
      await announce(20n, "admin");
      await sellBy("admin", 2);
      await shop.run(2);
      await shop.plan();
      const paying = async () =>
        (await kysely.selectFrom("operations").select("subject_id").where("kind", "=", "pay").execute()).length;
      expect(await paying()).to.equal(2);
      await announce(7n, "admin");
      await shop.run();
      const asked = await kysely.selectFrom("approvals").select(["purchase_id", "state"]).execute();
      const [, second] = await shop.purchases();
      expect([await shop.received(wallet), asked]).to.deep.equal([5, [{ purchase_id: second?.id, state: "open" }]]);
      const [day] = await kysely.selectFrom("decided_days").select("gwei").execute();
      expect(day?.gwei, "each counts once").to.equal(10_000_000_000n);
    });

    it("what a person's decisions paid before a sum was set that day counts towards it", async () => {
      const { shop, kysely, wallet, announce, sellBy } = await open();
      await sellBy("admin", 1);
      await shop.run();
      await announce(7n, "admin");
      await sellBy("admin", 1);
      await shop.run();
      const asked = await kysely.selectFrom("approvals").select("state").execute();
      expect([await shop.received(wallet), asked]).to.deep.equal([5, [{ state: "open" }]]);
    });

    it("of apis that run with different sums and wallets the strictest counts, whichever started last", async () => {
      const { shop, kysely, wallet, announce, announceFor, sellBy } = await open();
      const isDisputed = () => areRulesDisputed(kysely);
      const asked = async () => (await kysely.selectFrom("approvals").select("id").execute()).length;
      expect(await announce(7n, "admin", "second")).to.deep.equal({ aboveGwei: 7n * 10n ** 9n, isDisputed: false });
      await announce(7n, "second", "admin");
      expect(await isDisputed(), "the same wallets in another order").to.equal(false);
      const old = await announce(20n, "admin", "second", "former");
      expect(old).to.deep.equal({ aboveGwei: 7n * 10n ** 9n, isDisputed: true });
      expect(await isDisputed()).to.equal(true);
      await sellBy("admin", 2);
      await shop.run();
      expect([await shop.received(wallet), await asked()]).to.deep.equal([5, 1]);
      const { id } = await kysely.selectFrom("approvals").select("id").executeTakeFirstOrThrow();
      const by = { isApproved: true, actor: "former", reason: null };
      await inTransaction(kysely, (queries) => decideApproval(queries, id, by));
      await shop.run();
      expect(await shop.received(wallet), "who no longer may agreed").to.equal(5);
      // Once the strict one has ended, the other one is the only one.
      await announceFor(0n, 7n, "admin", "second");
      const only = await announce(20n, "admin", "second", "former");
      expect(only).to.deep.equal({ aboveGwei: 20n * 10n ** 9n, isDisputed: false });
      await sellBy("admin", 1);
      await shop.run();
      expect([await shop.received(wallet), await isDisputed()]).to.deep.equal([10, false]);
    });

    if (engine.name === "PostgreSQL") {
      it("of two apis that start at once while payouts are being queued, neither loses the other's word", async () => {
        const { shop, kysely, wallet, announce, again } = await open();
        await announce(20n, "admin", "second");
        const others = [(await again()).kysely, (await again()).kysely];
        const words = [
          { aboveGwei: 7n, roles: new Map([["admin", operator] as const, ["second", operator] as const]) },
          { aboveGwei: 9n, roles: new Map([["admin", operator] as const]) },
        ];
        let started: Promise<unknown> | undefined;
        await inTransaction(kysely, async (queries) => {
          const payout = { purchaseId: 1n, wallet, amountGwei: 1n };
          await requestApprovals(queries, [payout], shop.approvals);
          const starting = others.map((there, index) =>
            inTransaction(there, (later) => announceApprovals(later, words[index] as (typeof words)[number])),
          );
          started = Promise.all(starting);
          await untilWaiting(queries, 2);
        });
        await started;
        const { aboveGwei, roles } = JSON.parse((await readSetting(kysely, "approval_rules")) ?? "");
        expect({ aboveGwei, roles }).to.deep.equal({ aboveGwei: "7", roles: [["admin", operator]] });
      });

      it("a sum that is announced while payouts are being queued takes back those that are above it", async () => {
        const { shop, kysely, wallet, announce, sellBy, unsent, again } = await open();
        await announce(20n, "admin");
        await sellBy("admin", 1);
        await shop.run(2);
        const [purchase] = await shop.purchases();
        const there = (await again()).kysely;
        const strict = { aboveGwei: 0n, roles: new Map([["admin", operator] as const]) };
        const moment = { now: BigInt(Date.now()), deepestBlock: 1_000n, hasRate: true };
        const options = { weiPerCent: WEI_PER_CENT, stepDelayMs: 0n, approvals: shop.approvals, rules: RULES, moment };
        let announced: Promise<unknown> | undefined;
        await inTransaction(kysely, async (queries) => {
          expect(await stepNow(queries, purchase?.id ?? 0n, options), "waits for nobody").to.equal(undefined);
          announced = inTransaction(there, async (later) => {
            await announceApprovals(later, strict);
            await decideChanged(later, RULES, 10);
          });
          await Promise.race([announced, untilWaiting(queries)]);
        });
        await announced;
        expect(await unsent()).to.deep.equal([]);
        await shop.run();
        expect(await shop.received(wallet)).to.equal(0);
      });
    }

    it("whoever agreed and may not any more: what is not sent waits for another person", async () => {
      const { shop, kysely, wallet, click, announce } = await open();
      await announce(0n, "admin", "second");
      const report = reportOf(click, payable);
      await shop.read(report);
      await attributeSale(kysely, (await shop.sale(report.saleKey)).id, "admin");
      await shop.run();
      const { id } = await kysely.selectFrom("approvals").select("id").executeTakeFirstOrThrow();
      const by = { isApproved: true, actor: "second", reason: null };
      await inTransaction(kysely, (queries) => decideApproval(queries, id, by));
      await shop.runUntil("pay");
      await announce(0n, "admin");
      await shop.run();
      const states = await kysely.selectFrom("approvals").select("state").orderBy("id").execute();
      expect([await shop.received(wallet), states.map(({ state }) => state)]).to.deep.equal([0, ["lapsed", "open"]]);
    });

    it("the delay of a mint is that of the moment when it is queued", async () => {
      const { shop, kysely, click, change, restart } = await open();
      await shop.read(reportOf(click), { ...RULES, mintDelayMs: 60_000n });
      const due = () => kysely.selectFrom("operations").select("not_before").executeTakeFirstOrThrow();
      const before = await due();
      await change({ mint_delay_seconds: 0 });
      await restart({ mintDelayMs: 0n });
      await shop.plan();
      expect(await due()).to.deep.equal(before);
    });

    it("what was promised at the click stays: window, percent, and a store that is deleted", async () => {
      const { shop, kysely, wallet, click, change } = await open();
      const report = reportOf(click);
      await shop.read(report);
      await change({ claim_days: 1 });
      await shop.run();
      await inTransaction(kysely, (queries) => deleteStore(queries, shop.storeId));
      await shop.read({ ...report, ...payable });
      await shop.run();
      expect(await shop.received(wallet)).to.equal(5);
    });

    it("goes on where it was killed, and leaves out a sale that cannot be decided", async () => {
      const { shop, kysely, change } = await open();
      const reports = [];
      for (const digit of "bcdef") {
        const report = reportOf(await shop.click(await shop.buyer(digit)), payable);
        await shop.read(report);
        reports.push(report);
      }
      const held = async () =>
        (await kysely.selectFrom("sales").select("id").where("state", "=", "held").execute()).length;
      await change({ advertiser_id: "17001" });
      await inTransaction(kysely, (queries) => decideChanged(queries, RULES, 2));
      expect(await held()).to.equal(2);
      const dying = inTransaction(kysely, async (queries) => {
        await decideChanged(queries, RULES, 2);
        throw new Error("killed");
      });
      expect(await dying.catch((error: Error) => error.message)).to.equal("killed");
      expect(await held()).to.equal(2);
      await kysely
        .updateTable("sales")
        .set({ kept: "{" })
        .where("sale_key", "=", reports[3]?.saleKey ?? "")
        .execute();
      for (let round = 0; round < 6; round++) await shop.plan();
      expect(await held()).to.equal(4);
      expect(await kysely.selectFrom("changed_facts").selectAll().execute()).to.deep.equal([]);
      const undecided = await kysely.selectFrom("due_purchases").select("problem").where("attempts", ">", 0n).execute();
      expect(undecided).to.have.lengthOf(1);
    });
  });
});
